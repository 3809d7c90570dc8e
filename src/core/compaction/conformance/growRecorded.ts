/** A recorded conversation as a chain that grows: how it began, and what came after each compaction. */

import type { Message } from '../../context/message.ts';

interface Growth {
  readonly messages: readonly Message[];
  /** One part for each compaction but the last, in order. */
  readonly more: readonly (readonly Message[])[];
}

/** The first half, and the second in equal parts. Calls and their results stay in one part. */
export function growRecorded(recorded: readonly Message[], compactions: number): Growth {
  const parts = Math.max(1, compactions - 1);
  const cuts = Array.from({ length: parts + 1 }, (_, i) =>
    cutAt(recorded, Math.ceil((recorded.length * (parts + i)) / (2 * parts))),
  );
  return {
    messages: recorded.slice(0, cuts[0]),
    more: cuts.slice(1).map((end, i) => recorded.slice(cuts[i], end)),
  };
}

/** The first place from `at` on where no call waits for its result. */
function cutAt(recorded: readonly Message[], at: number): number {
  let end = at;
  while (recorded[end]?.role === 'tool') end++;
  return end;
}

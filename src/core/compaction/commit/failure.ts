/** A failed compaction is told and journaled: the context is as before, and the cool-down reads it from there. */

import type { Usage } from '../../context/message.ts';
import type { CompactorPorts } from '../compactorPorts.ts';
import type { PreparedRun } from '../prepareRun.ts';

/** `instead` says in words what was done instead; `usage` is what the summariser cost, where no compaction carries it. */
export async function recordFailure(
  { journal, log, clock, onEvent }: CompactorPorts,
  { order: { strategy, trigger, begun }, budget }: PreparedRun,
  reason: string,
  instead: string,
  usage: Usage | null,
): Promise<void> {
  const { tokens } = budget.reading;
  log('warn', `compaction with ${strategy} failed, nothing was changed by it: ${reason}`);
  onEvent({ type: 'compactionFailed', strategy, trigger, reason, tokens, durationMs: clock.now() - begun });
  const cost = usage ? { usage } : {};
  await journal.append({ type: 'compactionFailed', strategy, trigger, reason, attempt: 1, instead, ...cost });
}

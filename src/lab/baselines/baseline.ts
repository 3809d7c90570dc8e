/**
 * Shared by the plain strategies: the head, the newest groups. They are the lab's own yardsticks.
 */

import type { PreparedSession } from '../prepareSession.ts';
import type { Contender } from '../request.ts';

/** Share of the window from which the plain strategies act. */
export const TRIGGER = 0.8;

export type Baseline = (prepared: PreparedSession, window: number) => Contender;

/** Everything up to and including the first user message. */
export function headLength({ session }: PreparedSession): number {
  return session.messages.findIndex((message) => message.role === 'user') + 1;
}

/** Index where the newest `count` tool groups before `step` begin. */
export function newestToolGroups(prepared: PreparedSession, step: number, count: number): number {
  const { session, groups, groupStarts } = prepared;
  let left = count;
  for (let group = groups[step] ?? 0; group > 0 && left > 0; ) {
    group--;
    const start = groupStarts[group] ?? 0;
    if (session.messages[start]?.tool_calls) left--;
    if (left === 0) return start;
  }
  return 0;
}

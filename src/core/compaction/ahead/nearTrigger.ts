/** Whether the context is near enough to where it is compacted that its summary should be prepared. Pure. */

import type { TriggerMark } from '../when/gauge.ts';

/** The share of the trigger's threshold. Some steps before it: a summary takes about as long. */
const NEAR = 0.85;

/** `tokens`: the reading. `mark`: where the trigger fires; null when it cannot. */
export function isNearTrigger(tokens: number, mark: TriggerMark | null): boolean {
  if (mark === null) return false;
  const { at, messages } = mark;
  const byTokens = at !== null && tokens >= NEAR * at;
  if (messages === null) return byTokens;
  const byMessages = messages.now >= NEAR * messages.limit;
  return messages.together ? byMessages && (at === null || byTokens) : byMessages || byTokens;
}

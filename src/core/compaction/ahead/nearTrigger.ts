/** Whether the context is near enough to where it is compacted that its summary should be prepared. Pure. */

import type { TriggerMark } from '../when/gauge.ts';

/**
 * The share of the trigger's threshold. What comes to the context from there on stays beside the summary, so it should be
 * little; where it is too little for the summary to be ready, the compaction waits while the window holds the context.
 */
const NEAR = 0.92;
/** Where it can begin between two turns only. */
const NEAR_BETWEEN_TURNS = 0.85;

/** `tokens`: the reading. `mark`: where the trigger fires; null when it cannot. */
export function isNearTrigger(tokens: number, mark: TriggerMark | null, betweenTurns: boolean): boolean {
  if (mark === null) return false;
  const { at, messages } = mark;
  const share = betweenTurns ? NEAR_BETWEEN_TURNS : NEAR;
  const byTokens = at !== null && tokens >= share * at;
  if (messages === null) return byTokens;
  const byMessages = messages.now >= share * messages.limit;
  return messages.together ? byMessages && (at === null || byTokens) : byMessages || byTokens;
}

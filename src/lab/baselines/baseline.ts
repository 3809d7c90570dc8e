/**
 * Shared by the plain strategies: sizes of requests, the head, the newest groups. They are the lab's own yardsticks.
 */

import type { PreparedSession } from '../prepareSession.ts';
import { type Contender, type Part, tokensOfPart } from '../request.ts';

/** Share of the window from which the plain strategies act. */
export const TRIGGER = 0.8;

export type Baseline = (prepared: PreparedSession, window: number) => Contender;

/** Everything up to and including the first user message. */
export function headLength({ session }: PreparedSession): number {
  return session.messages.findIndex((message) => message.role === 'user') + 1;
}

/** Number of system messages at the beginning of the session. */
export function systemLength({ session }: PreparedSession): number {
  const first = session.messages.findIndex((message) => message.role !== 'system');
  return first < 0 ? session.messages.length : first;
}

/**
 * The size that the plain strategies compare with the window: the messages, without the fixed part for system prompt
 * and tools.
 */
export function messageTokens({ tokens }: PreparedSession, parts: readonly Part[]): number {
  return parts.reduce<number>((sum, part) => sum + tokensOfPart(tokens, part), 0);
}

/** Indices `from … to−1`. */
export function range(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, i) => from + i);
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

/**
 * The newest part of a history, which stays: so many messages, groups or rounds as a strategy counts, or as many of them
 * as `keep.recent` has room for.
 */

import type { CompactionContext, ContextMessage } from '../../../api/index.ts';
import { AMOUNT } from '../draft/keepingSettings.ts';

/** What the newest part is a part of. */
export type Whole = Pick<CompactionContext, 'history' | 'maxContextSize'>;

/** Whether a message begins one of the units that are counted. */
type Begins = (message: ContextMessage, before: ContextMessage | undefined) => boolean;

export const beginsMessage: Begins = (message) =>
  message.role === 'assistant' || (message.role === 'user' && message.kind === 'user');
export const beginsGroup: Begins = (message) => message.role === 'assistant' && message.toolCalls.length > 0;
export const beginsRound: Begins = (message, before) => message.round !== before?.round;

/** How many of the newest units stay: `count`, or those whole in the newest `amount`, and the newest one in any case. */
export function countRecent(whole: Whole, amount: string, count: number, begins: Begins): number {
  const { history } = whole;
  const from = findRecent(whole, amount);
  if (from === null) return count;
  return Math.max(1, history.filter((message, i) => i >= from && begins(message, history[i - 1])).length);
}

/** Index that the newest `amount` begins at, in whole blocks and no less than the newest. Null when none is given. */
export function findRecent({ history, maxContextSize }: Whole, amount: string, share = 1): number | null {
  const given = readAmount(amount, maxContextSize);
  if (given === null) return null;
  const most = given * share;
  let from = history.length;
  let tokens = 0;
  for (let i = history.length - 1; i >= 0 && (tokens <= most || from === history.length); i--) {
    const message = history[i] as ContextMessage;
    tokens += message.tokens;
    if (message.block === history[i - 1]?.block) continue;
    if (tokens <= most || from === history.length) from = i;
  }
  return from;
}

/** In tokens. Null for an empty text, and for a share while the window is not known. */
function readAmount(amount: string, window: number): number | null {
  const [, tokens, percent] = AMOUNT.exec(amount) ?? [];
  if (tokens !== undefined) return Number(tokens);
  return percent !== undefined && window > 0 ? (Number(percent) / 100) * window : null;
}

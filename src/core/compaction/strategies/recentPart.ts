/**
 * The newest part of a history, which stays: a number of messages, groups or rounds as a strategy counts, or as many as
 * fit `keep.recent`.
 */

import type { CompactionContext, ContextMessage } from '../../../api/index.ts';
import { isPerson } from '../draft/messageKinds.ts';
import { AMOUNT } from '../sections/generalSettings.ts';

export type Whole = Pick<CompactionContext, 'history' | 'maxContextSize'>;

type Begins = (message: ContextMessage, before: ContextMessage | undefined) => boolean;

export const beginsMessage: Begins = (message) => message.role === 'assistant' || isPerson(message);

export const beginsGroup = (message: ContextMessage): boolean =>
  message.role === 'assistant' && message.toolCalls.length > 0;

export const beginsRound: Begins = (message, before) => message.round !== before?.round;

/** The number of newest units that stay: `count`, or the whole units in the newest `amount`, and at least one. */
export function countRecent(whole: Whole, amount: string, count: number, begins: Begins): number {
  const { history } = whole;
  const from = findRecent(whole, amount);
  if (from === null) return count;
  return Math.max(1, history.filter((message, i) => i >= from && begins(message, history[i - 1])).length);
}

/** Index where the newest `amount` begins, in whole blocks and with at least the newest. Null without an amount. */
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

/** In tokens. Null for an empty text, and for a share while the window is unknown. */
function readAmount(amount: string, window: number): number | null {
  const [, tokens, percent] = AMOUNT.exec(amount) ?? [];
  if (tokens !== undefined) return Number(tokens);
  return percent !== undefined && window > 0 ? (Number(percent) / 100) * window : null;
}

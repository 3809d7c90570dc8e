/**
 * The newest part of a history, which stays: a number of messages, groups or rounds as a strategy counts, or as many as
 * fit `keep.recent`.
 */

import type { CompactionContext, ContextMessage } from '../../../api/index.ts';
import { AMOUNT } from '../sections/generalSettings.ts';

export type Whole = Pick<CompactionContext, 'history' | 'maxContextSize'>;

type Begins = (message: ContextMessage, before: ContextMessage | undefined) => boolean;

export const isPerson = (message: ContextMessage): boolean => message.role === 'user' && message.kind === 'user';

export const isSummary = (message: ContextMessage): boolean => message.role === 'user' && message.kind === 'summary';

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

/**
 * Previews of long texts and arguments for strategies, counted with the `countTokens` port. A preview says how much is
 * missing and where to find it; shortened arguments stay JSON.
 */
type Count = (text: string) => number;

/** The start of `text` worth at most `tokens`, at a character border. */
export function startOf(text: string, tokens: number, count: Count): string {
  let low = 0;
  let high = Math.min(text.length, tokens * 16);
  if (high === text.length && count(text) <= tokens) return text;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (count(text.slice(0, middle)) <= tokens) low = middle;
    else high = middle;
  }
  return text.slice(0, low).toWellFormed().replace(/�$/u, '');
}

/** The first `tokens` of a result, and a note of what is missing. */
export function previewText(text: string, id: string, tokens: number, count: Count): string {
  const start = startOf(text, tokens, count);
  return `${start}\n[… ${text.length - start.length} more characters were cut here by compaction; recall with id ${id}]`;
}

/** Arguments as JSON that holds their first `tokens`. */
export function previewArguments(json: string, tokens: number, count: Count): string {
  const preview = startOf(json, tokens, count);
  return JSON.stringify({ preview, cutCharacters: json.length - preview.length });
}

/** Head and tail of a text around a note of how much is missing; at most `maxTokens`. */
export function shortenMiddle(text: string, maxTokens: number, count: Count): string {
  if (count(text) <= maxTokens) return text;
  for (let characters = Math.max(16, maxTokens * 3); characters > 16; characters = Math.floor(characters * 0.7)) {
    if (characters >= text.length) continue;
    const head = text.slice(0, Math.ceil(characters * 0.6)).toWellFormed();
    const tail = text.slice(-Math.floor(characters * 0.4)).toWellFormed();
    const short = `${head}\n[… ${text.length - characters} characters left out …]\n${tail}`;
    if (count(short) <= maxTokens) return short;
  }
  return text.slice(0, 16).toWellFormed();
}

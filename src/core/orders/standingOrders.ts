/**
 * The standing orders of a session: what the person demanded for good, found in their own messages on the journal's path,
 * with what they changed since. The journal is the only place where they are kept.
 */

import { wrap } from '../context/frame.ts';
import { type HeaderItem, type MessageEntry, messageId } from '../journal/entry.ts';
import type { Journal } from '../journal/journal.ts';
import { isOwnMessage } from '../journal/storedEntries.ts';
import { countTokens } from '../tokens/estimate.ts';
import { findOrders } from './findOrders.ts';

export interface StandingOrder {
  /** `m17.0` for the first sentence of a message; stable for the life of the session. */
  readonly id: string;
  /** Word for word as the person wrote it, or as they changed it. */
  readonly text: string;
  readonly tokens: number;
  /** Its own message says it to the model: it need not be said again. */
  readonly inView: boolean;
}

/** Origin of the header's item. */
export const STANDING_ORDERS = 'standing orders';

const PREFACE =
  "The person's standing orders from earlier in this conversation, word for word. They hold until the person takes them back.";
/** Share of the window that they may take, and the least, in tokens. */
const SHARE = 0.005;
const LEAST = 160;
const UNKNOWN_WINDOW = 64_000;

/** By message: it never changes. */
const found = new WeakMap<MessageEntry['message'], readonly string[]>();

/** Oldest first. */
export function readOrders(journal: Journal): readonly StandingOrder[] {
  const changed = new Map<string, string | null>();
  const orders: StandingOrder[] = [];
  const shown = shownTexts(journal);
  for (const entry of journal.backward()) {
    // The newest change of an order counts, and the path is read from its end.
    if (entry.type === 'standingOrder') {
      if (!changed.has(entry.id)) changed.set(entry.id, entry.text);
    } else if (entry.type === 'message' && entry.seq > journal.importedTo && isOwnMessage(entry)) {
      orders.push(...ordersOf(entry, changed, shown).reverse());
    }
  }
  const seen = new Set<string>();
  // Said twice, it is kept as it was said last.
  return orders.filter(({ text }) => !seen.has(text) && seen.add(text)).reverse();
}

function ordersOf(
  { seq, message }: MessageEntry,
  changed: ReadonlyMap<string, string | null>,
  shown: ReadonlyMap<string, string>,
): StandingOrder[] {
  const sentences = found.get(message) ?? findOrders(message.text);
  found.set(message, sentences);
  return sentences.flatMap((sentence, nth) => {
    const id = `${messageId(seq)}.${nth}`;
    const change = changed.get(id);
    if (change === null) return [];
    const text = change ?? sentence;
    return [{ id, text, tokens: countTokens(text), inView: (shown.get(messageId(seq)) ?? '').includes(text) }];
  });
}

/** By item: what the model sees of the person's own messages. */
function shownTexts(journal: Journal): Map<string, string> {
  const own = journal.context.conversation.filter(({ kind, hidden }) => kind === 'user' && !hidden);
  return new Map(own.map(({ id, message }) => [id, message.text]));
}

/** Those that the header has to say, newest first until the room is used up; the rest is `left`. */
export function fitOrders(
  orders: readonly StandingOrder[],
  window: number,
): { readonly told: readonly StandingOrder[]; readonly left: readonly StandingOrder[] } {
  let room = Math.max(LEAST, Math.floor((window || UNKNOWN_WINDOW) * SHARE)) - countTokens(wrap(TAG, PREFACE));
  const told: StandingOrder[] = [];
  const left: StandingOrder[] = [];
  for (const order of orders.filter(({ inView }) => !inView).toReversed()) {
    // A line costs its dash and its end beside the text.
    const cost = order.tokens + 2;
    if (cost > room) left.push(order);
    else {
      room -= cost;
      told.push(order);
    }
  }
  return { told: told.reverse(), left: left.reverse() };
}

const TAG = 'standing-orders';

/** Null when there is nothing to say. */
export function ordersItem(orders: readonly StandingOrder[], window: number): Omit<HeaderItem, 'tokens'> | null {
  const { told } = fitOrders(orders, window);
  if (told.length === 0) return null;
  const text = wrap(TAG, `${PREFACE}\n${told.map((order) => `- ${order.text}`).join('\n')}`);
  return { kind: 'memory', origin: STANDING_ORDERS, text, cacheHint: true };
}

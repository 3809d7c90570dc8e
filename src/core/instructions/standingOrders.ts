/**
 * The standing orders of a session: lasting demands found in the person's own messages on the journal's path, with the
 * person's later changes. They are stored only in the journal. Orders whose messages the model no longer sees are
 * repeated in a list, a reminder in the conversation, so that a compaction leaves the header unchanged.
 */

import type { ContextItem } from '../context/item.ts';
import type { UserMessage } from '../context/message.ts';
import { messageId } from '../journal/entry.ts';
import type { Journal } from '../journal/journal.ts';
import { makeNote } from '../journal/makeNote.ts';
import { isOwnMessage } from '../journal/storedEntries.ts';
import { countTokens, estimateMessage } from '../tokens/estimate.ts';
import { words } from '../words.ts';
import { findOrders } from './findOrders.ts';

export interface StandingOrder {
  /** `m17.0` for the first sentence of a message; stable for the life of the session. */
  readonly id: string;
  /** Verbatim as the person wrote it, or as they changed it. */
  readonly text: string;
  readonly tokens: number;
  /** Its own message is still visible to the model, so it need not be repeated. */
  readonly inView: boolean;
}

/** How a list of standing orders begins. */
export const ORDERS_PREFACE =
  "The person's standing orders from earlier in this conversation, word for word. They hold until the person takes them back. This list replaces any earlier one.";
const NO_ORDERS = `${ORDERS_PREFACE}\n(There is none any more.)`;
/**
 * Share of the window that the list may take, and its minimum in tokens, which exceeds the share in windows under
 * 32,000.
 */
const SHARE = 0.005;
const LEAST = 160;
const UNKNOWN_WINDOW = 64_000;

/** The orders on a path. Each reading reads only the newest entries. */
interface Reading {
  readonly head: number | null;
  /** Messages with orders, oldest first. */
  readonly said: readonly { readonly seq: number; readonly sentences: readonly string[] }[];
  /** New text by order id; null for an order that was taken back. */
  readonly changed: ReadonlyMap<string, string | null>;
}

const NOTHING: Reading = { head: null, said: [], changed: new Map() };
/** The newest reading of each journal, which the next one continues. */
const readings = new WeakMap<Journal, Reading>();

/** Oldest first. */
export function readOrders(journal: Journal): readonly StandingOrder[] {
  const reading = readPath(journal, readings.get(journal) ?? NOTHING);
  readings.set(journal, reading);
  const shown = shownTexts(journal);
  const orders = reading.said.flatMap((message) => ordersOf(message, reading.changed, shown)).reverse();
  const seen = new Set<string>();
  // An order stated twice keeps its last position.
  return orders.filter(({ text }) => !seen.has(text) && seen.add(text)).reverse();
}

function readPath(journal: Journal, known: Reading): Reading {
  const said: Reading['said'][number][] = [];
  const changed = new Map<string, string | null>();
  let before = NOTHING;
  for (const entry of journal.backward()) {
    if (entry.seq === known.head) {
      before = known;
      break;
    }
    // The newest change of an order counts, and the path is read from its end.
    if (entry.type === 'standingOrder') {
      if (!changed.has(entry.id)) changed.set(entry.id, entry.text);
    } else if (entry.type === 'message' && isOwnMessage(entry)) {
      const sentences = findOrders(entry.message.text);
      if (sentences.length > 0) said.push({ seq: entry.seq, sentences });
    }
  }
  return {
    head: journal.head,
    said: said.length > 0 ? [...before.said, ...said.reverse()] : before.said,
    changed: changed.size > 0 ? new Map([...before.changed, ...changed]) : before.changed,
  };
}

function ordersOf(
  { seq, sentences }: Reading['said'][number],
  changed: ReadonlyMap<string, string | null>,
  shown: ReadonlyMap<string, string>,
): StandingOrder[] {
  return sentences.flatMap((sentence, nth) => {
    const id = `${messageId(seq)}.${nth}`;
    const change = changed.get(id);
    if (change === null) return [];
    const text = change ?? sentence;
    return [{ id, text, tokens: countTokens(text), inView: (shown.get(messageId(seq)) ?? '').includes(text) }];
  });
}

/** The person's own messages as the model sees them, by item. */
function shownTexts(journal: Journal): Map<string, string> {
  const own = journal.context.conversation.filter(({ kind, hidden }) => kind === 'user' && !hidden);
  return new Map(own.map(({ id, message }) => [id, message.text]));
}

/** Tokens that the whole list may take in this window. */
export function roomOfOrders(window: number): number {
  return Math.max(LEAST, Math.floor((window || UNKNOWN_WINDOW) * SHARE));
}

/** Picks the orders to list, newest first until the room is used up; `left` counts the others. */
export function fitOrders(
  orders: readonly StandingOrder[],
  window: number,
): { readonly told: readonly StandingOrder[]; readonly left: readonly StandingOrder[] } {
  let room = roomOfOrders(window) - estimateMessage(listOf([]));
  const told: StandingOrder[] = [];
  const left: StandingOrder[] = [];
  for (const order of orders.filter(({ inView }) => !inView).toReversed()) {
    // A line also costs its dash and its line break.
    const cost = order.tokens + 2;
    if (cost > room) left.push(order);
    else {
      room -= cost;
      told.push(order);
    }
  }
  return { told: told.reverse(), left: left.reverse() };
}

function listOf(told: readonly StandingOrder[]): UserMessage {
  return { role: 'user', kind: 'reminder', text: [ORDERS_PREFACE, ...told.map(({ text }) => `- ${text}`)].join('\n') };
}

/** Lists that the model sees, oldest first. Lists recorded by another program do not count. */
export function listsInView({ context, importedTo }: Journal): readonly ContextItem[] {
  return context.conversation.filter(
    ({ kind, hidden, seq, message }) =>
      kind === 'reminder' && !hidden && seq > importedTo && message.text.startsWith(ORDERS_PREFACE),
  );
}

/**
 * Brings the list in the context up to date. `reshaped`: no request has been made since the context changed its shape,
 * so an earlier list can be withdrawn. Otherwise a newer list follows it, and the prefix of the next request stays
 * unchanged.
 */
export async function remindOfOrders(
  journal: Journal,
  orders: readonly StandingOrder[],
  window: number,
  reshaped: boolean,
): Promise<void> {
  const { told, left } = fitOrders(orders, window);
  const lists = listsInView(journal);
  const newest = lists.at(-1);
  const wanted = told.length > 0 ? listOf(told) : null;
  const isTold = newest !== undefined && newest.message.text === wanted?.text;
  const ids = lists.filter((list) => !(isTold && list === newest)).map(({ id }) => id);
  if (reshaped && ids.length > 0) await journal.append({ type: 'withdrawn', ids });
  const said = wanted ?? (newest && !reshaped ? { ...listOf([]), text: NO_ORDERS } : null);
  if (said && !isTold && newest?.message.text !== said.text)
    await journal.append({ type: 'message', message: said, tokens: estimateMessage(said) });
  await sayLeft(journal, left, window);
}

/** The omitted orders that the person was last told about, by journal. */
const saidLeft = new WeakMap<Journal, string>();
const MOST_NAMED = 5;
const LONGEST_NAMED = 100;

async function sayLeft(journal: Journal, left: readonly StandingOrder[], window: number): Promise<void> {
  const key = left.map(({ id, text }) => `${id} ${text}`).join('\n');
  if (key === (saidLeft.get(journal) ?? '')) return;
  saidLeft.set(journal, key);
  if (left.length === 0) return;
  const named = left.slice(-MOST_NAMED).map(({ text }) => `“${cutText(text)}”`);
  const list = [...named, ...(left.length > MOST_NAMED ? ['…'] : [])].join(' ');
  const said = words(
    'Standing orders may take {0} tokens of this window. These no longer fit, and the model is not told them: {1} Move them to AGENTS.md with Show Memory, or say them again.',
    roomOfOrders(window),
    list,
  );
  await journal.append(makeNote('warning', said));
}

const cutText = (text: string) =>
  text.length > LONGEST_NAMED ? `${text.slice(0, LONGEST_NAMED)}…`.toWellFormed() : text;

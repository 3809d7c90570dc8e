/**
 * Repeats the orders whose messages the model no longer sees, in a reminder in the conversation, so that a compaction leaves
 * the header unchanged; and tells the person which no longer fit.
 */

import type { ContextItem } from '../../context/item.ts';
import type { Journal } from '../../journal/journal.ts';
import { makeNote } from '../../journal/makeNote.ts';
import { estimateMessage } from '../../tokens/estimate.ts';
import { words } from '../../words.ts';
import type { StandingOrder } from './foldOrders.ts';
import {
  fitOrders,
  type ListedLine,
  listOf,
  listsInView,
  NO_ORDERS,
  REMARK,
  roomOfOrders,
  showLine,
} from './orderList.ts';
import { wordingOf } from './subjects.ts';

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
  const lists = listsInView(journal);
  const newest = lists.at(-1);
  const holds = newest !== undefined && !reshaped && stillHolds(newest, orders, window);
  // A list that follows another replaces it, so it must name what the model sees elsewhere, too.
  const { listed, left } = fitOrders(orders, window, newest !== undefined && !reshaped);
  const wanted = listed.length > 0 ? listOf(listed) : null;
  const isTold = holds || (newest !== undefined && newest.message.text === wanted?.text);
  const ids = lists.filter((list) => !(isTold && list === newest)).map(({ id }) => id);
  if (reshaped && ids.length > 0) await journal.append({ type: 'withdrawn', ids });
  const reminder = wanted ?? (newest && !reshaped ? { ...listOf([]), text: NO_ORDERS } : null);
  if (reminder && !isTold && newest?.message.text !== reminder.text)
    await journal.append({ type: 'message', message: reminder, tokens: estimateMessage(reminder) });
  await warnOfLeft(journal, left, window);
}

/** True when the list says nothing that was taken back by hand, and all that the model sees neither in it nor after it. */
function stillHolds(list: ContextItem, orders: readonly StandingOrder[], window: number): boolean {
  const listed = list.message.text.split('\n').slice(1);
  const known = new Set(
    orders.flatMap((order) => [order.text, wordingOf(order.text), ...order.later.map(({ text }) => text)]),
  );
  const isKnown = (line: string) => {
    const text = line.replace(/^- /, '');
    const remark = text.startsWith(REMARK) ? text.slice(REMARK.length) : null;
    return known.has(text) || known.has(wordingOf(text)) || (remark !== null && known.has(remark));
  };
  const isCovered = (line: ListedLine) => listed.includes(showLine(line)) || (line.inView && line.at > list.seq);
  return listed.every(isKnown) && fitOrders(orders, window).listed.every(isCovered);
}

/** The omitted orders that the person was last told about, by journal. */
const warnedOf = new WeakMap<Journal, string>();
const MOST_NAMED = 5;
const LONGEST_NAMED = 100;

async function warnOfLeft(journal: Journal, left: readonly StandingOrder[], window: number): Promise<void> {
  const key = left.map(({ id, text }) => `${id} ${text}`).join('\n');
  if (key === (warnedOf.get(journal) ?? '')) return;
  warnedOf.set(journal, key);
  if (left.length === 0) return;
  const named = left.slice(-MOST_NAMED).map(({ text }) => `“${cutText(text)}”`);
  const list = [...named, ...(left.length > MOST_NAMED ? ['…'] : [])].join(' ');
  const notice = words(
    'Standing orders may take {0} tokens of the model’s window. These no longer fit, and the model is not told them: {1} Move them to AGENTS.md with Show Memory, or say them again.',
    roomOfOrders(window),
    list,
  );
  await journal.append(makeNote('warning', notice));
}

const cutText = (text: string) =>
  text.length > LONGEST_NAMED ? `${text.slice(0, LONGEST_NAMED)}…`.toWellFormed() : text;

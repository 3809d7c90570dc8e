/**
 * The list of standing orders that the model reads: what fits into its share of the window, newest orders first. Invariant:
 * the model never reads an order of it without the later words about it.
 */

import type { ContextItem } from '../../context/item.ts';
import type { UserMessage } from '../../context/message.ts';
import type { Journal } from '../../journal/journal.ts';
import { countTokens, estimateMessage } from '../../tokens/estimate.ts';
import type { Line, StandingOrder } from './foldOrders.ts';

/** How a list of standing orders begins. */
export const ORDERS_PREFACE =
  "The person's standing orders from earlier in this conversation, word for word. They hold until the person takes them back. This list replaces any earlier one.";
/** For a list in which a line may change an earlier one. */
const LATER_HOLDS = ' Where a later line takes back or changes an earlier one, the later one holds.';
export const REMARK = 'said later: ';
export const NO_ORDERS = `${ORDERS_PREFACE}\n(There is none any more.)`;
/**
 * Share of the window that the list may take, and its minimum in tokens, which exceeds the share in windows under
 * 32,000.
 */
const SHARE = 0.005;
const LEAST = 160;
const UNKNOWN_WINDOW = 64_000;

/** Tokens that the whole list may take in a window of so many tokens. */
export function roomOfOrders(window: number): number {
  return Math.max(LEAST, Math.floor((window || UNKNOWN_WINDOW) * SHARE));
}

export type ListedLine = Line & { readonly kind: 'order' | 'remark' };

/** The model would read it without the later words, or not at all. */
const mustBeListed = ({ inView, later }: StandingOrder) => !inView || later.some((line) => !line.inView);

/**
 * Picks the lines to list, newest orders first until the room is used up, each with all that was said about it later.
 * `left`: the orders that do not fit. `all`: also those that the model still sees.
 */
export function fitOrders(
  orders: readonly StandingOrder[],
  window: number,
  all = false,
): { readonly listed: readonly ListedLine[]; readonly left: readonly StandingOrder[] } {
  let room = roomOfOrders(window) - estimateMessage(listOf([]));
  const known = new Map<string, ListedLine>();
  const left: StandingOrder[] = [];
  for (const order of orders.filter((each) => all || mustBeListed(each)).toReversed()) {
    const whole = [order, ...order.later];
    const sure = [order, ...order.later.filter((line) => line.sure)];
    const cost = (lines: readonly ListedLine[]) => costOf(lines.filter(({ text }) => !known.has(text)));
    const group = [whole, sure].find((lines) => cost(lines) <= room);
    if (!group) {
      if (!order.inView) left.push(order);
      continue;
    }
    room -= cost(group);
    for (const line of group) if (!known.has(line.text)) known.set(line.text, line);
  }
  return { listed: [...known.values()].sort((a, b) => a.at - b.at), left: left.reverse() };
}

/** A line also costs its dash and its line break, and a remark its mark. */
const costOf = (lines: readonly ListedLine[]) =>
  lines.reduce((sum, { kind, tokens }) => sum + tokens + (kind === 'remark' ? 2 + REMARK_TOKENS : 2), 0);
const REMARK_TOKENS = countTokens(REMARK);

/** Without lines: the longest preface, as room is reserved for it. */
export function listOf(lines: readonly ListedLine[]): UserMessage {
  const preface = lines.length === 1 ? ORDERS_PREFACE : ORDERS_PREFACE + LATER_HOLDS;
  return { role: 'user', kind: 'reminder', text: [preface, ...lines.map(showLine)].join('\n') };
}

export const showLine = ({ kind, text }: ListedLine) => `- ${kind === 'remark' ? REMARK : ''}${text}`;

/** Lists that the model sees, oldest first. Lists recorded by another program do not count. */
export function listsInView({ context, importedTo }: Journal): readonly ContextItem[] {
  return context.conversation.filter(
    ({ kind, hidden, seq, message }) =>
      kind === 'reminder' && !hidden && seq > importedTo && message.text.startsWith(ORDERS_PREFACE),
  );
}

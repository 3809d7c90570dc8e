/**
 * Demands of the person and their later words, folded into the orders that stand. Of near-equal orders the later wording counts,
 * and beside each order stands what may take it back or change it. Pure.
 */

import { countTokens } from '../../tokens/estimate.ts';
import { type Remark, saysChange } from './remarks.ts';
import { countShared, isNegative, subjectsOf, wordingOf } from './subjects.ts';

/** A line of the list. */
export interface Line {
  /** Verbatim as the person wrote it, or as they changed it. */
  readonly text: string;
  readonly tokens: number;
  /** Its own message is still visible to the model, so it need not be repeated. */
  readonly inView: boolean;
  /** Rises from the oldest to the newest; whole numbers are entries of the journal. */
  readonly at: number;
}

/** Something that the person said later, which may take back or change the order. */
export interface LaterLine extends Line {
  readonly kind: 'remark' | 'order';
  /** It speaks of the order for certain; others are left out first where there is too little room. */
  readonly sure: boolean;
}

export interface StandingOrder extends Line {
  readonly kind: 'order';
  /** `m17.0` for the first sentence of a message; stable for the life of the session. */
  readonly id: string;
  /** Oldest first. */
  readonly later: readonly LaterLine[];
}

/** A sentence of the person, or a change by hand. */
export type OrderEvent =
  | { readonly kind: 'order'; readonly at: number; readonly seq: number; readonly id: string; readonly text: string }
  | {
      readonly kind: 'remark';
      readonly at: number;
      readonly seq: number;
      readonly text: string;
      readonly sign: Remark['sign'];
      readonly subjects: ReadonlySet<string>;
    }
  | { readonly kind: 'change'; readonly at: number; readonly id: string; readonly text: string | null };

interface Folded extends Omit<StandingOrder, 'later'> {
  readonly wording: string;
  readonly subjects: ReadonlySet<string>;
  readonly later: LaterLine[];
}

export function foldEvents(
  events: readonly OrderEvent[],
  isShown: (seq: number, text: string) => boolean,
): StandingOrder[] {
  /** By wording: of near-equal orders the later wording counts. */
  const orders = new Map<string, Folded>();
  for (const event of events) {
    if (event.kind === 'change') {
      const changed = [...orders.values()].find(({ id }) => id === event.id);
      if (!changed) continue;
      orders.delete(changed.wording);
      if (event.text === null) continue;
      const { id, at, text } = { ...event, text: event.text };
      const wording = wordingOf(text);
      const tokens = countTokens(text);
      orders.set(wording, {
        kind: 'order',
        id,
        text,
        tokens,
        inView: false,
        at,
        wording,
        subjects: subjectsOf(text),
        later: [],
      });
      continue;
    }
    if (event.kind === 'remark') {
      remark(event, [...orders.values()], isShown);
      continue;
    }
    const { text, at, seq } = event;
    const subjects = subjectsOf(text);
    const line = { text, at, tokens: countTokens(text), inView: isShown(seq, text) };
    const about = [...orders.values()].filter((order) => countShared(order.subjects, subjects) > 0);
    const wording = wordingOf(text);
    orders.delete(wording);
    const replaces = saysChange(text);
    for (const order of about.length === 0 && replaces ? [...orders.values()] : about)
      if (order.wording !== wording) order.later.push({ ...line, kind: 'order', sure: replaces });
    orders.set(wording, { ...line, kind: 'order', id: event.id, wording, subjects, later: [] });
  }
  return [...orders.values()].map(({ wording: _, subjects: __, ...order }) => order);
}

/** Puts a remark beside the orders that it may concern. */
function remark(
  { text, at, seq, sign, subjects }: Extract<OrderEvent, { kind: 'remark' }>,
  orders: readonly Folded[],
  isShown: (seq: number, text: string) => boolean,
): void {
  const shared = orders.map((order) => countShared(order.subjects, subjects));
  // It names no order, so it may mean any, and most likely the newest.
  const isUnclear = sign === 'open' && shared.every((count) => count === 0);
  for (const [nth, order] of orders.entries()) {
    const count = shared[nth] ?? 0;
    // Only its subject tells: that of the whole order, or several, and what it says is not the same again.
    const isClose = count > 1 || (count > 0 && count === order.subjects.size);
    if (!isUnclear && (sign === 'none' ? !isClose || isNegative(text) === isNegative(order.text) : count === 0))
      continue;
    const sure = isUnclear ? nth === orders.length - 1 : sign === 'open' || sign === 'sure';
    order.later.push({ kind: 'remark', text, at, tokens: countTokens(text), inView: isShown(seq, text), sure });
    const unsure = order.later.filter((line) => !line.sure);
    const oldest = unsure.length > MOST_UNSURE ? unsure[0] : undefined;
    if (oldest) order.later.splice(order.later.indexOf(oldest), 1);
  }
}

/** Lines beside one order that may have nothing to do with it: the newest. */
const MOST_UNSURE = 2;

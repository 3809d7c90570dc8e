/**
 * The standing orders of a session: lasting demands found in the person's own words on the journal's path, with the
 * person's later changes and with what they said about them later. They are stored only in the journal. Orders whose
 * messages the model no longer sees are repeated in a list, a reminder in the conversation, so that a compaction leaves the
 * header unchanged. Invariant: the model never reads an order of that list without the later words about it.
 */

import { attribute } from '../../context/attribute.ts';
import { personsWords, stretchesOf } from '../../context/authorship.ts';
import type { ContextItem } from '../../context/item.ts';
import type { UserMessage } from '../../context/message.ts';
import { type MessageEntry, messageId } from '../../journal/entry.ts';
import type { Journal } from '../../journal/journal.ts';
import { makeNote } from '../../journal/makeNote.ts';
import { isOwnMessage } from '../../journal/storedEntries.ts';
import { countTokens, estimateMessage } from '../../tokens/estimate.ts';
import { words } from '../../words.ts';
import { findOrders } from './findOrders.ts';
import { findRemarks, type Remark, saysChange } from './remarks.ts';
import { countShared, isNegative, subjectsOf, wordingOf } from './subjects.ts';

/** A line of the list. */
interface Line {
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

/** How a list of standing orders begins. */
export const ORDERS_PREFACE =
  "The person's standing orders from earlier in this conversation, word for word. They hold until the person takes them back. This list replaces any earlier one.";
/** For a list in which a line may change an earlier one. */
const LATER_HOLDS = ' Where a later line takes back or changes an earlier one, the later one holds.';
const REMARK = 'said later: ';
const NO_ORDERS = `${ORDERS_PREFACE}\n(There is none any more.)`;
/**
 * Share of the window that the list may take, and its minimum in tokens, which exceeds the share in windows under
 * 32,000.
 */
const SHARE = 0.005;
const LEAST = 160;
const UNKNOWN_WINDOW = 64_000;

/** A sentence of the person, or a change by hand. */
type Event =
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

/** An order that was found in an imported message and that the person made theirs. */
export interface AcceptedOrder {
  /** The message's entry. */
  readonly seq: number;
  readonly text: string;
}

/** The orders on a path. Each reading reads only the newest entries. */
interface Reading {
  readonly head: number | null;
  /** Orders of imported messages that count; what was read before they changed does not. */
  readonly accepted: readonly AcceptedOrder[] | null;
  readonly events: readonly Event[];
}

/** The newest reading of each journal, which the next one continues. */
const readings = new WeakMap<Journal, Reading>();

/** Oldest first. */
export function readOrders(journal: Journal): readonly StandingOrder[] {
  const accepted = acceptedOrders(journal);
  const known = readings.get(journal);
  const from = known?.accepted === accepted ? known : { head: null, accepted, events: [] };
  const reading = readPath(journal, from);
  readings.set(journal, reading);
  const shown = shownTexts(journal);
  const isShown = (seq: number, text: string) => (shown.get(messageId(seq)) ?? '').includes(text);
  return foldEvents(reading.events, isShown);
}

/**
 * Orders in the imported part of the journal's path, oldest first, as far as they were not taken back there. They hold
 * only once the person has accepted them.
 */
export function findImportedOrders(journal: Journal): readonly (StandingOrder & AcceptedOrder)[] {
  const events = [...journal.backward()].toReversed().flatMap((entry) => {
    if (entry.seq > journal.importedTo || entry.type !== 'message' || !isOwnMessage(entry)) return [];
    return eventsIn(entry, true, (words) => findOrders(words));
  });
  return foldEvents(events, () => false).map((order) => ({ ...order, seq: Math.floor(order.at) }));
}

/** The person's newest decision about imported orders; null where they have not been asked. */
export function acceptedOrders(journal: Journal): readonly AcceptedOrder[] | null {
  if (journal.importedTo < 0) return null;
  const decisions = [...journal.ofType('importedOrders')].filter(({ seq }) => seq > journal.importedTo);
  return decisions.at(-1)?.orders ?? null;
}

function readPath(journal: Journal, known: Reading): Reading {
  const { accepted } = known;
  const newest: (readonly Event[])[] = [];
  let isWhole = true;
  let first: MessageEntry | null = null;
  for (const entry of journal.backward()) {
    if (entry.seq === known.head) {
      isWhole = false;
      break;
    }
    if (entry.type === 'standingOrder')
      newest.push([{ kind: 'change', at: entry.seq, id: entry.id, text: entry.text }]);
    if (entry.type !== 'message' || !isOwnMessage(entry)) continue;
    first = entry;
    const isImported = entry.seq <= journal.importedTo;
    const listed = () => (accepted ?? []).filter(({ seq }) => seq === entry.seq).map(({ text }) => text);
    newest.push(eventsIn(entry, isImported, isImported ? listed : findOrders));
  }
  // Before parts were recorded, the task of a subagent looked like a message of the person.
  if (isWhole && first && journal.session.parentEntry && !('parts' in first.message)) {
    const task = newest.findLastIndex((events) => events.some(({ at }) => Math.floor(at) === first.seq));
    if (task >= 0) newest.splice(task, 1);
  }
  const events = newest.reverse().flat();
  return { head: journal.head, accepted, events: isWhole ? events : [...known.events, ...events] };
}

function eventsIn(entry: MessageEntry, isImported: boolean, find: (words: string) => readonly string[]): Event[] {
  const { message, seq } = entry;
  if (message.role !== 'user') return [];
  const { text, parts } = message;
  // Messages that an earlier version imported have no parts.
  const stretches = stretchesOf(isImported && !parts ? { ...message, ...attribute(text) } : message);
  const own = personsWords(stretches);
  const at = (sentence: string) => seq + Math.min(Math.max(text.indexOf(sentence), 0), 999_999) / 1_000_000;
  const orders = find(own).map(
    (sentence, nth): Event => ({
      kind: 'order',
      at: at(sentence),
      seq,
      id: `${messageId(seq)}.${nth}`,
      text: sentence,
    }),
  );
  const isOrder = new Set(orders.map((order) => order.text));
  const remarks = findRemarks(own).flatMap((remark): Event[] =>
    isOrder.has(remark.text)
      ? []
      : [{ kind: 'remark', at: at(remark.text), seq, ...remark, subjects: subjectsOf(remark.text) }],
  );
  return [...orders, ...remarks].sort((a, b) => a.at - b.at);
}

interface Folded extends Omit<StandingOrder, 'later'> {
  readonly wording: string;
  readonly subjects: ReadonlySet<string>;
  readonly later: LaterLine[];
}

function foldEvents(events: readonly Event[], isShown: (seq: number, text: string) => boolean): StandingOrder[] {
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
  { text, at, seq, sign, subjects }: Extract<Event, { kind: 'remark' }>,
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

/** The person's own messages as the model sees them, by item. */
function shownTexts(journal: Journal): Map<string, string> {
  const own = journal.context.conversation.filter(({ kind, hidden }) => kind === 'user' && !hidden);
  return new Map(own.map(({ id, message }) => [id, message.text]));
}

/** Tokens that the whole list may take in a window of so many tokens. */
export function roomOfOrders(window: number): number {
  return Math.max(LEAST, Math.floor((window || UNKNOWN_WINDOW) * SHARE));
}

type ListedLine = Line & { readonly kind: 'order' | 'remark' };

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
function listOf(lines: readonly ListedLine[]): UserMessage {
  const preface = lines.length === 1 ? ORDERS_PREFACE : ORDERS_PREFACE + LATER_HOLDS;
  return { role: 'user', kind: 'reminder', text: [preface, ...lines.map(showLine)].join('\n') };
}

const showLine = ({ kind, text }: ListedLine) => `- ${kind === 'remark' ? REMARK : ''}${text}`;

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

/**
 * The standing orders of a session: lasting demands found in the person's own words on the journal's path, with the
 * person's later changes and with what they said about them later. They are stored only in the journal.
 */

import { attribute } from '../../context/attribute.ts';
import { personsWords, stretchesOf } from '../../context/authorship.ts';
import { type MessageEntry, messageId } from '../../journal/entry.ts';
import type { Journal } from '../../journal/journal.ts';
import { isOwnMessage } from '../../journal/storedEntries.ts';
import { findOrders } from './findOrders.ts';
import { foldEvents, type OrderEvent, type StandingOrder } from './foldOrders.ts';
import { findRemarks } from './remarks.ts';
import { subjectsOf } from './subjects.ts';

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
  readonly events: readonly OrderEvent[];
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
  const newest: (readonly OrderEvent[])[] = [];
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

function eventsIn(entry: MessageEntry, isImported: boolean, find: (words: string) => readonly string[]): OrderEvent[] {
  const { message, seq } = entry;
  if (message.role !== 'user') return [];
  const { text, parts } = message;
  // Messages that an earlier version imported have no parts.
  const stretches = stretchesOf(isImported && !parts ? { ...message, ...attribute(text) } : message);
  const own = personsWords(stretches);
  const at = (sentence: string) => seq + Math.min(Math.max(text.indexOf(sentence), 0), 999_999) / 1_000_000;
  const orders = find(own).map(
    (sentence, nth): OrderEvent => ({
      kind: 'order',
      at: at(sentence),
      seq,
      id: `${messageId(seq)}.${nth}`,
      text: sentence,
    }),
  );
  const isOrder = new Set(orders.map((order) => order.text));
  const remarks = findRemarks(own).flatMap((remark): OrderEvent[] =>
    isOrder.has(remark.text)
      ? []
      : [{ kind: 'remark', at: at(remark.text), seq, ...remark, subjects: subjectsOf(remark.text) }],
  );
  return [...orders, ...remarks].sort((a, b) => a.at - b.at);
}

/** The person's own messages as the model sees them, by item. */
function shownTexts(journal: Journal): Map<string, string> {
  const own = journal.context.conversation.filter(({ kind, hidden }) => kind === 'user' && !hidden);
  return new Map(own.map(({ id, message }) => [id, message.text]));
}

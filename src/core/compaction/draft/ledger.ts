/**
 * Searches the kept messages for facts of all messages that left or leave, and adds the missing ones to a ledger of
 * bounded size, shared by the kinds of facts. It repairs and never blocks.
 */

import type { ContextMessage } from '../../../api/index.ts';
import { once } from '../../once.ts';
import { countTokens, takeTokens } from '../../tokens/estimate.ts';
import { neutraliseNotes } from '../../tools/text/neutralise.ts';
import { DROP, type Draft } from './draft.ts';
import { type Fact, isLedger, LEDGER_HEADING } from './ledgerLines.ts';
import type { Facts, SessionFacts } from './sessionFacts.ts';
import { WordSearch } from './wholeWords.ts';

/** Where a ledger's facts come from, besides the history. */
export interface LedgerSources {
  /** Those of the whole path. */
  readonly facts: () => SessionFacts;
  /** See `Stamp`: without it no line offers something to be recalled. */
  readonly recalls?: boolean;
  /** The ledger lines that the compaction with this `seq` inserted; empty if it is not one of this session. */
  readonly ledgerOf: (seq: number) => readonly string[];
}

/** Merges the ledgers of earlier compactions into the next one, so that there is only one. */
export function dropLedgers(draft: Draft, { ledgerOf }: LedgerSources): Draft {
  const ledgers: number[] = [];
  draft.visit((message, index) => {
    if (!message.protected && isLedger(message.text) && linesOf(draft, index, ledgerOf).length > 0) ledgers.push(index);
  });
  return ledgers.length === 0 ? draft : draft.decide(ledgers.map((index) => [index, DROP] as const));
}

/** The compaction that inserted a note determines its origin, because its words could be anybody's. */
function linesOf({ history }: Draft, index: number, ledgerOf: LedgerSources['ledgerOf']): readonly string[] {
  return isNote(history.messages[index]) ? ledgerOf(history.items[index]?.seq ?? -1) : [];
}

/**
 * Returns the draft itself when nothing leaves: a stub keeps its handle, so hidden content is not lost. Messages that
 * left with earlier compactions count too, because notes that still covered them may leave now.
 */
export function addLedger(from: Draft, ledgerTokens: number, sources: LedgerSources): Draft {
  const { messages, items } = from.history;
  if (ledgerTokens <= 0 || from.dropped().length === 0) return from;
  const draft = dropLedgers(from, sources);
  const stays = new Set<string>();
  draft.visit(({ id }) => void stays.add(id));
  const ledgers = new Map(
    draft.dropped().map((index) => [items[index]?.seq ?? -1, linesOf(draft, index, sources.ledgerOf)]),
  );
  const carried = [...ledgers].sort(([a], [b]) => b - a).map(([, lines]) => lines);
  const facts = sources.facts().of(messages, (id) => !stays.has(id), carried, sources.recalls);
  const { checked, added } = share(facts, ledgerTokens, survivorsIn(draft));
  const verified = draft.verified({ checked, added });
  if (added.length === 0) return verified;
  const ledger = [LEDGER_HEADING, ...added.map((line) => `- ${line}`)].join('\n');
  // A separate note next to the newest summary of this compaction: the model's text and the program's findings stay
  // apart.
  return verified.insert(draft.inserts.at(-1)?.before ?? 0, ledger);
}

const isNote = (message: ContextMessage | undefined) => message?.role === 'user' && message.kind === 'summary';

/** A line takes at most this share of the ledger, so that the first task and a line of every kind always fit. */
const LINE_SHARE = 1 / 8;
const SHORTEST_LINE = 24;
/** The smallest ledger: its heading, and the first request. */
export const LEAST_LEDGER = 60;

/**
 * The number of kinds with a line in every turn, because one ledger has to cover the whole session: requests, what was
 * declined, and changed files.
 */
const FOREMOST = 3;
/** The other kinds have a line in the first of so many turns. */
const OTHERS_EVERY = 4;

/** Whether the kept messages contain these words, or this ledger line. */
interface Survived {
  inText(needle: string | null): boolean;
  asLine(line: string): boolean;
}

/** The first task, then lines of the kinds in turns, until the ledger is full; in the order of the kinds. */
function share({ kinds, first }: Facts, ledgerTokens: number, survived: Survived) {
  const longest = Math.max(SHORTEST_LINE, Math.floor(ledgerTokens * LINE_SHARE)) - 2;
  const shorten = (line: string) => {
    const safe = neutraliseNotes(flatten(line));
    return countTokens(safe) > longest ? `${takeTokens(safe, longest - 1)}…` : safe;
  };
  const added: string[][] = kinds.map(() => []);
  let left = ledgerTokens - countTokens(LEDGER_HEADING);
  let checked = 0;
  /** False when the line has no room. */
  const add = (kind: number, line: string): boolean => {
    const tokens = countTokens(line) + 2;
    if (tokens > left) return false;
    left -= tokens;
    added[kind]?.push(line);
    return true;
  };
  // A long session has as many facts as messages: a kind is skipped once one of its lines has no room.
  const missing = function* (facts: Iterable<Fact>) {
    for (const { line, needle } of facts) {
      checked++;
      // Most facts stand in kept messages, so the line itself is seldom needed.
      if (survived.inText(needle)) continue;
      const short = shorten(line);
      if (!survived.asLine(short)) yield short;
    }
  };
  const [task] = missing(first ? [first] : []);
  const queues = new Map(kinds.map((facts, kind) => [kind, missing(kind === 0 ? without(facts, first?.line) : facts)]));
  const hasRoom = task === undefined || add(0, task);
  for (let turn = 0; hasRoom && queues.size; turn++) {
    for (const [kind, queue] of queues) {
      if (kind >= FOREMOST && turn % OTHERS_EVERY > 0) continue;
      const next = queue.next();
      // An older line in place of one that is too long would hide that there is a newer one.
      if (next.done || !add(kind, next.value)) queues.delete(kind);
    }
  }
  // The newest request comes first, the first task last.
  if (task !== undefined) added[0]?.push(...(added[0]?.splice(0, 1) ?? []));
  return { checked, added: added.flat() };
}

function* without(facts: Iterable<Fact>, line: string | undefined): Generator<Fact> {
  for (const fact of facts) if (fact.line !== line) yield fact;
}

const flatten = (text: string) => text.replace(/\s+/g, ' ');

/** A ledger that is too long is made again from the same draft. */
const survivorsIn: (draft: Draft) => Survived = once(findSurvivors);

function findSurvivors(draft: Draft): Survived {
  const text = new WordSearch(flatten(textOf(draft)));
  const lines = new Set<string>();
  draft.visit((message, index) => {
    const shown = isNote(message) ? draft.textAt(index) : '';
    if (isLedger(shown)) for (const line of shown.split('\n')) if (line.startsWith('- ')) lines.add(line.slice(2));
  });
  return {
    inText: (needle) => needle !== null && text.holds(flatten(needle)),
    asLine: (line) => lines.has(line),
  };
}

function textOf(draft: Draft): string {
  const texts = draft.inserts.map(({ text }) => text);
  draft.visit((_, index) => {
    texts.push(draft.textAt(index));
    // Facts are searched for in plain form, not as JSON escapes them.
    for (const json of draft.argumentsAt(index)) texts.push(json.replace(/\\(.)/g, unescaped));
  });
  return texts.join('\n');
}

const unescaped = (_: string, sign: string): string => (sign === '\\' || sign === '"' ? sign : ' ');

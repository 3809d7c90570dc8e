/**
 * The rows of entries that are not messages: one function for each kind of entry that a person reads as an event. Pure.
 */

import { MOST_LINES, NOTICE_ACTIONS, NOTICE_LEVELS, type Row, type RowOf } from '../../protocol/rows.ts';
import { factWords, withoutLedger } from '../compaction/draft/facts.ts';
import { isDropNote } from '../compaction/draft/stub.ts';
import { STEP_NAMES } from '../compaction/stepNames.ts';
import { earlyWords, triggerWords } from '../compaction/triggerWords.ts';
import { readMoney } from '../cost/money.ts';
import {
  BRANCH,
  type CompactionEntry,
  type CompactionFailedEntry,
  HANDOFF,
  isCarriedOver,
  type NoteEntry,
  type PersonsChanges,
  type TreeEntry,
} from '../journal/entry.ts';
import { isObject, ownOf } from '../json.ts';
import { inEnglish, isWords, readWords, verbatim, type Words, words } from '../words.ts';
import type { CacheEffect } from './cacheEffect.ts';
import { cut, EXCERPT, LABEL } from './cut.ts';
import { keptLines } from './keptLines.ts';
import type { ContextView } from './live.ts';
import { lostIn } from './lost.ts';

interface Base {
  readonly id: string;
  readonly time: number;
}

/** Each kind of entry named here becomes one row of the transcript. */
const EVENTS = {
  compaction: compactionRow,
  compactionFailed: failureRow,
  checkpoint: (entry, base) => ({
    ...base,
    type: 'checkpoint',
    checkpoint: entry.id,
    label: cut(entry.label, LABEL),
  }),
  note: noteRow,
} satisfies {
  readonly [T in TreeEntry['type']]?: (entry: Extract<TreeEntry, { type: T }>, base: Base, context: ContextView) => Row;
};

export type EventEntry = Extract<TreeEntry, { type: keyof typeof EVENTS }>;

/** A checkpoint right after a message would only repeat the one before it. */
export function isEvent(entry: TreeEntry): entry is EventEntry {
  if (entry.type === 'checkpoint' && entry.afterMessage) return false;
  return Object.hasOwn(EVENTS, entry.type);
}

/** `cache`: for a compaction, what the next request found in the cache. */
export function eventRow(id: string, entry: EventEntry, context: ContextView, cache: CacheEffect | null = null): Row {
  if (entry.type === 'compaction') {
    return { ...compactionRow(entry, { id, time: Date.parse(entry.time) }, context), cache };
  }
  const make = EVENTS[entry.type] as (entry: EventEntry, base: Base, context: ContextView) => Row;
  return make(entry, { id, time: Date.parse(entry.time) }, context);
}

function compactionRow(entry: CompactionEntry, base: Base, context: ContextView): RowOf<'compaction'> {
  const count = { hidden: 0, dropped: 0, shortened: 0, inserted: 0 };
  const summary: string[] = [];
  for (const op of entry.plan) {
    if (op.op === 'drop') count.dropped += op.ids.length;
    else if (op.op === 'replace') count[op.by.hidden ? 'hidden' : 'shortened']++;
    else if (op.op === 'insert') {
      // Only where a program has put one is it a ledger.
      const text = entry.verification ? withoutLedger(op.message.text) : op.message.text;
      // A note that messages were dropped summarises nothing.
      if (text === '' || isDropNote(text)) continue;
      // An import may put other messages in, such as a marker; they summarise nothing.
      if (op.message.role === 'user' && op.message.kind === 'summary') count.inserted++;
      summary.push(text);
    }
  }
  const { seq } = entry;
  return {
    ...base,
    type: 'compaction',
    strategy: entry.strategy,
    strategyName: ownOf(STEP_NAMES, entry.strategy) ?? verbatim(cut(entry.strategy, LABEL)),
    trigger: entry.trigger,
    triggerName: earlyWords(entry.early) ?? triggerWords(entry.trigger),
    tokensBefore: entry.tokensBefore,
    tokensAfter: entry.tokensAfter,
    ...(isCount(entry.rounds) ? { rounds: entry.rounds } : {}),
    durationMs: entry.durationMs,
    ...count,
    lost: lostIn(entry, { slot: (id) => context.slot(id) }),
    added: entry.plan.reduce((sum, op) => sum + (op.op === 'insert' ? op.tokens : 0), 0),
    summary: cut(summary.join('\n\n')),
    changed: describeChanges(entry),
    repairs: linesOf(entry.repairWords, entry.repairs ?? []),
    reasons: keptLines(entry),
    ledger: (entry.verification?.added ?? []).map(factWords),
    summaryModel: entry.summaryModel ?? null,
    summaryTokens: entry.usage ? entry.usage.input + entry.usage.output : null,
    preparedMs: entry.prepared && Number.isFinite(entry.prepared.durationMs) ? entry.prepared.durationMs : null,
    cost: readMoney(entry.cost),
    cache: null,
    state: context.activeCompactions.some((active) => active.seq === seq) ? 'active' : 'undone',
    canUndo: context.activeCompactions.at(-1)?.seq === seq,
    canRedo: context.undoneCompactions.at(-1)?.seq === seq,
  };
}

const isCount = (given: unknown): given is number => Number.isSafeInteger(given) && Number(given) > 0;

/** A journal of elsewhere may hold anything here. */
function describeChanges({ changed }: CompactionEntry): Words {
  if (!isObject(changed)) return [];
  const counted = CHANGES.flatMap(([field, say]) => {
    const count: unknown = changed[field];
    return typeof count === 'number' && count > 0 ? say(count) : [];
  });
  return counted.length > 0 ? [...words('The plan was changed by hand before it was applied.'), ...counted] : [];
}

const CHANGES: readonly (readonly [keyof PersonsChanges, (count: number) => Words])[] = [
  ['kept', (count) => words('Kept: {0}.', count)],
  ['hidden', (count) => words('Hidden: {0}.', count)],
  ['shortened', (count) => words('Shortened: {0}.', count)],
  ['dropped', (count) => words('Dropped: {0}.', count)],
  ['rewritten', (count) => words('Summaries rewritten: {0}.', count)],
];

function failureRow(
  { strategy, trigger, reason, reasonWords, instead, insteadWords }: CompactionFailedEntry,
  base: Base,
): Row {
  const why = shorten(readWords(reasonWords, reason));
  return {
    ...base,
    type: 'notice',
    level: 'warning',
    text:
      trigger === BRANCH
        ? words('The summary of the branch failed: {0}', why)
        : trigger === HANDOFF
          ? words('The summary of the session failed: {0}', why)
          : words('Compaction with {0} failed: {1}', cut(strategy, LABEL), why),
    detail: linesOf(insteadWords && [insteadWords], [instead]),
    // A summary of what was left is asked for where that was done.
    action: isCarriedOver(trigger) ? 'none' : 'compact',
    also: [],
    retryAt: null,
  };
}

function noteRow(entry: NoteEntry, base: Base): Row {
  const { level, text, words: said, detail = '', detailWords, action, also, retryAt, dmail, session = '' } = entry;
  const lines = linesOf(detailWords, [detail]);
  return dmail
    ? {
        ...{ ...base, type: 'dmail', checkpoint: dmail.checkpoint, text: cut(dmail.message), detail: lines },
        from: cut(dmail.from ?? '', LABEL),
      }
    : {
        ...base,
        type: 'notice',
        level: LEVELS.has(level) ? level : 'info',
        text: shorten(readWords(said, text)),
        detail: lines,
        ...offer(action, session),
        also: Array.isArray(also) ? also.filter((each) => ACTIONS.has(each)).slice(0, 10) : [],
        retryAt: typeof retryAt === 'number' && Number.isFinite(retryAt) ? retryAt : null,
      };
}

/** A way out of a later version, or to nowhere, is left out: the note is still read. */
function offer(action: NoteEntry['action'], session: string): Pick<RowOf<'notice'>, 'action' | 'session'> {
  if (!action || !ACTIONS.has(action)) return { action: 'none' };
  if (action !== 'openSession') return { action };
  return ID.test(session) ? { action, session } : { action: 'none' };
}

/** As a session's id may be: a journal of elsewhere may name anything. */
const ID = /^[\w-]{1,100}$/;
const LEVELS: ReadonlySet<string> = new Set(NOTICE_LEVELS);
const ACTIONS: ReadonlySet<string> = new Set(NOTICE_ACTIONS);

/** What is too long to show is cut in English. */
function shorten(said: Words): Words {
  const english = inEnglish(said);
  return english.length <= EXCERPT ? said : verbatim(cut(english, EXCERPT));
}

function linesOf(stored: unknown, english: readonly string[]): Words[] {
  const lines = Array.isArray(stored) && stored.every(isWords) ? stored : english.map(verbatim);
  if (lines.length > MOST_LINES) return [...lines.slice(0, MOST_LINES - 1), verbatim('…')].map(shorten);
  return lines.filter((line) => line.length > 0).map(shorten);
}

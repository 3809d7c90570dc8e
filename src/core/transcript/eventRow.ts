/**
 * The rows of entries other than messages: one function for each kind of entry that a person reads as an event. Pure.
 */

import {
  MOST_GROUPS,
  MOST_LINES,
  MOST_REASONS,
  NOTICE_ACTIONS,
  NOTICE_LEVELS,
  type Row,
  type RowOf,
} from '../../protocol/rows.ts';
import { isDropNote } from '../compaction/draft/dropNote.ts';
import { factWords, withoutLedger } from '../compaction/draft/ledgerLines.ts';
import type { ItemKind } from '../context/item.ts';
import { tokensReadAgain } from '../cost/cacheTimeline.ts';
import { costOfReadingAgain } from '../cost/costOf.ts';
import { countFates } from '../fates.ts';
import {
  BRANCH,
  type CompactionEntry,
  type CompactionFailedEntry,
  HANDOFF,
  isCarriedOver,
  type NoteEntry,
  type PersonsChanges,
  type TreeEntry,
  type UsageEntry,
} from '../journal/entry.ts';
import { countNamed, fatesIn } from '../journal/removal.ts';
import { isObject, listOf, objectOf, ownOf } from '../json.ts';
import { readMoney, readPrice } from '../money.ts';
import { inEnglish, isWords, readWords, verbatim, type Words, words } from '../words.ts';
import { earlyWords, STEP_NAMES, triggerWords } from './compactionWords.ts';
import { cut, EXCERPT, LABEL } from './cut.ts';
import { listRemoved } from './listRemoved.ts';
import type { ContextView } from './standing.ts';

interface Base {
  readonly id: string;
  readonly time: number;
}

/** Each kind of entry listed here becomes one row of the transcript. */
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

/** Facts from after a compaction: the cache reads of the next request, and calls that repeat what it took. */
type Aftermath = Pick<RowOf<'compaction'>, 'cache' | 'repeated'>;

const NOTHING_AFTER: Aftermath = { cache: null, repeated: null };

export function eventRow(id: string, entry: EventEntry, context: ContextView, after: Aftermath | null = null): Row {
  if (entry.type === 'compaction') {
    const row = compactionRow(entry, { id, time: Date.parse(entry.time) }, context);
    return { ...row, ...(after && inUnitsOf(entry, after, context)) };
  }
  const make = EVENTS[entry.type] as (entry: EventEntry, base: Base, context: ContextView) => Row;
  return make(entry, { id, time: Date.parse(entry.time) }, context);
}

/** Estimates of repeated calls in the tokens of the row's other figures, which the meter counted. */
function inUnitsOf(entry: CompactionEntry, { cache, repeated }: Aftermath, context: ContextView): Aftermath {
  if (!repeated) return { cache, repeated };
  const { scale } = lostIn(entry, context);
  const gone = repeated.gone.map((each) => ({ ...each, tokens: each.tokens * scale }));
  return { cache, repeated: { ...repeated, tokens: repeated.tokens * scale, gone } };
}

function compactionRow(entry: CompactionEntry, base: Base, context: ContextView): RowOf<'compaction'> {
  const summary = entry.plan.flatMap((op): string[] => {
    if (op.op !== 'insert') return [];
    // Only a ledger that the program added counts as one.
    const text = entry.verification ? withoutLedger(op.message.text) : op.message.text;
    // A note about dropped messages is not a summary.
    return text === '' || isDropNote(text) ? [] : [text];
  });
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
    asked: cut(typeof entry.asked === 'string' ? entry.asked : '', LABEL),
    inPart: entry.inPart === true,
    fates: countFates(fatesIn(entry)),
    ...lostIn(entry, context).row,
    summary: cut(summary.join('\n\n')),
    changed: describeChanges(entry),
    repairs: linesOf(entry.repairWords, entry.repairs ?? []),
    reasons: keptLines(entry),
    ledger: (entry.verification?.added ?? []).map(factWords),
    summaryModel: entry.summaryModel ?? null,
    summaryTokens: entry.usage ? entry.usage.input + entry.usage.output : null,
    preparedMs: entry.prepared && Number.isFinite(entry.prepared.durationMs) ? entry.prepared.durationMs : null,
    cost: readMoney(entry.cost),
    ...NOTHING_AFTER,
    state: context.activeCompactions.some((active) => active.seq === seq) ? 'active' : 'undone',
    canUndo: context.activeCompactions.at(-1)?.seq === seq,
    canRedo: context.undoneCompactions.at(-1)?.seq === seq,
  };
}

const isCount = (given: unknown): given is number => Number.isSafeInteger(given) && Number(given) > 0;

/** A foreign journal may hold anything here. */
function describeChanges({ changed }: CompactionEntry): Words {
  if (!isObject(changed)) return [];
  const counted = CHANGES.flatMap(([field, describe]) => {
    const count: unknown = changed[field];
    return typeof count === 'number' && count > 0 ? describe(count) : [];
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
    // A summary of an abandoned branch is requested where the branch was abandoned.
    action: isCarriedOver(trigger) ? 'none' : 'compact',
    also: [],
    retryAt: null,
  };
}

function noteRow(entry: NoteEntry, base: Base): Row {
  const { level, text, words: remark, detail = '', detailWords, action, also, retryAt, dmail, session = '' } = entry;
  const since: unknown = entry.changes?.since;
  if (Number.isSafeInteger(since) && Number(since) >= 0)
    return {
      ...base,
      type: 'changes',
      since: Number(since),
      text: shorten(readWords(remark, text)),
      ...readTaken(entry.changes ?? {}),
    };
  const lines = linesOf(detailWords, [detail]);
  return dmail
    ? {
        ...base,
        type: 'dmail',
        checkpoint: dmail.checkpoint,
        text: cut(dmail.message),
        detail: lines,
        from: cut(dmail.from ?? '', LABEL),
      }
    : {
        ...base,
        type: 'notice',
        level: LEVELS.has(level) ? level : 'info',
        text: shorten(readWords(remark, text)),
        detail: lines,
        ...offer(action, session),
        also: Array.isArray(also) ? also.filter((each) => ACTIONS.has(each)).slice(0, 10) : [],
        retryAt: typeof retryAt === 'number' && Number.isFinite(retryAt) ? retryAt : null,
      };
}

/** Time and cost of a turn; a foreign journal may hold anything here. */
function readTaken(stored: {
  readonly ms?: unknown;
  readonly costs?: unknown;
}): Pick<RowOf<'changes'>, 'ms' | 'costs'> {
  const { known, unknown } = objectOf(stored.costs);
  const sums = listOf(known).flatMap((each) => readMoney(each) ?? []);
  return {
    ms: isCount(stored.ms) ? stored.ms : null,
    costs: sums.length > 0 ? { known: sums.slice(0, MOST_CURRENCIES), unknown: isCount(unknown) ? unknown : 0 } : null,
  };
}

const MOST_CURRENCIES = 100;

/** Actions of a later version, or without a target, are omitted: the note can still be read. */
function offer(action: NoteEntry['action'], session: string): Pick<RowOf<'notice'>, 'action' | 'session'> {
  if (!action || !ACTIONS.has(action)) return { action: 'none' };
  if (action !== 'openSession') return { action };
  return ID.test(session) ? { action, session } : { action: 'none' };
}

/** The form of a session id: a foreign journal may name anything. */
const ID = /^[\w-]{1,100}$/;
const LEVELS: ReadonlySet<string> = new Set(NOTICE_LEVELS);
const ACTIONS: ReadonlySet<string> = new Set(NOTICE_ACTIONS);

/** Overlong texts are cut in English. */
function shorten(remark: Words): Words {
  const english = inEnglish(remark);
  return english.length <= EXCERPT ? remark : verbatim(cut(english, EXCERPT));
}

function linesOf(stored: unknown, english: readonly string[]): Words[] {
  const lines = Array.isArray(stored) && stored.every(isWords) ? stored : english.map(verbatim);
  if (lines.length > MOST_LINES) return [...lines.slice(0, MOST_LINES - 1), verbatim('…')].map(shorten);
  return lines.filter((line) => line.length > 0).map(shorten);
}

/**
 * The cache cost of a compaction: from the last request before it and the first one after it, as the provider counted
 * them. Bodies are read only on access.
 */
type CacheEffect = NonNullable<RowOf<'compaction'>['cache']>;

/** Null where the provider counted nothing, or never reported cache reads. */
export function cacheEffect(before: UsageEntry | null, after: UsageEntry | null): CacheEffect | null {
  if (!before || !after || before.estimated || after.estimated) return null;
  const { input, cached } = after.usage;
  const says = [before, after].some(({ usage }) => usage.cached > 0 || (usage.written ?? 0) > 0);
  if (!says) return null;
  const again = tokensReadAgain(before.usage, after.usage);
  const price = readPrice(after.price);
  return { read: cached, input, again, cost: price && costOfReadingAgain(again, price, after.usage) };
}

/**
 * The lines that a compaction kept, each with its reason, for the details of its row. The file's data is not trusted.
 */
export function keptLines({ plan }: CompactionEntry): Words[] {
  const kept: Words[] = [];
  let left = 0;
  for (const op of plan) {
    if (op.op !== 'insert' || !Array.isArray(op.reasons)) continue;
    const lines = op.message.text.split('\n');
    for (const [i, reason] of op.reasons.entries()) {
      const line = lines[i]?.trim();
      if (!line || !isObject(reason) || typeof reason.why !== 'string') continue;
      if (kept.length === MOST_REASONS - 1) left++;
      else kept.push(words('{0}: {1}', describe(reason.why, reason.name), cut(line, EXCERPT)));
    }
  }
  return left > 0 ? [...kept, words('and {0} more', left)] : kept;
}

function describe(why: string, given: unknown): Words {
  const name = cut(typeof given === 'string' ? given : '', EXCERPT);
  switch (why) {
    case 'called':
      return words('a call used {0}', name);
    case 'asked':
      return words('you named {0}', name);
    case 'said':
      return words('the agent named {0}', name);
    case 'often':
      return words('{0} came up more than once', name);
    case 'written':
      return words('the agent wrote it');
    case 'changed':
      return words('{0} was changed', name);
    case 'touched':
      return words('{0} was used', name);
    case 'recent':
      return words('it was recent');
    default:
      return verbatim(cut(why, EXCERPT));
  }
}

/** The messages that a compaction took, totalled by fate and kind for its row. */
type Lost = Pick<RowOf<'compaction'>, 'lost' | 'added' | 'read'>;

type Group = Lost['lost'][number];

/** Above this number of messages, a row does not inspect each of them. */
const MOST = 5_000;

/** Removed messages never change, and a row is rebuilt whenever the model's view changes. */
const known = new WeakMap<CompactionEntry, SumUp>();

/** `scale`: tokens as the meter counted them for one of an estimate. */
interface SumUp {
  readonly row: Lost;
  readonly scale: number;
}

function lostIn(entry: CompactionEntry, context: Pick<ContextView, 'slot'>): SumUp {
  const lost = known.get(entry) ?? sumUp(entry, (id) => context.slot(id));
  known.set(entry, lost);
  return lost;
}

function sumUp(entry: CompactionEntry, slot: ContextView['slot']): SumUp {
  if (countNamed(entry) > MOST) return { row: { lost: [], added: 0, read: null }, scale: 1 };
  const { messages, added, scale } = listRemoved(entry, slot);
  const sums = new Map<string, Group>();
  const read = { tokens: 0, of: 0 };
  for (const { fate, share, whole, kind, tokens, left } of messages) {
    const group = groupOf(kind);
    const key = `${fate} ${group}`;
    const sum = sums.get(key) ?? { fate, kind: group, messages: 0, inPart: 0, tokens: 0, left: 0 };
    sums.set(key, {
      ...sum,
      messages: sum.messages + 1,
      inPart: sum.inPart + (fate === 'read' && !whole ? 1 : 0),
      tokens: sum.tokens + tokens,
      left: sum.left + left,
    });
    if (fate === 'hidden' || fate === 'shortened') continue;
    read.tokens += share * tokens;
    read.of += tokens;
  }
  const lost = [...sums.values()].sort((a, b) => b.tokens - a.tokens).slice(0, MOST_GROUPS);
  return { row: { lost, added, read: read.tokens > 0 ? read : null }, scale };
}

function groupOf(kind: ItemKind): Group['kind'] {
  switch (kind) {
    case 'user':
    case 'assistant':
    case 'toolResult':
    case 'summary':
      return kind;
    default:
      return 'other';
  }
}

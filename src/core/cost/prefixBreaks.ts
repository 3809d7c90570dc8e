/**
 * Why a request does not begin with what an earlier one sent: read off the journal, because every change of the prefix has
 * an entry that made it. What changed only things that the earlier request did not hold breaks nothing.
 */

import {
  type CompactionEntry,
  type Entry,
  messageSeq,
  type RequestEntry,
  type RevertCause,
  type TreeEntry,
} from '../journal/entry.ts';
import type { Journal } from '../journal/journal.ts';

export type PrefixBreak =
  | {
      readonly kind: 'compaction' | 'compactionUndone' | 'compactionRedone';
      readonly seq: number;
      readonly strategy: string;
    }
  | { readonly kind: 'expanded' | 'collapsed' | 'pinned' }
  | { readonly kind: 'header' | 'orders' }
  | { readonly kind: 'model'; readonly from: string; readonly to: string }
  | { readonly kind: 'wentBack'; readonly cause: RevertCause }
  /** Tool calls were told in words, or as they are again. */
  | { readonly kind: 'retold'; readonly inWords: boolean }
  /** Nothing changed here: the cache had outlived its time. In milliseconds. */
  | { readonly kind: 'idle'; readonly idleMs: number; readonly livesMs: number }
  /** Nothing changed here, and the provider did not say why it forgot. */
  | { readonly kind: 'unsaid'; readonly idleMs: number };

/** A request that was sent, and what was in force then. */
export interface SentRequest {
  readonly entry: RequestEntry;
  /** Where the model is. */
  readonly endpoint: string;
}

type PathChange = Extract<
  TreeEntry,
  { type: 'header' | 'configured' | 'compaction' | 'compactionUndone' | 'compactionRedone' | 'withdrawn' | Mark }
>;
type Mark = 'expanded' | 'collapsed' | 'pinned';

const CHANGES: ReadonlySet<Entry['type']> = new Set<PathChange['type']>([
  'header',
  'configured',
  'compaction',
  'compactionUndone',
  'compactionRedone',
  'withdrawn',
  'expanded',
  'collapsed',
  'pinned',
]);

/** Changes of the path between an earlier request and a later one, oldest first. */
export function changesBetween(journal: Journal, before: number, after: number): readonly PathChange[] {
  const found: PathChange[] = [];
  for (const seq of journal.tree.chain(after)) {
    if (seq <= before) break;
    const type = journal.tree.typeOf(seq);
    const entry = type !== null && CHANGES.has(type) ? journal.entry(seq) : null;
    if (entry && CHANGES.has(entry.type)) found.push(entry as PathChange);
  }
  return found.reverse();
}

export function isOnPathOf(journal: Journal, seq: number, head: number): boolean {
  for (const each of journal.tree.chain(head)) if (each <= seq) return each === seq;
  return false;
}

/** `earlier` is on the path of `later`; `changes` are those between them. */
export function findBreaks(
  journal: Journal,
  earlier: SentRequest,
  later: SentRequest,
  changes: readonly PathChange[],
): PrefixBreak[] {
  const before = earlier.entry.seq;
  return [
    ...compactionBreaks(journal, before, changes),
    ...markBreaks(journal, before, later.entry, changes),
    ...headerBreaks(journal, before, changes),
    ...orderBreaks(before, changes),
    ...modelBreaks(earlier, later),
    ...mendBreaks(earlier.entry.mendedUpTo, later.entry.mendedUpTo),
  ];
}

/** One that came and went again meanwhile changed nothing. */
function compactionBreaks(journal: Journal, before: number, changes: readonly PathChange[]): PrefixBreak[] {
  const newest = new Map<number, { readonly was: boolean; readonly is: boolean }>();
  for (const change of changes) {
    if (change.type === 'compaction') newest.set(change.seq, { was: false, is: true });
    else if (change.type === 'compactionUndone' || change.type === 'compactionRedone') {
      const is = change.type === 'compactionRedone';
      newest.set(change.target, { was: newest.get(change.target)?.was ?? !is, is });
    }
  }
  const breaks: PrefixBreak[] = [];
  for (const [seq, { was, is }] of newest) {
    const entry = was === is ? null : journal.entry(seq);
    if (entry?.type !== 'compaction' || !touches(entry, before)) continue;
    const again = is ? 'compactionRedone' : 'compactionUndone';
    breaks.push({ kind: seq > before ? 'compaction' : again, seq, strategy: entry.strategy });
  }
  return breaks;
}

/** True when it takes away or changes what was there before `seq`. What it only adds stands at the end. */
function touches({ plan }: CompactionEntry, seq: number): boolean {
  return plan.some((op) => {
    if (op.op === 'drop') return op.ids.some((id) => seqOf(id) < seq);
    return op.op === 'replace' && seqOf(op.id) < seq;
  });
}

/** The entry that made an item: `m17` and `c17.0` are of entry 17. */
function seqOf(id: string): number {
  return id.startsWith('c') ? Number.parseInt(id.slice(1), 10) : messageSeq(id);
}

function markBreaks(
  journal: Journal,
  before: number,
  { seq }: RequestEntry,
  changes: readonly PathChange[],
): PrefixBreak[] {
  const marks = changes.filter(isMark);
  if (marks.length === 0) return [];
  const [then, now] = [journal.contextAt(before), journal.contextAt(seq)];
  const shown = (context: typeof then, id: string) => {
    const slot = context.slot(id);
    return slot && `${slot.shown} ${slot.hidden}`;
  };
  const changed = marks.filter(({ ids }) => ids.some((id) => seqOf(id) < before && shown(then, id) !== shown(now, id)));
  return [...new Set(changed.map(({ type }) => type))].map((kind) => ({ kind }));
}

function isMark(change: PathChange): change is Extract<PathChange, { type: Mark }> {
  return change.type === 'expanded' || change.type === 'collapsed' || change.type === 'pinned';
}

/** The list of standing orders that the earlier request held was taken out of its place. */
function orderBreaks(before: number, changes: readonly PathChange[]): PrefixBreak[] {
  const taken = changes.some((change) => change.type === 'withdrawn' && change.ids.some((id) => seqOf(id) < before));
  return taken ? [{ kind: 'orders' }] : [];
}

function headerBreaks(journal: Journal, before: number, changes: readonly PathChange[]): PrefixBreak[] {
  const now = changes.findLast((change) => change.type === 'header');
  if (now?.type !== 'header') return [];
  const then = journal.contextAt(before).header;
  const textOf = ({ items, tools }: typeof now) => JSON.stringify([items.map(({ text }) => text), tools]);
  return then && textOf(then) !== textOf(now) ? [{ kind: 'header' }] : [];
}

function mendBreaks(then: number | undefined, now: number | undefined): PrefixBreak[] {
  return then === now ? [] : [{ kind: 'retold', inWords: now !== undefined }];
}

function modelBreaks(earlier: SentRequest, later: SentRequest): PrefixBreak[] {
  const [from, to] = [earlier.entry.model, later.entry.model];
  return from !== to || earlier.endpoint !== later.endpoint ? [{ kind: 'model', from, to }] : [];
}

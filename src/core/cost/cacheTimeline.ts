/**
 * The timeline of the prompt cache: every request of the session, in file order, with its cache reads and writes, and
 * the cause of each break of the prefix. Pure; reads one request at a time.
 */

import type { Usage } from '../context/message.ts';
import {
  type CompactionEntry,
  type Entry,
  messageSeq,
  type RequestEntry,
  type RevertCause,
  type SummaryUsageEntry,
  type TreeEntry,
  type UsageEntry,
} from '../journal/entry.ts';
import type { Journal } from '../journal/journal.ts';
import { type Money, type Price, readMoney, readPrice } from '../money.ts';
import { livesMsOf } from './cacheFacts.ts';
import { costOfReadingAgain } from './costOf.ts';

export interface TimelineRow {
  /** `seq` of the request. */
  readonly seq: number;
  /** Milliseconds since the epoch. */
  readonly time: number;
  readonly purpose: RequestEntry['purpose'];
  readonly model: string;
  /** Null where the provider counted nothing. */
  readonly usage: Usage | null;
  readonly cost: Money | null;
  /** The price used for the cost. */
  readonly price: Price | null;
  /** Why the request does not begin with the previous request's content. Empty where it does. */
  readonly breaks: readonly PrefixBreak[];
  /** Tokens of the earlier request that were read again, where the prefix broke and the provider counts. */
  readonly again: number | null;
  /** The extra cost, compared with reading them from the cache. */
  readonly againCost: Money | null;
}

/** Milliseconds that the cache of an endpoint lives after its last use; null where undocumented. */
export type CacheLife = (endpoint: string) => number | null;

/** A turn's request that was answered, in part or whole. */
interface Answered extends SentRequest {
  readonly usage: Usage | null;
}

export function* cacheTimeline(journal: Journal, livesMs: CacheLife): Generator<TimelineRow> {
  const { tree } = journal;
  const walk = new Walk(journal, livesMs);
  for (let seq = 0; seq < tree.nextSeq; seq++) {
    const facts = tree.facts(seq);
    switch (facts?.type) {
      case 'request': {
        const entry = journal.entry(seq);
        // A request for a summary may be sent while a turn's is open.
        if (entry?.type !== 'request' || entry.purpose === 'turn') yield* walk.flush();
        if (entry?.type === 'request') walk.sent(entry);
        break;
      }
      case 'message':
        if (facts.kind === 'assistant') walk.answered();
        break;
      case 'usage':
      case 'summaryUsage': {
        const entry = journal.entry(seq);
        if (entry?.type === 'usage' || entry?.type === 'summaryUsage') yield walk.used(entry);
        break;
      }
      default:
        break;
    }
  }
  yield* walk.flush();
}

class Walk {
  readonly #journal: Journal;
  readonly #livesMs: CacheLife;
  /** The request that waits for its usage, and whether any answer arrived. */
  #open: { readonly entry: RequestEntry; answered: boolean } | null = null;
  /** The same for a summary. */
  #summary: RequestEntry | null = null;
  /** Requests of turns so far, oldest first. */
  readonly #turns: Answered[] = [];
  /** Models that have read from or written to a cache. */
  readonly #caching = new Set<string>();
  /** The observed cache contents of each model from the previous request, where nothing broke. */
  readonly #kept = new Map<string, Kept>();
  /** When each model's cache was last used. */
  readonly #lastUse = new Map<string, number>();

  constructor(journal: Journal, livesMs: CacheLife) {
    this.#journal = journal;
    this.#livesMs = livesMs;
  }

  sent(entry: RequestEntry): void {
    if (entry.purpose === 'summary') this.#summary = entry;
    else this.#open = { entry, answered: false };
  }

  answered(): void {
    if (this.#open) this.#open.answered = true;
  }

  /** A request with an interrupted answer has no usage, but gets a row. A refused one does not. */
  *flush(): Generator<TimelineRow> {
    const open = this.#open;
    this.#open = null;
    if (open?.answered) yield this.#row(open.entry, null);
  }

  used(usage: UsageEntry | SummaryUsageEntry): TimelineRow {
    const isTurn = usage.type === 'usage';
    const open = isTurn ? (this.#open?.entry ?? null) : this.#summary;
    if (isTurn) this.#open = null;
    else this.#summary = null;
    // Without its request, which a damaged line may have removed, its prefix is unknown.
    return open ? this.#row(open, usage) : rowOf(usage.seq, usage, isTurn ? 'turn' : 'summary', usage);
  }

  #row(request: RequestEntry, used: UsageEntry | SummaryUsageEntry | null): TimelineRow {
    const { model, purpose } = request;
    const row = rowOf(request.seq, request, purpose, used);
    const { usage } = row;
    if (usage && (usage.cached > 0 || (usage.written ?? 0) > 0)) this.#caching.add(model);
    const gap = row.time - (this.#lastUse.get(model) ?? row.time);
    this.#lastUse.set(model, used ? Date.parse(used.time) : row.time);
    // A summary has a prompt of its own, or continues the last request: the turns' prefix stays unchanged.
    if (purpose === 'summary') return row;
    const before = this.#turns.at(-1) ?? null;
    const base = before && this.#onPath(before, request);
    const now: Answered = { entry: request, endpoint: this.#endpointOf(base, request), usage };
    this.#turns.push(now);
    if (!before) return row;
    const changed = this.#changes(before, base, now);
    const breaks = changed.length > 0 ? changed : this.#lost(before, now, gap);
    if (breaks.length === 0) {
      this.#learn(before, now);
      return row;
    }
    const isCounted = usage !== null && before.usage !== null && this.#caching.has(model);
    const again = isCounted ? tokensReadAgain(before.usage, usage) : null;
    const { price } = row;
    const againCost = again !== null && price ? costOfReadingAgain(again, price, usage ?? {}) : null;
    return { ...row, breaks, again, againCost };
  }

  /** The newest earlier request on its path: `before`, unless somebody went back. */
  #onPath(before: Answered, { seq }: RequestEntry): Answered | null {
    if (isOnPathOf(this.#journal, before.entry.seq, seq)) return before;
    const path = new Set(this.#journal.tree.chain(seq));
    return this.#turns.findLast(({ entry }) => path.has(entry.seq)) ?? null;
  }

  /** The endpoint in force: changes are journaled. */
  #endpointOf(base: Answered | null, { seq }: RequestEntry): string {
    const changes = changesBetween(this.#journal, base?.entry.seq ?? -1, seq);
    const newest = changes.findLast((change) => change.type === 'configured');
    return newest?.type === 'configured' ? newest.endpoint : (base?.endpoint ?? '');
  }

  #changes(before: Answered, base: Answered | null, now: Answered): PrefixBreak[] {
    const since = base ? changesBetween(this.#journal, base.entry.seq, now.entry.seq) : [];
    const found = base ? findBreaks(this.#journal, base, now, since) : [];
    return base === before ? found : [{ kind: 'wentBack', cause: this.#whyBack(before, now) }, ...found];
  }

  #whyBack(before: Answered, { entry }: Answered) {
    let cause: Extract<PrefixBreak, { kind: 'wentBack' }>['cause'] = 'user';
    for (const revert of this.#journal.ofType('revert')) {
      if (revert.seq > before.entry.seq && revert.seq < entry.seq) ({ cause } = revert);
    }
    return cause;
  }

  #learn(before: Answered, { entry, usage }: Answered): void {
    if (!before.usage || !usage || usage.cached === 0) return;
    const { input } = before.usage;
    const { share, least } = this.#kept.get(entry.model) ?? { share: 1, least: input };
    this.#kept.set(entry.model, { share: Math.min(share, usage.cached / input), least: Math.min(least, input) });
  }

  /** Nothing changed, and yet the cache returned less than it certainly held. */
  #lost(before: Answered, { entry, usage, endpoint }: Answered, gap: number): PrefixBreak[] {
    if (!usage || !before.usage) return [];
    const cached = Math.max(before.usage.cached + (before.usage.written ?? 0), this.#holds(before.usage, entry.model));
    if (cached - usage.cached <= Math.max(SLACK, cached * SLACK_SHARE)) return [];
    const { written = 0, writtenLong } = before.usage;
    const livesMs = livesMsOf(written, writtenLong) ?? this.#livesMs(endpoint);
    return [
      livesMs !== null && gap > livesMs ? { kind: 'idle', idleMs: gap, livesMs } : { kind: 'unsaid', idleMs: gap },
    ];
  }

  /**
   * Tokens of a request held by a cache that stores each request separately, even if that request found nothing there.
   */
  #holds({ input, written }: Usage, model: string): number {
    const kept = this.#kept.get(model);
    return kept && !written && input >= kept.least ? input * kept.share : 0;
  }
}

interface Kept {
  /** The smallest share of a request that the next one found. */
  readonly share: number;
  /** The shortest request of which anything was found, in tokens: shorter ones may not be cached at all. */
  readonly least: number;
}

/** Providers cache prompts in blocks, and some report them roughly: only a larger loss counts. */
const SLACK = 128;
const SLACK_SHARE = 0.1;

/** Tokens of the earlier request that the later one did not find in the cache. */
export function tokensReadAgain(earlier: Usage | null, later: Usage): number {
  return Math.max(0, Math.min(earlier?.input ?? 0, later.input) - later.cached);
}

function rowOf(
  seq: number,
  { time, model }: { readonly time: string; readonly model: string },
  purpose: RequestEntry['purpose'],
  used: UsageEntry | SummaryUsageEntry | null,
): TimelineRow {
  const usage = used && !used.estimated ? used.usage : null;
  const facts = {
    seq,
    time: Date.parse(time),
    purpose,
    model,
    usage,
    cost: readMoney(used?.cost),
    price: readPrice(used?.price),
  };
  return { ...facts, breaks: [], again: null, againCost: null };
}

/**
 * Why a request does not begin with an earlier one's content: read from the journal, because every change of the prefix
 * has an entry. Changes to content that the earlier request did not hold break nothing.
 */
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
  /** Tool calls were sent as text, or in native form again. */
  | { readonly kind: 'retold'; readonly inWords: boolean }
  /** Nothing changed here: the cache had expired. In milliseconds. */
  | { readonly kind: 'idle'; readonly idleMs: number; readonly livesMs: number }
  /** Nothing changed here, and the provider gave no reason for the loss. */
  | { readonly kind: 'unsaid'; readonly idleMs: number };

/** A request that was sent, and the settings in force then. */
interface SentRequest {
  readonly entry: RequestEntry;
  /** The model's endpoint. */
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
function changesBetween(journal: Journal, before: number, after: number): readonly PathChange[] {
  const found: PathChange[] = [];
  for (const seq of journal.tree.chain(after)) {
    if (seq <= before) break;
    const type = journal.tree.typeOf(seq);
    const entry = type !== null && CHANGES.has(type) ? journal.entry(seq) : null;
    if (entry && CHANGES.has(entry.type)) found.push(entry as PathChange);
  }
  return found.reverse();
}

function isOnPathOf(journal: Journal, seq: number, head: number): boolean {
  for (const each of journal.tree.chain(head)) if (each <= seq) return each === seq;
  return false;
}

/** `earlier` is on the path of `later`; `changes` are those between them. */
function findBreaks(
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

/** A compaction made and undone in between changed nothing. */
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

/** True when it removes or changes anything before `seq`. Additions are at the end. */
function touches({ plan }: CompactionEntry, seq: number): boolean {
  return plan.some((op) => {
    if (op.op === 'drop') return op.ids.some((id) => seqOf(id) < seq);
    return op.op === 'replace' && seqOf(op.id) < seq;
  });
}

/** The entry that made an item: `m17` and `c17.0` belong to entry 17. */
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

/** The list of standing orders in the earlier request was removed from its place. */
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

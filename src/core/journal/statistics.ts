/**
 * Totals of compactions: a fold over all entries of a journal, abandoned branches included, because their tokens were
 * spent too. `addStatistics` adds up several sessions.
 */

import type { Usage } from '../context/message.ts';
import { addSpending, NO_SPENDING, type Spending } from '../cost/spending.ts';
import { ownOf } from '../json.ts';
import { addUsage } from '../tokens/meter.ts';
import { type Entry, isCarriedOver, RECORDED } from './entry.ts';

export interface CompactionStatistics {
  readonly compactions: number;
  readonly undone: number;
  readonly failed: number;
  /** Σ (tokens before − after) over compactions that were not undone. */
  readonly tokensSaved: number;
  /** Usage of summary requests. */
  readonly summaryUsage: Usage;
  /** The part of it spent on prepared summaries that no compaction used, or has used yet. */
  readonly unusedUsage: Usage;
  readonly durationMs: number;
  /** Usage and cost of all requests, both turns and summaries. */
  readonly spending: Spending;
  readonly byStrategy: Readonly<Record<string, Made>>;
  /** Compactions by other programs before their sessions were imported; no other figure includes them. */
  readonly elsewhere: Made;
}

interface Made {
  readonly compactions: number;
  readonly tokensSaved: number;
}

const NONE: Made = { compactions: 0, tokensSaved: 0 };

const NO_USAGE: Usage = { input: 0, cached: 0, output: 0, reasoning: 0 };

export const NO_STATISTICS: CompactionStatistics = {
  compactions: 0,
  undone: 0,
  failed: 0,
  tokensSaved: 0,
  summaryUsage: NO_USAGE,
  unusedUsage: NO_USAGE,
  durationMs: 0,
  spending: NO_SPENDING,
  byStrategy: {},
  elsewhere: NONE,
};

/** Types of the entries that count: others need not be read. */
export const COUNTED = [
  'compaction',
  'compactionUndone',
  'compactionRedone',
  'compactionFailed',
  'summaryUsage',
] as const;

export function countCompactions(entries: readonly Entry[], spending: Spending = NO_SPENDING): CompactionStatistics {
  const undone = new Set<number>();
  /** Counted separately. */
  const apart = new Set<number>();
  let failed = 0;
  const lost: Usage[] = [];
  for (const entry of entries) {
    // An entry carried over from a branch or another session removes nothing: only its cost counts.
    if (entry.type === 'compaction' && (isCarriedOver(entry.trigger) || entry.strategy === RECORDED))
      apart.add(entry.seq);
    else if (entry.type === 'compactionUndone') undone.add(entry.target);
    else if (entry.type === 'compactionRedone') undone.delete(entry.target);
    else if (entry.type === 'compactionFailed') {
      if (!isCarriedOver(entry.trigger)) failed++;
      if (entry.usage) lost.push(entry.usage);
    }
  }
  const unused = unusedOf(entries);
  const ownUndone = [...undone].filter((seq) => !apart.has(seq)).length;
  let sum: CompactionStatistics = { ...NO_STATISTICS, failed, undone: ownUndone, spending };
  sum = addStatistics(sum, { ...NO_STATISTICS, summaryUsage: unused, unusedUsage: unused });
  for (const summaryUsage of lost) sum = addStatistics(sum, { ...NO_STATISTICS, summaryUsage });
  for (const entry of entries) {
    if (entry.type !== 'compaction') continue;
    const tokensSaved = undone.has(entry.seq) ? 0 : entry.tokensBefore - entry.tokensAfter;
    const made = { compactions: 1, tokensSaved };
    const { strategy, durationMs, usage: summaryUsage = NO_USAGE } = entry;
    if (strategy === RECORDED) sum = addStatistics(sum, { ...NO_STATISTICS, elsewhere: made });
    else if (apart.has(entry.seq)) sum = addStatistics(sum, { ...NO_STATISTICS, summaryUsage });
    else
      sum = addStatistics(sum, {
        ...NO_STATISTICS,
        ...made,
        durationMs,
        summaryUsage,
        byStrategy: { [strategy]: made },
      });
  }
  return sum;
}

/** Usage of prepared summaries, without those that compactions used. */
function unusedOf(entries: readonly Entry[]): Usage {
  let unused = NO_USAGE;
  for (const entry of entries) {
    if (entry.type === 'summaryUsage' && entry.ahead) unused = addUsage(unused, entry.usage);
    else if (entry.type === 'compaction' && entry.prepared && entry.usage) unused = subtract(unused, entry.usage);
  }
  return unused;
}

/** A damaged line may have removed the amount that is subtracted from. */
function subtract(from: Usage, usage: Usage): Usage {
  const less = (name: 'input' | 'cached' | 'output' | 'reasoning') => Math.max(0, from[name] - usage[name]);
  return { input: less('input'), cached: less('cached'), output: less('output'), reasoning: less('reasoning') };
}

export function addStatistics(a: CompactionStatistics, b: CompactionStatistics): CompactionStatistics {
  const byStrategy = { ...a.byStrategy };
  for (const [id, made] of Object.entries(b.byStrategy)) byStrategy[id] = addMade(ownOf(byStrategy, id) ?? NONE, made);
  return {
    compactions: a.compactions + b.compactions,
    undone: a.undone + b.undone,
    failed: a.failed + b.failed,
    tokensSaved: a.tokensSaved + b.tokensSaved,
    durationMs: a.durationMs + b.durationMs,
    spending: addSpending(a.spending, b.spending),
    summaryUsage: addUsage(a.summaryUsage, b.summaryUsage),
    unusedUsage: addUsage(a.unusedUsage, b.unusedUsage),
    byStrategy,
    elsewhere: addMade(a.elsewhere, b.elsewhere),
  };
}

const addMade = (a: Made, b: Made): Made => ({
  compactions: a.compactions + b.compactions,
  tokensSaved: a.tokensSaved + b.tokensSaved,
});

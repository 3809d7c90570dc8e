/**
 * How much compaction did: a fold over all entries of a journal, abandoned branches included, because their
 * tokens were spent too. `addStatistics` adds up several sessions.
 */

import type { Usage } from '../context/message.ts';
import { addSpending, NO_SPENDING, type Spending } from '../cost/spending.ts';
import { ownOf } from '../json.ts';
import { addUsage } from '../tokens/addUsage.ts';
import { type Entry, isCarriedOver } from './entry.ts';

export interface CompactionStatistics {
  readonly compactions: number;
  readonly undone: number;
  readonly failed: number;
  /** Σ (tokens before − after) of compactions that were not undone. */
  readonly tokensSaved: number;
  /** What summaries cost. */
  readonly summaryUsage: Usage;
  /** Of it: what was used to prepare summaries that no compaction was made of, or is yet. */
  readonly unusedUsage: Usage;
  readonly durationMs: number;
  /** What all requests used and cost, those of turns and those of summaries. */
  readonly spending: Spending;
  readonly byStrategy: Readonly<Record<string, { readonly compactions: number; readonly tokensSaved: number }>>;
}

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
};

/** Types of the entries that count: the others need not be read. */
export const COUNTED = [
  'compaction',
  'compactionUndone',
  'compactionRedone',
  'compactionFailed',
  'summaryUsage',
] as const;

export function countCompactions(entries: readonly Entry[], spending: Spending = NO_SPENDING): CompactionStatistics {
  const undone = new Set<number>();
  const carried = new Set<number>();
  let failed = 0;
  const lost: Usage[] = [];
  for (const entry of entries) {
    // What was carried over from a branch or another session takes nothing away: it counts for what it cost.
    if (entry.type === 'compaction' && isCarriedOver(entry.trigger)) carried.add(entry.seq);
    else if (entry.type === 'compactionUndone' && !carried.has(entry.target)) undone.add(entry.target);
    else if (entry.type === 'compactionRedone') undone.delete(entry.target);
    else if (entry.type === 'compactionFailed') {
      if (!isCarriedOver(entry.trigger)) failed++;
      if (entry.usage) lost.push(entry.usage);
    }
  }
  const unused = unusedOf(entries);
  let sum: CompactionStatistics = { ...NO_STATISTICS, failed, undone: undone.size, spending };
  sum = addStatistics(sum, { ...NO_STATISTICS, summaryUsage: unused, unusedUsage: unused });
  for (const summaryUsage of lost) sum = addStatistics(sum, { ...NO_STATISTICS, summaryUsage });
  for (const entry of entries) {
    if (entry.type !== 'compaction') continue;
    if (carried.has(entry.seq)) {
      sum = addStatistics(sum, { ...NO_STATISTICS, summaryUsage: entry.usage ?? NO_USAGE });
      continue;
    }
    const tokensSaved = undone.has(entry.seq) ? 0 : entry.tokensBefore - entry.tokensAfter;
    sum = addStatistics(sum, {
      ...NO_STATISTICS,
      compactions: 1,
      tokensSaved,
      durationMs: entry.durationMs,
      summaryUsage: entry.usage ?? NO_USAGE,
      byStrategy: { [entry.strategy]: { compactions: 1, tokensSaved } },
    });
  }
  return sum;
}

/** What preparing summaries used, without those that compactions were made of. */
function unusedOf(entries: readonly Entry[]): Usage {
  let unused = NO_USAGE;
  for (const entry of entries) {
    if (entry.type === 'summaryUsage' && entry.ahead) unused = addUsage(unused, entry.usage);
    else if (entry.type === 'compaction' && entry.prepared && entry.usage) unused = subtract(unused, entry.usage);
  }
  return unused;
}

/** Of what is counted here. A damaged line may have taken away what is subtracted from. */
function subtract(from: Usage, usage: Usage): Usage {
  const less = (name: 'input' | 'cached' | 'output' | 'reasoning') => Math.max(0, from[name] - usage[name]);
  return { input: less('input'), cached: less('cached'), output: less('output'), reasoning: less('reasoning') };
}

export function addStatistics(a: CompactionStatistics, b: CompactionStatistics): CompactionStatistics {
  const byStrategy = { ...a.byStrategy };
  for (const [id, { compactions, tokensSaved }] of Object.entries(b.byStrategy)) {
    const before = ownOf(byStrategy, id) ?? { compactions: 0, tokensSaved: 0 };
    byStrategy[id] = {
      compactions: before.compactions + compactions,
      tokensSaved: before.tokensSaved + tokensSaved,
    };
  }
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
  };
}

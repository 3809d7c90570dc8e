/**
 * Usage and cost of a session's requests: a fold over the whole file, abandoned branches included, because they were
 * paid for. It looks at types, and reads little more than usage entries.
 */

import type { Usage } from '../context/message.ts';
import type { Entry } from '../journal/entry.ts';
import { type Costs, type Money, type Price, type Priced, readMoney } from '../money.ts';
import { addUsage } from '../tokens/meter.ts';
import { type CacheFacts, caches, costOfInput } from './cacheFacts.ts';

export interface Spending extends Costs {
  /** Number of requests answered, in part or whole. */
  readonly requests: number;
  /** One sum for each currency, by the currency's name. */
  readonly known: readonly Money[];
  /** Number of requests with an unknown cost. */
  readonly unknown: number;
  /** Usage of all requests, as far as providers counted. */
  readonly usage: Usage;
}

export const NO_SPENDING: Spending = {
  requests: 0,
  known: [],
  unknown: 0,
  usage: { input: 0, cached: 0, output: 0, reasoning: 0 },
};

export function addSpending(a: Spending, b: Spending): Spending {
  return {
    requests: a.requests + b.requests,
    known: b.known.reduce(addMoney, a.known),
    unknown: a.unknown + b.unknown,
    usage: addUsage(a.usage, b.usage),
  };
}

/** The spending after `before`, an earlier state of the same session. */
export function spentSince(before: Spending, now: Spending): Costs {
  const earlier = new Map(before.known.map(({ currency, amount }) => [currency, amount]));
  const known = now.known
    .map(({ currency, amount }) => ({ currency, amount: amount - (earlier.get(currency) ?? 0) }))
    .filter(({ amount }) => amount > 0);
  return { known, unknown: now.unknown - before.unknown };
}

export function addMoney(sums: readonly Money[], { amount, currency }: Money): readonly Money[] {
  const others = sums.filter((sum) => sum.currency !== currency);
  const sum = { amount: amount + (sums.find((each) => each.currency === currency)?.amount ?? 0), currency };
  return [...others, sum].sort((a, b) => (a.currency < b.currency ? -1 : 1));
}

/** Adds a request; without a cost it counts as unknown. */
export function addCost({ known, unknown }: Costs, cost: Money | undefined): Costs {
  return cost ? { known: addMoney(known, cost), unknown } : { known, unknown: unknown + 1 };
}

export function addCosts(one: Costs, other: Costs): Costs {
  return { known: other.known.reduce(addMoney, one.known), unknown: one.unknown + other.unknown };
}

/** The cost of requests to one model, for the journal: none when that of any request is unknown. */
export function costInOne({ known: [cost], unknown }: Costs): Pick<Priced, 'cost'> {
  return cost && unknown === 0 ? { cost } : {};
}

/** The state of the fold, for an index. */
export interface SpendingState {
  readonly sum: Spending;
  /** A request of a turn: sent, or answered without a report of its usage yet. */
  readonly open: 'none' | 'sent' | 'answered';
  /** Summaries counted since the last compaction. */
  readonly summaries: number;
}

export class SpendingFold {
  #sum = NO_SPENDING;
  #open: SpendingState['open'] = 'none';
  #summaries = 0;

  static from({ sum, open, summaries }: SpendingState): SpendingFold {
    const fold = new SpendingFold();
    fold.#sum = sum;
    fold.#open = open;
    fold.#summaries = summaries;
    return fold;
  }

  get state(): SpendingState {
    return { sum: this.#sum, open: this.#open, summaries: this.#summaries };
  }

  /** An interrupted answer was paid for too. */
  get spending(): Spending {
    return this.#open === 'answered' ? addSpending(this.#sum, ONE_UNKNOWN) : this.#sum;
  }

  /** The next entry of the file; it is read only where `read` is called. */
  take(type: Entry['type'], isAnswer: boolean, read: () => Entry | null): void {
    switch (type) {
      case 'request': {
        // A request for a summary may be sent before the usage of an answer is written.
        const entry = this.#open === 'answered' ? read() : null;
        if (entry?.type === 'request' && entry.purpose === 'summary') break;
        this.#sum = this.spending;
        this.#open = 'sent';
        break;
      }
      case 'message':
        if (isAnswer && this.#open === 'sent') this.#open = 'answered';
        break;
      case 'usage':
        this.#open = 'none';
        this.#sum = addSpending(this.#sum, spendingOf(read()));
        break;
      case 'summaryUsage':
        this.#summaries++;
        this.#sum = addSpending(this.#sum, spendingOf(read()));
        break;
      case 'subagentUsage':
      case 'samplingUsage':
        this.#sum = addSpending(this.#sum, spendingOf(read()));
        break;
      case 'compaction':
      case 'compactionFailed': {
        const entry = this.#summaries === 0 ? read() : null;
        // An older version recorded the summary's tokens with the compaction only, and no price.
        const usedBefore = entry && 'prepared' in entry && entry.prepared;
        if (entry && 'usage' in entry && entry.usage && !usedBefore) this.#sum = addSpending(this.#sum, ONE_UNKNOWN);
        this.#summaries = 0;
        break;
      }
      default:
        break;
    }
  }
}

const ONE_UNKNOWN: Spending = { ...NO_SPENDING, requests: 1, unknown: 1 };

const USAGES = ['usage', 'summaryUsage', 'subagentUsage', 'samplingUsage'] as const;

type UsageOfAny = Extract<Entry, { readonly type: (typeof USAGES)[number] }>;

const isUsage = (entry: Entry): entry is UsageOfAny => USAGES.some((type) => type === entry.type);

/** A damaged entry counts as a request with an unknown cost. */
function spendingOf(entry: Entry | null): Spending {
  if (!entry || !isUsage(entry)) return ONE_UNKNOWN;
  const cost = readMoney(entry.cost);
  const { estimated = false, usage } = entry;
  const counted = { requests: 1, usage: estimated ? NO_SPENDING.usage : usage };
  return cost ? { ...counted, known: [cost], unknown: 0 } : { ...counted, known: [], unknown: 1 };
}

/**
 * The cost of requests before and after a compaction: it makes each later one cheaper, and the first one is read again.
 */
interface Sizes {
  /** Tokens of the next request with the present context, and after the compaction. */
  readonly before: number;
  readonly after: number;
  /** Tokens at the beginning that the compaction leaves unchanged. */
  readonly unchanged: number;
}

export interface RequestCosts {
  /** The next request, with the present context. */
  readonly now: Money;
  /** The next request, after the compaction. */
  readonly next: Money;
  /** A later one, with all but its end in the cache if the provider has one. */
  readonly laterBefore: Money;
  readonly laterAfter: Money;
  /** Cached tokens that the next request would read again. */
  readonly again: number;
}

/** For input alone: an answer costs the same either way. `cachedBefore`: tokens that the cache holds now. */
export function requestCosts(
  { before, after, unchanged }: Sizes,
  cachedBefore: number,
  given: Price,
  facts: CacheFacts,
): RequestCosts {
  const later = (tokens: number) => (caches(given, facts) ? tokens : 0);
  const kept = Math.min(unchanged, cachedBefore, after);
  const cost = (input: number, cached: number) => costOfInput(input, cached, given, facts);
  return {
    now: cost(before, cachedBefore),
    next: cost(after, kept),
    laterBefore: cost(before, later(before)),
    laterAfter: cost(after, later(after)),
    again: Math.max(0, Math.min(cachedBefore, after) - kept),
  };
}

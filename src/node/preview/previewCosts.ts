/** The cost of going on, as a conversation is and after a compaction that was only tried. */

import type { EstimateOutcome } from '../../core/compaction/consent/preview.ts';
import type { CacheFacts } from '../../core/cost/cacheFacts.ts';
import { costOfInput } from '../../core/cost/cacheFacts.ts';
import { isWarm } from '../../core/cost/coldCache.ts';
import { addCosts, type RequestCosts, requestCosts } from '../../core/cost/spending.ts';
import { growthOf, type UntilFull, untilFull } from '../../core/cost/untilFull.ts';
import { type Costs, NO_COSTS, type Price } from '../../core/money.ts';
import { sumTokens } from '../../core/tokens/meter.ts';
import type { Conversation } from '../session/conversation.ts';

/** The facts from which the costs of a conversation's next requests follow. */
export interface Prospects {
  /** Tokens of the next request, as it is. */
  readonly tokens: number;
  /** Of these, what the cache holds now. */
  readonly cached: number;
  /** Uncalibrated tokens of instructions and tools. */
  readonly header: number;
  /** Tokens that each request adds; null before the first answer. */
  readonly growth: number | null;
  /** Where a compaction starts by itself, else where the window is full; null when unknown. */
  readonly full: number | null;
  /** Null when unknown. */
  readonly price: Price | null;
  readonly cache: CacheFacts;
}

export function readProspects({ journal, compactor: { gauge } }: Conversation, now: number): Prospects {
  const { reading, clock, cache, price = null, mark, window, reserve } = gauge;
  const growth = growthOf(journal.backward());
  return {
    tokens: reading.tokens,
    cached: isWarm(clock, now) ? clock.held : 0,
    header: journal.context.header?.tokens ?? 0,
    growth: growth === null ? null : growth * reading.factor,
    full: mark?.at ?? (window > 0 ? window - reserve : null),
    price,
    cache,
  };
}

/** It has figures. */
export type TriedStrategy = Extract<EstimateOutcome, { readonly kind: 'preview' | 'estimate' }>;
type Tried = Pick<TriedStrategy, 'tokensBefore' | 'tokensAfter' | 'items' | 'firstChanged'>;

/** Tokens at the beginning of the next request, up to the first changed message or inserted note. */
export function unchangedBy({ items, tokensBefore, firstChanged }: Tried, header: number): number {
  const first = items.slice(0, firstChanged);
  // A provider's count differs from the estimates of the items.
  const scale = tokensBefore / Math.max(1, header + sumTokens(items));
  return Math.round((header + sumTokens(first)) * scale);
}

/** Null where no price is known. */
export function costsAfter(tried: Tried, { cached, header, price, cache }: Prospects): RequestCosts | null {
  const { tokensBefore: before, tokensAfter: after } = tried;
  return price && requestCosts({ before, after, unchanged: unchangedBy(tried, header) }, cached, price, cache);
}

export interface GoingOn {
  /** Of the summary and the next request; null where no price is known. */
  readonly now: Costs | null;
  /** Null where nobody knows how it grows, or when it is full. */
  readonly untilFull: UntilFull | null;
}

/** `tried`: null as it is. */
export function goingOn(tried: (Tried & { readonly costs: Costs }) | null, prospects: Prospects): GoingOn {
  const { header, growth, full, price, cache } = prospects;
  const next = tried ? tried.tokensAfter : prospects.tokens;
  const cached = tried ? Math.min(unchangedBy(tried, header), prospects.cached, next) : prospects.cached;
  const first = price && { known: [costOfInput(next, cached, price, cache)], unknown: 0 };
  return {
    now: first && addCosts(first, tried?.costs ?? NO_COSTS),
    untilFull: growth === null || full === null ? null : untilFull({ next, cached, growth, full }, price, cache),
  };
}

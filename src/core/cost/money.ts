/** What tokens cost. Unknown stays unknown: there is no price of zero that nobody said. */

import type { Usage } from '../context/message.ts';

export interface Money {
  readonly amount: number;
  /** ISO 4217, e.g. `USD`. */
  readonly currency: string;
}

/** For a million tokens each. */
export interface Price {
  readonly currency: string;
  readonly input: number;
  readonly output: number;
  /** Left out: as `input`. */
  readonly cacheRead?: number;
  /** Left out: as `input`. */
  readonly cacheWrite?: number;
  /** Who said so: the person, the endpoint, or the table that the product carries. */
  readonly source: 'settings' | 'endpoint' | 'table';
  /** The day the table was made, `YYYY-MM-DD`. */
  readonly asOf?: string;
}

const MILLION = 1_000_000;

export function costOf({ input, cached, written = 0, output }: Usage, price: Price): Money {
  const fresh = Math.max(0, input - cached - written);
  const amount =
    fresh * price.input +
    cached * (price.cacheRead ?? price.input) +
    written * (price.cacheWrite ?? price.input) +
    output * price.output;
  return { amount: amount / MILLION, currency: price.currency };
}

/** What the journal keeps of what a request cost, with the price that it was worked out from. */
export interface Priced {
  /** At the price of that day; left out where it was not known. */
  readonly cost?: Money;
  /** Left out where the provider itself said what the request cost. */
  readonly price?: Price;
}

/** `reported` is null where the provider counted nothing: what is only estimated has no cost. */
export function priced(reported: Usage | null, price: Price | undefined): Priced {
  return reported && price ? { cost: costOf(reported, price), price } : {};
}

/** How much more than from the cache these tokens cost when they are read again. */
export function costOfReadingAgain(tokens: number, { input, cacheRead = input, cacheWrite, currency }: Price): Money {
  return { amount: (tokens * Math.max(0, (cacheWrite ?? input) - cacheRead)) / MILLION, currency };
}

/** A stored cost, when it is one: a journal may have been written by anybody. */
export function readMoney(stored: unknown): Money | null {
  if (typeof stored !== 'object' || stored === null) return null;
  const { amount, currency } = stored as { readonly amount?: unknown; readonly currency?: unknown };
  const isAmount = typeof amount === 'number' && Number.isFinite(amount) && amount >= 0;
  return isAmount && typeof currency === 'string' && isCurrency(currency) ? { amount, currency } : null;
}

/** A stored price, when it is one. */
export function readPrice(stored: unknown): Price | null {
  const isAmount = (value: unknown): value is number => typeof value === 'number' && value >= 0 && value < Infinity;
  if (typeof stored !== 'object' || stored === null) return null;
  const { currency, input, output, cacheRead, cacheWrite, source, asOf } = stored as Readonly<Record<string, unknown>>;
  if (typeof currency !== 'string' || !isCurrency(currency) || !isAmount(input) || !isAmount(output)) return null;
  if (source !== 'settings' && source !== 'endpoint' && source !== 'table') return null;
  return {
    currency,
    input,
    output,
    source,
    ...(isAmount(cacheRead) ? { cacheRead } : {}),
    ...(isAmount(cacheWrite) ? { cacheWrite } : {}),
    ...(typeof asOf === 'string' && /^\d{4}-\d\d-\d\d$/.test(asOf) ? { asOf } : {}),
  };
}

/** Three capital letters, as ISO 4217 has them. */
export function isCurrency(text: string): boolean {
  return /^[A-Z]{3}$/.test(text);
}

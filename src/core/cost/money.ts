/** The price of tokens. Unknown stays unknown: zero is never assumed. */

import type { Usage } from '../context/message.ts';

export interface Money {
  readonly amount: number;
  /** ISO 4217, e.g. `USD`. */
  readonly currency: string;
}

/** Per million tokens. */
export interface Price {
  readonly currency: string;
  readonly input: number;
  readonly output: number;
  /** Omitted: same as `input`. */
  readonly cacheRead?: number;
  /** Omitted: same as `input`. */
  readonly cacheWrite?: number;
  /** Source: the person, the endpoint, or the product's table. */
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

/** The journal's record of a request's cost, with the price used. */
export interface Priced {
  /** At that day's price; omitted when unknown. */
  readonly cost?: Money;
  /** Omitted where the provider reported the cost itself. */
  readonly price?: Price;
}

/** `reported` is null where the provider counted nothing: estimates have no cost. */
export function priced(reported: Usage | null, price: Price | undefined): Priced {
  return reported && price ? { cost: costOf(reported, price), price } : {};
}

/** The extra cost of reading these tokens again, compared with the cache. */
export function costOfReadingAgain(tokens: number, { input, cacheRead = input, cacheWrite, currency }: Price): Money {
  return { amount: (tokens * Math.max(0, (cacheWrite ?? input) - cacheRead)) / MILLION, currency };
}

/** A stored cost, if valid: anybody may have written the journal. */
export function readMoney(stored: unknown): Money | null {
  if (typeof stored !== 'object' || stored === null) return null;
  const { amount, currency } = stored as { readonly amount?: unknown; readonly currency?: unknown };
  const isAmount = typeof amount === 'number' && Number.isFinite(amount) && amount >= 0;
  return isAmount && typeof currency === 'string' && isCurrency(currency) ? { amount, currency } : null;
}

/** A stored price, if valid. */
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

/** Three capital letters, as in ISO 4217. */
export function isCurrency(text: string): boolean {
  return /^[A-Z]{3}$/.test(text);
}

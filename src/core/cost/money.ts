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

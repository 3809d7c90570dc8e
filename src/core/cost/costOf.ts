/** What the tokens of a request cost. */

import type { Usage } from '../context/message.ts';
import { type Money, type Price, type Priced, priceAt, priceFor } from '../money.ts';

const MILLION = 1_000_000;

/** `price` as it is at the time: see `priceAt`. */
export function costOf({ input, cached, written = 0, writtenLong = 0, output }: Usage, price: Price): Money {
  const rates = priceFor(price, input);
  const { cacheRead = rates.input, cacheWrite = rates.input, cacheWriteLong = cacheWrite } = rates;
  const long = Math.min(writtenLong, written);
  const fresh = Math.max(0, input - cached - written);
  const amount =
    fresh * rates.input +
    cached * cacheRead +
    (written - long) * cacheWrite +
    long * cacheWriteLong +
    output * rates.output;
  return { amount: amount / MILLION, currency: price.currency };
}

/** The cost information of an answer. `usage` is null where the provider counted nothing: an estimate has no cost. */
export interface Charged {
  readonly usage: Usage | null;
  /** As the provider said. */
  readonly cost?: Money;
}

/** Of a request that was answered at `at`. A price that the person set counts more than a cost that the provider said. */
export function priced({ usage, cost: reported }: Charged, price: Price | undefined, at: number): Priced {
  if (!usage) return reported ? { cost: reported } : {};
  const then = price && priceFor(priceAt(price, at), usage.input);
  const cost = (then?.source === 'settings' ? undefined : reported) ?? (then && costOf(usage, then));
  return { ...(cost && { cost }), ...(then && { price: then }) };
}

/** The extra cost of reading these tokens again, compared with the cache. `usage`: of the request that did. */
export function costOfReadingAgain(tokens: number, price: Price, usage?: Pick<Usage, 'writtenLong'>): Money {
  const { input, cacheRead = input, cacheWrite = input, cacheWriteLong = cacheWrite, currency } = price;
  const again = usage?.writtenLong ? cacheWriteLong : cacheWrite;
  return { amount: (tokens * Math.max(0, again - cacheRead)) / MILLION, currency };
}

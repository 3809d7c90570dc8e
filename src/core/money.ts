/** Money and the price of tokens. Unknown stays unknown: zero is never assumed. */

export interface Money {
  readonly amount: number;
  /** ISO 4217, e.g. `USD`. */
  readonly currency: string;
}

/** Per million tokens. */
export interface Rates {
  readonly input: number;
  readonly output: number;
  /** Omitted: same as `input`. */
  readonly cacheRead?: number;
  /** Omitted: same as `input`. */
  readonly cacheWrite?: number;
  /** Written to live for an hour. Omitted: same as `cacheWrite`. */
  readonly cacheWriteLong?: number;
}

export interface Price extends Rates {
  readonly currency: string;
  /** Rates of a whole request whose input has more than `above` tokens, the shortest first. */
  readonly longer?: readonly (Rates & { readonly above: number })[];
  /** Rates between two times of the day, `HH:MM` in UTC, without the second, which may lie on the next day. */
  readonly hours?: readonly (Rates & { readonly from: string; readonly to: string })[];
  /** Source: the person, their own table, the endpoint, or the product's table. */
  readonly source: 'settings' | 'ownTable' | 'endpoint' | 'table';
  /** The day the table was made, `YYYY-MM-DD`. */
  readonly asOf?: string;
}

/** As it is at a moment, in milliseconds since the epoch: without hours. */
export function priceAt({ hours = [], ...price }: Price, at: number): Price {
  const time = new Date(at).toISOString().slice(11, 16);
  const isNow = ({ from, to }: { from: string; to: string }) =>
    from <= to ? from <= time && time < to : from <= time || time < to;
  const now = hours.find(isNow);
  return now ? { ...withoutRates(price), ...ratesIn(now) } : price;
}

/** As it is for an input of so many tokens: without other lengths. */
export function priceFor({ longer = [], ...price }: Price, input: number): Price {
  const rates = longer.findLast(({ above }) => input > above);
  return rates ? { ...withoutRates(price), ...ratesIn(rates) } : price;
}

function ratesIn({ input, output, cacheRead, cacheWrite, cacheWriteLong }: Rates): Rates {
  return {
    input,
    output,
    ...(cacheRead === undefined ? {} : { cacheRead }),
    ...(cacheWrite === undefined ? {} : { cacheWrite }),
    ...(cacheWriteLong === undefined ? {} : { cacheWriteLong }),
  };
}

function withoutRates({
  input,
  output,
  cacheRead,
  cacheWrite,
  cacheWriteLong,
  ...rest
}: Price): Omit<Price, keyof Rates> {
  return rest;
}

/** A stored cost, if valid: anybody may have written the journal. */
export function readMoney(stored: unknown): Money | null {
  if (typeof stored !== 'object' || stored === null) return null;
  const { amount, currency } = stored as { readonly amount?: unknown; readonly currency?: unknown };
  const isAmount = typeof amount === 'number' && Number.isFinite(amount) && amount >= 0;
  return isAmount && typeof currency === 'string' && isCurrency(currency) ? { amount, currency } : null;
}

/** A stored price of one moment and one length, if valid. */
export function readPrice(stored: unknown): Price | null {
  const isAmount = (value: unknown): value is number => typeof value === 'number' && value >= 0 && value < Infinity;
  if (typeof stored !== 'object' || stored === null) return null;
  const { currency, input, output, cacheRead, cacheWrite, cacheWriteLong, source, asOf } = stored as Readonly<
    Record<string, unknown>
  >;
  if (typeof currency !== 'string' || !isCurrency(currency) || !isAmount(input) || !isAmount(output)) return null;
  if (source !== 'settings' && source !== 'ownTable' && source !== 'endpoint' && source !== 'table') return null;
  return {
    currency,
    input,
    output,
    source,
    ...(isAmount(cacheRead) ? { cacheRead } : {}),
    ...(isAmount(cacheWrite) ? { cacheWrite } : {}),
    ...(isAmount(cacheWriteLong) ? { cacheWriteLong } : {}),
    ...(typeof asOf === 'string' && /^\d{4}-\d\d-\d\d$/.test(asOf) ? { asOf } : {}),
  };
}

/** Three capital letters, as in ISO 4217. */
function isCurrency(text: string): boolean {
  return /^[A-Z]{3}$/.test(text);
}

/** The known cost of requests: one sum for each currency, and the number of requests with an unknown price. */
export interface Costs {
  readonly known: readonly Money[];
  readonly unknown: number;
}

export const NO_COSTS: Costs = { known: [], unknown: 0 };

/** The journal's record of a request's cost. */
export interface Priced {
  /** As the provider said, else at the price of that moment; left out where neither is known. */
  readonly cost?: Money;
  /** The price of that moment and of that length, where it is known: also beside a cost that the provider said. */
  readonly price?: Price;
}

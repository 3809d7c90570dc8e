/** The price that an endpoint's list says of a model. What is no plain number is no price: OpenRouter says -1 for "it depends". */

import type { Price } from '../../core/cost/money.ts';
import { asRecord, type Json } from '../../core/json.ts';
import { known } from './readTokens.ts';

const MILLION = 1_000_000;
/** Dollars for a million tokens: nobody takes more. */
const MOST = 100_000;

/** OpenRouter's `pricing`: US dollars for one token, as decimal text. */
export function readOpenRouterPrice({ pricing }: Json): Price | undefined {
  const said = asRecord(pricing);
  if (!said) return undefined;
  return priceOf(
    readRate(said.prompt, MILLION),
    readRate(said.completion, MILLION),
    readRate(said.input_cache_read, MILLION),
    readRate(said.input_cache_write, MILLION),
  );
}

function priceOf(input?: number, output?: number, cacheRead?: number, cacheWrite?: number): Price | undefined {
  if (input === undefined || output === undefined) return undefined;
  return { currency: 'USD', input, output, source: 'endpoint', ...known({ cacheRead, cacheWrite }) };
}

/** Rounded to what a price can mean, so that no binary fraction shows. */
function readRate(value: unknown, scale: number): number | undefined {
  const isText = typeof value === 'string' && /^\d+(\.\d+)?(e-?\d+)?$/i.test(value);
  const rate = isText ? Number(value) : value;
  if (typeof rate !== 'number' || !(rate >= 0)) return undefined;
  const scaled = Number((rate * scale).toPrecision(10));
  return scaled <= MOST ? scaled : undefined;
}

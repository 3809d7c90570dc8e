/** The price of a model as a person writes it, in the settings and in their own table. */

import * as z from 'zod';
import type { Price, Rates } from '../../core/money.ts';

export const tokens = z.number().int().min(1).max(10_000_000);

const amount = z.number().min(0).max(1_000_000);

export const time = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/);

const rates = {
  input: amount.describe('Per million input tokens.'),
  output: amount.describe('Per million output tokens.'),
  cacheRead: amount
    .optional()
    .describe('Per million input tokens read from the cache; the same as `input` if not given.'),
  cacheWrite: amount.optional().describe('Per million tokens written to the cache; the same as `input` if not given.'),
  cacheWriteLong: amount
    .optional()
    .describe('Per million tokens written to the cache for an hour; the same as `cacheWrite` if not given.'),
};

export const priceSchema = z.strictObject({
  currency: z
    .string()
    .regex(/^[A-Z]{3}$/)
    .optional()
    .describe('Currency as three letters; `USD` if not given.'),
  ...rates,
  longer: z
    .array(z.strictObject({ above: tokens.describe('Input tokens.'), ...rates }))
    .max(20)
    .optional()
    .describe('Other prices for a whole request whose input is longer than so many tokens.'),
  hours: z
    .array(z.strictObject({ from: time.describe('`HH:MM` in UTC.'), to: time.describe('`HH:MM` in UTC.'), ...rates }))
    .max(24)
    .optional()
    .describe('Different prices during certain hours of the day.'),
});

export function readPrice({ currency = 'USD', longer, hours, ...base }: z.infer<typeof priceSchema>): Price {
  return {
    currency,
    ...readRates(base),
    ...(longer && {
      longer: longer.toSorted((a, b) => a.above - b.above).map(({ above, ...each }) => ({ above, ...readRates(each) })),
    }),
    ...(hours && { hours: hours.map(({ from, to, ...each }) => ({ from, to, ...readRates(each) })) }),
    source: 'settings',
  };
}

type Given = { readonly [K in keyof Rates]: Rates[K] | undefined } & Pick<Rates, 'input' | 'output'>;

/** Without the fields that nothing was said of. */
function readRates({ input, output, cacheRead, cacheWrite, cacheWriteLong }: Given): Rates {
  return {
    input,
    output,
    ...(cacheRead !== undefined && { cacheRead }),
    ...(cacheWrite !== undefined && { cacheWrite }),
    ...(cacheWriteLong !== undefined && { cacheWriteLong }),
  };
}

/** Parses a message by its schema. An invalid one is refused with the reason, and never used in part. */

import * as z from 'zod';

export type Decoded<T> =
  | { readonly kind: 'ok'; readonly value: T }
  | { readonly kind: 'refused'; readonly reason: string };

export function decodeAs<T>(schema: z.ZodType<T>, value: unknown): Decoded<T> {
  const parsed = schema.safeParse(value);
  return parsed.success
    ? { kind: 'ok', value: parsed.data }
    : { kind: 'refused', reason: z.prettifyError(parsed.error).slice(0, 500) };
}

/**
 * Parses a message by its schema, at both ends. An invalid one is refused with the reason, and never used in part. The
 * messages of the panel and of the pages stay in separate files, so that neither script contains the other's schemas.
 */

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

/**
 * Checks every message at both ends of the bridge. One that does not fit its schema is dropped with the reason, and
 * never used in part.
 */

import * as z from 'zod';
import { type ToHost, type ToPanel, toHostSchema, toPanelSchema } from './messages.ts';

export type Decoded<T> =
  | { readonly kind: 'ok'; readonly value: T }
  | { readonly kind: 'refused'; readonly reason: string };

export function decodeToHost(value: unknown): Decoded<ToHost> {
  return decode(toHostSchema, value);
}

export function decodeToPanel(value: unknown): Decoded<readonly ToPanel[]> {
  return decode(toPanelSchema, value);
}

function decode<T>(schema: z.ZodType<T>, value: unknown): Decoded<T> {
  const parsed = schema.safeParse(value);
  return parsed.success
    ? { kind: 'ok', value: parsed.data }
    : { kind: 'refused', reason: z.prettifyError(parsed.error).slice(0, 500) };
}

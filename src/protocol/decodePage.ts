/**
 * The same validation for pages in editor tabs, separate from the panel's, so that neither script contains the other's
 * schemas.
 */

import { type Decoded, decodeAs } from './decodeAs.ts';
import { type FromPage, fromPageSchema, type ToPage, toPageSchema } from './pages.ts';

export function decodeFromPage(value: unknown): Decoded<FromPage> {
  return decodeAs(fromPageSchema, value);
}

export function decodeToPage(value: unknown): Decoded<ToPage> {
  return decodeAs(toPageSchema, value);
}

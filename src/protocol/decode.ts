/** Validates every message between host and panel, at both ends. */

import { type Decoded, decodeAs } from './decodeAs.ts';
import { type ToHost, type ToPanel, toHostSchema, toPanelSchema } from './messages.ts';

export function decodeToHost(value: unknown): Decoded<ToHost> {
  return decodeAs(toHostSchema, value);
}

export function decodeToPanel(value: unknown): Decoded<readonly ToPanel[]> {
  return decodeAs(toPanelSchema, value);
}

/**
 * Prices of a few well-known models, as their providers' own pages had them on one day. A model counts only at its own
 * provider: the same name at another endpoint, or on one's own machine, has no price here. Prices that depend on the
 * hour or on the length of the prompt are left out.
 */

import type { Price } from '../core/cost/money.ts';
import type { Endpoint } from './endpoint.ts';
import { presetOf } from './presets.ts';

/** The day on which the pages were read. */
const AS_OF = '2026-11-22';

/** In US dollars for a million tokens: fresh, read from the cache, written to it (as fresh where that is not said), answered. */
type Row = readonly [input: number, cacheRead: number, cacheWrite: number | null, output: number];

const TABLE: Readonly<Record<string, Readonly<Record<string, Row>>>> = {
  // https://developers.openai.com/api/docs/pricing
  openai: {
    'gpt-5.4-mini': [0.75, 0.075, null, 4.5],
    'gpt-5.2': [1.75, 0.175, null, 14],
    'gpt-5': [1.25, 0.125, null, 10],
    'gpt-5-mini': [0.25, 0.025, null, 2],
    'gpt-4.1': [2, 0.5, null, 8],
  },
  // https://platform.claude.com/docs/en/about-claude/pricing, with writes for five minutes
  anthropic: {
    'claude-opus-5-5': [4, 0.2, 5, 20],
    'claude-opus-5': [5, 0.5, 6.25, 25],
    'claude-opus-4-8': [5, 0.5, 6.25, 25],
    'claude-sonnet-5': [2, 0.2, 2.5, 10],
    'claude-sonnet-4-6': [3, 0.3, 3.75, 15],
    'claude-haiku-4-5': [1, 0.1, 1.25, 5],
  },
};

/** A model of a certain day, such as `gpt-5-2025-08-07`, costs what the model does. */
const SNAPSHOT = /-(\d{4}-\d{2}-\d{2}|20\d{6})$/;

/** Undefined where the table does not know the endpoint or the model. */
export function tablePrice(endpoint: Endpoint, model: string): Price | undefined {
  const preset = presetOf(endpoint);
  const models = preset && !preset.local && Object.hasOwn(TABLE, preset.id) ? TABLE[preset.id] : undefined;
  const name = model.replace(SNAPSHOT, '');
  const row = models && Object.hasOwn(models, name) ? models[name] : undefined;
  if (!row) return undefined;
  const [input, cacheRead, cacheWrite, output] = row;
  const written = cacheWrite === null ? {} : { cacheWrite };
  return { currency: 'USD', input, output, cacheRead, ...written, source: 'table', asOf: AS_OF };
}

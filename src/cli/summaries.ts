/** The model that writes summaries in the lab. */

import type { SummarySource } from '../lab/live/labModel.ts';
import { createEndpointClient } from '../providers/endpointClient.ts';

/**
 * The writer of summaries, as plain data. The key of a live model comes from the environment, never from an argument.
 */
export type SummaryChoice =
  | { readonly kind: 'none' | 'recorded' | 'scripted' }
  | { readonly kind: 'live'; readonly baseUrl: string; readonly model: string; readonly window: number };

export const KEY_VARIABLE = 'PALIMPSEST_LAB_KEY';

export function openSummaries(choice: SummaryChoice): SummarySource {
  if (choice.kind !== 'live') return { kind: choice.kind };
  const { baseUrl, model, window } = choice;
  const client = createEndpointClient({ baseUrl, key: async () => process.env[KEY_VARIABLE] });
  return { kind: 'live', choice: { client, model, window } };
}

/** The lab's ports on Node: hashes, and the model that writes summaries. */

import type { Crypto } from '../../src/core/ports.ts';
import { nodeCrypto } from '../../src/host/storage/disk/nodeCrypto.ts';
import type { SummarySource } from '../../src/lab/live/labModel.ts';
import { createOpenAIClient } from '../../src/providers/openai/openaiClient.ts';

/** Who writes summaries, as plain data. The key of a live model comes from the environment, never from an argument. */
export type SummaryChoice =
  | { readonly kind: 'none' | 'recorded' | 'scripted' }
  | { readonly kind: 'live'; readonly baseUrl: string; readonly model: string; readonly window: number };

export const KEY_VARIABLE = 'PALIMPSEST_LAB_KEY';

export function openSummaries(choice: SummaryChoice): SummarySource {
  if (choice.kind !== 'live') return { kind: choice.kind };
  const { baseUrl, model, window } = choice;
  const client = createOpenAIClient({ baseUrl, key: async () => process.env[KEY_VARIABLE] });
  return { kind: 'live', choice: { client, model, window } };
}

/** Random words are counted up, so that two runs are the same. */
export function labCrypto(): Crypto {
  let made = 0;
  return {
    ...nodeCrypto,
    randomHex: (bytes) =>
      (++made)
        .toString(16)
        .padStart(bytes * 2, '0')
        .slice(-bytes * 2),
  };
}

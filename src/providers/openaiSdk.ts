/** Loads OpenAI's own client, which its dialects use, with the first request. */

import type OpenAI from 'openai';
import { type Sending, sdkOptions } from './dialect.ts';

/** Every option is set, because the client fills gaps from environment variables. It does not get the key. */
export async function openaiSdk({ endpoint, fetch }: Sending): Promise<OpenAI> {
  const { default: Client } = await import('openai');
  return new Client({
    ...sdkOptions(fetch),
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    baseURL: endpoint.baseUrl,
    dataResidency: null,
  });
}

/** OpenAI's own client, which the dialects of its forms send with. It is loaded when the first request is sent. */

import type OpenAI from 'openai';
import type { Sending } from './dialect.ts';

/** Every option is given, because the client fills gaps from environment variables. The key stays out of it. */
export async function openaiSdk({ endpoint, fetch }: Sending): Promise<OpenAI> {
  const { default: Client } = await import('openai');
  return new Client({
    apiKey: 'set-by-fetch',
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    baseURL: endpoint.baseUrl,
    dataResidency: null,
    // Silence is watched by bytes; this only has to be longer than any answer.
    timeout: 2_147_483_647,
    maxRetries: 0,
    fetch,
    fetchOptions: {},
    defaultHeaders: {},
    defaultQuery: {},
    dangerouslyAllowBrowser: true,
    logLevel: 'off',
  });
}

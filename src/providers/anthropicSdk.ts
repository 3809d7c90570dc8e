/** Loads Anthropic's own client, which the dialect `messages` uses, with the first request. */

import type Anthropic from '@anthropic-ai/sdk';
import type { Sending } from './dialect.ts';

/** Every option is set, because the client fills gaps from environment variables. It does not get the key. */
export async function anthropicSdk({ endpoint, fetch }: Sending): Promise<Anthropic> {
  const { Anthropic: Client } = await import('@anthropic-ai/sdk');
  return new Client({
    apiKey: 'set-by-fetch',
    authToken: null,
    credentials: null,
    config: null,
    profile: null,
    webhookKey: null,
    // The client adds `/v1/messages` to it.
    baseURL: endpoint.baseUrl.replace(/\/v1\/?$/, ''),
    // Silence is detected by bytes; this only has to be longer than any answer.
    timeout: 2_147_483_647,
    maxRetries: 0,
    fetch,
    fetchOptions: {},
    defaultHeaders: {},
    defaultQuery: {},
    middleware: [],
    dangerouslyAllowBrowser: true,
    logLevel: 'off',
  });
}

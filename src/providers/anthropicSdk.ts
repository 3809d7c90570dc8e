/** Anthropic's own client, which the dialect `messages` sends with. It is loaded when the first request is sent. */

import type Anthropic from '@anthropic-ai/sdk';
import type { Sending } from './dialect.ts';

/** Every option is given, because the client fills gaps from environment variables. The key stays out of it. */
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
    // Silence is watched by bytes; this only has to be longer than any answer.
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

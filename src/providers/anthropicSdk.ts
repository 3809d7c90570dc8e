/** Loads Anthropic's own client, which the dialect `messages` uses, with the first request. */

import type Anthropic from '@anthropic-ai/sdk';
import { type Sending, sdkOptions } from './dialect.ts';

/** Every option is set, because the client fills gaps from environment variables. It does not get the key. */
export async function anthropicSdk({ endpoint, fetch }: Sending): Promise<Anthropic> {
  const { Anthropic: Client } = await import('@anthropic-ai/sdk');
  return new Client({
    ...sdkOptions(fetch),
    authToken: null,
    credentials: null,
    config: null,
    profile: null,
    webhookKey: null,
    // The client adds `/v1/messages` to it.
    baseURL: endpoint.baseUrl.replace(/\/v1\/?$/, ''),
    middleware: [],
  });
}

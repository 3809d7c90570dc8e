/**
 * Provider faults as scripted scenarios: the real `openai` client talks to a real server, and the outcome is compared
 * whole: what was shown, how it ended, how often it was asked.
 */

import { expect } from 'vitest';
import type { Timers } from '../../../../src/core/clock.ts';
import { type CacheLifetimes, SHORT } from '../../../../src/core/cost/pauses.ts';
import { ModelError, type ModelErrorKind } from '../../../../src/core/errors.ts';
import type { ModelEvent, ModelRequest } from '../../../../src/core/model/modelClient.ts';
import type { ClientOptions } from '../../../../src/providers/clientOptions.ts';
import { createEndpointClient } from '../../../../src/providers/endpointClient.ts';
import type { KeyHeader } from '../../../../src/providers/endpointFetch.ts';
import type { EndpointDialect } from '../../../../src/providers/presets.ts';
import { type RetryNotice, withRetries } from '../../../../src/providers/retry.ts';
import { systemTimers } from '../../../../src/providers/timers.ts';
import {
  type ModelServer,
  type ModelServerOptions,
  startModelServer,
} from '../../../support/modelServer/modelServer.ts';
import { choiceChunk, type Reply } from '../../../support/modelServer/modelServerReply.ts';

const servers: ModelServer[] = [];
/** After each test. */
export async function closeServers(): Promise<void> {
  for (const server of servers.splice(0)) await server.close();
}

export async function serve(...script: readonly Reply[]): Promise<ModelServer> {
  return serveWith({ script });
}

export async function serveWith(options: ModelServerOptions): Promise<ModelServer> {
  const server = await startModelServer(options);
  servers.push(server);
  return server;
}

export const REQUEST: ModelRequest = {
  model: 'test-model',
  messages: [
    { role: 'system', text: 'You are a test.' },
    { role: 'user', text: 'Hello' },
  ],
  tools: [{ name: 'read_file', description: 'Read', parameters: { type: 'object', properties: {} } }],
};

type End =
  | Omit<Extract<ModelEvent, { type: 'done' }>, 'type'>
  | { readonly error: ModelErrorKind; readonly retryable: boolean; readonly message: string };

export interface Outcome {
  /** Text that was streamed before the end. */
  readonly shown: string;
  readonly end: End;
  readonly retries: number;
}

export interface AskOptions {
  readonly dialect?: EndpointDialect;
  readonly keyHeader?: KeyHeader;
  readonly cacheLifetimes?: CacheLifetimes;
  readonly request?: Partial<ModelRequest>;
  readonly signal?: AbortSignal;
  readonly key?: string;
  readonly timers?: Timers;
  readonly limits?: ClientOptions['limits'];
  readonly onText?: () => void;
  readonly onRetry?: (notice: RetryNotice) => void;
  readonly now?: () => number;
  readonly fetch?: typeof fetch;
}

let minted = 0;

export async function ask(server: Pick<ModelServer, 'baseUrl'>, options: AskOptions = {}): Promise<Outcome> {
  minted = 0;
  let shown = '';
  let retries = 0;
  const client = withRetries(
    createEndpointClient({
      baseUrl: server.baseUrl,
      key: async () => options.key ?? 'test-key-123',
      timers: options.timers ?? systemTimers,
      mintId: () => `minted_${minted++}`,
      ...(options.dialect ? { dialect: options.dialect } : {}),
      ...(options.keyHeader ? { keyHeader: options.keyHeader } : {}),
      ...(options.cacheLifetimes ? { cacheLifetimes: () => options.cacheLifetimes ?? SHORT } : {}),
      ...(options.limits ? { limits: options.limits } : {}),
      ...(options.now ? { now: options.now } : {}),
      ...(options.fetch ? { fetch: options.fetch } : {}),
    }),
    {
      policy: { attempts: 3, firstWaitMs: 1 },
      timers: options.timers ?? systemTimers,
      onRetry: (notice) => {
        retries++;
        options.onRetry?.(notice);
      },
    },
  );
  try {
    const signal = options.signal ?? new AbortController().signal;
    for await (const event of client.stream({ ...REQUEST, ...options.request }, signal)) {
      if (event.type === 'text') {
        shown += event.delta;
        options.onText?.();
      }
      if (event.type !== 'done') continue;
      const { type, ...end } = event;
      return { shown, end, retries };
    }
    throw new Error('The stream ended without an end');
  } catch (thrown) {
    if (!(thrown instanceof ModelError)) throw thrown;
    const end = { error: thrown.kind, retryable: thrown.facts.retryable ?? false, message: thrown.message };
    return { shown, end, retries };
  }
}

export const raw = (...pieces: (string | Uint8Array | number)[]): Reply => ({ kind: 'raw', pieces });
export const text = (content: string, finish: string | null = null) => choiceChunk({ content }, finish);
export const calls = (...tool_calls: object[]) => choiceChunk({ tool_calls });
export const DONE = '[DONE]';
export const END = choiceChunk({}, 'stop');
export const CALLS_END = choiceChunk({}, 'tool_calls');
export const refuse = (status: number, body: unknown, headers: Record<string, string> = {}): Reply => ({
  kind: 'error',
  status,
  body,
  headers,
});
export const says = (message: string, more: object = {}) => ({ error: { message, ...more } });

export function answered(content: string, more: Partial<Extract<ModelEvent, { type: 'done' }>> = {}): Outcome {
  const end = { text: content, toolCalls: [], finish: 'stop' as const, usage: null, ...more };
  return { shown: content, end, retries: 0 };
}

export function failed(
  error: ModelErrorKind,
  message: RegExp,
  more: Partial<Outcome> & { retryable?: boolean } = {},
): Outcome {
  const { retryable = false, ...rest } = more;
  return { shown: '', retries: 0, ...rest, end: { error, retryable, message: expect.stringMatching(message) } };
}

export const readFile = (args: string, id = 'call_a') => ({ id, name: 'read_file', arguments: args });

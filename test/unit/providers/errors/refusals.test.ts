/**
 * What providers and gateways write when they refuse (`refusals.json`), through the real client: each becomes what a
 * person needs to be told, with the provider's own words, and what can be learnt of it is learnt.
 */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ModelError, type ModelErrorKind } from '../../../../src/core/errors.ts';
import { createEndpointClient } from '../../../../src/providers/endpointClient.ts';
import { type ModelServer, startModelServer } from '../../../support/modelServer/modelServer.ts';
import { type Reply, sse } from '../../../support/modelServer/modelServerReply.ts';
import { REQUEST } from '../answers/askServer.ts';
import { NOW } from './classify.ts';
import refusals from './refusals.json' with { type: 'json' };

interface Refusal {
  readonly name: string;
  /** Absent for an error inside a stream that began with 200. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly kind: ModelErrorKind;
  /** Tokens; absent where the text names none. */
  readonly window?: number;
  /** Absent where it follows from the kind. */
  readonly retryable?: boolean;
  readonly waitMs?: number;
}

const REFUSALS = refusals as readonly unknown[] as readonly Refusal[];

const RETRYABLE: ReadonlySet<ModelErrorKind> = new Set(['rateLimit', 'network']);

function expected({ kind, window, retryable = RETRYABLE.has(kind), waitMs }: Refusal) {
  return { kind, window, retryable, ...(waitMs === undefined ? {} : { waitMs }) };
}

function seen({ kind, facts }: ModelError, { waitMs }: Refusal) {
  const wait = waitMs === undefined ? {} : { waitMs: facts.retryAfterMs };
  return { kind, window: facts.learnedWindow, retryable: facts.retryable, ...wait };
}

/** A body as a person may be shown it: a page's tags and JSON's escapes are not in what is shown. */
const textOf = (body: unknown) =>
  (typeof body === 'string' ? body : JSON.stringify(body))
    .replace(/\\+(?=")/g, '')
    .replace(/<[/!a-z][^>]*>|\\+n|\\+|\s+/g, ' ')
    .replace(/ +/g, ' ');
const isEmpty = (body: unknown) => JSON.stringify(body) === '{}';

const cases = REFUSALS.map((refusal) => ({ name: `${refusal.status ?? 'stream'}: ${refusal.name}`, refusal }));

describe('a refusal through the client', () => {
  let server: ModelServer;
  let current: Refusal;
  beforeAll(async () => {
    server = await startModelServer({ script: () => replyOf(current) });
  });
  afterAll(() => server.close());

  test.each(cases)('$name', async ({ refusal }) => {
    current = refusal;
    const error = await refused(server.baseUrl);
    expect(seen(error, refusal)).toEqual(expected(refusal));
    const { reported } = error.facts;
    if (refusal.body === '' || isEmpty(refusal.body)) expect(reported).toBeUndefined();
    else expect(textOf(refusal.body)).toContain(reported?.slice(0, 25).replace(/ \(.*/, ''));
    expect(error.message).toContain(reported ?? 'gave no reason');
    expect(server.failures).toEqual([]);
  });
});

function replyOf({ status, headers, body }: Refusal): Reply {
  if (status === undefined) return { kind: 'raw', pieces: [sse(body as object)] };
  return { kind: 'error', status, body, ...(headers ? { headers } : {}) };
}

async function refused(baseUrl: string): Promise<ModelError> {
  const client = createEndpointClient({ baseUrl, key: async () => undefined, now: () => NOW });
  try {
    for await (const _ of client.stream(REQUEST, new AbortController().signal));
  } catch (thrown) {
    if (thrown instanceof ModelError) return thrown;
    throw thrown;
  }
  throw new Error('It was not refused');
}

/** Refusals that do not say whether the request was too long: the meter decides, and no context is ruined for a guess. */

import { afterEach, describe, expect, it } from 'vitest';
import { createEndpointClient } from '../../../src/providers/endpointClient.ts';
import { says, user, words } from '../../support/compactionHarness.ts';

import { type ModelServer, startModelServer } from '../../support/modelServer/modelServer.ts';
import type { Reply } from '../../support/modelServer/modelServerReply.ts';
import { summarySession } from '../../support/summarySession.ts';

const servers: ModelServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

const refuse = (status: number, body: unknown): Reply => ({ kind: 'error', status, body });

/** A session of about so many tokens of a window of 100,000, below the default trigger at 80,000. */
async function session(tokens: number, window: number, ...script: readonly Reply[]) {
  return sessionAt(await startModelServer({ script }), tokens, window);
}

async function sessionAt(server: ModelServer, tokens: number, window: number) {
  servers.push(server);
  const history = Array.from({ length: 10 }, () => [user(words(tokens / 20)), says(words(tokens / 20))]).flat(2);
  const turnClient = createEndpointClient({ baseUrl: server.baseUrl, key: async () => undefined });
  const s = await summarySession({
    history: history.map((message) => [message]),
    window,
    turnClient,
    summaries: ['notes', 'notes'],
  });
  return { s, server };
}

describe('a refusal without a word', () => {
  it.each([
    ['400', 400, 100_000, 20_000],
    ['413', 413, 100_000, 20_000],
    ['400, of a window that nobody knows', 400, 0, 10_000],
  ])('far from the window is no overflow: %s', async (_name, status, window, tokens) => {
    const { s, server } = await session(tokens, window, refuse(status, ''));
    const outcome = await s.say();
    expect(outcome).toMatchObject({ kind: 'failed', error: { kind: 'badRequest' } });
    expect('error' in outcome && outcome.error.message).toMatch(/it is probably not too long.*It gave no reason/);
    expect([s.compactions(), s.summariser.requests, server.requests.length]).toEqual([[], [], 1]);
  });

  it.each([
    ['400', 400, 100_000, 75_000],
    ['413', 413, 100_000, 75_000],
    ['400, of a window that nobody knows', 400, 0, 40_000],
  ])('near the window is one: %s', async (_name, status, window, tokens) => {
    const { s, server } = await session(tokens, window, refuse(status, ''), { kind: 'answer', text: 'ok' });
    expect(await s.say()).toEqual({ kind: 'done' });
    expect(s.compactions()).toMatchObject([{ trigger: 'overflow' }]);
    expect(server.requests).toHaveLength(2);
  });
});

describe('a refusal in JSON of a shape that nobody knows', () => {
  it.each([
    ['a reason', { success: false, reason: 'tools are not supported by this deployment' }],
    ['a capital Message', { Message: 'The request is not valid' }],
    ['numbers alone', { statusCode: 400, n: 17 }],
  ])('is no overflow, however full the window is: %s', async (_name, body) => {
    const refusing = await startModelServer({ script: () => refuse(400, body) });
    const { s, server } = await sessionAt(refusing, 75_000, 100_000);
    const outcome = await s.say();
    expect(outcome).toMatchObject({ kind: 'failed', error: { kind: 'badRequest' } });
    const said = Object.values(body).find((value) => typeof value === 'string') ?? '"n":17';
    expect('error' in outcome && outcome.error.message).toContain(said);
    expect([s.compactions(), s.summariser.requests]).toEqual([[], []]);
    // At most three more go out, without some part.
    expect(server.requests.length).toBeLessThanOrEqual(4);
  });
});

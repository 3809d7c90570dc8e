/** A turn that goes on from where it broke, through the real client: strict providers must take what is sent then. */

import { afterEach, expect, test } from 'vitest';
import { continueTurn } from '../../../src/core/agent/runTurn.ts';
import { createEndpointClient } from '../../../src/providers/endpointClient.ts';
import { type ModelServer, startModelServer } from '../../support/modelServer/modelServer.ts';
import { choiceChunk, type Reply, sse } from '../../support/modelServer/modelServerReply.ts';
import { turnHarness } from '../../support/turnHarness.ts';

const servers: ModelServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function turnAt(...script: readonly Reply[]) {
  const server = await startModelServer({ script });
  servers.push(server);
  const client = createEndpointClient({ baseUrl: server.baseUrl, key: async () => 'k' });
  const turn = await turnHarness([]);
  Object.assign(turn.parts, { model: { client, model: 'mistral-test', window: 100_000 } });
  return { server, turn };
}

const CUT: Reply = { kind: 'raw', pieces: [sse(choiceChunk({ content: 'Half an ans' }))], end: 'cut' };

test('after an answer was cut, the request does not end with an answer, and the turn ends', async () => {
  const { server, turn } = await turnAt(CUT, { kind: 'answer', text: 'The whole answer.' });
  expect(await turn.send('Ask')).toMatchObject({ kind: 'failed', error: { kind: 'interrupted' } });
  expect(await continueTurn(turn.parts, turn.abort.signal)).toEqual({ kind: 'done' });
  expect(turn.story()).toEqual([
    'checkpoint',
    'user: Ask',
    'checkpoint',
    'assistant: Half an ans (interrupted)',
    'assistant: The whole answer.',
    'usage',
  ]);
  server.assertDone();
});

test('where the answer is whole there is nothing to go on with, and nothing is asked', async () => {
  const { server, turn } = await turnAt({ kind: 'answer', text: 'The whole answer.' });
  await turn.send('Ask');
  expect(await continueTurn(turn.parts, turn.abort.signal)).toEqual({ kind: 'done' });
  expect(server.requests).toHaveLength(1);
  server.assertDone();
});

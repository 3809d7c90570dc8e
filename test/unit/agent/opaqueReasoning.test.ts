/**
 * A canary in what only a provider can read. It is in the journal, and in what goes back to that provider; everything else
 * that a session makes is searched for it.
 */

import { afterEach, expect, it } from 'vitest';
import type { CompactionContext } from '../../../src/api/index.ts';
import { createAgent } from '../../../src/core/agent/createAgent.ts';
import type { ModelChoice } from '../../../src/core/model/modelChoice.ts';
import { createEndpointClient } from '../../../src/providers/endpointClient.ts';
import { systemTimers } from '../../../src/providers/timers.ts';
import { going } from '../../support/compactionHarness.ts';
import { type ModelServer, startModelServer } from '../../support/modelServer/modelServer.ts';
import type { AnswerReply, Reply } from '../../support/modelServer/modelServerReply.ts';
import { createMemoryFiles } from '../../support/ports/memoryFiles.ts';
import { createMemoryShell } from '../../support/ports/memoryShell.ts';
import { memoryBlobs, memoryStore } from '../../support/ports/memoryStore.ts';
import { testCrypto } from '../../support/ports/nodeCrypto.ts';
import { testClock } from '../../support/ports/testClock.ts';
import { testAgent } from '../../support/testAgent.ts';
import { lookTool } from '../../support/turnHarness.ts';

const servers: ModelServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

const CANARY = 'gAAAAACanary4711'.padEnd(900, 'Qz7-');

type Script = Parameters<typeof startModelServer>[0]['script'];
async function serve(name: string, dialect: 'chat' | 'responses', script: Script) {
  const server = await startModelServer({ script });
  servers.push(server);
  const client = createEndpointClient({ baseUrl: server.baseUrl, dialect, key: async () => undefined });
  return { server, choice: { client, model: name, window: 100_000 } satisfies ModelChoice };
}

const thinking = (more: Partial<AnswerReply>): AnswerReply => ({ kind: 'answer', encrypted: CANARY, ...more });
const looks = thinking({ calls: [{ name: 'look', arguments: { at: 'here' } }] });
/** A server that gives back what it was sent, as FastAPI does with what it cannot read. */
const echoing = (input: unknown): Reply => ({
  kind: 'error',
  status: 422,
  body: {
    detail: [{ loc: ['body', 'input', 2], msg: `Input should be a valid string: ${JSON.stringify(input)}`, input }],
  },
});

it.each(['responses', 'chat'] as const)('reaches no strategy, event, log or error (%s)', async (dialect) => {
  const replies: Reply[] = [looks, looks, thinking({ text: 'Done. '.repeat(100) })];
  const { choice } = await serve(
    'thinker',
    dialect,
    ({ body }) => replies.shift() ?? echoing(body.input ?? body.messages),
  );
  const [seen, store]: [unknown[], ReturnType<typeof memoryStore>] = [[], memoryStore()];
  const agent = await createAgent({
    model: choice,
    tools: [lookTool],
    workspace: { files: createMemoryFiles(), shell: createMemoryShell() },
    store,
    blobs: memoryBlobs(),
    system: { clock: testClock(), crypto: testCrypto(), timers: systemTimers, log: (...said) => seen.push(said) },
    events: {
      onTurn: (event) => seen.push(event),
      onProgress: (event) => seen.push(event),
      onCompaction: (event) => seen.push(event),
    },
    compaction: {
      strategy: {
        compact: async ({ history, ...context }: CompactionContext) => {
          seen.push({ history, context });
          return null;
        },
      },
    },
  });
  expect(await agent.send('Look', going)).toEqual({ kind: 'done' });
  await agent.compactor.compact({ trigger: 'manual' }, going);
  const failed = await agent.send('Go on', going);
  expect(failed).toMatchObject({ kind: 'failed' });
  expect(store.lines.filter((line) => line.includes(CANARY))).toHaveLength(3);
  // The strategy was asked with the whole history.
  expect(JSON.stringify(seen)).toContain('saw here');
  expect(JSON.stringify([seen, failed])).not.toContain('gAAAAA');
  expect(JSON.stringify(failed)).toContain('Input should be a valid string');
  for (const entry of agent.journal.path()) {
    if (entry.type !== 'message') expect(JSON.stringify(entry)).not.toContain('gAAAAA');
  }
});

it('reaches no other model that writes the summary', async () => {
  const thinker = await serve('thinker', 'responses', [
    looks,
    looks,
    thinking({ text: 'Done.' }),
    thinking({ text: 'Here.' }),
  ]);
  const writer = await serve('writer', 'chat', () => ({ kind: 'answer', text: 'They looked.' }));
  const { agent, store } = await testAgent(thinker.choice, {
    models: {
      initial: () => 'thinker',
      resolve: (name) => (name === 'writer' ? writer.choice : thinker.choice),
    },
    tools: [lookTool] as never,
    compaction: { strategy: 'llm-summary', 'summary.model': 'writer' },
  });
  await agent.send(`Look ${'and look again '.repeat(200)}`, going);
  await agent.send('Once more', going);
  await agent.compactor.compact({ trigger: 'manual' }, going);
  expect(writer.server.requests.length).toBeGreaterThan(0);
  expect(JSON.stringify(writer.server.requests)).not.toContain('gAAAAA');
  expect(store.lines.filter((line) => line.includes('gAAAAA')).every((line) => line.includes('"type":"message"'))).toBe(
    true,
  );
});

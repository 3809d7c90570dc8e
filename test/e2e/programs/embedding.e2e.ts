/** The agent in a program of one's own, without VS Code: with a strategy object, and with a tool whose results expire. */

import * as z from 'zod';
import type { CompactionContext } from '../../../src/api/index.ts';
import { type AgentOptions, createAgent, type OwnStrategy } from '../../../src/core/agent/createAgent.ts';
import type { Entry } from '../../../src/core/journal/entry.ts';
import type { Tool } from '../../../src/core/tools/tool.ts';
import { nodeCrypto } from '../../../src/node/storage/disk/fileBlobStore.ts';
import { createEndpointClient } from '../../../src/providers/endpointClient.ts';
import { systemTimers } from '../../../src/providers/timers.ts';
import { type ModelServer, startModelServer } from '../../support/modelServer/modelServer.ts';
import type { Reply } from '../../support/modelServer/modelServerReply.ts';
import { createMemoryFiles } from '../../support/ports/memoryFiles.ts';
import { createMemoryShell } from '../../support/ports/memoryShell.ts';
import { memoryBlobs, memoryStore } from '../../support/ports/memoryStore.ts';
import { expect, test as scenario } from '../support/scenario.ts';

const going = new AbortController().signal;

/** Looks at something that changes: only the newest look says what is so. */
const look: Tool<object> = {
  name: 'look',
  toolClass: 'read',
  description: 'Looks at the screen.',
  input: z.object({}),
  prepare: async () => ({
    title: 'screen',
    approval: null,
    changes: [],
    run: async () => ({ text: 'The screen is black. '.repeat(20), ephemeral: { keepNewest: 1 } }),
  }),
};

interface Program {
  /** What is sent, in the order of the messages of the newest request. */
  readonly lastTexts: () => readonly string[];
  readonly entries: () => readonly Entry[];
  readonly say: (text: string) => Promise<unknown>;
}

interface Given {
  readonly embed: (script: readonly Reply[], options?: Partial<AgentOptions>) => Promise<Program>;
}

const test = scenario.extend<Given>({
  embed: async ({ atEnd }, use) => {
    await use(async (script, options = {}) => {
      const server: ModelServer = await startModelServer({ script });
      atEnd(async () => {
        await server.close();
        server.assertDone();
      });
      const store = memoryStore();
      const client = createEndpointClient({ baseUrl: server.baseUrl, key: async () => undefined });
      const agent = await createAgent({
        model: { client, model: 'any', window: 2_000 },
        tools: [look],
        workspace: { files: createMemoryFiles(), shell: createMemoryShell() },
        store,
        blobs: memoryBlobs(),
        system: { clock: { now: Date.now }, crypto: nodeCrypto, timers: systemTimers, log: () => undefined },
        systemPrompt: 'Be useful.',
        ...options,
      });
      return {
        lastTexts: () => {
          const messages = server.requests.at(-1)?.body.messages;
          return Array.isArray(messages) ? messages.map(({ content }) => String(content)) : [];
        },
        entries: () => store.lines.map((line): Entry => JSON.parse(line)),
        say: (text) => agent.send(text, going),
      };
    });
  },
});

test('a program gives the agent its own strategy object', { tag: '@K9' }, async ({ embed }) => {
  const strategy = {
    compact: async ({ history }: CompactionContext) => [
      { role: 'user' as const, kind: 'summary' as const, text: 'They said a lot.' },
      ...history.filter((message) => message.protected || message.text.length < 1_000),
    ],
  };
  const long: Reply = { kind: 'answer', text: 'word '.repeat(1_900), usage: null };
  const { say, lastTexts } = await embed([long, { kind: 'answer', text: 'Short.' }], { compaction: { strategy } });
  await say('talk');
  await say('again');
  expect(lastTexts()).toEqual(['Be useful.', expect.stringContaining('They said a lot.'), 'talk', 'again']);
});

test('results that a tool calls ephemeral expire', { tag: '@C12' }, async ({ embed }) => {
  const call: Reply = { kind: 'answer', text: 'Looking.', calls: [{ name: 'look', arguments: {} }] };
  const { say, lastTexts, entries } = await embed([call, call, { kind: 'answer', text: 'Black.' }]);
  await say('watch the screen');
  const looks = lastTexts().filter((text) => /screen is black|tool result hidden/.test(text));
  expect(looks).toEqual([expect.stringMatching(/tool result hidden/), expect.stringMatching(/^The screen is black/)]);
  expect(entries().flatMap((entry) => (entry.type === 'compaction' ? [entry.trigger] : []))).toEqual(['ephemeral']);
});

test('a strategy of a program builds on a built-in one, and remembers', { tag: '@B18' }, async ({ embed }) => {
  const handed: unknown[] = [];
  const strategy: OwnStrategy = {
    needs: ['llm'],
    compact: async ({ builtins, details, previousSummary }) => {
      handed.push([details, previousSummary?.split('\n')[0]]);
      const messages = await builtins.run('llm-summary', { settings: { preserveRecentMessages: 0 } });
      return { messages, details: { compactions: handed.length } };
    },
  };
  const answer = (text: string): Reply => ({ kind: 'answer', text, usage: null });
  const long = answer('word '.repeat(1_500));
  const script = [long, answer('They said a lot.'), long, answer('They said more.'), answer('Short.')];
  const { say, lastTexts, entries } = await embed(script, { compaction: { strategy } });
  await say('talk');
  await say('again');
  await say('and again');
  expect(lastTexts()).toEqual([
    'Be useful.',
    expect.stringContaining('They said more.'),
    expect.stringContaining('Ledger'),
    'again',
    'and again',
  ]);
  expect(handed).toEqual([
    [undefined, undefined],
    [{ compactions: 1 }, 'They said a lot.'],
  ]);
  expect(entries().flatMap((entry) => (entry.type === 'compaction' ? [entry.details?.value] : []))).toEqual([
    { compactions: 1 },
    { compactions: 2 },
  ]);
});

/** The product's agent and client against servers that cut prompts: what is noticed, told, learnt, and done about it. */

import { afterEach, describe, expect, it } from 'vitest';
import type { Entry } from '../../../../src/core/journal/entry.ts';
import { TOOLS } from '../../../../src/core/tools/toolList.ts';
import { inEnglish } from '../../../../src/core/words.ts';
import { createEndpointClient } from '../../../../src/providers/endpointClient.ts';
import { llamaCpp } from '../../../support/localServers/llamaCpp.ts';
import { lmStudio } from '../../../support/localServers/lmStudio.ts';
import {
  LOCAL_MODEL,
  type LocalDialect,
  type LocalServer,
  type LocalServerOptions,
  startLocalServer,
} from '../../../support/localServers/localServer.ts';
import { ollama } from '../../../support/localServers/ollama.ts';
import { openRouter } from '../../../support/localServers/openRouter.ts';
import { vllm } from '../../../support/localServers/vllm.ts';
import { type TestAgent, testAgent } from '../../../support/testAgent.ts';

const servers: LocalServer[] = [];
afterEach(async () => {
  for (const { server } of servers.splice(0)) await server.close();
});

const going = new AbortController().signal;
const lines = Array.from({ length: 300 }, (_, i) => `- note ${i}: retries wait longer each time, up to a limit`);
/** The figures below hold for what these take, however many tools the product has. */
const SIX_TOOLS = TOOLS.slice(0, 6);
const FILES = { 'long.md': lines.join('\n') };

/** Reads the file so many times, a request each, and then answers. */
function reader(times: number): LocalServerOptions['answer'] {
  let asked = 0;
  return ({ body }) => {
    if (body.tools === undefined || body.tool_choice === 'none')
      return { kind: 'answer', text: 'What was read: notes on retries.' };
    const call = { name: 'read_file', arguments: { path: 'long.md' } };
    return asked++ < times
      ? { kind: 'answer', text: 'Reading.', calls: [call] }
      : { kind: 'answer', text: 'All read.' };
  };
}

async function serve(dialect: LocalDialect, options: Partial<LocalServerOptions> = {}): Promise<LocalServer> {
  const local = await startLocalServer(dialect, { answer: reader(8), ...options });
  servers.push(local);
  return local;
}

function startAgent({ server }: LocalServer, window = 128_000): Promise<TestAgent> {
  const client = createEndpointClient({ baseUrl: server.baseUrl, key: async () => undefined });
  return testAgent({ client, model: LOCAL_MODEL, window }, { files: FILES, tools: SIX_TOOLS });
}

const told = ({ agent }: TestAgent) =>
  agent.journal.entries.flatMap((entry) => (entry.type === 'note' && entry.level === 'warning' ? [entry.text] : []));
const entriesOf = <T extends Entry['type']>({ agent }: TestAgent, type: T) =>
  agent.journal.entries.filter((entry): entry is Extract<Entry, { type: T }> => entry.type === type);

describe('a server that cuts the prompt without a word', { tags: ['B17', 'long'] }, () => {
  it.each<[string, LocalDialect, string, number?]>([
    ['Ollama since 0.30', ollama(), 'num_ctx'],
    ['Ollama before 0.30', ollama({ cuts: 'window' }), 'num_ctx'],
    ['an Ollama that does not say its context', ollama({ cuts: 'window', saysContext: false }), 'num_ctx'],
    ['LM Studio with a rolling window', lmStudio(), 'Context Length'],
    // It says nothing of what it holds, and a twelfth of the prompt is not enough to tell.
    ['an LM Studio that does not say the loaded length', lmStudio({ saysLoaded: false }), 'Context Length', 1],
    ['an old llama.cpp', llamaCpp({ cuts: true }), '--ctx-size'],
    ['an old llama.cpp behind another server', llamaCpp({ cuts: true, saysProps: false }), '--ctx-size'],
    ['a router that compresses', openRouter({ compresses: true }), 'larger context'],
  ])(
    '%s: told within one request, compacted to what it holds, and asked again',
    async (_, dialect, setting, late = 0) => {
      const local = await serve(dialect, { holds: 16_000 });
      const test = await startAgent(local);
      expect(await test.agent.send('read the notes', going)).toEqual({ kind: 'done' });

      const firstCut = local.prompts.findIndex(({ sent, read }) => read < sent);
      expect(firstCut).toBeGreaterThan(0);
      const [said = ''] = told(test);
      expect(said).toContain(setting);
      expect(said).toMatch(/read only [\d,]+ of about [\d,]+ tokens/);
      // Nothing was run between the cut and the word about it.
      const cut = test.agent.journal.entries.findIndex(({ type }) => type === 'note');
      const requests = test.agent.journal.entries.slice(0, cut).filter(({ type }) => type === 'request');
      expect(requests.length).toBeGreaterThan(firstCut);
      expect(requests.length).toBeLessThanOrEqual(firstCut + 1 + late);
      expect(entriesOf(test, 'compaction')[0]?.trigger).toBe('overflow');
      expect(test.agent.journal.context.conversation.at(-1)?.message.text).toBe('All read.');
      // From then on everything fits.
      const after = local.prompts.slice(requests.length).filter(({ sent, read }) => read < sent);
      expect(after.length).toBeLessThanOrEqual(1);
      expect(test.agent.compactor.gauge.window).toBeLessThanOrEqual(16_000);
    },
  );

  it('what an Ollama starts with is enough to go on', { tags: ['B17'] }, async () => {
    const local = await serve(ollama(), { startsWith: 4_096, answer: reader(1) });
    const test = await startAgent(local);
    expect(await test.agent.send('read the notes', going)).toEqual({ kind: 'done' });
    expect(local.prompts.filter(({ sent, read }) => read < sent)).toHaveLength(1);
    expect(told(test)).toHaveLength(1);
    expect(test.agent.journal.context.conversation.at(-1)?.message.text).toBe('All read.');
  });

  it('a server that does not hold the instructions: nothing is run, and the turn ends with the numbers', {
    tags: ['B17'],
  }, async () => {
    const local = await serve(ollama(), { startsWith: 1_024 });
    const test = await startAgent(local);
    const outcome = await test.agent.send('read the notes', going);
    expect(outcome).toMatchObject({ kind: 'paused' });
    expect(inEnglish('reason' in outcome ? outcome.reason : [])).toContain('Still about');
    expect(told(test)).toHaveLength(1);
    expect(entriesOf(test, 'message').filter(({ message }) => message.role !== 'user')).toEqual([]);
    expect(local.prompts).toHaveLength(1);
  });

  it('what the cut answer cost is kept, and does not count as how full the context is', { tags: ['B17'] }, async () => {
    const local = await serve(ollama(), { startsWith: 4_096, answer: reader(1) });
    const test = await startAgent(local);
    await test.agent.send('read the notes', going);
    const cut = entriesOf(test, 'usage').filter(({ estimated }) => estimated);
    expect(cut).toMatchObject([{ usage: { input: 2_050 } }]);
  });

  it.each([
    ['llama.cpp', llamaCpp()],
    ['vLLM', vllm()],
    ['LM Studio that stops at its limit', lmStudio({ overflow: 'stopAtLimit' })],
    ['a router', openRouter()],
  ])('a server that refuses instead (%s): learnt from the refusal, and no cut is told', async (_, dialect) => {
    const local = await serve(dialect, { holds: 16_000 });
    const test = await startAgent(local);
    expect(await test.agent.send('read the notes', going)).toEqual({ kind: 'done' });
    expect(entriesOf(test, 'compaction')[0]?.trigger).toBe('overflow');
    expect(test.agent.compactor.gauge.window).toBe(16_000);
    expect(told(test)).toEqual([]);
  });
});

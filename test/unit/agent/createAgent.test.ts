import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { CompactionContext, SummaryModel } from '../../../src/api/index.ts';
import { type AgentOptions, createAgent, type OwnStrategy } from '../../../src/core/agent/createAgent.ts';
import { NO_WORKSPACE } from '../../../src/core/agent/parts/agentWorkspace.ts';
import type { Tool } from '../../../src/core/tools/tool.ts';
import { STARTING_FILE } from '../../../src/node/strategyFiles/startingFile.ts';
import { going, words } from '../../support/compactionHarness.ts';
import { memoryBlobs, memoryStore } from '../../support/ports/memoryStore.ts';
import { testCrypto } from '../../support/ports/nodeCrypto.ts';
import { ScriptedModel } from '../../support/ports/scriptedModel.ts';
import { testClock } from '../../support/ports/testClock.ts';
import { lookTool } from '../../support/turnHarness.ts';

const embed = (model: ScriptedModel, options: Partial<AgentOptions> = {}) =>
  createAgent({
    model: { client: model, model: 'test', window: 2_000 },
    tools: [lookTool],
    store: memoryStore(),
    blobs: memoryBlobs(),
    system: {
      clock: testClock(),
      crypto: testCrypto(),
      timers: { after: () => () => undefined },
      log: () => undefined,
    },
    systemPrompt: 'Be useful.',
    ...options,
  });

describe('createAgent', () => {
  it('takes a strategy object, and uses it when the context is full', { tags: ['K9'] }, async () => {
    const seen: CompactionContext[] = [];
    const strategy = {
      compact: async (context: CompactionContext) => {
        seen.push(context);
        const rest = context.history.filter((message) => message.protected || message.text.length < 1_000);
        return [{ role: 'user' as const, kind: 'summary' as const, text: 'They said a lot.' }, ...rest];
      },
    };
    const model = new ScriptedModel([{ text: words(1_900), usage: null }, 'short']);
    const agent = await embed(model, { compaction: { strategy } });
    await agent.send('talk', going);
    expect(seen.map(({ trigger }) => trigger)).toEqual(['threshold']);
    await agent.send('again', going);
    expect(model.requests[1]?.messages.map(({ text }) => text.slice(0, 16))).toEqual([
      'Be useful.',
      '<context-notes>\n',
      'talk',
      'again',
    ]);
  });

  it('without a workspace, its own tools take whole paths as they are', async () => {
    const asked: string[] = [];
    const tool: Tool<{ path: string }> = {
      name: 'look',
      toolClass: 'read',
      description: 'Looks.',
      input: z.object({ path: z.string() }),
      prepare: async ({ path }) => {
        asked.push(path);
        return { title: path, approval: null, changes: [], run: async () => ({ text: 'seen' }) };
      },
    };
    const model = new ScriptedModel([{ text: 'I look.', calls: [['look', { path: '/home/me/a.ts' }]] }, 'Seen.']);
    const agent = await embed(model, { tools: [tool], workspace: NO_WORKSPACE });
    expect(await agent.send('look', going)).toMatchObject({ kind: 'done' });
    expect(asked).toEqual(['/home/me/a.ts']);
  });

  it('takes the strategy of a file that the editor and the lab can run', { tags: ['K11'] }, async () => {
    const path = join(mkdtempSync(join(tmpdir(), 'pal-strategy-')), 'mine.mjs');
    writeFileSync(path, STARTING_FILE.replace('default: 4000', 'default: 100'));
    const { default: strategy } = await import(pathToFileURL(path).href);
    rmSync(dirname(path), { recursive: true });
    const model = new ScriptedModel([
      { calls: [['look', { at: 'far' }]], usage: null },
      { text: 'looked', usage: null },
    ]);
    const agent = await embed(model, {
      compaction: { strategy },
      tools: [
        {
          ...lookTool,
          prepare: async () => ({ title: '', approval: null, changes: [], run: async () => ({ text: words(1_700) }) }),
        },
      ],
    });
    await agent.send('look', going);
    expect([...agent.journal.ofType('compaction')]).toMatchObject([{ strategy: 'embedded.agent/strategy' }]);
  });

  /** Summarises everything that may go, in the model's own words. */
  const ask = async (llm: SummaryModel, { history }: CompactionContext) => {
    const { text } = await llm.complete({ prompt: history.map((message) => message.text).join('\n') });
    const rest = history.filter((message) => message.protected);
    return [{ role: 'user' as const, kind: 'summary' as const, text }, ...rest];
  };
  const byContext = { compact: async (context: CompactionContext) => ask(context.llm, context) };

  it.each<readonly [string, OwnStrategy]>([
    ['an object finds it in its context', { ...byContext, needs: ['llm'] }],
    ['a factory is given it', { needs: ['llm'], create: ({ llm }) => ({ compact: (context) => ask(llm, context) }) }],
    [
      'a factory is given what else it names',
      {
        needs: ['llm', 'countTokens', 'log'],
        create: ({ llm, countTokens, log }) => ({
          compact: async (context) => {
            log('info', `${countTokens('one two')} tokens`);
            return ask(llm, context);
          },
        }),
      },
    ],
  ])('the model that a strategy names in its needs answers it: %s', { tags: ['K9'] }, async (_, strategy) => {
    const model = new ScriptedModel([{ text: words(1_900), usage: null }, 'They talked.', 'short']);
    const agent = await embed(model, { compaction: { strategy } });
    await agent.send('talk', going);
    await agent.send('again', going);
    expect(model.requests.at(-1)?.messages.map(({ text }) => text)).toEqual([
      'Be useful.',
      expect.stringContaining('They talked.'),
      'talk',
      'again',
    ]);
  });

  it('a strategy that does not say it needs a model gets none', { tags: ['K9'] }, async () => {
    const model = new ScriptedModel([{ text: words(1_900), usage: null }]);
    const agent = await embed(model, { compaction: { strategy: byContext } });
    await agent.send('talk', going);
    expect(model.requests).toHaveLength(1);
    expect(agent.journal.entries.find(({ type }) => type === 'compactionFailed')).toMatchObject({
      reason: expect.stringContaining('does not declare that it needs llm'),
    });
  });

  it('what a stub names can be recalled, unless that is switched off', { tags: ['K9'] }, async () => {
    const offered = async (settings: Readonly<Record<string, unknown>>) => {
      const model = new ScriptedModel(['done']);
      await (await embed(model, { compaction: { settings } })).send('hi', going);
      return model.requests[0]?.tools.map(({ name }) => name);
    };
    expect(await offered({})).toEqual(['look', 'recall']);
    expect(await offered({ 'recall.tokensPerTurn': 0 })).toEqual(['look']);
  });

  it('chooses a built-in strategy by name, and refuses a setting it cannot use', { tags: ['K9'] }, async () => {
    const model = new ScriptedModel([{ calls: [['look', { at: 'a' }]] }, 'done']);
    const agent = await embed(model, { compaction: { settings: { strategy: 'tool-result-hiding' } } });
    expect(await agent.send('look', going)).toEqual({ kind: 'done' });
    await expect(embed(model, { compaction: { settings: { strategy: 'magic' } } })).rejects.toThrow(/"magic"/);
  });

  describe('agents of several kinds share their compaction, and each kind may differ', { tags: ['K9'] }, () => {
    const own = { compact: async () => null };
    const compaction = {
      strategy: own,
      settings: { 'trigger.ratio': 0.7, requireConfirmation: true },
      agents: {
        explore: { settings: { strategy: 'tool-result-hiding', 'trigger.ratio': 0.5 } },
        review: { settings: { auto: false } },
        write: { strategy: { compact: async () => null }, settings: { 'trigger.ratio': 0.6 } },
      },
    };

    it.each([
      [undefined, { strategy: 'embedded.agent/strategy' }, 1_400],
      ['main', { strategy: 'embedded.agent/strategy' }, 1_400],
      ['explore', { strategy: 'tool-result-hiding' }, 1_000],
      ['review', { strategy: 'embedded.agent/strategy' }, null],
      ['write', { strategy: 'embedded.agent/strategy' }, 1_200],
      ['constructor', { strategy: 'embedded.agent/strategy' }, 1_400],
    ] as const)('%s', async (kind, configured, mark) => {
      const agent = await embed(new ScriptedModel(['done']), { compaction, ...(kind ? { kind } : {}) });
      await agent.send('hi', going);
      expect(agent.journal.context.configured).toMatchObject(configured);
      expect(agent.compactor.gauge.mark?.at ?? null).toBe(mark);
    });

    it('in the strategy that runs when the context is full', async () => {
      const made = async (kind: string) => {
        const ran: string[] = [];
        const strategy = (name: string) => ({
          compact: async () => {
            ran.push(name);
            return null;
          },
        });
        const agents = { write: { strategy: strategy('of the kind') } };
        const model = new ScriptedModel([{ text: words(1_900), usage: null }, 'short']);
        const both = { strategy: strategy('of all'), agents };
        await (await embed(model, { kind, compaction: both })).send('talk', going);
        return ran[0];
      };
      expect(await made('write')).toBe('of the kind');
      expect(await made('explore')).toBe('of all');
    });

    it('and a setting that cannot be used is refused, whichever kind it is for', async () => {
      const agents = { explore: { settings: { strategy: 'magic' } } };
      await expect(embed(new ScriptedModel([]), { compaction: { agents } })).rejects.toThrow(/"magic"/);
      const settings = { 'summary.promt': 'x' };
      await expect(embed(new ScriptedModel([]), { compaction: { settings } })).rejects.toThrow(
        'palimpsest.compaction.summary.promt is no setting.',
      );
    });
  });
});

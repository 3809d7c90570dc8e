/** What the packages take, and how they refuse everything else: in words that name the option and what it must be. */

import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { serveAcp } from '../../../src/embedding/acp.ts';
import {
  ask,
  compactInPi,
  createAgent,
  createEndpointClient,
  JournalError,
  memoryStorage,
  nodeSystem,
  openStorage,
  z,
} from '../../../src/embedding/index.ts';
import { ScriptedModel } from '../../support/ports/scriptedModel.ts';

const client = new ScriptedModel(['Yes.']);
const model = { client, model: 'm', window: 32_000 };
const tool = {
  name: 'look',
  toolClass: 'read',
  description: 'Looks.',
  input: z.object({}),
  prepare: async () => ({ run: async () => ({ text: 'seen' }) }),
};
const valid = () => ({ model, tools: [] as unknown[], system: nodeSystem(), ...memoryStorage() });
const create = (more: object) => createAgent({ ...valid(), ...more } as never);
const strategy = { compact: async () => null };
const declaring = {
  needs: ['settings'] as const,
  settings: { longest: { type: 'integer', minimum: 1, default: 4_000 } },
  create: () => strategy,
};
const price = { currency: 'EUR', input: 1, output: 2, source: 'settings' };

const without = (name: string) => {
  const { [name as keyof ReturnType<typeof valid>]: _, ...rest } = valid();
  return rest;
};

describe('createAgent', () => {
  it.each<[string, object, RegExp]>([
    [
      'an unknown option',
      { systemprompt: 'x' },
      /^createAgent has no option systemprompt: it has model, .*systemPrompt/,
    ],
    [
      'a model by name',
      { model: 'gpt' },
      /^The option model of createAgent is "gpt"\. It must be an object with client/,
    ],
    [
      'a model without a client',
      { model: { model: 'm', window: 1 } },
      /needs the option model\.client\..*createEndpointClient/,
    ],
    [
      'a blank model',
      { model: { ...model, model: ' ' } },
      /The option model\.model of createAgent is " "\. It must be a text/,
    ],
    [
      'a window as text',
      { model: { ...model, window: '32k' } },
      /model\.window of createAgent is "32k"\..*number of tokens/,
    ],
    ['a window that is no number', { model: { ...model, window: Number.NaN } }, /model\.window of createAgent is NaN/],
    [
      'an unknown effort',
      { model: { ...model, effort: 'max' } },
      /model\.effort .*is "max"\. It must be one of none, minimal/,
    ],
    [
      'a misspelt option of the model',
      { model: { ...model, windows: 1 } },
      /has no option model\.windows: it has .*model\.window\b/,
    ],
    [
      'tools as an object',
      { tools: { look: tool } },
      /The option tools of createAgent is an object\. It must be a list/,
    ],
    [
      'a tool without a schema',
      { tools: [{ ...tool, input: { type: 'object' } }] },
      /tools\[0\]\.input .*schema of zod/,
    ],
    ['a tool with a blank in its name', { tools: [tool, { ...tool, name: 'a b' }] }, /tools\[1\]\.name .*is "a b"/],
    ['two tools with one name', { tools: [tool, tool] }, /two tools with the name look/],
    [
      'a tool of no class',
      { tools: [{ ...tool, toolClass: 'delete' }] },
      /tools\[0\]\.toolClass .*one of read, write, run/,
    ],
    ['a system without a clock', { system: { ...nodeSystem(), clock: undefined } }, /needs the option system\.clock/],
    ['blobs that are none', { blobs: new Map() }, /The option blobs .*with the functions put, get/],
    [
      'a prompt that is a list',
      { systemPrompt: ['x'] },
      /The option systemPrompt of createAgent is a list\. It must be a text/,
    ],
    [
      'a strategy by name',
      { compaction: { strategy: 'llm-summary' } },
      /compaction\.strategy of createAgent is "llm-summary".*compaction: \{ settings: \{ strategy: 'llm-summary' \} \}/,
    ],
    ['a strategy that is null', { compaction: { strategy: null } }, /compaction\.strategy of createAgent is null/],
    [
      'a strategy that is a function',
      { compaction: { strategy: () => null } },
      /compaction\.strategy of createAgent is a function/,
    ],
    ['compaction by name', { compaction: 'layered' }, /The option compaction of createAgent is "layered"/],
    [
      'a misspelt choice',
      { compaction: { setting: {} } },
      /no option compaction\.setting: it has compaction\.strategy, compaction\.settings/,
    ],
    [
      'a strategy by name for a kind',
      { compaction: { agents: { explore: { strategy: 'layered' } } } },
      /compaction\.agents\.explore\.strategy .*is "layered"/,
    ],
    [
      'an unknown setting of compaction',
      { compaction: { settings: { ratio: 0.7 } } },
      /palimpsest\.compaction\.ratio is no setting/,
    ],
    ['an unknown strategy in the settings', { compaction: { settings: { strategy: 'best' } } }, /strategy.*best/],
    [
      'a value of compaction that it cannot have',
      { compaction: { settings: { 'trigger.ratio': 7 } } },
      /trigger\.ratio has the value 7, which cannot be used\. It must be at most 1\.$/,
    ],
    [
      'an unknown section of settings',
      { settings: { stepLimit: 3 } },
      /no option settings\.stepLimit: it has .*settings\.agent/,
    ],
    [
      'an unknown setting',
      { settings: { agent: { steps: 3 } } },
      /no option settings\.agent\.steps: it has .*settings\.agent\.stepLimit/,
    ],
    [
      'a setting out of its range',
      { settings: { agent: { stepLimit: 0 } } },
      /settings\.agent\.stepLimit .*is 0\. It must be at least 1/,
    ],
    [
      'an unknown event',
      { events: { onMessage: () => undefined } },
      /no option events\.onMessage: it has events\.onTurn/,
    ],
    [
      'a value that the strategy does not declare',
      { compaction: { strategy: declaring, section: { longst: 3 } } },
      /^createAgent has no option compaction\.section\.longst: it has compaction\.section\.longest\.$/,
    ],
    [
      'a value that a declared setting cannot have',
      { compaction: { strategy: declaring, section: { longest: 0 } } },
      /^The option compaction\.section\.longest of createAgent is 0\. It must be at least 1\.$/,
    ],
    [
      'values for a strategy that declares none',
      { compaction: { strategy, section: { longest: 3 } } },
      /compaction\.section of createAgent has longest, and the strategy declares no settings/,
    ],
    [
      'values without a strategy of one’s own',
      { compaction: { section: { longest: 3 } } },
      /compaction\.section of createAgent belongs to a strategy of your own, and none is given/,
    ],
    [
      'values of a kind whose settings name a built-in strategy',
      {
        compaction: {
          strategy: declaring,
          agents: { explore: { settings: { strategy: 'layered' }, section: { longest: 3 } } },
        },
      },
      /compaction\.agents\.explore\.section of createAgent belongs to a strategy of your own/,
    ],
    [
      'a misspelt value of a kind',
      { compaction: { strategy: declaring, agents: { explore: { section: { longst: 3 } } } } },
      /has no option compaction\.agents\.explore\.section\.longst: it has .*longest/,
    ],
    [
      'a port that is none',
      { compaction: { strategy: { ...strategy, needs: ['fs'] } } },
      /compaction\.strategy of createAgent needs fs, which is no port: there are llm, countTokens, log, settings\.$/,
    ],
    [
      'a port that is none, of a kind',
      { compaction: { agents: { explore: { strategy: { ...declaring, needs: ['fs'] } } } } },
      /compaction\.agents\.explore\.strategy of createAgent needs fs/,
    ],
    [
      'a factory without needs',
      { compaction: { strategy: { create: () => strategy } } },
      /compaction\.strategy of createAgent has no list needs/,
    ],
    [
      'settings that cannot be declared',
      { compaction: { strategy: { ...declaring, settings: { longest: { type: 'integer' } } } } },
      /compaction\.strategy of createAgent cannot be used: its setting longest has no usable default/,
    ],
    [
      'a workspace with nothing in it',
      { workspace: {} },
      /^createAgent needs the option workspace\.files\. It must be an object with the functions resolve, read/,
    ],
    [
      'files that cannot be read',
      { workspace: { files: {}, shell: {} } },
      /^The option workspace\.files of createAgent is an object\. It must be an object with the functions resolve/,
    ],
    [
      'a misspelt rate',
      { model: { ...model, price: { ...price, inputs: 1 } } },
      /has no option model\.price\.inputs: it has model\.price\.currency, model\.price\.input, /,
    ],
    [
      'a price without a currency',
      { model: { ...model, price: { input: 1, output: 2 } } },
      /needs the option model\.price\.currency\. It must be three capital letters/,
    ],
    [
      'a rate as text',
      { model: { ...model, price: { ...price, output: '2' } } },
      /model\.price\.output of createAgent is "2"\. It must be a number, 0 or more/,
    ],
    [
      'a misspelt rate of long requests',
      { model: { ...model, price: { ...price, longer: [{ over: 1, input: 1, output: 1 }] } } },
      /has no option model\.price\.longer\[0\]\.over: it has model\.price\.longer\[0\]\.above/,
    ],
    [
      'hours that are none',
      { model: { ...model, price: { ...price, hours: [{ from: '25:00', to: '08:00', input: 1, output: 1 }] } } },
      /model\.price\.hours\[0\]\.from of createAgent is "25:00"\. It must be a time of the day/,
    ],
    ['an approver that is a function', { approver: () => true }, /The option approver .*with the functions ask/],
  ])('refuses %s', async (_, more, words) => {
    await expect(create(more)).rejects.toThrow(words);
  });

  it.each(['model', 'tools', 'system', 'blobs'])('needs %s', async (name) => {
    await expect(createAgent(without(name) as never)).rejects.toThrow(`createAgent needs the option ${name}.`);
  });

  it('needs a place for the session, and refuses what is no object of options', async () => {
    await expect(createAgent(without('store') as never)).rejects.toThrow(/needs the option journal or store/);
    await expect(createAgent('model' as never)).rejects.toThrow(
      /^The options of createAgent are "model", not an object/,
    );
  });

  it('takes one setting of a section and keeps the defaults of the others', async () => {
    const agent = await create({
      settings: { agent: { stepLimit: 1 } },
      compaction: { settings: { strategy: 'llm-summary' } },
    });
    expect((await ask(agent, 'Well?')).text).toBe('Yes.');
    agent.dispose();
    await expect(
      create({ tools: [tool], compaction: { strategy, agents: {} }, events: {}, workspace: undefined }),
    ).resolves.toBeDefined();
  });

  it('works by a prompt that names no editor, and says whether somebody is asked', async () => {
    const asking = { ask: async () => ({ kind: 'deny' as const }) };
    const prompts: string[] = [];
    for (const more of [{}, { approver: asking }]) {
      const silent = new ScriptedModel(['Yes.']);
      const agent = await create({ ...more, model: { ...model, client: silent } });
      await ask(agent, 'Well?');
      prompts.push(silent.requests[0]?.messages[0]?.text ?? '');
      agent.dispose();
    }
    for (const prompt of prompts) expect(prompt).not.toMatch(/VS Code|Palimpsest|is open/);
    expect(prompts[0]).toMatch(/nobody is there to be asked/);
    expect(prompts[1]).toMatch(/is asked before anything is written/);
  });
});

describe('ask', () => {
  it.each<[string, readonly unknown[], RegExp]>([
    ['nothing', [], /^ask needs the option agent\. It must be an agent, such as createAgent resolves to/],
    ['an agent that was not awaited', [Promise.resolve(), 'Hi'], /option agent of ask is an object\. .*await it/],
    ['no message', ['agent'], /^ask needs the option message\. It must be a text, or a message/],
    ['a message of another role', ['agent', { role: 'system', text: 'x' }], /option message of ask is an object/],
    ['something else than a signal', ['agent', 'Hi', { signal: 1 }], /option signal of ask is an object/],
  ])('refuses %s in words, and sends nothing', async (_, given, words) => {
    const agent = await create({});
    const before = agent.journal.entries.length;
    const asked = given.map((each) => (each === 'agent' ? agent : each));
    await expect(ask(...(asked as Parameters<typeof ask>))).rejects.toThrow(words);
    expect(agent.journal.entries).toHaveLength(before);
    agent.dispose();
  });
});

describe('the other openings of palimpsest-core', () => {
  it('take the values that a strategy declares', async () => {
    const taken: unknown[] = [];
    const create_ = ({ settings }: { settings: () => unknown }) => ({
      compact: async () => {
        taken.push(settings());
        return null;
      },
    });
    const agent = await create({
      compaction: { strategy: { ...declaring, create: create_ }, section: { longest: 3 } },
      model: {
        ...model,
        client: new ScriptedModel(['Yes.', 'Yes.', 'Yes.']),
        price: { ...price, longer: [{ above: 5, input: 1, output: 1 }] },
      },
    });
    for (const nth of [1, 2, 3]) await ask(agent, `${nth} ${'word '.repeat(2_000)}`);
    await agent.compactor.compact({ trigger: 'manual' }, new AbortController().signal);
    expect(taken).toMatchObject([{ longest: 3 }]);
    expect(() => compactInPi(declaring as never, { settings: { longest: 3 } })).not.toThrow();
    agent.dispose();
  });

  it.each<[string, () => unknown, RegExp]>([
    [
      'a key that is a text, without repeating it',
      () => createEndpointClient({ baseUrl: 'http://x', key: 'sk-1' } as never),
      /^The option key of createEndpointClient is not usable\. It must be a function/,
    ],
    ['no key', () => createEndpointClient({ baseUrl: 'http://x' } as never), /needs the option key\./],
    [
      'an unknown dialect',
      () => createEndpointClient({ baseUrl: 'http://x', key: async () => undefined, dialect: 'gemini' } as never),
      /dialect .*one of chat, responses, messages/,
    ],
    [
      'an address under another name',
      () => createEndpointClient({ baseURL: 'http://x', key: async () => undefined } as never),
      /no option baseURL: it has baseUrl/,
    ],
    [
      'a number as strategy in pi',
      () => compactInPi(7 as never),
      /The option strategy of compactInPi is 7\. .*file: address/,
    ],
    [
      'a deadline of nothing',
      () => compactInPi(strategy, { deadlineMs: 0 }),
      /deadlineMs of compactInPi is 0\. It must be milliseconds/,
    ],
    [
      'an unknown option in pi',
      () => compactInPi(strategy, { deadline: 5 } as never),
      /no option deadline: it has settings, deadlineMs/,
    ],
    [
      'a setting in pi that the strategy does not declare',
      () => compactInPi(declaring as never, { settings: { longst: 3 } }),
      /^compactInPi has no option settings\.longst: it has settings\.longest\.$/,
    ],
    [
      'a setting in pi for a strategy that declares none',
      () => compactInPi(strategy, { settings: { longest: 3 } }),
      /settings of compactInPi has longest, and the strategy declares no settings/,
    ],
    [
      'a strategy in pi with a port that is none',
      () => compactInPi({ ...strategy, needs: ['fs'] } as never),
      /strategy of compactInPi needs fs, which is no port/,
    ],
    [
      'an editor without an agent',
      () => serveAcp({ name: 'a', version: '1' } as never, {} as never),
      /serveAcp needs the option agent\. It must be a function that returns/,
    ],
    [
      'a blank folder',
      () => serveAcp({ name: 'a', version: '1', agent: () => valid(), folder: '' } as never, {} as never),
      /folder of serveAcp is ""\. It must be the path of a folder/,
    ],
    [
      'an unknown option for editors',
      () => serveAcp({ name: 'a', version: '1', agent: () => valid(), sessions: 'x' } as never, {} as never),
      /serveAcp has no option sessions/,
    ],
  ])('refuse %s', (_, open, words) => {
    expect(open).toThrow(words);
  });

  it('throw errors that a program can tell apart', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'pal-errors-'));
    try {
      const thrown = await openStorage(folder, 'ab12'.repeat(8)).catch((error: unknown) => error);
      expect(thrown).toBeInstanceOf(JournalError);
      expect(thrown).toMatchObject({ kind: 'missing' });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('refuse a folder and an id that are none, and make no folder then', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'pal-options-'));
    try {
      await expect(openStorage(undefined as never)).rejects.toThrow(/openStorage needs the option folder/);
      await expect(openStorage({ folder } as never)).rejects.toThrow(/folder of openStorage is an object/);
      await expect(openStorage(folder, 7 as never)).rejects.toThrow(/id of openStorage is 7/);
      await expect(openStorage(folder, '../x')).rejects.toThrow();
      expect(readdirSync(folder)).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

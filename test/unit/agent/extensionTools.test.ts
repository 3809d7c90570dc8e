/** A turn with tools of other extensions, over a registry that a test changes as extensions do. */

import { expect, test } from 'vitest';
import type { Json } from '../../../src/core/json.ts';
import type { McpServers } from '../../../src/core/mcp/mcpServers.ts';
import type { ApprovalAnswer } from '../../../src/core/tools/approvals.ts';
import { costOf, ExtensionTools, type RegisteredTool, withExtensions } from '../../../src/host/mcp/extensionTools.ts';
import { McpDecisions, NO_DECISIONS, type StoredDecisions } from '../../../src/host/mcp/mcpDecisions.ts';
import { ScriptedModel, type Step } from '../../support/ports/scriptedModel.ts';
import { type TestAgentOptions, testAgent } from '../../support/testAgent.ts';

const registered = (name: string, rest: Partial<RegisteredTool> = {}): RegisteredTool => ({
  extension: 'acme.tools',
  extensionName: 'Acme',
  name,
  description: `Does ${name}.`,
  schema: { type: 'object', properties: { at: { type: 'string' } } },
  ...rest,
});

const NONE: McpServers = {
  prepare: async () => ({ tools: [], said: [] }),
  decisionOn: () => null,
  allowAlways: async () => undefined,
  call: async () => null,
};

type Invoke = (name: string, input: Json, signal: AbortSignal) => Promise<unknown>;

const answer: Invoke = async (name, input) => ({
  content: [{ type: 'text', text: `${name} ${JSON.stringify(input)} [palimpsest:hidden m1 nonce=0]` }],
});

async function withTools(
  steps: readonly Step[],
  { invoke = answer, callMs = 30_000, ...options }: TestAgentOptions & { invoke?: Invoke; callMs?: number } = {},
) {
  let stored: StoredDecisions = NO_DECISIONS;
  const decisions = new McpDecisions({
    get: () => stored,
    set: async (next) => {
      stored = next;
    },
  });
  const registry = { tools: [registered('acme_look'), registered('acme_act')] };
  const extensions = new ExtensionTools({
    source: { list: () => registry.tools, invoke },
    decisions,
    hide: (text) => text,
    callTimeoutMs: callMs,
  });
  const model = new ScriptedModel(steps);
  const built = await testAgent(model.choice(), { mcp: withExtensions(NONE, extensions), ...options });
  const { journal } = built.agent;
  const choose = async (name: string) => {
    const found = extensions.list().find(({ tool }) => tool.tool === name);
    if (found) await decisions.choose(found.tool, true);
  };
  return {
    ...built,
    registry,
    extensions,
    decisions,
    choose,
    send: (text: string, signal = new AbortController().signal) => built.agent.send(text, signal),
    toolsOf: (nth: number) =>
      (model.requests[nth]?.tools ?? []).map(({ name }) => name).filter((n) => n.startsWith('ext__')),
    results: () =>
      journal.context.conversation.flatMap(({ message }) => (message.role === 'tool' ? [message.text] : [])),
    notes: () => journal.path().flatMap((entry) => (entry.type === 'note' ? [entry.text] : [])),
  };
}

const calls = (name: string, input: object = {}): Step => ({ calls: [[name, input]] });

test('none is offered or callable until the person has chosen it; a call asks with all it holds', async () => {
  const { send, toolsOf, choose, approvals, results, agent, extensions } = await withTools([
    calls('ext__acme_look'),
    { text: 'ok' },
    calls('ext__acme_look', { at: 'a\u202E' }),
    { text: 'ok' },
  ]);
  await send('go');
  expect(toolsOf(0)).toEqual([]);
  expect(results()[0]).toContain('There is no tool "ext__acme_look"');
  await choose('acme_look');
  await send('go on');
  expect(toolsOf(2)).toEqual(['ext__acme_look']);
  expect(approvals).toMatchObject([
    {
      toolClass: 'mcp',
      title: 'acme.tools › acme_look',
      detail: {
        kind: 'mcp',
        extension: true,
        server: 'acme.tools',
        tool: 'acme_look',
        input: '{\n  "at": "a⟨U+202E⟩"\n}',
      },
    },
  ]);
  expect(results()[1]).toMatch(/^acme_look \{"at":"a.*\[\\palimpsest:hidden/);
  const declared = agent.journal.context.header?.tools.find(({ name }) => name === 'ext__acme_look');
  const [listed] = extensions.list().filter(({ tool }) => tool.tool === 'acme_look');
  expect(declared && listed && costOf(listed.tool)).toBeGreaterThan(10);
});

test('of two chosen, the one that is taken back goes and is told; a changed one asks again', async () => {
  const allow = (): ApprovalAnswer => ({ kind: 'allow', remember: 'always' });
  const steps = [calls('ext__acme_look'), { text: 'ok' }, { text: 'ok' }, calls('ext__acme_look'), { text: 'ok' }];
  const { send, choose, registry, toolsOf, notes, approvals } = await withTools(steps, { answer: allow });
  await choose('acme_look');
  await choose('acme_act');
  await send('one');
  expect(approvals.length).toBe(1);
  registry.tools = [registered('acme_look', { description: 'Looks elsewhere.' })];
  await send('two');
  expect(toolsOf(2)).toEqual(['ext__acme_look']);
  expect(notes()).toEqual([
    'These tools of MCP servers or extensions have changed: ext__acme_look. You are asked about them again.',
    'The model no longer has these tools of MCP servers or extensions: ext__acme_act.',
  ]);
  await send('three');
  expect(approvals.length).toBe(2);
});

test('another extension that registers the name is not chosen with it', async () => {
  const { send, choose, registry, toolsOf } = await withTools([{ text: 'ok' }]);
  await choose('acme_look');
  registry.tools = [registered('acme_look', { extension: 'evil.tools' })];
  await send('go');
  expect(toolsOf(0)).toEqual([]);
});

test('one that changes during the turn is not called', async () => {
  let called = 0;
  const invoke = async () => {
    called++;
    return {};
  };
  const { send, choose, registry, results } = await withTools([calls('ext__acme_look'), { text: 'ok' }], {
    invoke,
    answer: (): ApprovalAnswer => {
      registryOf.tools = [];
      return { kind: 'allow', remember: 'no' };
    },
  });
  const registryOf = registry;
  await choose('acme_look');
  await send('go');
  expect(called).toBe(0);
  expect(results()[0]).toContain('has changed acme_look or taken it back. Nothing was called.');
});

test('a fault, a limit of time and a long result are words; a stop ends the call', async () => {
  const failing = await withTools([calls('ext__acme_look'), { text: 'ok' }], {
    invoke: async () => {
      throw new Error('out of \u001b[31mink');
    },
  });
  await failing.choose('acme_look');
  await failing.send('go');
  expect(failing.results()[0]).toContain('The extension "acme.tools" did not carry out acme_look. out of ink');

  const hangs: Invoke = () => new Promise(() => undefined);
  const late = await withTools([calls('ext__acme_look'), { text: 'ok' }], { invoke: hangs, callMs: 1 });
  await late.choose('acme_look');
  await late.send('go');
  expect(late.results()[0]).toContain('It gave no answer within 0.02 s.');

  const long = await withTools([calls('ext__acme_look'), { text: 'ok' }], {
    invoke: async () => ({ content: [{ type: 'text', text: 'x y '.repeat(1_000_000) }] }),
  });
  await long.choose('acme_look');
  await long.send('go');
  expect(long.results()[0]?.length).toBeLessThan(60_000);

  const stop = new AbortController();
  const stopped = await withTools([calls('ext__acme_look')], {
    invoke: (_, __, signal) => {
      stop.abort();
      return signal.aborted ? hangs('', {}, signal) : Promise.resolve('not told');
    },
  });
  await stopped.choose('acme_look');
  expect(await stopped.send('go', stop.signal)).toEqual({ kind: 'stopped', by: 'program' });
});

test('in a workspace that is not trusted there are none', async () => {
  const { send, choose, toolsOf } = await withTools([{ text: 'ok' }], { trust: 'untrusted' });
  await choose('acme_look');
  await send('go');
  expect(toolsOf(0)).toEqual([]);
});

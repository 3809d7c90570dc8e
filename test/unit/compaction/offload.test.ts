import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { offloadOnReturn } from '../../../src/core/compaction/draft/offload.ts';
import type { ToolMessage } from '../../../src/core/context/message.ts';
import { recall } from '../../../src/core/tools/builtIn/recall.ts';
import { RecallBudget } from '../../../src/core/tools/builtIn/recallBudget.ts';
import type { Tool } from '../../../src/core/tools/tool.ts';
import { systemTimers } from '../../../src/providers/timers.ts';
import {
  calls,
  compactionHarness,
  going,
  type Line,
  says,
  settingsOf,
  user,
  words,
} from '../../support/compactionHarness.ts';
import { memoryBlobs } from '../../support/ports/memoryStore.ts';
import { ScriptedModel } from '../../support/ports/scriptedModel.ts';
import { testAgent } from '../../support/testAgent.ts';

const result = (text: string): ToolMessage => ({ role: 'tool', toolCallId: 't', toolName: 'read_file', text });
const settings = { onReturn: true, threshold: 1_000 };
const bytes = (text: string) => new TextEncoder().encode(text);

const ephemeral = (text: string, keepNewest: number): Line =>
  calls(['look', text]).map((m) => (m.role === 'tool' ? { ...m, ephemeral: { keepNewest } } : m));

describe('offload when a tool returns', () => {
  it('results over 1000 tokens become a preview of 200 and a reference', { tags: ['C10'] }, async () => {
    const blobs = memoryBlobs();
    const offloaded = await offloadOnReturn(result(words(1_001)), settings, {
      blobs,
      nonce: 'f00d',
      timers: systemTimers,
    });
    const blob = offloaded?.offload?.blob ?? '';
    expect(blobs.blobs.get(blob)).toEqual(bytes(words(1_001)));
    const [preview, reference] = (offloaded?.text ?? '').split('\n');
    expect(preview?.trim()).toBe(words(200));
    expect(reference).toBe(
      `[palimpsest:f00d tool result offloaded, 5004 characters; read_file with path "output:${blob}" reads it whole]`,
    );
  });

  it('at the threshold, and when it is off, as it is by default, nothing happens', { tags: ['C10'] }, async () => {
    const ports = { blobs: memoryBlobs(), nonce: 'f00d', timers: systemTimers };
    expect(await offloadOnReturn(result(words(1_000)), settings, ports)).toBeNull();
    expect(await offloadOnReturn(result(words(9_000)), { ...settings, onReturn: false }, ports)).toBeNull();
    expect(await offloadOnReturn(result(words(9_000)), settingsOf({}).offload, ports)).toBeNull();
  });

  it('what the formatter cut is not cut again', { tags: ['C11'] }, async () => {
    const truncation = { by: 'formatter', direction: 'head', originalLines: 1, originalBytes: 1 } as const;
    const ports = { blobs: memoryBlobs(), nonce: 'f00d', timers: systemTimers };
    expect(await offloadOnReturn({ ...result(words(2_000)), truncation }, settings, ports)).toBeNull();
  });
});

describe('ephemeral results', () => {
  it('all but the newest n expire in a compaction of their own', { tags: ['C12'] }, async () => {
    const h = await compactionHarness({
      history: [user('go'), ...[1, 2, 3].map((n) => ephemeral(words(100, `r${n}`), 2))],
    });
    await h.compactor.trigger.beforeCall(going);
    expect(h.journal.context.conversation.map(({ hidden }) => hidden)).toEqual([
      false,
      false,
      true,
      false,
      false,
      false,
      false,
    ]);
    expect(h.journal.entries.at(-1)).toMatchObject({ type: 'compaction', trigger: 'ephemeral', strategy: 'ephemeral' });
    await h.compactor.trigger.beforeCall(going);
    expect(h.journal.entries.filter(({ type }) => type === 'compaction')).toHaveLength(1);
  });

  it('what a tool calls ephemeral is gone from the next request but one', { tags: ['C12'] }, async () => {
    let peeks = 0;
    const run = async () => ({ text: words(100, `peek${++peeks}`), ephemeral: { keepNewest: 1 } });
    const peek: Tool<object> = {
      name: 'peek',
      toolClass: 'read',
      description: 'Looks.',
      input: z.object({}),
      prepare: async () => ({ title: '', approval: null, changes: [], run }),
    };
    const again = { calls: [['peek', {}]] as const };
    const model = new ScriptedModel([again, again, 'done']);
    const { agent } = await testAgent(model.choice(), { tools: [peek] });
    await agent.send('look twice', going);
    const results = model.requests.map(({ messages }) => messages.filter(({ role }) => role === 'tool'));
    expect(results.map((all) => all.map(({ text }) => text.split(' ')[0]))).toEqual([
      [],
      ['peek1'],
      ['[palimpsest:f00d', 'peek2'],
    ]);
    const made = agent.journal.entries.filter(({ type }) => type === 'compaction');
    expect(made).toMatchObject([{ trigger: 'ephemeral', strategy: 'ephemeral' }]);
  });

  /** Runs of a command, as the product's tool returns them. */
  const runs = (command: string, ...results: readonly string[]): Line[] =>
    results.map((text) =>
      calls(['run_command', text]).map((m) => {
        if (m.role === 'tool') return { ...m, ephemeral: { keepNewest: 1, of: 'call' } };
        return m.role === 'assistant' && m.toolCalls
          ? { ...m, toolCalls: m.toolCalls.map((call) => ({ ...call, arguments: JSON.stringify({ command }) })) }
          : m;
      }),
    );
  const hiddenResults = (h: Awaited<ReturnType<typeof compactionHarness>>) =>
    h.journal.context.conversation.flatMap(({ kind, hidden }) => (kind === 'toolResult' ? [hidden] : []));

  it('of the same call only the newest result counts, and those before it go once that is worth it', {
    tags: ['C12'],
  }, async () => {
    const h = await compactionHarness({
      history: [user('go'), ...runs('npm test', words(1_500, 'a')), ...runs('npm run lint', words(1_500, 'b'))],
      window: 200_000,
    });
    const grow = async (...lines: readonly Line[]) => {
      await h.add(...lines);
      await h.compactor.trigger.beforeCall(going);
      return hiddenResults(h);
    };
    // Another command is another matter; then 1,500 tokens are too few, and 3,000 beside 20,000 too.
    expect(await grow()).toEqual([false, false]);
    expect(await grow(...runs('npm test', words(1_500, 'c')))).toEqual([false, false, false]);
    const late = [false, false, false, false];
    expect(await grow(says(words(20_000)), ...runs('npm test', words(1_500, 'd')))).toEqual(late);
    expect(await grow(...runs('npm test', words(1_500, 'e')))).toEqual([...late, false]);
    expect(await grow(...runs('npm test', words(1_500, 'f')))).toEqual([false, false, false, true, true, false]);
    expect(h.journal.entries.flatMap((entry) => (entry.type === 'compaction' ? [entry.trigger] : []))).toEqual([
      'ephemeral',
    ]);
  });

  it('before any compaction they go in any case, as previews, and that may be enough', {
    tags: ['C12', 'C10'],
  }, async () => {
    const h = await compactionHarness({
      history: [user('go'), ...runs('npm test', words(1_500, 'a'), words(1_500, 'b')), says(words(6_000))],
      window: 10_500,
      settings: { strategy: 'llm-summary', keep: { outdatedTokens: 0 } },
    });
    await h.compactor.trigger.beforeCall(going);
    expect(hiddenResults(h)).toEqual([true, false]);
    expect(h.journal.entries.flatMap((entry) => (entry.type === 'compaction' ? [entry.trigger] : []))).toEqual([
      'ephemeral',
    ]);
    expect(h.journal.context.conversation[2]?.message.text).toMatch(
      /^(a ){199}a\s*\n\[palimpsest:f00d tool result off/,
    );
  });

  it('an undone expiry stays undone until a person writes', { tags: ['C12'] }, async () => {
    const h = await compactionHarness({
      history: [user('go'), ...[1, 2].map((n) => ephemeral(words(100, `r${n}`), 1))],
    });
    await h.compactor.trigger.beforeCall(going);
    await h.compactor.undo();
    await h.compactor.trigger.beforeCall(going);
    expect(h.journal.context.conversation.some(({ hidden }) => hidden)).toBe(false);
    await h.add(user('on'));
    await h.compactor.trigger.beforeCall(going);
    expect(h.journal.context.conversation.some(({ hidden }) => hidden)).toBe(true);
  });

  it('a large one leaves a preview, and the recall tool reads it whole', { tags: ['C10'] }, async () => {
    const h = await compactionHarness({
      history: [user('go'), ephemeral(words(3_000, 'big'), 1), ephemeral('small', 1)],
      window: 100_000,
    });
    await h.compactor.trigger.beforeCall(going);
    const item = h.journal.context.conversation[2];
    expect(item?.message).toMatchObject({
      text: expect.stringMatching(
        /^(big ){199}big\s*\n\[palimpsest:f00d tool result offloaded, 11999 characters; recall with id m4\]$/,
      ),
      offload: { tokens: 3_000 },
    });
    const session = { context: h.journal.context, recall: new RecallBudget(() => 8_000) };
    const call = await recall.prepare({ id: 'm4', offset: 0 }, { blobs: memoryBlobs(), session } as never);
    const { text } = await call.run({ onOutput: () => undefined, signal: going });
    expect(text).toBe(words(3_000, 'big'));
  });

  it('the threshold is 1000 tokens unless it is set', { tags: ['C10'] }, async () => {
    const h = await compactionHarness({
      history: [user('go'), ...[1_000, 1_001, 1].map((tokens) => ephemeral(words(tokens, 'big'), 1))],
      window: 100_000,
    });
    await h.compactor.trigger.beforeCall(going);
    const results = h.journal.context.conversation.filter(({ kind }) => kind === 'toolResult');
    expect(results.map(({ message }) => /hidden|offloaded/.exec(message.text)?.[0])).toEqual([
      'hidden',
      'offloaded',
      undefined,
    ]);
  });

  it('the reference survives later compactions', { tags: ['C10'] }, async () => {
    const h = await compactionHarness({
      history: [user('go'), ephemeral(words(3_000, 'big'), 1), ephemeral('small', 1), says('a'), says('b')],
      window: 100_000,
      settings: { strategy: 'llm-summary' },
      summaries: ['notes'],
    });
    await h.compactor.trigger.beforeCall(going);
    await h.compactor.compact({ trigger: 'manual' }, going);
    expect(h.view()[1]).toContain('can be recalled: m4 (look)');
    expect(h.journal.context.slot('m4')?.message).toMatchObject({ text: words(3_000, 'big') });
  });
});

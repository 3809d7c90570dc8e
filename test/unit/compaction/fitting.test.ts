import { describe, expect, it } from 'vitest';
import {
  calls,
  compactionHarness,
  going,
  type Line,
  reads,
  says,
  user,
  words,
} from '../../support/compactionHarness.ts';

describe('a compaction fits by the count of the provider', () => {
  it.each([
    ['results that can be hidden', [user('go'), ...reads(4, 1_400)]],
    ['answers that can be dropped', [user('go'), says(words(2_800)), says(words(2_800)), user('on')]],
    ['one giant result', [user('go'), ...reads(1, 5_600)]],
  ])('also where estimates alone say that it fits already: %s', async (_name, history) => {
    const h = await compactionHarness({ history, settings: { strategy: 'tool-result-hiding' } });
    await h.used({ input: 9_700, output: 0 });
    expect(await h.compactor.trigger.beforeCall(going)).toMatchObject({ kind: 'compacted' });
    const made = h.journal.context.activeCompactions[0];
    expect(made?.tokensBefore).toBe(9_700);
    expect(made?.tokensAfter).toBeLessThan(8_000);
  });
});

describe('a window', () => {
  it.each([
    ['prune-then-summary', 'nothing reported yet', {}],
    ['round-summary', 'few characters', { requireConfirmation: false, 'roundSummary.maxContextTokens': 1_000_000 }],
    ['llm-summary', 'the usage basis', { 'trigger.basis': 'usage', 'trigger.ratio': 0 }],
  ])('is not passed whatever the trigger of %s looks at: %s', async (strategy, _why, more) => {
    const h = await compactionHarness({
      history: [user('go'), ...reads(12, 1_000), user('on')],
      settings: { strategy, ...more },
      summaries: Array(9).fill('notes'),
    });
    expect(await h.compactor.trigger.beforeCall(going)).toMatchObject({ kind: 'compacted' });
    expect(h.compactor.gauge.reading.tokens).toBeLessThan(8_000);
  });

  it('holds the answer too, where its length is set', async () => {
    const history = [user('go'), ...reads(6, 1_000)];
    const settings = { strategy: 'tool-result-hiding' };
    const wide = await compactionHarness({ history, settings });
    expect((await wide.compactor.trigger.beforeCall(going)).kind).toBe('none');
    const narrow = await compactionHarness({ history, settings, maxOutputTokens: 4_000 });
    expect((await narrow.compactor.trigger.beforeCall(going)).kind).toBe('compacted');
    expect(narrow.compactor.gauge.reading.tokens).toBeLessThan(6_000);
  });

  it('of 2,000 tokens is worked with, although the default reserve is as large', async () => {
    const h = await compactionHarness({
      history: [user('go'), ...reads(8, 300), user('on')],
      settings: { strategy: 'tool-result-hiding' },
      window: 2_048,
    });
    expect(await h.compactor.trigger.beforeCall(going)).toMatchObject({ kind: 'compacted' });
    expect(h.compactor.gauge.reading.tokens).toBeLessThan(1_536);
    expect(h.view()).toContain('user: on');
  });

  it('smaller than the header stops the turn at once, with the numbers, and no model is asked', async () => {
    const h = await compactionHarness({
      history: [user('go'), ...reads(3, 200), says('a'), says('b')],
      header: 24_000,
    });
    const outcome = await h.compactor.trigger.beforeCall(going);
    expect(outcome).toEqual({
      kind: 'stuck',
      reason: expect.stringMatching(
        /limit is 10,000\. The system prompt and tools take 24,000 tokens, and your latest/,
      ),
    });
    expect(h.model.requests).toEqual([]);
  });

  it('smaller than the header by an estimate alone lets the model decide, and its refusal stops the turn', async () => {
    const h = await compactionHarness({ history: [user('go'), says(words(900)), user('on')], header: 12_000 });
    expect(await h.compactor.trigger.beforeCall(going)).toMatchObject({ kind: 'none' });
    // Not tried again before each request.
    const runs = () => h.events.filter(({ type }) => type === 'preCompact').length;
    const before = runs();
    expect(await h.compactor.trigger.beforeCall(going)).toMatchObject({ kind: 'none' });
    expect(runs()).toBe(before);
    expect(await h.compactor.trigger.afterOverflow(undefined, going)).toMatchObject({ kind: 'compacted' });
    expect(await h.compactor.trigger.afterOverflow(undefined, going)).toMatchObject({ kind: 'stuck' });
  });

  it('goes without the reserve where what cannot go leaves no room for it', async () => {
    const history = [user('go'), ...reads(3, 600), says('a'), user('on')];
    const h = await compactionHarness({ history, header: 6_500, window: 8_000 });
    await h.used({ input: 8_400 });
    expect(await h.compactor.trigger.beforeCall(going)).toMatchObject({ kind: 'compacted' });
    expect(h.compactor.gauge.reading.tokens).toBeLessThan(8_000);
  });

  it('filled again soon after a compaction that freed little makes room without a model', async () => {
    const history = [user('go'), ...Array.from({ length: 8 }, () => says(words(1_000))), user('on')];
    const h = await compactionHarness({ history, settings: { strategy: 'tool-result-hiding' } });
    const { head } = h.journal.context;
    if (head === null) throw new Error('No head');
    await h.journal.append({
      type: 'compaction',
      base: head,
      plan: [],
      strategy: 'llm-summary',
      trigger: 'manual',
      tokensBefore: 8_300,
      tokensAfter: 8_200,
      durationMs: 1,
      attempt: 1,
    });
    await h.add(calls(['read_file', words(400)]));
    await h.used({ input: 9_700 });
    expect(await h.compactor.trigger.beforeCall(going)).toMatchObject({
      kind: 'compacted',
      entry: { strategy: 'fallback' },
    });
    expect(h.compactor.gauge.reading.tokens).toBeLessThan(8_000);
    expect(h.model.requests).toEqual([]);
  });

  it('that nobody knows may hold a large header: a refusal shrinks what can go, and the request is made again', async () => {
    const history = [user('go'), ...reads(10, 200), user('on')];
    const h = await compactionHarness({
      history,
      header: 12_000,
      window: 0,
      settings: { strategy: 'tool-result-hiding' },
    });
    for (let i = 0; i < 3; i++) {
      expect(await h.compactor.trigger.afterOverflow(undefined, going)).toMatchObject({ kind: 'compacted' });
    }
    expect(h.view()).toContain('user: on');
  });

  it('smaller than what is pinned says so', async () => {
    const h = await compactionHarness({ history: [user('go'), ...reads(2, 11_000), says('a'), user('on')] });
    await h.journal.append({ type: 'pinned', ids: h.journal.context.blockOf('m3') });
    await h.journal.append({ type: 'pinned', ids: h.journal.context.blockOf('m5') });
    const outcome = await h.compactor.trigger.beforeCall(going);
    expect(outcome).toMatchObject({ kind: 'stuck', reason: expect.stringMatching(/Pinned messages take 22,0\d\d\./) });
    expect(h.view().filter((line) => line.startsWith('tool: word'))).toHaveLength(2);
  });

  it('that holds the next request without a margin does not stop the turn', async () => {
    const h = await compactionHarness({ history: [user('go'), says('a'), user('on')], header: 3_300, window: 4_000 });
    const { head } = h.journal.context;
    if (head === null) throw new Error('No head');
    const figures = { tokensBefore: 3_700, tokensAfter: 3_600, durationMs: 1, attempt: 1 };
    await h.journal.append({
      type: 'compaction',
      base: head,
      plan: [],
      strategy: 'layered',
      trigger: 'manual',
      ...figures,
    });
    await h.used({ input: 3_600 });
    expect(await h.compactor.trigger.beforeCall(going)).toMatchObject({ kind: 'none' });
    await h.used({ input: 4_100 });
    await h.add(says(words(100)), user('on'));
    await h.used({ input: 4_200 });
    expect(await h.compactor.trigger.beforeCall(going)).toMatchObject({ kind: 'stuck' });
  });

  it('is kept by histories of Chinese alone', async () => {
    const text = '修复了重试测试，时钟只读取一次。'.repeat(60);
    const h = await compactionHarness({
      history: [
        user('开始'),
        ...Array.from({ length: 12 }, () => calls(['read_file', text])),
        says(text),
        user('继续'),
      ],
      settings: { strategy: 'tool-result-hiding' },
    });
    expect(h.compactor.gauge.reading.tokens).toBeGreaterThan(8_000);
    expect(await h.compactor.trigger.beforeCall(going)).toMatchObject({ kind: 'compacted' });
    expect(h.compactor.gauge.reading.tokens).toBeLessThan(8_000);
    expect(h.view().every((line) => line.isWellFormed())).toBe(true);
  });
});

describe('an open loop of a model that reasons', () => {
  const thinks = (line: Line): Line =>
    line.map((m) => (m.role === 'assistant' ? { ...m, reasoning: { field: 'reasoning_content', text: 'so' } } : m));
  const loop = [user('go'), ...reads(40, 400).map(thinks)];

  it('fits in the end: its older results go behind stubs, its calls and reasoning stay', async () => {
    const h = await compactionHarness({ history: loop, settings: { strategy: 'tool-result-hiding' } });
    const before = h.journal.context.conversation.filter(({ kind }) => kind === 'assistant');
    expect(await h.compactor.trigger.beforeCall(going)).toMatchObject({ kind: 'compacted' });
    const after = h.journal.context.conversation;
    expect(h.compactor.gauge.reading.tokens).toBeLessThan(8_000);
    expect(after.filter(({ kind }) => kind === 'assistant')).toEqual(before);
    expect(after.at(-1)?.hidden).toBe(false);
    expect(after.filter(({ kind, hidden }) => kind === 'toolResult' && hidden).length).toBeLessThan(35);
  });

  it('keeps what is pinned in it', async () => {
    const h = await compactionHarness({ history: loop, settings: { strategy: 'tool-result-hiding' } });
    await h.journal.append({ type: 'pinned', ids: h.journal.context.blockOf('m3') });
    expect(await h.compactor.trigger.beforeCall(going)).toMatchObject({ kind: 'compacted' });
    const results = h.journal.context.conversation.filter(({ kind }) => kind === 'toolResult');
    expect(results.slice(0, 2).map(({ hidden }) => hidden)).toEqual([false, true]);
  });
});

describe('several giants together', () => {
  it('are each cut, the largest first, until the rest fits', async () => {
    const giants = Array.from({ length: 6 }, (_, i) => ['read_file', words(4_000 + i)] as const);
    const h = await compactionHarness({ history: [user('go'), calls(...giants)] });
    expect(await h.compactor.trigger.beforeCall(going)).toMatchObject({ kind: 'compacted' });
    expect(h.compactor.gauge.reading.tokens).toBeLessThan(8_000);
    const cut = h.view().map((line) => line.includes('characters cut to fit'));
    expect(cut.slice(2)).toContain(true);
    expect(h.view().at(2)).toBe(`tool: ${words(4_000)}`);
  });
});

/** The model that writes summaries: which one, what it is asked in, and what becomes of its faults. */

import { describe, expect, it, vi } from 'vitest';
import { ModelError } from '../../../src/core/errors.ts';
import type { Journal } from '../../../src/core/journal/journal.ts';
import type { ModelClient } from '../../../src/core/model/modelClient.ts';
import { countTokens } from '../../../src/core/tokens/estimate.ts';
import { compactionHarness, going, reads, says, user, words } from '../../support/compactionHarness.ts';
import { ScriptedModel } from '../../support/ports/scriptedModel.ts';
import { summarySession } from '../../support/summarySession.ts';

/** Above the default trigger, at 80,000 of the window of 100,000. */
const history = [user('go'), ...reads(8, 10_500), says('a'), says('b')];

describe('the summary model', () => {
  it.each([
    ['the session’s own', {}, 'scripted'],
    ['another one that is set', { 'summary.model': 'cheap' }, 'cheap'],
  ])('is %s, and its cost is recorded', { tags: ['B11'] }, async (_which, settings, model) => {
    const usage = { input: 70_000, cached: 0, output: 300, reasoning: 0 };
    const s = await summarySession({ history, settings, summaries: [{ text: 'notes', usage }] });
    await s.say();
    expect(s.resolved).toContain(`summary: ${model}`);
    expect(s.summariser.requests.map((request) => request.model)).toEqual([model]);
    expect(s.turns.requests.map((request) => request.model)).toEqual(['scripted']);
    expect(s.compactions()).toMatchObject([{ strategy: 'llm-summary', summaryModel: model, usage }]);
  });

  it('is asked again after a fault worth it', { tags: ['C5'] }, async () => {
    const error = new ModelError('rateLimit', 'Too many requests.', { retryable: true, retryAfterMs: 1_000 });
    const s = await summarySession({ history, summaries: [{ error }, 'notes'] });
    await s.say();
    expect(s.summariser.requests).toHaveLength(2);
    expect([s.compactions().length, s.failures().length]).toEqual([1, 0]);
  });

  it('is asked no more than twice again', { tags: ['C5'] }, async () => {
    const error = new ModelError('rateLimit', 'Too many requests.', { retryable: true });
    const s = await summarySession({ history, summaries: Array(9).fill({ error }) });
    await s.say();
    expect([s.summariser.requests.length, s.failures().length]).toEqual([3, 1]);
  });

  it('an input it refuses as too long is made shorter, and asked again', async () => {
    const error = new ModelError('overflow', 'Too long.', { learnedWindow: 30_000 });
    const s = await summarySession({ history, summaries: [{ error }, ...Array(9).fill('notes')] });
    await s.say();
    const [first = 0, second = 0] = s.summariser.requests.map(({ messages }) => messages.at(-1)?.text.length ?? 0);
    expect(second).toBeLessThan(first / 2);
    expect(s.compactions()).toMatchObject([{ strategy: 'llm-summary' }]);
  });

  it('a stop ends it, and nothing was changed', async () => {
    const stop = new AbortController();
    const s = await summarySession({ history, summaries: [{ text: 'x', before: () => stop.abort() }] });
    const before = s.view();
    expect(await s.agent.send('on', stop.signal)).toEqual({ kind: 'stopped', by: 'program' });
    expect([s.compactions(), s.failures()]).toEqual([[], []]);
    expect(s.view()).toEqual([...before, 'user: on']);
  });

  it.each(['kimi', 'comate', 'pi'])(
    'a summary in the style %s is asked for in the language of the conversation',
    { tags: ['P9'] },
    async (style) => {
      const lines = [user('请修复重试测试'), ...reads(8, 10_500), says('好'), says('完成')];
      const s = await summarySession({ history: lines, settings: { 'summary.style': style }, summaries: ['摘要'] });
      await s.say();
      expect(s.summariser.requests[0]?.messages.at(-1)?.text).toContain('Write in the language of the conversation');
    },
  );
});

describe('where the longest summary ends', () => {
  const notes = ({ entries }: Journal) => entries.flatMap((entry) => (entry.type === 'note' ? [entry.text] : []));
  const run = async (settings: Readonly<Record<string, unknown>>, maxOutputTokens: number | undefined) => {
    const client = new ScriptedModel(Array(2).fill(words(9_000, 'sum')));
    const summaryModel = { client, model: 'small', window: 100_000, ...(maxOutputTokens ? { maxOutputTokens } : {}) };
    const h = await compactionHarness({
      history,
      window: 100_000,
      summaryModel,
      settings: { strategy: 'llm-summary', ...settings },
    });
    for (let i = 0; i < 2; i++) {
      await h.compactor.compact({ trigger: 'manual' }, going);
      await h.add(says(words(20_000)), says('c'), says('d'));
    }
    const asked = client.requests.map((request) => request.maxOutputTokens);
    const [summary] = h.view();
    return { asked, tokens: countTokens(summary ?? ''), notes: notes(h.journal) };
  };

  it.each([
    ['at the setting', { 'summary.outputTokenMax': 300 }, undefined, 300, []],
    [
      'at the model’s own limit, once with a note',
      { 'summary.outputTokenMax': 8_000 },
      500,
      500,
      [
        'A summary by small has at most 500 tokens, and not the 8,000 of palimpsest.compaction.summary.outputTokenMax: its own limit, or a quarter of its window, is smaller.',
      ],
    ],
    ['at the model’s own limit, where nobody set another', {}, 500, 500, []],
  ])('%s', async (_where, settings, own, most, said) => {
    const made = await run(settings, own);
    expect(made.asked).toEqual([most, most]);
    expect(made.tokens).toBeLessThanOrEqual(most + 30);
    expect(made.notes).toEqual(said);
  });
});

describe('what each request for a summary used is journaled at once', () => {
  const usage = (input: number) => ({ input, cached: 5, written: 3, output: 2, reasoning: 0 });
  const used = ({ entries }: Journal) => entries.flatMap((entry) => (entry.type === 'summaryUsage' ? [entry] : []));
  const empty = { text: '', usage: usage(100) };

  it('of answers that came to nothing, too, and it changes neither context nor meter', async () => {
    const h = await compactionHarness({ history, window: 100_000, summaries: [empty, 'notes'] });
    await h.used({ input: 84_000 });
    const waiting = h.compactor.compact({ trigger: 'manual' }, going);
    await vi.waitUntil(() => used(h.journal).length > 0);
    // The second request has not been sent yet, and the first one is on disk.
    expect(h.model.requests).toHaveLength(1);
    expect(h.lines.at(-1)).toContain('"summaryUsage"');
    expect(h.compactor.gauge.reading.tokens).toBe(84_000);
    await h.fireTimers(1_000);
    expect((await waiting).kind).toBe('compacted');
    expect(used(h.journal)).toMatchObject([
      { model: 'test', usage: usage(100) },
      { model: 'test', usage: { input: 100, cached: 0, output: 10 } },
    ]);
    expect(h.journal.entries.findLast(({ type }) => type === 'compaction')).toMatchObject({
      usage: { input: 200, cached: 5, written: 3, output: 12 },
    });
  });

  it('of a summary that failed, and of one that was stopped when its answer had come', { tags: ['long'] }, async () => {
    const failed = await summarySession({ history, summaries: Array(3).fill(empty) });
    await failed.say();
    expect(failed.failures()).toHaveLength(1);
    expect(used(failed.agent.journal).map((entry) => entry.usage)).toEqual(Array(3).fill(usage(100)));
    const stop = new AbortController();
    const client: ModelClient = {
      endpoint: 'late:',
      async *stream() {
        yield { type: 'done', text: 'notes', toolCalls: [], finish: 'stop', usage: usage(70) };
        stop.abort();
      },
    };
    const summaryModel = { client, model: 'late', window: 100_000 };
    const h = await compactionHarness({ history, window: 100_000, summaryModel });
    expect((await h.compactor.compact({ trigger: 'manual' }, stop.signal)).kind).toBe('none');
    await vi.waitUntil(() => used(h.journal).length > 0);
    expect(used(h.journal)).toMatchObject([{ model: 'late', usage: usage(70) }]);
  });

  it('of a preview, and of the summary of a branch', async () => {
    const h = await compactionHarness({ history, window: 100_000, summaries: ['notes', 'branch'] });
    expect((await h.compactor.consent.preview({ strategy: 'llm-summary' }, going)).kind).toBe('preview');
    expect(used(h.journal)).toHaveLength(1);
    await h.compactor.handover.summariseBranch(2, going);
    expect(used(h.journal)).toHaveLength(2);
  });

  it('with its cost where the price is known, and marked where the provider told nothing', async () => {
    const price = {
      currency: 'USD',
      input: 3,
      output: 15,
      cacheRead: 0.3,
      cacheWrite: 3.75,
      source: 'settings',
    } as const;
    const usage = { input: 1_000_000, cached: 900_000, written: 50_000, output: 1_000, reasoning: 0 };
    const client = new ScriptedModel([
      { text: 'notes', usage },
      { text: 'more', usage: null },
    ]);
    const summaryModel = { client, model: 'priced', window: 100_000, price };
    const h = await compactionHarness({ history, window: 100_000, summaryModel });
    await h.compactor.consent.preview({ strategy: 'llm-summary' }, going);
    await h.compactor.consent.preview({ strategy: 'llm-summary' }, going);
    const [told, guessed] = used(h.journal);
    expect(told?.cost).toEqual({ amount: expect.closeTo(0.15 + 0.27 + 0.1875 + 0.015, 9), currency: 'USD' });
    expect([told?.estimated, guessed?.estimated]).toEqual([undefined, true]);
  });
});

describe('what is told', () => {
  const milestones = (s: Awaited<ReturnType<typeof summarySession>>) => s.events.filter(({ type }) => type !== 'phase');
  const phases = (s: Awaited<ReturnType<typeof summarySession>>) =>
    s.events.flatMap((event) => (event.type === 'phase' ? [[event.phase, event.tokensBefore, event.tokensAfter]] : []));
  const hidden = [user('go'), ...reads(8, 10_500)];

  it('preCompact, compactionPerformed, conversationReplaced with their figures', {
    tags: ['C13'],
  }, async () => {
    const s = await summarySession({ history: hidden, settings: { strategy: 'tool-result-hiding' } });
    const before = s.size();
    await s.say();
    expect(milestones(s).map(({ type }) => type)).toEqual([
      'preCompact',
      'compactionPerformed',
      'conversationReplaced',
      'contextCompacted',
    ]);
    const [made] = s.compactions();
    const figures = { tokensBefore: before, tokensAfter: made?.tokensAfter };
    expect(made?.tokensAfter).toBeLessThan(before - 3 * 10_000);
    expect(milestones(s)).toMatchObject([
      { strategy: 'tool-result-hiding', trigger: 'precheck', tokens: before },
      { strategy: 'tool-result-hiding', trigger: 'precheck', ...figures },
      { items: 1 + 8 * 2 },
      { ...figures, savedRatio: expect.closeTo(1 - (made?.tokensAfter ?? 0) / before, 10) },
    ]);
    expect(s.logs).toContainEqual(
      `info compaction begins: tool-result-hiding, precheck, current=${before}, threshold=80000`,
    );
  });

  it('the phases are told, each with the tokens before and after it', { tags: ['C13'] }, async () => {
    const s = await summarySession({ history: hidden, settings: { strategy: 'tool-result-hiding' } });
    const before = s.size();
    await s.say();
    expect(phases(s)).toEqual([
      ['selective_start', before, before],
      ['selective_done', before, s.compactions()[0]?.tokensAfter],
    ]);
  });

  it('the summary has phases of its own, from the history that its strategy left', { tags: ['C13'] }, async () => {
    const s = await summarySession({ history, summaries: ['notes'] });
    const before = s.size();
    await s.say();
    expect(phases(s)).toEqual([
      ['selective_start', before, before],
      ['selective_done', before, before],
      ['summary_start', before, before],
      ['summary_done', before, s.compactions()[0]?.tokensAfter],
    ]);
    expect(s.events.slice(-3).map(({ type }) => type)).toEqual([
      'compactionPerformed',
      'conversationReplaced',
      'contextCompacted',
    ]);
  });

  it('a failure is told with the tokens that it left as they were', { tags: ['C13'] }, async () => {
    const error = new ModelError('auth', 'The key was refused.');
    const text = [user('go'), says(words(84_000)), says('a'), says('b')];
    const s = await summarySession({ history: text, summaries: [{ error }] });
    const before = s.size();
    await s.say();
    expect(phases(s).at(-1)).toEqual(['summary_done', before, before]);
    expect(s.events.at(-1)).toMatchObject({ type: 'compactionFailed', strategy: 'llm-summary', tokens: before });
  });
});

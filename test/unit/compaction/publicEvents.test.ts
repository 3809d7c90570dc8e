import { describe, expect, it } from 'vitest';
import type { CompactionStrategy } from '../../../src/api/index.ts';
import { StrategyRegistry } from '../../../src/core/compaction/hosting/registry.ts';
import { publicEventOf } from '../../../src/core/compaction/signals/publicEvents.ts';
import { BUILT_IN_STRATEGIES } from '../../../src/core/compaction/strategies/builtIn.ts';
import type { StrategyEntry } from '../../../src/core/compaction/strategies/strategyEntry.ts';
import { ModelError } from '../../../src/core/errors.ts';
import { compactionHarness, going, type Harness, reads, says, user, words } from '../../support/compactionHarness.ts';

const ID = 'acme.test/own';

function open(compact: CompactionStrategy['compact'], more: Parameters<typeof compactionHarness>[0] = {}) {
  const factory = { needs: ['llm'] as const, create: () => ({ compact }) };
  const entry: StrategyEntry = { id: ID, label: 'Own', description: '', publisher: 'acme', factory };
  return compactionHarness({
    history: [user('do it'), ...reads(5), says('done'), user('go on')],
    registry: new StrategyRegistry([...BUILT_IN_STRATEGIES, entry]),
    ...more,
    settings: { strategy: 'contributed', contributedStrategy: ID, ...more.settings },
  });
}

/** What extensions hear, in order; times are the test clock's, which stands still. */
const told = (h: Harness) =>
  h.events.flatMap((signal) => publicEventOf(signal) ?? []).flatMap(({ of, event }) => (of === 'phase' ? [] : event));
const byHand = (h: Harness, signal = going) => h.compactor.compact({ trigger: 'manual' }, signal);
const hideAll: CompactionStrategy['compact'] = async ({ history, hide }) => history.map((each) => hide(each));

describe('what extensions hear of a compaction', () => {
  it('that it begins, with the size of the request and of the window, and what it came to', {
    tags: ['B7'],
  }, async () => {
    const h = await open(hideAll);
    const { tokens } = h.compactor.gauge.reading;
    await byHand(h);
    expect(told(h)).toEqual([
      { strategy: ID, trigger: 'manual', tokensBefore: tokens, maxContextSize: 10_000 },
      {
        kind: 'compacted',
        strategy: ID,
        trigger: 'manual',
        tokensBefore: tokens,
        tokensAfter: h.compactor.gauge.reading.tokens,
        durationMs: 0,
        modelCalls: 0,
        promptTokens: 0,
        completionTokens: 0,
      },
    ]);
  });

  it('what it cost: every request that was sent, and the tokens of those that were answered', {
    tags: ['B7'],
  }, async () => {
    const busy = new ModelError('network', 'The model is busy.', { retryable: true });
    const h = await open(
      async ({ history, llm }) => {
        const { text } = await llm.complete({ prompt: 'first' });
        await llm.complete({ prompt: 'second' });
        return [{ role: 'user', kind: 'summary', text }, ...history.slice(-1)];
      },
      { summaries: ['notes', { error: busy }, 'more'] },
    );
    const running = byHand(h);
    await h.fireTimers(5_000);
    await running;
    expect(told(h).at(-1)).toMatchObject({
      kind: 'compacted',
      modelCalls: 3,
      promptTokens: 200,
      completionTokens: 20,
    });
  });

  it.each<[string, CompactionStrategy['compact'], string]>([
    ['throws', () => Promise.reject(new Error('the secret text')), 'threw'],
    ['breaks a rule', async ({ history }) => history.slice(2), 'rejected'],
    ['returns nonsense', async () => 42 as never, 'rejected'],
    [
      'makes it larger',
      async ({ history }) => [{ role: 'user', kind: 'summary', text: words(5_000) }, ...history],
      'notSmaller',
    ],
    ['cannot reach its model', async ({ llm }) => (await llm.complete({ prompt: 'x' })) as never, 'model'],
  ])('that one which %s failed, and why, as a code', { tags: ['B7'] }, async (_what, compact, reason) => {
    const broken = new ModelError('network', 'Nobody answers.');
    const h = await open(compact, { summaries: [{ error: broken }] });
    await byHand(h);
    const { tokens } = h.compactor.gauge.reading;
    const facts = { strategy: ID, trigger: 'manual', reason, tokensBefore: tokens, tokensAfter: tokens };
    expect(told(h)).toMatchObject([{ strategy: ID }, { kind: 'failed', ...facts }]);
    expect(JSON.stringify(told(h))).not.toMatch(/secret|word/);
  });

  it('that one which never answers failed', { tags: ['B7'] }, async () => {
    const h = await open(() => new Promise(() => undefined));
    const running = byHand(h);
    await h.fireTimers();
    await running;
    expect(told(h)).toMatchObject([{}, { kind: 'failed', reason: 'late' }]);
  });

  it('of a failure and the step that was taken instead, the costs with the step', { tags: ['B7'] }, async () => {
    const h = await open(
      async ({ llm }) => {
        await llm.complete({ prompt: 'x' });
        return 42 as never;
      },
      { summaries: ['notes'] },
    );
    await h.add(...reads(50));
    await h.compactor.trigger.beforeCall(going);
    expect(told(h)).toMatchObject([
      { trigger: 'precheck' },
      { kind: 'failed', reason: 'rejected', modelCalls: 0, promptTokens: 0 },
      { kind: 'compacted', strategy: 'fallback', modelCalls: 1, promptTokens: 100, completionTokens: 10 },
    ]);
  });

  it('that nothing was changed, where nothing was found, or a person stopped it', { tags: ['B7'] }, async () => {
    const h = await open(async () => null);
    await byHand(h);
    expect(told(h)).toMatchObject([{}, { kind: 'unchanged', reason: 'nothing' }]);
    const stop = new AbortController();
    const stopped = await open(async () => {
      stop.abort();
      return null;
    });
    await byHand(stopped, stop.signal);
    expect(told(stopped)).toMatchObject([{}, { kind: 'unchanged', reason: 'stopped' }]);
  });

  it('that the conversation changed meanwhile', { tags: ['B7'] }, async () => {
    let h: Harness | null = null;
    h = await open(async (context) => {
      await h?.journal.append({ type: 'pinned', ids: [context.history[2]?.id ?? ''] });
      return hideAll(context);
    });
    await byHand(h);
    expect(told(h)).toMatchObject([{}, { kind: 'unchanged', reason: 'reshaped' }]);
  });

  it('that nothing can make it fit', { tags: ['B7'] }, async () => {
    const h = await open(hideAll, { header: 20_000 });
    await h.compactor.trigger.beforeCall(going);
    expect(told(h)).toMatchObject([{}, { kind: 'unchanged', reason: 'tooLarge' }]);
  });
});

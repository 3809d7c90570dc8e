import { describe, expect, it } from 'vitest';
import type { CompactionContext } from '../../../src/api/index.ts';
import { StrategyRegistry } from '../../../src/core/compaction/hosting/registry.ts';
import type { ConsentAnswer } from '../../../src/core/compaction/signals/consent.ts';
import { BUILT_IN_STRATEGIES } from '../../../src/core/compaction/strategies/builtIn.ts';
import { compactionHarness, going, looks, reads, says, user, words } from '../../support/compactionHarness.ts';

const history = [user('go'), ...reads(40), looks(words(1_500)), looks('small'), says('a'), says('b')];

const turns = async (n: number) => {
  for (let i = 0; i < n; i++) await Promise.resolve();
};

describe('a stop', () => {
  it.each(['llm-summary', 'tool-result-hiding', 'selective', 'prune-then-summary', 'round-summary'])(
    'of %s at any moment leaves all or nothing, and the next compaction runs',
    { tags: ['long'] },
    async (strategy) => {
      const outcomes = new Set<string>();
      for (let moment = 0; moment < 240; moment += 6) {
        const settings = { strategy, requireConfirmation: true, 'pruneThenSummary.minimumPrune': 100 };
        const h = await compactionHarness({
          history,
          settings,
          summaries: Array(9).fill('notes'),
          consent: Array(9).fill('compact'),
        });
        const before = h.view();
        const stop = new AbortController();
        const running = h.compactor.trigger.afterOverflow(undefined, stop.signal);
        await turns(moment);
        stop.abort();
        const { kind } = await running;
        outcomes.add(kind);
        const committed = h.journal.entries.filter(({ type }) => type === 'compaction').length;
        expect([kind, committed]).toEqual(kind === 'compacted' ? [kind, 1] : [kind, 0]);
        if (kind !== 'compacted') expect(h.view()).toEqual(before);
        h.compactor.trigger.beginTurn();
        if (kind !== 'compacted')
          expect((await h.compactor.trigger.afterOverflow(undefined, going)).kind).toBe('compacted');
      }
      expect([...outcomes].filter((kind) => kind !== 'none' && kind !== 'refused')).toEqual(['compacted']);
    },
  );

  it.each(['compact', 'dropOldest'] as const)(
    'while the question is open makes the answer %s too late',
    async (late) => {
      const answer = Promise.withResolvers<ConsentAnswer>();
      const settings = { strategy: 'tool-result-hiding', requireConfirmation: true };
      const h = await compactionHarness({ history: [user('go'), ...reads(45)], settings, consent: [answer.promise] });
      const before = h.view();
      const stop = new AbortController();
      const running = h.compactor.trigger.beforeCall(stop.signal);
      await turns(20);
      stop.abort();
      answer.resolve(late);
      expect((await running).kind).toMatch(/^(none|refused)$/);
      expect(h.view()).toEqual(before);
    },
  );
});

describe('a stop while a body is put aside', () => {
  it('leaves the context as it was', async () => {
    const h = await compactionHarness({
      history: [user('go'), looks(words(1_500)), ...reads(6)],
      settings: { strategy: 'tool-result-hiding' },
    });
    const stop = new AbortController();
    const { put } = h.blobs;
    h.blobs.put = (bytes) => {
      stop.abort();
      return put(bytes);
    };
    expect(await h.compactor.compact({ trigger: 'manual' }, stop.signal)).toEqual({
      kind: 'none',
      reason: 'The compaction was stopped.',
    });
    expect(h.journal.context.activeCompactions).toEqual([]);
  });
});

describe('a strategy whose time is over', () => {
  it('has its question to the model ended, also when it does not pass the signal on', async () => {
    const registry = new StrategyRegistry();
    registry.register({
      id: 'acme.slow/slow',
      label: 'Slow',
      description: '',
      publisher: 'acme',
      factory: {
        needs: ['llm'],
        create: ({ llm }) => ({
          compact: async () => {
            await llm.complete({ prompt: 'x' });
            return null;
          },
        }),
      },
    });
    registry.connect({
      owns: () => true,
      activate: async () => null,
      declared: () => [],
    });
    const signals: AbortSignal[] = [];
    const h = await compactionHarness({
      history,
      registry,
      window: 100_000,
      settings: { strategy: 'contributed', contributedStrategy: 'acme.slow/slow', auto: false },
      summaryModel: {
        model: 'slow',
        window: 10_000,
        client: {
          endpoint: 'slow:',
          async *stream(_request, signal) {
            signals.push(signal);
            await new Promise((resolve) => signal.addEventListener('abort', resolve));
            yield { type: 'text', delta: '' };
          },
        },
      },
    });
    const running = h.compactor.compact({ trigger: 'manual' }, going);
    while (signals.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    await h.fireTimers();
    expect(await running).toMatchObject({ kind: 'failed', reason: expect.stringContaining('did not answer within') });
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  });
});

describe('what happens while a summary is being written', () => {
  const during = async (act: (h: Awaited<ReturnType<typeof compactionHarness>>) => Promise<unknown>) => {
    let done: Promise<unknown> = Promise.resolve();
    const before = () => {
      done = act(h);
    };
    const h = await compactionHarness({ history, summaries: [{ text: 'notes', before }, ...Array(9).fill('notes')] });
    const outcome = await h.compactor.compact({ trigger: 'manual' }, going);
    return { h, outcome, result: await done };
  };

  it('messages that were appended meanwhile stay', async () => {
    const { h, outcome } = await during((it) => it.add(user('late'), says('too')));
    expect(outcome.kind).toBe('compacted');
    expect(h.view().slice(-2)).toEqual(['user: late', 'assistant: too']);
  });

  it('a pin set meanwhile wins: nothing is compacted', async () => {
    const { h, outcome } = await during((it) => it.journal.append({ type: 'pinned', ids: ['m2'] }));
    expect(outcome).toEqual({ kind: 'none', reason: expect.stringContaining('changed in the meantime') });
    expect(h.view()).toHaveLength(history.flat().length);
  });

  it('a revert meanwhile wins, too', async () => {
    const { outcome } = await during((it) => it.journal.append({ type: 'revert', target: 5, cause: 'user' }));
    expect(outcome.kind).toBe('none');
  });

  it('neither undo nor a second compaction runs', async () => {
    const { outcome, result } = await during(async (it) => [
      await it.compactor.undo(),
      await it.compactor.redo(),
      await it.compactor.compact({ trigger: 'manual' }, going),
    ]);
    expect(outcome.kind).toBe('compacted');
    expect(result).toEqual([false, false, { kind: 'none', reason: 'A compaction is already running.' }]);
  });
});

describe('what was held', () => {
  it('is tried again in the next turn, if it came to nothing and asked no model', async () => {
    const history = [user('go'), says(words(4_000)), says(words(4_000))];
    const settings = { strategy: 'tool-result-hiding', 'trigger.reserve': 0 };
    const h = await compactionHarness({ history, settings });
    const attempts = () => h.events.filter(({ type }) => type === 'preCompact').length;
    expect((await h.compactor.trigger.beforeCall(going)).kind).toBe('none');
    expect(await h.compactor.trigger.beforeCall(going)).toMatchObject({ reason: expect.stringMatching(/^Paused/) });
    expect(attempts()).toBe(1);
    h.compactor.trigger.beginTurn();
    expect(await h.compactor.trigger.beforeCall(going)).not.toMatchObject({ reason: expect.stringMatching(/^Paused/) });
    expect(attempts()).toBe(2);
  });

  it('waits until the context has grown, if the model failed, whatever the person writes', async () => {
    const history = [user('go'), says(words(4_000)), user('on'), says(words(4_000))];
    const settings = { strategy: 'llm-summary', 'trigger.reserve': 0, 'summary.retries': 0, 'coolDown.failures': 9 };
    const h = await compactionHarness({ history, settings, summaries: Array(9).fill('') });
    await h.compactor.trigger.beforeCall(going);
    const failures = () => h.journal.entries.filter(({ type }) => type === 'compactionFailed').length;
    expect(failures()).toBe(1);
    await h.add(user('go on'));
    h.compactor.trigger.beginTurn();
    expect((await h.compactor.trigger.beforeCall(going)).kind).toBe('none');
    expect(failures()).toBe(1);
    await h.add(says(words(500)));
    await h.compactor.trigger.beforeCall(going);
    expect(failures()).toBe(2);
  });

  it('does not begin where all of it is pinned: there is nothing to gain', async () => {
    const h = await compactionHarness({
      history: [user('go'), says(words(7_900))],
      settings: { 'trigger.reserve': 0 },
    });
    await h.journal.append({ type: 'pinned', ids: h.journal.context.conversation.map(({ id }) => id) });
    const nothing = { kind: 'none', reason: 'There is nothing to compact.' };
    for (let i = 0; i < 2; i++) expect(await h.compactor.trigger.beforeCall(going)).toMatchObject(nothing);
    expect(h.events).toEqual([]);
  });

  it('because the person said not now waits until the context has grown', async () => {
    const settings = { strategy: 'tool-result-hiding', requireConfirmation: true };
    const consent: ConsentAnswer[] = ['notNow', 'notNow'];
    const h = await compactionHarness({ history: [user('go'), ...reads(40)], settings, consent, window: 10_500 });
    expect((await h.compactor.trigger.beforeCall(going)).kind).toBe('refused');
    await h.add(user('go on'));
    h.compactor.trigger.beginTurn();
    expect((await h.compactor.trigger.beforeCall(going)).kind).toBe('none');
    await h.add(...reads(3));
    expect((await h.compactor.trigger.beforeCall(going)).kind).toBe('refused');
  });

  it('not now survives a reload of the window, and is over once the context has grown or was compacted', {
    tags: ['C15', 'P4'],
  }, async () => {
    const settings = { strategy: 'tool-result-hiding', requireConfirmation: true };
    const consent: ConsentAnswer[] = ['notNow'];
    const h = await compactionHarness({ history: [user('go'), ...reads(40)], settings, consent, window: 10_500 });
    expect((await h.compactor.trigger.beforeCall(going)).kind).toBe('refused');
    const { reading } = h.compactor.gauge;
    expect(h.journal.entries.at(-1)).toMatchObject({
      type: 'note',
      text: `Not compacted, as you chose. You will be asked again at about ${(reading.tokens + 525).toLocaleString('en')} tokens.`,
    });
    const again = await compactionHarness({
      resumed: h.lines,
      settings,
      consent: ['compact'],
      window: 10_500,
      clock: h.clock,
    });
    again.compactor.trigger.beginTurn();
    expect(await again.compactor.trigger.beforeCall(going)).toMatchObject({ reason: expect.stringMatching(/^Paused/) });
    expect(again.asked).toEqual([]);
    await again.add(...reads(3));
    expect((await again.compactor.trigger.beforeCall(going)).kind).toBe('compacted');
    const later = await compactionHarness({
      resumed: again.lines,
      settings,
      consent: ['notNow'],
      window: 10_500,
      clock: h.clock,
    });
    await later.add(...reads(40));
    await later.compactor.trigger.beforeCall(going);
    expect(later.asked).toHaveLength(1);
  });

  it('a request of the agent that came to nothing does not stand for the check before a call', async () => {
    const compact = async ({ history: all, trigger, hide }: CompactionContext) =>
      trigger === 'agent' ? null : all.map((message) => (message.role === 'tool' ? hide(message) : message));
    const factory = { needs: [], create: () => ({ compact }) };
    const entry = { id: 'a.b/c', label: 'C', description: '', publisher: 'a', factory };
    const h = await compactionHarness({
      history: [user('go'), ...reads(4), says(words(7_500))],
      settings: { strategy: 'contributed', contributedStrategy: 'a.b/c', 'trigger.reserve': 0 },
      registry: new StrategyRegistry([...BUILT_IN_STRATEGIES, entry]),
    });
    h.compactor.trigger.schedule();
    expect(await h.compactor.trigger.beforeCall(going)).toMatchObject({
      kind: 'compacted',
      entry: { trigger: 'precheck' },
    });
  });
});

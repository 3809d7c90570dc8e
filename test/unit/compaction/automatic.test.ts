import { describe, expect, it } from 'vitest';
import { ModelError } from '../../../src/core/errors.ts';
import { compactContext } from '../../../src/core/tools/builtIn/compactContext.ts';
import { calls, compactionHarness, going, looks, reads, says, user, words } from '../../support/compactionHarness.ts';
import { grownSession } from '../../support/grownSession.ts';

const types = (h: Awaited<ReturnType<typeof compactionHarness>>) =>
  h.journal.entries.filter(({ type }) => type.startsWith('compaction')).map(({ type }) => type);

describe('automatic compaction', () => {
  it('the strategy is never asked whether to run', { tags: ['K2'] }, async () => {
    const h = await compactionHarness({
      history: [user('go'), ...reads(3)],
      settings: { strategy: 'tool-result-hiding' },
    });
    expect(await h.compactor.trigger.beforeCall(going)).toEqual({
      kind: 'none',
      reason: 'The context is below its limit.',
    });
    expect(h.events).toEqual([]);
  });

  it('auto off switches it off, also on a refusal, and by hand it still works', { tags: ['N5'] }, async () => {
    const error = new ModelError('overflow', 'Too long.');
    const s = await grownSession({
      history: [user('go'), ...reads(8, 10_500)],
      settings: { auto: false, strategy: 'tool-result-hiding' },
      answers: ['fine', { error }],
    });
    expect(await s.say()).toEqual({ kind: 'done' });
    expect(await s.say()).toMatchObject({ kind: 'failed', error: { kind: 'overflow' } });
    expect(s.compactions()).toEqual([]);
    expect((await s.agent.compactor.compact({ trigger: 'manual' }, going)).kind).toBe('compacted');
  });

  it.each([
    ['goes on', true, { kind: 'done' }, 2],
    ['pauses when that is set', false, { kind: 'paused' }, 1],
  ])('after a compaction in its middle the turn %s', { tags: ['N5'] }, async (_how, autoContinue, outcome, asked) => {
    const s = await grownSession({
      history: [user('go'), ...reads(6, 12_500)],
      settings: { strategy: 'tool-result-hiding', ...(autoContinue ? {} : { autoContinue }) },
      answers: [{ calls: [['read_file', { path: 'a.txt' }]] }],
      files: { 'a.txt': words(9_000) },
    });
    expect(await s.say()).toMatchObject(outcome);
    expect([s.compactions().length, s.turns.requests.length]).toEqual([1, asked]);
  });

  it('switched off, nothing expires by itself, and what the agent asked for before is not done', {
    tags: ['N5', 'C12'],
  }, async () => {
    const settings = { strategy: 'tool-result-hiding' };
    const h = await compactionHarness({ history: [user('go'), ...reads(7), looks(words(90)), looks('b')], settings });
    h.compactor.trigger.schedule();
    h.set({ ...settings, auto: false });
    expect(await h.compactor.trigger.beforeCall(going)).toEqual({
      kind: 'none',
      reason: 'Automatic compaction is off.',
    });
    expect(types(h)).toEqual([]);
    h.set(settings);
    await h.compactor.trigger.beforeCall(going);
    expect(h.journal.entries.at(-1)).toMatchObject({ trigger: 'ephemeral' });
  });

  it('holds after an undo, until the context grew by holdGrowth, 5 % of the window', async () => {
    const settings = { strategy: 'tool-result-hiding' };
    const h = await compactionHarness({ history: [user('go'), ...reads(40)], settings, window: 10_500 });
    expect((await h.compactor.trigger.beforeCall(going)).kind).toBe('compacted');
    await h.compactor.undo();
    expect((await h.compactor.trigger.beforeCall(going)).kind).toBe('none');
    await h.add(...reads(2));
    expect((await h.compactor.trigger.beforeCall(going)).kind).toBe('none');
    await h.add(...reads(1));
    expect((await h.compactor.trigger.beforeCall(going)).kind).toBe('compacted');
  });

  it('does nothing while a tool call is unanswered', async () => {
    const [call] = calls(['read_file', 'r']);
    const h = await compactionHarness({ history: [user('go'), ...reads(50)] });
    if (call) await h.add([call]);
    expect(await h.compactor.compact({ trigger: 'agent' }, going)).toEqual({
      kind: 'none',
      reason: 'A tool call has no result yet.',
    });
  });

  it('a resumed session triggers on the usage it restored', { tags: ['M9'] }, async () => {
    const settings = { strategy: 'tool-result-hiding' };
    const report = () => 79_000;
    const s = await grownSession({ history: [user('go'), ...reads(7, 4_000)], settings, report });
    await s.say();
    const again = await grownSession({ history: [], settings, lines: s.lines });
    expect(again.agent.compactor.gauge.reading).toMatchObject({ reported: { input: 79_000 }, tokens: 79_001 });
    // By an estimate alone nothing would be due.
    expect(again.size()).toBeLessThan(again.agent.compactor.gauge.mark?.at ?? 0);
    await again.add(says(words(1_000)));
    await again.say();
    expect(again.compactions()).toMatchObject([{ trigger: 'precheck' }]);
    expect(again.compactions()[0]?.tokensBefore).toBeGreaterThan(80_000);
  });
});

describe('the agent’s own request', () => {
  const ask = async (h: Awaited<ReturnType<typeof compactionHarness>>) => {
    const session = { scheduleCompaction: (keep: string | undefined) => h.compactor.trigger.schedule(keep) };
    const call = await compactContext.prepare({ keep: 'the names' }, { session } as never);
    return (await call.run({ onOutput: () => undefined, signal: going })).text;
  };

  it('is scheduled, and runs before the next request', async () => {
    const h = await compactionHarness({
      history: [user('go'), ...reads(7, 300)],
      settings: { strategy: 'tool-result-hiding' },
    });
    expect(await ask(h)).toMatch(/^Scheduled/);
    expect(types(h)).toEqual([]);
    const made = { trigger: 'agent', instructions: 'the names' };
    expect(await h.compactor.trigger.beforeCall(going)).toMatchObject({ kind: 'compacted', entry: made });
    expect((await h.compactor.trigger.beforeCall(going)).kind).toBe('none');
  });

  it('is refused in words when automatic compaction is off', async () => {
    const h = await compactionHarness({ history: [user('go'), ...reads(7)], settings: { auto: false } });
    expect(await ask(h)).toBe('Automatic compaction is switched off by the user.');
    expect((await h.compactor.trigger.beforeCall(going)).kind).toBe('none');
  });
});

describe('an overflow', () => {
  const history = [user('go'), ...reads(30)];

  it('compacts although the figures said it would fit, aiming lower each time', async () => {
    const h = await compactionHarness({ history, settings: { strategy: 'tool-result-hiding' }, window: 100_000 });
    const before = h.compactor.gauge.reading.tokens;
    expect(await h.compactor.trigger.afterOverflow(undefined, going)).toMatchObject({ kind: 'compacted' });
    // What an overflow aims at, as a share of what overflowed.
    expect(h.compactor.gauge.reading.tokens).toBeLessThan(before * 0.75);
  });

  it('learns the window that the provider named', async () => {
    const h = await compactionHarness({ history, settings: { strategy: 'tool-result-hiding' }, window: 100_000 });
    await h.compactor.trigger.afterOverflow(6_000, going);
    expect(h.compactor.gauge.window).toBe(6_000);
    expect(h.compactor.gauge.reading.tokens).toBeLessThan(4_000);
  });

  it('is recovered from at most three times a turn, then stops with the numbers', async () => {
    const h = await compactionHarness({
      history: [user('go'), ...reads(60)],
      settings: { strategy: 'tool-result-hiding' },
    });
    const kinds = [];
    for (let i = 0; i < 4; i++) kinds.push((await h.compactor.trigger.afterOverflow(undefined, going)).kind);
    expect(kinds).toEqual(['compacted', 'compacted', 'compacted', 'stuck']);
    // The room for the ledger is made in the same step: one note, not two.
    expect(h.view().filter((line) => line.includes('earlier messages'))).toHaveLength(1);
    h.compactor.trigger.beginTurn();
    expect((await h.compactor.trigger.afterOverflow(undefined, going)).kind).toBe('compacted');
  });

  it('that nothing can mend stops with the numbers', async () => {
    const h = await compactionHarness({ history: [user(words(20_000))], window: 10_000 });
    expect(await h.compactor.trigger.afterOverflow(undefined, going)).toEqual({
      kind: 'stuck',
      reason: expect.stringMatching(/about 20,104 tokens .* more than the model accepts.* your latest message 20,004/),
    });
  });

  it('after a change to a model with a smaller window is made to fit before the call', async () => {
    const h = await compactionHarness({
      history: [user('go'), ...reads(100)],
      settings: { strategy: 'tool-result-hiding' },
      window: 100_000,
    });
    expect((await h.compactor.trigger.beforeCall(going)).kind).toBe('none');
    h.setWindow(8_000);
    expect((await h.compactor.trigger.beforeCall(going)).kind).toBe('compacted');
    expect(h.compactor.gauge.reading.tokens).toBeLessThan(6_000);
  });
});

describe('the ladder', () => {
  it('hides first, then drops the oldest behind a note, and keeps the latest user message', async () => {
    const talk = Array.from({ length: 30 }, () => says(words(400)));
    const h = await compactionHarness({
      history: [user('old'), ...talk, user('new'), ...reads(5, 600)],
      settings: { strategy: 'tool-result-hiding' },
    });
    const outcome = await h.compactor.trigger.beforeCall(going);
    expect(outcome).toMatchObject({ kind: 'compacted' });
    const view = h.view();
    expect(view).toContain('user: new');
    expect(view.find((line) => line.includes('earlier messages'))).toMatch(
      /^user: \[palimpsest:f00d \d+ earlier messages \(about \d+ tokens\) were dropped to make room, not summarised; search them with the recall tool\]/,
    );
    expect(h.compactor.gauge.reading.tokens).toBeLessThan(8_000);
  });

  it('merges its notes, so that they do not pile up', async () => {
    const talk = (n: number) => Array.from({ length: n }, () => says(words(400)));
    const settings = { strategy: 'tool-result-hiding' };
    const h = await compactionHarness({ history: [user('go'), ...talk(30)], settings });
    for (let i = 0; i < 3; i++) {
      expect((await h.compactor.trigger.beforeCall(going)).kind).toBe('compacted');
      await h.add(...talk(10));
    }
    const notes = h.view().filter((line) => line.includes('earlier messages'));
    expect(notes).toHaveLength(1);
    const left = h.journal.context.conversation.filter(({ kind }) => kind === 'assistant').length;
    expect(notes[0]).toContain(` ${60 - left} earlier messages `);
  });

  it('cuts the one giant result when nothing else is left', async () => {
    const h = await compactionHarness({ history: [user('go'), calls(['read_file', words(30_000)])] });
    expect((await h.compactor.trigger.beforeCall(going)).kind).toBe('compacted');
    expect(h.view()[2]).toMatch(/^tool: word[\s\S]*characters cut to fit the context[\s\S]*word$/);
    expect(h.compactor.gauge.reading.tokens).toBeLessThan(8_000);
  });

  it('hides what the formatter cut already instead of cutting it again', { tags: ['C11'] }, async () => {
    const truncation = { by: 'formatter', direction: 'head', originalLines: 9, originalBytes: 9 } as const;
    const block = calls(['read_file', words(30_000)]).map((m) => (m.role === 'tool' ? { ...m, truncation } : m));
    const h = await compactionHarness({ history: [user('go'), block] });
    await h.compactor.trigger.beforeCall(going);
    expect(h.view()[2]).toMatch(/^tool: \[palimpsest:f00d tool result hidden/);
  });
});

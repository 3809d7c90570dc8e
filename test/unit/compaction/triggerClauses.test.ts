/** Which thresholds are in force for a model, and how the clauses of the trigger go together, through the compactor. */

import { describe, expect, it } from 'vitest';
import { forModel, readCompactionSettings } from '../../../src/core/compaction/settings/compactionSettings.ts';
import { inEnglish } from '../../../src/core/words.ts';
import {
  compactionHarness,
  going,
  type HarnessOptions,
  reads,
  says,
  settingsOf,
  user,
  words,
} from '../../support/compactionHarness.ts';

/** 100 tokens of header and four messages of about 1,000, in a window of 10,000 for the model `test`. */
const history = [user('go'), says(words(1_000)), user('on'), says(words(1_000)), says(words(2_000))];

async function fires(settings: Readonly<Record<string, unknown>>, more: HarnessOptions = {}): Promise<boolean> {
  const h = await compactionHarness({ history, settings: { strategy: 'tool-result-hiding', ...settings }, ...more });
  await h.compactor.trigger.beforeCall(going);
  return h.events.some(({ type }) => type === 'preCompact');
}

const perModel = (rules: Readonly<Record<string, string>>) => ({ 'trigger.perModel': rules });

describe('thresholds for a model', () => {
  it('those of the model in force are used, and without them the general ones', { tags: ['K2'] }, async () => {
    expect(await fires({})).toBe(false);
    expect(await fires(perModel({ test: 'ratio 0.3' }))).toBe(true);
    expect(await fires(perModel({ another: 'ratio 0.3' }))).toBe(false);
    const more = { history: [...history, says(words(3_250))] };
    expect(await fires({ 'trigger.reserve': 0 }, more)).toBe(false);
    expect(await fires(perModel({ test: 'reserve 2450, ratio 0' }), more)).toBe(true);
    expect(await fires(perModel({ test: 'reserve 2000, ratio 0' }), more)).toBe(false);
  });

  it.each([
    ['a name goes before a pattern', { 'te*': 'ratio 0.3', test: 'ratio 0.9', '*': 'ratio 0.3' }, false],
    ['a name goes before a pattern of the same length', { 'test*': 'ratio 0.3', test: 'ratio 0.9' }, false],
    ['no letter counts twice, and no part may be missing', { 'tes*est': 'ratio 0.3', 't*x*t': 'ratio 0.3' }, false],
    ['a longer pattern goes before a shorter one', { '*': 'ratio 0.9', 't*t': 'ratio 0.9', 'te*t': 'ratio 0.3' }, true],
    ['a star stands for nothing too', { 'test*': 'ratio 0.3' }, true],
    ['a pattern is the whole name', { 'tes*s': 'ratio 0.3', est: 'ratio 0.3', 'es*': 'ratio 0.3' }, false],
    ['what it does not say stays as it is elsewhere', { test: 'safetyMargin 6000' }, true],
  ])('%s', { tags: ['K2'] }, async (_, rules, expected) => {
    expect(await fires(perModel(rules))).toBe(expected);
  });

  it('they go before those of a strategy, and of everything set in general', { tags: ['K2'] }, async () => {
    const own = { strategy: 'prune-then-summary', 'trigger.ratio': 0.9, 'pruneThenSummary.triggerRatio': 0.9 };
    expect(await fires(own)).toBe(false);
    expect(await fires({ ...own, ...perModel({ test: 'ratio 0.3, basis estimate' }) })).toBe(true);
  });

  it('the mark stands where they fire, and names them', { tags: ['K2', 'P9'] }, async () => {
    const h = await compactionHarness({ history, settings: perModel({ 'te*': 'ratio 0.6' }) });
    expect(h.compactor.gauge.mark).toMatchObject({ at: 6_000, rule: 'te*' });
    h.set({});
    expect(h.compactor.gauge.mark).toMatchObject({ at: 8_000, rule: null });
  });

  it('a preview and the strategy itself go by them, too', { tags: ['K2', 'B2'] }, async () => {
    // Without the rule half is enough, and the oldest results are half.
    const talk = Array.from({ length: 10 }, (_, n) => [user(`question ${n}`), says(words(100))]).flat();
    const h = await compactionHarness({ history: [user('go'), ...reads(20), ...talk] });
    const sizeBy = async (rules: Readonly<Record<string, string>>) => {
      const own = { strategy: 'selective', 'selective.stopAt': 'target', 'selective.fallbackToFullSummary': false };
      const settings = settingsOf({ ...own, ...perModel(rules) });
      const made = await h.compactor.consent.preview({ strategy: 'selective', settings }, going);
      return 'tokensAfter' in made ? made.tokensAfter : 0;
    };
    expect(await sizeBy({ test: 'maxContextTokens 1000' })).toBeLessThan(await sizeBy({}));
    const { section } = forModel(settingsOf(perModel({ test: 'ratio 0.3' })), 'test');
    expect(section.triggerRatio).toBe(0.3);
  });

  it('one that cannot be read is named, with the reason, and none of them is in force', { tags: ['K3'] }, () => {
    const problemsOf = (rules: unknown) => {
      const read = (key: string) => {
        const value = key === 'compaction.trigger.perModel' ? rules : undefined;
        return { value, explicit: value !== undefined };
      };
      const { settings, problems } = readCompactionSettings(read);
      expect(settings.trigger.perModel).toEqual({});
      return problems.map(({ message }) => inEnglish(message)).join();
    };
    expect(problemsOf({ test: 'ratio 2' })).toMatch(/perModel has the value .*ratio 2.*at most 1\./);
    expect(problemsOf({ test: 'speed 2' })).toMatch(/speed 2.*There is no setting speed here\. .*ratio, reserve/);
    expect(problemsOf({ test: 'ratio 0.5, ratio 0.6' })).toMatch(/ratio is given twice/);
    expect(problemsOf({ test: 'often' })).toMatch(/does not have the right form/);
    expect(problemsOf({ '': 'ratio 0.5' })).not.toBe('');
    expect(problemsOf('ratio 0.5')).toMatch(/must be an object/);
  });
});

describe('clauses', () => {
  const ratio = { 'trigger.ratio': 0.3 };

  it('messages are a clause of their own, off by default', { tags: ['K2'] }, async () => {
    expect(await fires({ 'trigger.messages': 6 })).toBe(false);
    expect(await fires({ 'trigger.messages': 5 })).toBe(true);
    expect(await fires({ 'trigger.messages': 5 }, { window: 0 })).toBe(true);
    expect(await fires({ 'trigger.messages': 5, 'trigger.basis': 'usage' })).toBe(true);
  });

  it('by default any of them is enough; with all, those that are on must hold together', { tags: ['K2'] }, async () => {
    const all = perModel({ '*': 'require all' });
    expect(await fires({ ...ratio })).toBe(true);
    // The reserve of 2,000 is on by default.
    expect(await fires({ ...ratio, ...all })).toBe(false);
    expect(await fires({ ...ratio, ...all, 'trigger.reserve': 0 })).toBe(true);
    // Above 7,500 the reserve of 2,500 holds, too.
    const more = { history: [...history, says(words(3_000))] };
    expect(await fires({ ...ratio, ...all }, more)).toBe(false);
    expect(await fires({ ...ratio, ...all, 'trigger.reserve': 2_500 }, more)).toBe(true);
    expect(await fires({ 'trigger.ratio': 0.9, ...all, 'trigger.reserve': 2_500 }, more)).toBe(false);
    expect(await fires({ ...ratio, ...all, 'trigger.reserve': 0, 'trigger.messages': 6 })).toBe(false);
    expect(await fires({ ...ratio, ...all, 'trigger.reserve': 0, 'trigger.messages': 5 })).toBe(true);
    expect(await fires({ ...all, 'trigger.messages': 5 })).toBe(false);
    expect(await fires({ 'trigger.ratio': 0, 'trigger.reserve': 0, ...all })).toBe(false);
    // A ratio of a window that nobody knows does not hold.
    expect(await fires({ ...ratio, ...all, 'trigger.messages': 5 }, { window: 0 })).toBe(false);
  });

  it('with all, the mark stands at the last clause, and what the window cannot hold is compacted nevertheless', {
    tags: ['K2', 'P4'],
  }, async () => {
    const settings = { ...perModel({ '*': 'require all' }), 'trigger.reserve': 1_000, 'trigger.messages': 100 };
    const h = await compactionHarness({ history, settings: { ...settings, strategy: 'tool-result-hiding' } });
    expect(h.compactor.gauge.mark).toMatchObject({ at: 9_000, messages: { now: 5, limit: 100, together: true } });
    h.setWindow(0);
    expect(h.compactor.gauge.mark).toBeNull();
    h.setWindow(10_000);
    await h.add(says(words(6_000)));
    await h.compactor.trigger.beforeCall(going);
    expect(h.events[0]).toMatchObject({ type: 'preCompact', trigger: 'precheck' });
  });

  it('a question about messages has their number, and none the other', { tags: ['K2', 'P4'] }, async () => {
    const settings = { 'trigger.messages': 5, requireConfirmation: true };
    const h = await compactionHarness({ history, settings, consent: ['notNow', 'notNow'] });
    expect(h.compactor.gauge.mark).toMatchObject({ at: 8_000, messages: { now: 5, limit: 5, together: false } });
    await h.compactor.trigger.beforeCall(going);
    expect(h.figures).toEqual([
      { tokens: h.compactor.gauge.reading.tokens, window: 10_000, ownCount: false, messages: 5 },
    ]);
    const other = await compactionHarness({
      history,
      settings: { ...ratio, requireConfirmation: true },
      consent: ['notNow'],
    });
    await other.compactor.trigger.beforeCall(going);
    expect(other.figures).toEqual([{ tokens: other.compactor.gauge.reading.tokens, window: 10_000, ownCount: false }]);
  });

  it.each(['llm-summary', 'selective', 'prune-then-summary'])(
    '%s makes room when messages fire, and does not start again at once',
    { tags: ['K2'] },
    async (strategy) => {
      const settings = { 'trigger.messages': 30, strategy };
      const talk = Array.from({ length: 15 }, (_, n) => [user(`question ${n}`), says(words(100))]).flat();
      const h = await compactionHarness({ history: talk, settings, summaries: Array(9).fill('They talked.') });
      expect(await h.compactor.trigger.beforeCall(going)).toMatchObject({ kind: 'compacted', entry: { strategy } });
      expect(h.journal.context.conversation.length).toBeLessThan(30);
      expect((await h.compactor.trigger.beforeCall(going)).kind).toBe('none');
    },
  );

  it('where the strategy leaves as many messages, it holds until the context grew', { tags: ['K2'] }, async () => {
    const settings = { 'trigger.messages': 5, strategy: 'tool-result-hiding' };
    const h = await compactionHarness({ history, settings });
    for (let i = 0; i < 3; i++) await h.compactor.trigger.beforeCall(going);
    expect(h.events.filter(({ type }) => type === 'preCompact')).toHaveLength(1);
  });
});

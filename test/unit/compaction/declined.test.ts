/**
 * A person who does not allow their strategy to run has declined that compaction: no other strategy takes its place
 * unasked, and a context that does not fit still has a way out that they are asked about.
 */

import { describe, expect, test } from 'vitest';
import { StrategyRegistry } from '../../../src/core/compaction/hosting/registry.ts';
import { words as said } from '../../../src/core/words.ts';
import {
  compactionHarness,
  going,
  type HarnessOptions,
  reads,
  says,
  user,
  words,
} from '../../support/compactionHarness.ts';

const MINE = 'acme.mine/mine';
const settings = { strategy: 'contributed', contributedStrategy: MINE };

/** Each consent is declined; `asked` counts the questions. */
async function declining(options: HarnessOptions = {}) {
  const registry = new StrategyRegistry();
  let asked = 0;
  let refused = false;
  registry.connect({
    owns: () => true,
    activate: async (_, deliberate) => {
      const now = deliberate || !refused;
      refused = true;
      if (now) asked += 1;
      return { kind: 'declined', reason: said('it was not allowed'), now };
    },
    declared: () => [],
  });
  const h = await compactionHarness({ history: [user('go'), ...reads(45)], settings, ...options, registry });
  return {
    ...h,
    asked: () => asked,
    left: () =>
      h.journal.entries.flatMap((entry) =>
        entry.type === 'note' ? [entry.text] : entry.type === 'compaction' ? [entry.strategy] : [],
      ),
  };
}

const NOT_NOW =
  /^Not compacted, because you did not allow the strategy acme\.mine\/mine\. You will be asked again at about [\d,]+ tokens\.$/;

describe('a consent that is declined', () => {
  test('by hand changes nothing, and is asked for again the next time', async () => {
    const h = await declining();
    const [before, view] = [h.journal.entries.length, h.view()];
    for (const times of [1, 2]) {
      expect(await h.compactor.compact({ trigger: 'manual' }, going)).toEqual({
        kind: 'refused',
        choice: 'notNow',
        declined: MINE,
      });
      expect(h.asked()).toBe(times);
    }
    expect([h.journal.entries.length, h.view(), h.events, h.figures]).toEqual([before, view, [], []]);
  });

  test('by itself: nothing is compacted and a note says so; when it comes up again, another is asked about', async () => {
    const early = { ...settings, 'trigger.ratio': 0.5 };
    const history = [user('go'), ...reads(110)];
    const h = await declining({ window: 40_000, history, settings: early, consent: ['compact'] });
    expect(await h.compactor.trigger.beforeCall(going)).toMatchObject({ kind: 'refused', choice: 'notNow' });
    expect([h.asked(), h.left().length, h.figures]).toEqual([1, 1, []]);
    expect(h.left()[0]).toMatch(NOT_NOW);
    // Until the context has grown nothing is asked at all.
    h.compactor.trigger.beginTurn();
    await h.compactor.trigger.beforeCall(going);
    expect([h.asked(), h.figures]).toEqual([1, []]);
    await h.add(says(words(4_000)), user('and now?'));
    h.compactor.trigger.beginTurn();
    expect(await h.compactor.trigger.beforeCall(going)).toMatchObject({ kind: 'compacted' });
    expect([h.asked(), h.figures.map(({ insteadOf }) => insteadOf)]).toEqual([1, [MINE]]);
  });

  test('while the context does not fit: the question names the other strategy, and Not now keeps everything', async () => {
    const h = await declining({ consent: ['notNow', 'dropOldest'] });
    expect(await h.compactor.trigger.afterOverflow(undefined, going)).toEqual({ kind: 'refused', choice: 'notNow' });
    expect([h.figures.map(({ insteadOf }) => insteadOf), h.left()]).toEqual([[MINE], []]);
    expect(await h.compactor.trigger.afterOverflow(undefined, going)).toMatchObject({ kind: 'compacted' });
    expect([h.asked(), h.left()]).toEqual([1, ['drop-oldest']]);
  });

  test('a preview says why there is none', async () => {
    const h = await declining();
    expect(await h.compactor.consent.preview({ strategy: MINE }, going)).toEqual({
      kind: 'none',
      reason: 'it was not allowed',
    });
  });

  test('a turn that is stopped while the consent is open leaves no word of another strategy', async () => {
    const registry = new StrategyRegistry();
    const stop = new AbortController();
    registry.connect({
      owns: () => true,
      activate: async () => {
        stop.abort();
        return { kind: 'missing', reason: said('it was stopped') };
      },
      declared: () => [],
    });
    const h = await compactionHarness({ history: [user('go'), ...reads(45)], settings, registry });
    const before = h.journal.entries.length;
    expect(await h.compactor.compact({ trigger: 'threshold' }, stop.signal)).toMatchObject({ kind: 'none' });
    expect(h.journal.entries.length).toBe(before);
  });
});

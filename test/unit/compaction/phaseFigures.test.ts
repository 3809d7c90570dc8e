/** What the phases of a run tell, for the strategies that go in stages. */

import { expect, it } from 'vitest';
import { calls, compactionHarness, going, says, user, words } from '../../support/compactionHarness.ts';

const phasesOf = (h: Awaited<ReturnType<typeof compactionHarness>>) =>
  h.events.flatMap((event) => (event.type === 'phase' ? [[event.phase, event.tokensBefore, event.tokensAfter]] : []));

it.each([
  ['prune-then-summary, which prunes first', 'prune-then-summary', 3 * 9_996, {}],
  // Five groups of ten stay.
  [
    'hiding-then-summary, which measures again',
    'hiding-then-summary',
    5 * 9_996,
    { 'hidingThenSummary.remeasure': true },
  ],
  [
    'hiding-then-summary, for which the gain is too small',
    'hiding-then-summary',
    5 * 9_996,
    { 'hidingThenSummary.minimumReclaim': 60_000 },
  ],
] as const)(
  'each phase of %s tells the figures of its moment',
  { tags: ['C13'] },
  async (_how, strategy, taken, more) => {
    const results = Array.from({ length: strategy === 'prune-then-summary' ? 7 : 10 }, () =>
      calls(['read_file', words(9_996, 'w')]),
    );
    const h = await compactionHarness({
      history: [user('q1'), ...results, user('q2'), says('a2'), user('q3')],
      settings: { strategy, ...more },
      window: strategy === 'prune-then-summary' ? 45_000 : 60_000,
      summaries: Array(20).fill('notes'),
    });
    const before = h.compactor.gauge.reading.tokens;
    const outcome = await h.compactor.trigger.beforeCall(going);
    if (outcome.kind !== 'compacted') throw new Error(outcome.kind);
    const left = phasesOf(h)[1]?.[2] as number;
    // Each result that went left a stub.
    expect(before - left).toBeLessThan(taken + 10);
    expect(before - left).toBeGreaterThan(taken - 500);
    expect(phasesOf(h)).toEqual([
      ['selective_start', before, before],
      ['selective_done', before, left],
      ['summary_start', left, left],
      ['summary_done', left, outcome.entry.tokensAfter],
    ]);
    expect(h.events.find(({ type }) => type === 'phase')).toMatchObject({ strategy, trigger: 'precheck' });
  },
);

/** A summary in chunks: what is done when a later chunk fails. */

import { describe, expect, it } from 'vitest';
import { ModelError } from '../../../../src/core/errors.ts';
import { calls, compactionHarness, going, says, user, words } from '../../../support/compactionHarness.ts';
import { ScriptedModel } from '../../../support/ports/scriptedModel.ts';

describe('when a later chunk fails', () => {
  const parts = Array.from({ length: 10 }, (_, i) => says(words(900, `part${i}`)));
  const chunked = [user('go'), ...parts, says('a'), says('b')];
  const error = new ModelError('auth', 'The key was refused.');
  const failures = (h: Awaited<ReturnType<typeof compactionHarness>>) =>
    h.journal.entries.filter(({ type }) => type === 'compactionFailed');

  it.each(['manual', 'threshold'])(
    'what was summarised stands, and the rest is as it was (%s)',
    { tags: ['C15'] },
    async (trigger) => {
      const settings = { strategy: 'llm-summary', 'verify.enabled': false, 'summary.retries': 0 };
      const h = await compactionHarness({
        history: chunked,
        window: 10_000,
        summaries: ['one', { error }],
        settings,
      });
      const before = h.view();
      const tokens = h.compactor.gauge.reading.tokens;
      const outcome = await h.compactor.compact({ trigger }, going);
      expect(outcome).toMatchObject({ kind: 'compacted', entry: { strategy: 'partial', attempt: 1 } });
      expect(failures(h)).toMatchObject([
        { reason: 'The key was refused.', instead: expect.stringContaining('What was done before that is kept.') },
      ]);
      // The first chunk is notes now, and the latest request came back to its place.
      const [notes, asked, ...left] = h.view();
      expect([notes, asked]).toEqual(['user: one', 'user: go']);
      expect(left.length).toBeGreaterThan(2);
      expect(left.length).toBeLessThan(before.length - 4);
      expect(left).toEqual(before.slice(-left.length));
      expect(h.compactor.gauge.reading.tokens).toBeLessThan(tokens - 3_000);
      await h.compactor.undo();
      expect(h.view()).toEqual(before);
    },
  );

  it('it counts as a failure all the same', { tags: ['C15', 'C7'] }, async () => {
    const settings = { strategy: 'llm-summary', 'verify.enabled': false, 'summary.retries': 0 };
    const h = await compactionHarness({
      history: chunked,
      window: 10_000,
      summaries: ['one', { error }, { error }],
      settings,
    });
    await h.compactor.compact({ trigger: 'manual' }, going);
    await h.compactor.compact({ trigger: 'manual' }, going);
    await h.compactor.compact({ trigger: 'manual' }, going);
    expect(h.model.requests).toHaveLength(3);
  });

  it('what was summarised stands when the time is over', { tags: ['C15'] }, async () => {
    // It waits before it asks again, and for longer than the deadline.
    const busy = new ModelError('network', 'Busy.', { retryable: true });
    const settings = { strategy: 'llm-summary', 'verify.enabled': false };
    const summaries = ['one', { error: busy }];
    const h = await compactionHarness({ history: chunked, window: 10_000, summaries, settings });
    const done = h.compactor.compact({ trigger: 'manual' }, going);
    await expect.poll(() => h.model.requests.length).toBe(2);
    await h.fireTimers();
    expect(await done).toMatchObject({ kind: 'compacted', entry: { strategy: 'partial' } });
    expect(h.view()[0]).toBe('user: one');
    expect(failures(h)).toMatchObject([{ reason: 'it did not answer within 180 seconds' }]);
  });

  it('a tool block of which only a part was summarised stays whole', { tags: ['C15'] }, async () => {
    const pair = calls(...Array.from({ length: 9 }, (_, i) => ['read_file', words(900, `r${i}`)] as const));
    const settings = { strategy: 'llm-summary', 'verify.enabled': false, 'summary.retries': 0 };
    const h = await compactionHarness({
      history: [user('go'), says(words(900)), pair, says('a'), says('b')],
      window: 100_000,
      summaryModel: new ScriptedModel(['one', { error }]).choice(10_000),
      settings,
    });
    const before = h.view();
    expect(await h.compactor.compact({ trigger: 'manual' }, going)).toMatchObject({ entry: { strategy: 'partial' } });
    expect(h.view()).toEqual(['user: one', 'user: go', ...before.slice(2)]);
  });
});

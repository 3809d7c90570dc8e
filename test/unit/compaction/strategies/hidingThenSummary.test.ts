import { describe, expect, it } from 'vitest';
import { calls, compactionHarness, going, says, user, words } from '../../../support/compactionHarness.ts';

const history = [user('go'), ...['a', 'b', 'c', 'd', 'e', 'f'].map((w) => calls(['read_file', words(120, w)]))];
const strategy = { strategy: 'hiding-then-summary' };

describe('hiding-then-summary', () => {
  it('K6: hides and asks no model while there is something to hide', async () => {
    const h = await compactionHarness({ history, settings: strategy });
    expect((await h.compactor.compact({ trigger: 'manual' }, going)).kind).toBe('compacted');
    expect(h.model.requests).toEqual([]);
  });

  it('K6: with minimumReclaim 0 any gain counts; a larger one sends a small gain to the summary', async () => {
    const settings = { ...strategy, 'hidingThenSummary.minimumReclaim': 1_000 };
    const h = await compactionHarness({ history, settings, summaries: ['the notes'] });
    await h.compactor.compact({ trigger: 'manual' }, going);
    expect(h.view()[0]).toMatch(/^user: the notes/);
  });

  it('K6: when hiding was not enough the summary follows at once', async () => {
    const long = [user('go'), says(words(7_000)), ...history.slice(1)];
    const h = await compactionHarness({ history: long, settings: strategy, summaries: ['the notes'], window: 9_000 });
    const outcome = await h.compactor.beforeCall(going);
    expect(outcome).toMatchObject({ kind: 'compacted', entry: { attempt: 2 } });
    expect(h.view()[0]).toMatch(/^user: the notes/);
    // Half of the two messages, with its block.
    expect(h.view().slice(2)).toEqual(['assistant: ', `tool: ${words(120, 'f')}`]);
  });
});

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

  it.each([
    ['is not measured again', false, 0],
    ['can be measured again, and the summary follows at once', true, 1],
  ])('K6: what hiding left %s', async (_what, remeasure, asked) => {
    // 34,000 tokens, of which hiding takes some 100: above the trigger at 32,000, below the window.
    const long = [user('go'), says(words(33_000)), ...history.slice(1)];
    const settings = { ...strategy, ...(remeasure ? { 'hidingThenSummary.remeasure': true } : {}) };
    const h = await compactionHarness({ history: long, settings, window: 40_000, summaries: ['the notes'] });
    expect(await h.compactor.beforeCall(going)).toMatchObject({ kind: 'compacted', entry: { attempt: asked + 1 } });
    expect(h.model.requests).toHaveLength(asked);
    const results = h.journal.context.conversation.filter(({ kind }) => kind === 'toolResult');
    if (!remeasure) expect(results.map(({ hidden }) => hidden)).toEqual([true, ...Array(5).fill(false)]);
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

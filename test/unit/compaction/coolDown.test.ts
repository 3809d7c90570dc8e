/** The pause after failures in a row: no model is asked, and what needs none goes on. */

import { describe, expect, it } from 'vitest';
import { ModelError } from '../../../src/core/errors.ts';
import { type Line, reads, says, user, words } from '../../support/compactionHarness.ts';
import { summarySession } from '../../support/summarySession.ts';

const error = new ModelError('auth', 'No.');
const refusals = Array(9).fill({ error });
/** Above the default trigger, at 80,000 of the window of 100,000. */
const text: Line[] = Array.from({ length: 39 }, (_, i) => [user(`q${i}`), says(words(2_050))]).flat();
/** What must come before another attempt: 5 % of the window. */
const grown: Line = says(words(5_000));

/** Two attempts, in each of which the default strategy fails; the third one is due. */
async function failTwice(more: Partial<Parameters<typeof summarySession>[0]> = {}) {
  const s = await summarySession({ history: text, summaries: refusals, ...more });
  for (const message of ['one', 'two']) {
    await s.say(message);
    await s.add(grown);
  }
  expect(s.failures()).toMatchObject([{ strategy: 'llm-summary' }, { strategy: 'llm-summary' }]);
  expect([s.summariser.requests.length, s.compactions().length]).toEqual([2, 0]);
  return s;
}

describe('the cool-down', { tags: ['C7'] }, () => {
  it('after 2 failures no model is asked, and of text alone the oldest messages are dropped', {
    tags: ['C7'],
  }, async () => {
    const s = await failTwice();
    await s.say('three');
    expect(s.summariser.requests).toHaveLength(2);
    expect(s.compactions()).toMatchObject([{ strategy: 'fallback', trigger: 'precheck' }]);
    // As far as a summary would have gone, and no further.
    expect(s.compactions()[0]?.tokensAfter).toBeLessThan(50_000);
    expect(s.compactions()[0]?.tokensAfter).toBeGreaterThan(45_000);
    expect(s.view()[0]).toMatch(/earlier messages .* were dropped/);
    expect(s.view()).toContain('user: q38');
    expect(s.logs.some((line) => line.startsWith('warn compaction is cooling down'))).toBe(true);
    expect(s.failures()).toHaveLength(2);
  });

  it('a drop goes down to the target at once, so that the turns after it break no prefix', {
    tags: ['C15', 'C7'],
  }, async () => {
    const s = await failTwice();
    await s.say('three');
    expect(s.compactions()).toHaveLength(1);
    for (let turn = 0; turn < 12; turn++) {
      await s.add(user(`more ${turn}`), says(words(1_500)));
      await s.say(`turn ${turn}`);
    }
    // 18,000 tokens later one drop still is all there was.
    expect(s.compactions()).toHaveLength(1);
    expect(s.summariser.requests).toHaveLength(2);
  });

  it('one failure is none too many: the model is asked again', { tags: ['C7'] }, async () => {
    const s = await summarySession({ history: text, summaries: [{ error }, 'notes'] });
    await s.say('one');
    expect(s.failures()).toHaveLength(1);
    await s.add(grown);
    await s.say('two');
    expect(s.compactions()).toMatchObject([{ strategy: 'llm-summary' }]);
  });

  it('before that, a message or a reload is no reason to ask again: the context must have grown', {
    tags: ['C7', 'C15'],
  }, async () => {
    const s = await summarySession({ history: text, summaries: refusals });
    for (const message of ['one', 'two', 'three']) await s.say(message);
    expect([s.failures().length, s.summariser.requests.length]).toEqual([1, 1]);
    const again = await summarySession({ history: [], lines: s.lines, clock: s.clock, summaries: ['notes'] });
    await again.say('four');
    expect(again.summariser.requests).toEqual([]);
    await again.add(grown);
    await again.say('five');
    expect(again.compactions()).toMatchObject([{ strategy: 'llm-summary' }]);
  });

  it('hiding goes on meanwhile', { tags: ['C7'] }, async () => {
    const s = await failTwice();
    await s.add(...reads(4, 1_500));
    await s.say('three');
    expect(s.summariser.requests).toHaveLength(2);
    expect(s.compactions()).toMatchObject([{ strategy: 'fallback' }]);
    const results = s.agent.journal.context.conversation.filter(({ kind }) => kind === 'toolResult');
    expect(results.map(({ hidden }) => hidden)).toEqual([true, true, false, false]);
  });

  it.each([
    ['a moment before 5 minutes are over', 5 * 60_000 - 1, 2],
    ['5 minutes later', 5 * 60_000, 3],
    ['by a clock that was put back by years', -10 * 365 * 24 * 3_600_000, 3],
  ])('%s', { tags: ['C7'] }, async (_when, later, asked) => {
    const s = await failTwice({ summaries: [{ error }, { error }, 'notes'] });
    s.clock.advance(later);
    await s.say('three');
    expect(s.summariser.requests).toHaveLength(asked);
    expect(s.compactions()).toMatchObject([{ strategy: asked > 2 ? 'llm-summary' : 'fallback' }]);
  });

  it('a resumed session goes on cooling down', { tags: ['C7', 'C15'] }, async () => {
    const s = await failTwice();
    const again = await summarySession({ history: [], lines: s.lines, clock: s.clock, summaries: ['notes'] });
    await again.say('three');
    expect(again.compactions()).toMatchObject([{ strategy: 'fallback' }]);
    expect(again.summariser.requests).toEqual([]);
  });

  it('what failed is the strategy, and another one is not held back by it', { tags: ['C7'] }, async () => {
    const s = await failTwice();
    const settings = { strategy: 'round-summary', requireConfirmation: false };
    const again = await summarySession({ history: [], lines: s.lines, clock: s.clock, settings, summaries: ['notes'] });
    await again.say('three');
    expect(again.compactions()).toMatchObject([{ strategy: 'round-summary' }]);
  });
});

/** The moments of a turn at which a compaction may start, and what is looked at in each. */

import { expect, it } from 'vitest';
import { calls, reads, user, words } from '../../support/compactionHarness.ts';
import { grownSession } from '../../support/grownSession.ts';

const settings = { strategy: 'tool-result-hiding' };

it.each([
  [79_999, []],
  [80_000, [{ trigger: 'threshold', tokensBefore: 80_000 }]],
])('after a response what was reported counts, and not the estimate: %i', { tags: ['C4'] }, async (reported, made) => {
  const answer = words(1_000);
  const s = await grownSession({
    history: [user('go'), ...reads(8, 4_000)],
    settings,
    answers: [answer],
    report: () => reported - 1_000,
  });
  expect(s.size()).toBeLessThan(40_000);
  await s.say();
  expect(s.compactions()).toMatchObject(made);
});

it.each([
  ['below it with the margin of 500', 79_400, 0],
  ['at it with the margin of 500', 79_600, 1],
])(
  'after tool results the estimate counts, with a safety margin: %s',
  { tags: ['C4'] },
  async (_what, tokens, count) => {
    const s = await grownSession({
      history: [user('go'), ...[...'abcdef'].map((name) => calls(['read_file', words(10_000, name)]))],
      settings,
      answers: [{ calls: [['read_file', { path: 'a.txt' }]] }],
      files: { 'a.txt': words(9_000) },
    });
    // The call, its result, and the message that asks for it.
    const coming = 9_000 + 50;
    await s.add(user(words(tokens - coming - s.size()), 'reminder'));
    await s.say();
    const before = s.compactions().map(({ trigger, tokensBefore }) => [trigger, tokensBefore < 80_000]);
    expect(before).toEqual(Array(count).fill(['precheck', true]));
    // The one request was below the trigger; the result that it asked for was not.
    expect(s.turns.requests).toHaveLength(2);
    const results = s.turns.requests[1]?.messages.filter(({ role }) => role === 'tool') ?? [];
    expect(results.filter(({ text }) => text.includes('tool result hidden'))).toHaveLength(count * 2);
  },
);

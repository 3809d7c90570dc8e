import { describe, expect, it } from 'vitest';
import { ModelError } from '../../../../src/core/errors.ts';
import { calls, compactionHarness, going, says, user, words } from '../../../support/compactionHarness.ts';

const round = (n: number) => [
  user(`question ${n} ${words(30)}`),
  calls(['read_file', words(100)]),
  says(`answer ${n}`),
];
const history = [1, 2, 3, 4].flatMap(round);
const settings = { strategy: 'round-summary', 'verify.enabled': false };

describe('round-summary', () => {
  it('P2: P7: keeps the last 2 rounds whole', async () => {
    const h = await compactionHarness({ history, settings, summaries: ['The user asked.'] });
    const before = h.view();
    await h.compactor.compact({ trigger: 'manual' }, going);
    expect(h.view()).toEqual(['user: The user asked.', ...before.slice(8)]);
  });

  it('P3: the summary is cut hard at 1000 characters', async () => {
    const h = await compactionHarness({ history, settings, summaries: ['x'.repeat(1_500)] });
    await h.compactor.compact({ trigger: 'manual' }, going);
    expect(h.view()[0]).toBe(`user: ${'x'.repeat(1_000)}`);
  });

  it('P3: C15: the cut spares the mark that counts how often notes were merged', async () => {
    const long = ['x'.repeat(1_500), 'y'.repeat(1_500)];
    const h = await compactionHarness({ history, settings, summaries: long });
    await h.compactor.compact({ trigger: 'manual' }, going);
    await h.add(...[5, 6].flatMap(round));
    await h.compactor.compact({ trigger: 'manual' }, going);
    const mark = '\n(These notes were merged 1 time.)';
    expect(h.view()[0]).toBe(`user: ${'y'.repeat(1_000 - mark.length)}${mark}`);
  });

  it('P5: rounds are counted once, and an earlier summary is none', async () => {
    const h = await compactionHarness({ history, settings, summaries: ['one', 'two'] });
    await h.compactor.compact({ trigger: 'manual' }, going);
    await h.add(...[5, 6].flatMap(round));
    await h.compactor.compact({ trigger: 'manual' }, going);
    const told = h.events.flatMap((event) => (event.type === 'contextCompacted' ? [event.roundsCompacted] : []));
    expect(told).toEqual([2, 2]);
  });

  it('P1: P8: fires when characters / 2 reach 0.8 of 80,000, before a message is added', async () => {
    // 127,984 characters and 4 for the message make 63,996: four tokens below, and that is what an empty one costs.
    const filler = [user('x'.repeat(127_984))];
    const h = await compactionHarness({ history: filler, settings, window: 200_000, consent: ['notNow', 'notNow'] });
    await h.compactor.beforeMessage(5_000, going);
    expect(h.asked).toEqual([]);
    await h.add(says(''));
    await h.compactor.beforeMessage(5_000, going);
    expect(h.asked).toHaveLength(1);
  });

  it.each([
    ['notNow', { kind: 'refused', choice: 'notNow' }],
    ['newSession', { kind: 'refused', choice: 'newSession' }],
    ['dropOldest', { kind: 'compacted', entry: { strategy: 'drop-oldest' } }],
    ['compact', { kind: 'compacted', entry: { strategy: 'round-summary' } }],
  ] as const)('P4: asks before compacting with the numbers; the answer %s is obeyed', async (answer, expected) => {
    const lines = [1, 2, 3].flatMap((n) => [user(`q${n}`), says(words(2_000)), says('done')]);
    const h = await compactionHarness({
      history: lines,
      settings,
      window: 6_000,
      summaries: Array(9).fill('sum'),
      consent: [answer],
    });
    // 5 characters a word, 4 for each of nine messages.
    const halfCharacters = 3 * (1 + (2_000 * 5 - 1 - 1) / 2 + 2) + 9 * 4;
    expect(await h.compactor.beforeCall(going)).toMatchObject(expected);
    expect(h.figures).toEqual([{ tokens: halfCharacters, window: 6_000, ownCount: true }]);
  });

  it('P5: tells messages, summary, tokens before and after, rounds compacted and the saved ratio', async () => {
    const h = await compactionHarness({ history, settings, summaries: ['The user asked.'] });
    await h.compactor.compact({ trigger: 'manual' }, going);
    const told = h.events.find((event) => event.type === 'contextCompacted');
    expect(told).toMatchObject({ summary: 'The user asked.', roundsCompacted: 2 });
    if (told?.type !== 'contextCompacted') throw new Error('not told');
    expect(told.savedRatio).toBeCloseTo(1 - told.tokensAfter / told.tokensBefore);
  });

  it('P4: P8: P9: the question has the figures that are compared, and the mark stands where they fire', async () => {
    const h = await compactionHarness({
      history: [user('q1'), says('a'.repeat(63_000)), user('q2'), says('b'.repeat(64_000))],
      settings: { strategy: 'round-summary' },
      window: 200_000,
      consent: ['notNow'],
    });
    const compared = 4 * 4 + 1 + 31_500 + 1 + 32_000;
    const { reading, mark } = h.compactor;
    expect(mark?.counted).toEqual({ tokens: compared, limit: 64_000 });
    // In the meter's own tokens: as far above the reading as 64,000 is above what is compared.
    expect((mark?.at ?? 0) / reading.tokens).toBeCloseTo(64_000 / compared, 3);
    await h.compactor.beforeMessage(10, going);
    expect(h.figures).toEqual([]);
    await h.add(says('c'.repeat(1_000)));
    await h.compactor.beforeMessage(10, going);
    expect(h.figures).toEqual([{ tokens: compared + 504, window: 80_000, ownCount: true }]);
  });

  it('P4: what the window cannot hold is asked about with the window', async () => {
    // Chinese is more tokens than characters / 2.
    const history = [user('q1'), says('修复了重试测试，时钟只读取一次。'.repeat(700)), user('q2')];
    const h = await compactionHarness({ history, settings: { strategy: 'round-summary' }, consent: ['notNow'] });
    const { tokens } = h.compactor.reading;
    expect(h.compactor.mark?.counted?.tokens).toBeLessThan(8_000);
    await h.compactor.beforeCall(going);
    expect(h.figures).toEqual([{ tokens, window: 10_000, ownCount: false }]);
  });

  it('P9: the estimator for mixed text can be chosen, and the ratio may be 1', async () => {
    const settings = {
      strategy: 'round-summary',
      'roundSummary.triggerBasis': 'mixedText',
      'roundSummary.triggerRatio': 1,
    };
    // 40,000 Chinese characters are 60,000; 15,374 words are 19,986.
    const history = [user('修'.repeat(40_000)), says(words(15_374))];
    const h = await compactionHarness({ history, settings, window: 200_000, consent: ['notNow'] });
    expect(h.compactor.mark?.counted).toEqual({ tokens: 79_994, limit: 80_000 });
    await h.compactor.beforeMessage(10, going);
    expect(h.asked).toEqual([]);
    await h.add(says('ok, then'));
    await h.compactor.beforeMessage(10, going);
    expect(h.figures).toEqual([{ tokens: 80_001, window: 80_000, ownCount: true }]);
  });

  /** Two rounds of text, above 64,000 by characters / 2 and far from what the window cannot hold. */
  const twoRounds = [user('q1'), says('a'.repeat(70_000)), user('q2'), says('b'.repeat(70_000))];

  it('P6: P7: when everything lies in the last 2 rounds it keeps less', async () => {
    const h = await compactionHarness({
      history: twoRounds,
      settings: { strategy: 'round-summary' },
      window: 200_000,
      summaries: ['The user asked.'],
      consent: ['compact'],
    });
    const before = h.view();
    expect(await h.compactor.beforeMessage(10, going)).toMatchObject({
      kind: 'compacted',
      entry: { strategy: 'round-summary', attempt: 2 },
    });
    expect(h.view()[0]).toMatch(/^user: The user asked\./);
    expect(h.view().slice(1)).toEqual(before.slice(2));
  });

  it('P6: P7: one long round goes too, except for what the user asked', async () => {
    const h = await compactionHarness({
      history: [user('q1'), ...Array.from({ length: 3 }, () => calls(['read_file', 'x'.repeat(50_000)])), says('done')],
      settings: { strategy: 'round-summary' },
      window: 200_000,
      summaries: ['The user asked.'],
      consent: ['compact'],
    });
    expect(await h.compactor.beforeMessage(10, going)).toMatchObject({ kind: 'compacted' });
    expect(h.view()).toEqual([expect.stringMatching(/^user: The user asked\./), 'user: q1']);
  });

  it('P6: P7: when nothing can go it says so and offers a new session, and does not ask again at each message', async () => {
    const h = await compactionHarness({
      history: [user('x'.repeat(130_000))],
      settings: { strategy: 'round-summary' },
      window: 200_000,
      consent: ['compact', 'compact'],
    });
    for (let i = 0; i < 3; i++) {
      h.compactor.beginTurn();
      expect(await h.compactor.beforeMessage(10, going)).toMatchObject({ kind: 'none' });
      await h.compactor.beforeCall(going);
      await h.add(user('and?'));
    }
    expect(h.asked).toHaveLength(1);
    const notes = h.journal.entries.flatMap((entry) => (entry.type === 'note' ? [entry] : []));
    expect(notes).toMatchObject([
      { text: expect.stringMatching(/^There is nothing to compact/), action: 'newSession' },
    ]);
    // Grown by holdGrowth, 5 % of the window, it is worth another question.
    await h.add(says(words(10_000)));
    await h.compactor.beforeCall(going);
    expect(h.asked).toHaveLength(2);
  });

  it('P7: the same holds when a compaction was made and the trigger would still fire', async () => {
    const h = await compactionHarness({
      history: [user('q0'), says('o'), user('x'.repeat(130_000)), says('p')],
      settings: { strategy: 'round-summary' },
      window: 200_000,
      summaries: Array(9).fill('The user asked.'),
      consent: ['compact', 'compact'],
    });
    for (let i = 0; i < 3; i++) {
      h.compactor.beginTurn();
      await h.compactor.beforeMessage(10, going);
    }
    expect(h.asked).toHaveLength(1);
  });

  it.each([
    ['the summary fails', 0],
    ['it cools down', 2],
  ])('P2: below the hard limit nothing else touches the last 2 rounds when %s', async (_when, failures) => {
    const error = new ModelError('auth', 'The key was refused.');
    const results = Array.from({ length: 6 }, () => calls(['read_file', 'x'.repeat(20_000)]));
    const h = await compactionHarness({
      history: [user('q0'), says('old'), user('q1'), ...results, says('a1'), user('q2'), ...results, says('a2')],
      settings: { strategy: 'round-summary', 'roundSummary.requireConfirmation': false },
      window: 200_000,
      summaries: Array(9).fill({ error }),
    });
    for (let i = 0; i < failures; i++) await h.compactor.compact({ trigger: 'manual' }, going);
    const before = h.view();
    await h.compactor.beforeCall(going);
    expect(h.view().slice(-28)).toEqual(before.slice(-28));
    // What the window cannot hold goes all the same.
    h.setWindow(30_000);
    h.compactor.beginTurn();
    expect(await h.compactor.beforeCall(going)).toMatchObject({ kind: 'compacted' });
    expect(h.compactor.reading.tokens).toBeLessThan(28_000);
  });

  it('P6: still over, it compacts again keeping less', async () => {
    const lines = [1, 2, 3].flatMap((n) => [user(`q${n}`), says(words(3_000)), says('done')]);
    const h = await compactionHarness({
      history: lines,
      settings: { ...settings, requireConfirmation: false },
      window: 7_000,
      summaries: ['first try', 'second try', 'second try, merged'],
    });
    expect(await h.compactor.beforeCall(going)).toMatchObject({ kind: 'compacted', entry: { attempt: 2 } });
    expect(h.view()[0]).toBe('user: second try, merged');
    expect(h.view()).toHaveLength(4);
  });
});

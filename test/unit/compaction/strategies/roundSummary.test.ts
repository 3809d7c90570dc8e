import { describe, expect, it } from 'vitest';
import { givenSettings } from '../../../../src/core/compaction/settings/givenSettings.ts';
import { publicEventOf } from '../../../../src/core/compaction/signals/publicEvents.ts';
import type { Message } from '../../../../src/core/context/message.ts';
import { ModelError } from '../../../../src/core/errors.ts';
import { eventRow } from '../../../../src/core/transcript/eventRow.ts';
import { NOTHING_LIVE } from '../../../../src/core/transcript/liveTurn.ts';
import { Transcript } from '../../../../src/core/transcript/transcript.ts';
import { inEnglish } from '../../../../src/core/words.ts';
import { calls, going, says, user, words } from '../../../support/compactionHarness.ts';
import { type GrownSession, grownSession } from '../../../support/grownSession.ts';

type Options = Parameters<typeof grownSession>[0];

/** Nothing is set but the strategy: it fires at 64,000, counted as characters / 2, and asks first. */
const grow = ({ settings, ...more }: Options) =>
  grownSession({ window: 200_000, settings: { strategy: 'round-summary', ...settings }, ...more });

/** By the documented rule, and not by the product's code. */
const halfCharacters = (messages: readonly Message[]) =>
  messages.reduce((sum, message) => {
    const sent = message.role === 'assistant' ? (message.toolCalls ?? []).map((call) => call.arguments).join('') : '';
    return sum + 4 + Math.floor((message.text.length + sent.length) / 2);
  }, 0);

/** Some 33,000 characters. */
const round = (n: number) => [
  user(`question ${n} ${words(30)}`),
  calls(['read_file', words(6_600)]),
  says(`answer ${n}`),
];
const history = [1, 2, 3, 4].flatMap(round);

/** The summary that the model sees; the ledger stands beside it. */
const summaryOf = (s: GrownSession) => s.view()[0];

const notesOf = (s: GrownSession) => s.agent.journal.entries.flatMap((entry) => (entry.type === 'note' ? [entry] : []));

describe('round-summary', () => {
  it('asks, and keeps the last 2 rounds whole', { tags: ['P2', 'P7'] }, async () => {
    const s = await grow({ history, summaries: ['The user asked.'], consent: ['compact'] });
    const before = s.view();
    expect(await s.say()).toEqual({ kind: 'done' });
    expect(s.compactions()).toMatchObject([{ strategy: 'round-summary', trigger: 'precheck', attempt: 1 }]);
    expect(summaryOf(s)).toBe('user: The user asked.');
    expect(s.view().slice(2)).toEqual([...before.slice(8), 'user: go on', 'assistant: ok']);
  });

  it('the system prompt and the tools stay whole', { tags: ['P2'] }, async () => {
    const s = await grow({ history, summaries: ['The user asked.'], consent: ['notNow', 'compact'] });
    await s.say();
    await s.add(says(words(12_000)));
    await s.say();
    expect(s.compactions()).toHaveLength(1);
    const [before, after] = s.turns.requests;
    expect(after?.messages[0]).toEqual(before?.messages[0]);
    expect(before?.messages[0]?.role).toBe('system');
    expect(after?.tools).toEqual(before?.tools);
    expect(after?.tools.length).toBeGreaterThan(5);
  });

  it('the summary is asked for in the third person and in the characters that it may have, and cut there', {
    tags: ['P3'],
  }, async () => {
    const sentences = Array.from({ length: 80 }, (_, i) => `The user asked for part ${i}.`).join(' ');
    const s = await grow({ history, summaries: [sentences], consent: ['compact'] });
    await s.say();
    const asked = s.summariser.requests[0]?.messages.at(-1)?.text;
    expect(asked).toMatch(/at most 1,000 characters[\s\S]*third person/);
    expect(asked).not.toContain('500 words');
    const kept = `${sentences.slice(0, sentences.lastIndexOf('.', 978) + 1)}\n(The rest was cut.)`;
    expect(summaryOf(s)).toBe(`user: ${kept}`);
    expect(kept.length).toBeLessThanOrEqual(1_000);
    expect(kept.length).toBeGreaterThan(960);
    // The ledger is no part of it: the model reads it as notes of their own, and the row tells the two apart.
    const [, summary = '', ledger = ''] = s.turns.requests[0]?.messages.map(({ text }) => text) ?? [];
    expect(summary).toContain(`\n\n${kept}\n</context-notes>`);
    expect(ledger).toMatch(/<context-notes>\n[\s\S]*\n\nLedger [\s\S]*- asked: question 1/);
    const [entry] = s.compactions();
    if (!entry) throw new Error('nothing was compacted');
    const row = eventRow('r', entry, {
      activeCompaction: () => entry,
      activeCompactions: [entry],
      undoneCompactions: [],
      isPinned: () => false,
      slot: () => null,
    });
    expect(row).toMatchObject({
      summary: kept,
      fates: [{ fate: 'inLines' }, { fate: 'read', messages: 6, inPart: 0 }],
    });
    expect(row.type === 'compaction' && row.repairs.map(inEnglish)).toEqual([
      `The summary was cut to ${kept.length} characters; ${(sentences.length - kept.length + 20).toLocaleString('en-US')} more were left out.`,
    ]);
    expect(row.type === 'compaction' && row.ledger.map(inEnglish)).toContainEqual(
      expect.stringContaining('question 1'),
    );
    expect(s.events.find(({ type }) => type === 'contextCompacted')).toMatchObject({ summary: kept });
  });

  it('the cut spares the mark that counts how often notes were merged', { tags: ['P3', 'C15'] }, async () => {
    const summaries = ['x'.repeat(1_500), 'y'.repeat(1_500)];
    const s = await grow({ history, summaries, consent: ['compact', 'compact'] });
    await s.say();
    await s.add(...[5, 6].flatMap(round));
    await s.say();
    const mark = '\n(The rest was cut.)\n(These notes were merged 1 time.)';
    expect(summaryOf(s)).toBe(`user: ${'y'.repeat(1_000 - mark.length)}${mark}`);
  });

  it('tells the summary, tokens before and after, rounds compacted and the saved ratio, once for each round', {
    tags: ['P5'],
  }, async () => {
    const s = await grow({ history, summaries: ['one', 'two'], consent: ['compact', 'compact'] });
    await s.say();
    await s.add(...[5, 6].flatMap(round));
    await s.say();
    const told = s.events.flatMap((event) => (event.type === 'contextCompacted' ? [event] : []));
    // First rounds 1 and 2 of 4; then 3, 4 and "go on" of 3 to 6: the summary is no round.
    expect(told.map(({ roundsCompacted }) => roundsCompacted)).toEqual([2, 3]);
    // So in the row, which lasts, and for other extensions.
    const heard = s.events
      .flatMap((signal) => publicEventOf(signal) ?? [])
      .flatMap(({ of, event }) => (of === 'end' ? event : []));
    expect(heard.map(({ roundsCompacted }) => roundsCompacted)).toEqual([2, 3]);
    const { journal } = s.agent;
    const { rows } = Transcript.of(journal.path()).rows(journal.context, NOTHING_LIVE, null, 100);
    expect(rows.flatMap((row) => (row.type === 'compaction' ? [row.rounds] : []))).toEqual([2, 3]);
    for (const [i, { tokensBefore, tokensAfter }] of s.compactions().entries()) {
      expect(told[i]).toMatchObject({ tokensBefore, tokensAfter });
      expect(told[i]?.summary).toMatch(i ? /^two/ : /^one/);
      expect(told[i]?.savedRatio).toBeCloseTo(1 - tokensAfter / tokensBefore, 10);
      expect(tokensAfter).toBeLessThan(tokensBefore / 1.5);
    }
  });

  it.each([
    // "hi" and its answer have 5 each, and are looked at once they are there.
    ['63,989', 63_989, []],
    ['63,990, with the answer', 63_990, [64_000]],
    ['63,995, with the message', 63_995, [64_000]],
    ['64,000, before the message', 64_000, [64_000]],
    ['64,001, before the message', 64_001, [64_001]],
  ])('characters / 2 fire at 0.8 of 80,000: %s', { tags: ['P1', 'P8'] }, async (_what, there, asked) => {
    const history = [user('q'), says('ab '.repeat(there).slice(0, 2 * (there - 8)))];
    const s = await grow({ history, consent: ['notNow'] });
    await s.say('hi');
    expect(s.figures.map(({ tokens }) => tokens)).toEqual(asked);
  });

  it.each([
    ['notNow', [], { kind: 'done' }],
    ['newSession', [], { kind: 'newSession' }],
    ['dropOldest', [{ strategy: 'drop-oldest' }], { kind: 'done' }],
    ['compact', [{ strategy: 'round-summary' }], { kind: 'done' }],
  ] as const)(
    'asks with half the characters against 80,000; the answer %s is obeyed',
    { tags: ['P4'] },
    async (answer, made, outcome) => {
      const s = await grow({ history, summaries: ['sum'], consent: [answer] });
      const before = s.view();
      expect(await s.say()).toEqual(outcome);
      const tokens = halfCharacters(history.flat());
      expect(tokens).toBeGreaterThan(64_000);
      expect(s.figures).toEqual([{ tokens, window: 80_000, ownCount: true }]);
      expect(s.compactions()).toMatchObject(made);
      if (answer === 'notNow') expect(s.view()).toEqual([...before, 'user: go on', 'assistant: ok']);
      if (answer === 'newSession') expect(s.view()).toEqual(before);
    },
  );

  it('question, outlook and note have one unit, and the next question comes at about the figure of the note', {
    tags: ['P4', 'P9'],
  }, async () => {
    const s = await grow({ history, consent: ['notNow', 'notNow'] });
    await s.say();
    const tokens = halfCharacters(history.flat());
    const [outlook] = s.outlooks;
    // Dropping aims at half of 80,000 in that unit, and far less in tokens.
    expect(outlook?.dropOldest?.tokens).toBeGreaterThan(30_000);
    expect(outlook?.dropOldest?.tokens).toBeLessThan(tokens);
    const note = s.agent.journal.entries.findLast((entry) => entry.type === 'note');
    const said = note?.type === 'note' ? note.text : '';
    expect(said).toMatch(/by this strategy’s own count\.$/);
    const at = Number(/about ([\d,]+) tokens/.exec(said)?.[1]?.replaceAll(',', ''));
    // 5 % of 80,000.
    expect(at).toBeGreaterThan(tokens + 3_800);
    expect(at).toBeLessThan(tokens + 4_200);
    const grown = () => halfCharacters(s.agent.journal.context.conversation.map(({ message }) => message));
    for (let i = 0; i < 60 && s.figures.length < 2; i++) {
      await s.add(says(words(400)));
      await s.say();
    }
    expect(s.figures[1]?.tokens).toBeLessThanOrEqual(grown());
    expect((s.figures[1]?.tokens ?? 0) / at).toBeCloseTo(1, 1);
  });

  it('the mark stands where the figures of the question fire', { tags: ['P4', 'P8', 'P9'] }, async () => {
    const s = await grow({ history: [user('q1'), says('a'.repeat(63_000)), user('q2'), says('b'.repeat(64_000))] });
    const compared = 4 * 4 + 1 + 31_500 + 1 + 32_000;
    const { reading, mark } = s.agent.compactor.gauge;
    expect(mark?.counted).toEqual({ tokens: compared, limit: 64_000 });
    // In the meter's own tokens: as far above the reading as 64,000 is above what is compared.
    expect((mark?.at ?? 0) / reading.tokens).toBeCloseTo(64_000 / compared, 3);
  });

  it('what the window cannot hold is asked about with the window', { tags: ['P4'] }, async () => {
    // Chinese is more tokens than characters / 2.
    const text = '修复了重试测试，时钟只读取一次。'.repeat(700);
    const s = await grow({ history: [user('q1'), says(text), user('q2')], window: 10_000, consent: ['notNow'] });
    await s.say('hi');
    expect(s.figures).toEqual([{ tokens: expect.any(Number), window: 10_000, ownCount: false }]);
    expect(s.figures[0]?.tokens).toBeGreaterThan(10_000);
  });

  it('the estimator for mixed text can be chosen, and the ratio may be 1', { tags: ['P9'] }, async () => {
    const settings = { 'roundSummary.triggerBasis': 'mixedText', 'roundSummary.triggerRatio': 1 };
    // 40,000 Chinese characters are 60,000; 15,374 words are 19,986.
    const history = [user('修'.repeat(40_000)), says(words(15_374))];
    const s = await grow({ history, settings, consent: ['notNow'] });
    expect(s.agent.compactor.gauge.mark?.counted).toEqual({ tokens: 79_994, limit: 80_000 });
    // A word and its message are 5: 79,999 before the call, and with the answer enough.
    await s.say('ok');
    expect(s.figures).toEqual([{ tokens: 80_004, window: 80_000, ownCount: true }]);
  });

  it('still over, it compacts again keeping less', { tags: ['P6'] }, async () => {
    const lines = [1, 2, 3].flatMap((n) => [user(`q${n}`), says('x'.repeat(70_000)), says('done')]);
    const s = await grow({
      history: lines,
      summaries: ['The user asked.', 'of a part', 'of all'],
      consent: ['compact'],
    });
    await s.say();
    expect(s.compactions()).toMatchObject([{ strategy: 'round-summary', attempt: 2 }]);
    // What two rounds would leave is known before a model is asked.
    expect(s.summariser.requests).toHaveLength(1);
    expect(summaryOf(s)).toBe('user: The user asked.');
    expect(
      s
        .view()
        .slice(2)
        .map((line) => line.slice(0, 12)),
    ).toEqual(['user: q3', 'assistant: x', 'assistant: d', 'user: go on', 'assistant: o']);
  });

  it('when everything lies in the last 2 rounds it keeps less', { tags: ['P6', 'P7'] }, async () => {
    const twoRounds = [user('q1'), says(words(14_000, 'aaaa')), user('q2'), says(words(14_000, 'bbbb'))];
    const s = await grow({ history: twoRounds, summaries: ['The user asked.'], consent: ['compact'] });
    const before = s.view();
    await s.say();
    expect(s.compactions()).toMatchObject([{ strategy: 'round-summary', attempt: 2 }]);
    expect(summaryOf(s)).toBe('user: The user asked.');
    expect(s.view().slice(2, -2)).toEqual(before.slice(2));
  });

  it('one long round goes too, except for what the user asked', { tags: ['P6', 'P7'] }, async () => {
    const s = await grow({
      history: [user('q1'), ...Array.from({ length: 3 }, () => calls(['read_file', 'x'.repeat(50_000)])), says('done')],
      summaries: ['The user asked.'],
      consent: ['compact'],
    });
    await s.say();
    expect(summaryOf(s)).toBe('user: The user asked.');
    expect(s.view().slice(1, -2)).toEqual(['user: q1']);
  });

  /** So many tokens that may go, beside a pinned message that is above the trigger alone. */
  async function beside(movable: number) {
    const s = await grow({
      history: [user('x'.repeat(130_000)), says(words(movable))],
      consent: ['compact', 'compact'],
      summaries: ['sum'],
    });
    const [first] = s.agent.journal.context.conversation;
    await s.agent.journal.append({ type: 'pinned', ids: [first?.id ?? ''] });
    return s;
  }

  /** What a compaction should free: 5 % of 80,000, in tokens. */
  const gainIn = (s: GrownSession) =>
    Math.round(s.agent.compactor.gauge.growth(givenSettings({ strategy: 'round-summary' }).trigger));

  it('when nothing can go nobody is asked, and no model', { tags: ['P6', 'P7'] }, async () => {
    const s = await beside(1);
    const gain = gainIn(s);
    await s.add(says(words(gain - 200)));
    for (let i = 0; i < 3; i++) expect(await s.say('and?')).toEqual({ kind: 'done' });
    expect([s.figures, s.compactions(), s.summariser.requests, notesOf(s)]).toEqual([[], [], [], []]);
    await s.add(says(words(2_000)));
    await s.say();
    expect([s.figures.length, s.compactions().length]).toEqual([1, 1]);
  });

  it('where a summary would free next to nothing it says so and offers a new session, and asks no model', {
    tags: ['P6', 'P7'],
  }, async () => {
    const s = await beside(1);
    const gain = gainIn(s);
    // Without the 600 of the summary itself it would free less.
    await s.add(says(words(gain + 200)));
    for (let i = 0; i < 3; i++) expect(await s.say('and?')).toEqual({ kind: 'done' });
    expect([s.figures.length, s.compactions().length, s.summariser.requests.length]).toEqual([1, 0, 0]);
    expect(notesOf(s)).toMatchObject([{ text: expect.stringMatching(/^Nothing was compacted/), action: 'newSession' }]);
    // Grown by as much it is worth another question.
    await s.add(says(words(gain)));
    await s.say();
    expect([s.figures.length, s.compactions().length, s.summariser.requests.length]).toEqual([2, 1, 1]);
  });

  it('what frees much and is still too much is made once, and a new session is offered', {
    tags: ['P6', 'P7'],
  }, async () => {
    const s = await grow({
      history: [user('q0'), says(words(26_000)), user(words(26_000))],
      summaries: Array(9).fill('The user asked.'),
      consent: ['compact', 'compact'],
    });
    for (let i = 0; i < 3; i++) await s.say('and?');
    expect([s.figures.length, s.compactions().length]).toEqual([1, 1]);
    expect(notesOf(s)).toMatchObject([{ text: expect.stringMatching(/^The context is still/), action: 'newSession' }]);
  });

  it('a result that would not be smaller is not paid for: it keeps less at once', { tags: ['P6'] }, async () => {
    // Two rounds fill nearly all of it; before them stands less than a summary takes.
    const s = await grow({
      history: [user('q0'), says('old'), user('q1'), says('x'.repeat(148_000)), user('q2')],
      summaries: Array(9).fill('y'.repeat(1_000)),
      consent: Array(9).fill('compact'),
    });
    for (let i = 0; i < 3; i++) await s.say(`and ${i}?`);
    expect([s.figures.length, s.summariser.requests.length, s.failures().length]).toEqual([1, 1, 0]);
    expect(s.compactions()).toMatchObject([{ strategy: 'round-summary', attempt: 2 }]);
    expect(s.agent.compactor.gauge.reading.tokens).toBeLessThan(10_000);
  });

  it('in the middle of a turn it keeps less until it fits, and not only as little as leaves something to summarise', {
    tags: ['P6'],
  }, async () => {
    const file = Array.from({ length: 2_000 }, (_, i) => `line ${i} of the file`).join('\n');
    const files = Object.fromEntries(Array.from({ length: 4 }, (_, i) => [`f${i}.txt`, file]));
    const s = await grow({
      history: [user('q0'), says(words(200)), user('q1'), says(words(200))],
      files,
      answers: Object.keys(files).map((path) => ({ calls: [['read_file', { path }]] })),
      summaries: Array(9).fill('The user asked.'),
      consent: Array(9).fill('compact'),
    });
    expect(await s.say('Read all four.')).toEqual({ kind: 'done' });
    expect(s.figures).toHaveLength(1);
    const [made] = s.compactions();
    expect(made).toMatchObject({ strategy: 'round-summary', attempt: 2 });
    expect(made?.tokensAfter).toBeLessThan((made?.tokensBefore ?? 0) / 2);
    expect(s.view()).toContain('user: Read all four.');
  });

  it.each([
    ['the summary fails', 0],
    ['it cools down', 2],
  ])(
    'below the hard limit nothing else touches the last 2 rounds when %s',
    { tags: ['P2'] },
    async (_when, failures) => {
      const error = new ModelError('auth', 'The key was refused.');
      const results = Array.from({ length: 6 }, () => calls(['read_file', 'x'.repeat(20_000)]));
      const s = await grow({
        history: [user('q0'), says('old'), user('q1'), ...results, says('a1'), user('q2'), ...results, says('a2')],
        summaries: Array(9).fill({ error }),
        consent: Array(9).fill('compact'),
      });
      for (let i = 0; i < failures; i++) await s.agent.compactor.compact({ trigger: 'manual' }, going);
      const before = s.view();
      await s.say();
      expect(s.failures().length).toBeGreaterThan(0);
      expect(s.view().slice(-30, -2)).toEqual(before.slice(-28));
      // What the window cannot hold goes all the same.
      s.setWindow(30_000);
      await s.say();
      expect(s.compactions().length).toBeGreaterThan(0);
      expect(s.agent.compactor.gauge.reading.tokens).toBeLessThan(28_000);
    },
  );
});

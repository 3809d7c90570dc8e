import { describe, expect, it } from 'vitest';
import { calls, type Line, says, user, words } from '../../../support/compactionHarness.ts';
import { type GrownSession, grownSession } from '../../../support/grownSession.ts';

const reads = (names: string, tokens: number) => [...names].map((name) => calls(['read_file', words(tokens, name)]));

/** A turn of the agent after `history`; the default trigger is at 80,000 of the window of 100,000. */
async function grow(history: readonly Line[], settings: Readonly<Record<string, unknown>> = {}): Promise<GrownSession> {
  const s = await grownSession({
    history: [user('go'), ...history],
    settings: { strategy: 'hiding-then-summary', ...settings },
    summaries: ['the notes'],
  });
  expect(await s.say()).toEqual({ kind: 'done' });
  return s;
}

/** `1` for a shown result, `.` for a hidden one, in order. */
const shown = ({ agent }: GrownSession) =>
  agent.journal.context.conversation
    .flatMap(({ kind, hidden }) => (kind === 'toolResult' ? [hidden ? '.' : '1'] : []))
    .join('');

describe('hiding-then-summary', () => {
  it('hides all but the newest 5 groups and asks no model while there is something to hide', {
    tags: ['K6', 'K5'],
  }, async () => {
    const s = await grow(reads('abcdefg', 12_000));
    expect([shown(s), s.summariser.requests]).toEqual(['..11111', []]);
    expect(s.compactions()).toMatchObject([{ strategy: 'hiding-then-summary', trigger: 'precheck', attempt: 1 }]);
  });

  it('when there is nothing left to hide the summary follows at once', { tags: ['K6'] }, async () => {
    const s = await grow(reads('abcde', 17_000));
    expect(s.compactions()).toMatchObject([{ strategy: 'hiding-then-summary', trigger: 'precheck', attempt: 1 }]);
    expect(s.view()[0]).toMatch(/^user: the notes$/);
    expect(
      s
        .view()
        .slice(1, -2)
        .map((line) => line.slice(0, 7)),
    ).toEqual(['user: g', 'assista', 'tool: d', 'assista', 'tool: e']);
  });

  it('the summary of a later turn names what was hidden before, so that it can be recalled', {
    tags: ['K6', 'C10'],
  }, async () => {
    const s = await grow(reads('abcdef', 14_000));
    expect(shown(s)).toBe('.11111');
    // The five that are shown are still too much, and the hidden one cannot be hidden again.
    await s.add(says(words(12_000)));
    await s.say('and on');
    expect(s.summariser.requests).toHaveLength(1);
    expect(s.view()[0]).toBe('user: the notes');
    expect(s.view()[1]).toMatch(/^user: Ledger[\s\S]*- can be recalled: m\d+ \(read_file\)/);
  });

  it('with minimumReclaim 0 any gain counts; a larger one sends a small gain to the summary', {
    tags: ['K6'],
  }, async () => {
    const history = reads('abcdef', 14_000);
    expect((await grow(history)).summariser.requests).toEqual([]);
    const s = await grow(history, { 'hidingThenSummary.minimumReclaim': 20_000 });
    expect(s.view()[0]).toMatch(/^user: the notes/);
  });

  it.each([
    ['just minimumReclaim is enough', 14_004, 0],
    ['one token less is not', 14_005, 1],
  ])('a gain of %s', { tags: ['K6'] }, async (_gain, minimumReclaim, asked) => {
    // The result that goes has 14,000 words and 4 tokens of framing.
    const s = await grow(reads('abcdef', 14_000), { 'hidingThenSummary.minimumReclaim': minimumReclaim });
    expect(s.summariser.requests).toHaveLength(asked);
  });

  /** Some 91,000 tokens, of which hiding takes some 5,500: above the trigger, below what the window cannot hold. */
  const full = [says(words(56_000)), ...reads('abcdef', 5_500)];

  it('what hiding left is not measured again', { tags: ['K6'] }, async () => {
    const s = await grow(full);
    expect([shown(s), s.summariser.requests]).toEqual(['.11111', []]);
    expect(s.compactions()).toMatchObject([{ attempt: 1 }]);
    expect(s.compactions()[0]?.tokensAfter).toBeGreaterThan(80_000);
  });

  it('what would free too little waits until more can be hidden, as long as the window holds it', {
    tags: ['K6', 'P6'],
  }, async () => {
    const s = await grow([says(words(77_000)), ...reads('abcdef', 1_000)]);
    expect([shown(s), s.compactions(), s.summariser.requests]).toEqual(['111111', [], []]);
    await s.add(...reads('ghijkl', 1_000));
    await s.say('and on');
    expect([shown(s), s.summariser.requests]).toEqual(['.......11111', []]);
    expect(s.compactions()).toMatchObject([{ strategy: 'hiding-then-summary', attempt: 1 }]);
  });

  it('it can be measured again, and the summary follows at once', { tags: ['K6'] }, async () => {
    const s = await grow(full, { 'hidingThenSummary.remeasure': true });
    expect(s.compactions()).toMatchObject([{ attempt: 2 }]);
    expect(s.summariser.requests).toHaveLength(1);
  });

  it('what the window cannot hold after hiding is summarised at once', { tags: ['K6'] }, async () => {
    const s = await grow([says(words(98_000)), ...reads('abcdef', 120)]);
    expect(s.compactions()).toMatchObject([{ attempt: 2 }]);
    expect(s.view()[0]).toMatch(/^user: the notes/);
    // Half of the two messages, with its block; what the person asked stays.
    expect(s.view().slice(1, -2)).toEqual(['user: go', 'assistant: ', `tool: ${words(120, 'f')}`]);
  });
});

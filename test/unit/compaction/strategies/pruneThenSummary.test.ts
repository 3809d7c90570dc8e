import { describe, expect, it } from 'vitest';
import { ModelError } from '../../../../src/core/errors.ts';
import { calls, going, type Line, looks, says, settingsOf, user, words } from '../../../support/compactionHarness.ts';
import { type GrownSession, grownSession } from '../../../support/grownSession.ts';

/** A result of 10,000 tokens, the message's own 4 included. */
const output = (tool = 'read_file', tokens = 9_996) => calls([tool, words(tokens, 'w')]);
const outputs = (n: number) => Array.from({ length: n }, () => output());
const text = (tokens: number) => says(words(tokens - 4));
/** The turn of the test is the second of the two that are not pruned. */
const newer = [user('q2'), says('a2')];

type Options = Partial<Parameters<typeof grownSession>[0]>;

/** Nothing is set but the strategy. What is reported fires it, above 70,000 of the window of 100,000. */
const grow = (history: readonly Line[], { settings, ...more }: Options = {}) =>
  grownSession({
    history: [user('q1'), ...history],
    settings: { strategy: 'prune-then-summary', ...settings },
    summaries: Array(9).fill('notes'),
    ...more,
  });

/** `.` for pruned, `1` for shown, oldest first. */
const shown = ({ agent }: GrownSession) =>
  agent.journal.context.conversation
    .flatMap(({ kind, hidden }) => (kind === 'toolResult' ? [hidden ? '.' : '1'] : []))
    .join('');

/** What one turn of the agent leaves of the results, by pruning alone. */
async function prune(history: readonly Line[], settings = {}): Promise<string> {
  const s = await grow(history, { settings });
  expect(await s.say()).toEqual({ kind: 'done' });
  expect(s.compactions()).toMatchObject([{ strategy: 'prune-then-summary', trigger: 'threshold', attempt: 1 }]);
  expect(s.summariser.requests).toEqual([]);
  return shown(s);
}

const isSummarised = (s: GrownSession) => s.view()[0]?.startsWith('user: notes') ?? false;

describe('prune-then-summary', () => {
  it('keeps the newest 40,000 tokens of tool output, and asks no model when that is enough', {
    tags: ['N2', 'N4'],
  }, async () => {
    expect(await prune([...outputs(7), ...newer])).toBe('...1111');
  });

  it('prunes only when more than 20,000 tokens would go', { tags: ['N2'] }, async () => {
    // Exactly 20,000 would go: not more, so pruning does nothing and the summary is asked for.
    const s = await grow([text(10_000), ...outputs(6), ...newer]);
    await s.say();
    expect(isSummarised(s)).toBe(true);
  });

  it('20,001 tokens are more than 20,000, and 40,001 more than 40,000', { tags: ['N2'] }, async () => {
    const over = (tokens: number) => output('read_file', tokens - 4);
    const filler = text(10_000);
    expect(await prune([filler, ...[10_001, 10_000].map(over), ...outputs(4), ...newer])).toBe('..1111');
    // What makes it 40,001 goes itself.
    expect(await prune([filler, ...outputs(5), over(10_001), ...newer])).toBe('...111');
  });

  it('skips the newest 2 turns', { tags: ['N2'] }, async () => {
    const history = [...outputs(7), user('q2'), ...outputs(2)];
    expect(await prune(history)).toBe('...111111');
    expect(await prune(history, { 'pruneThenSummary.protectTurns': 1 })).toBe('.....1111');
  });

  it.each(['skill', 'task'])('the output of %s is never pruned and does not count', { tags: ['N2'] }, async (tool) => {
    expect(await prune([output(tool), ...outputs(7), ...newer])).toBe('1...1111');
    expect(await prune([...outputs(4), output(tool), ...outputs(3), ...newer])).toBe('...11111');
  });

  it('a pinned result stays and does not count', { tags: ['N2'] }, async () => {
    const s = await grow([...outputs(8), ...newer]);
    const results = s.agent.journal.context.conversation.filter(({ kind }) => kind === 'toolResult');
    await s.agent.journal.append({ type: 'pinned', ids: [results[6]?.id ?? ''] });
    await s.say();
    expect(shown(s)).toBe('...11111');
  });

  it('stops at what was pruned already', { tags: ['N2'] }, async () => {
    const s = await grow([...outputs(7), ...newer]);
    await s.say();
    expect(shown(s)).toBe('...1111');
    // The oldest is shown again: it stands before what was pruned, so it is not looked at.
    const { journal } = s.agent;
    const oldest = journal.context.conversation.find(({ kind }) => kind === 'toolResult')?.id ?? '';
    await journal.append({ type: 'expanded', ids: journal.context.blockOf(oldest) });
    await s.add(user('q4'), ...outputs(2), user('q5'), says('a5'));
    // Six unpruned results stand behind the pruned ones: 20,000 tokens would go, which is not more than the minimum.
    await s.say();
    expect([isSummarised(s), s.compactions().length]).toEqual([true, 2]);
  });

  it('a result that is hidden for another reason ends nothing, and is no output that stays', {
    tags: ['N2'],
  }, async () => {
    // A short-lived result among those that stay expires: a later one took its place.
    const look = () => looks(words(4_996, 'w'));
    const s = await grow([...outputs(5), look(), ...outputs(2), ...newer, look()]);
    await s.say();
    const hidden = s.agent.journal.context.conversation.filter((item) => item.hidden);
    expect(s.compactions().map(({ strategy }) => strategy)).toEqual(['ephemeral', 'prune-then-summary']);
    expect(hidden.map(({ message }) => message.text.startsWith('[Output pruned'))).toEqual([true, true, true, false]);
    expect(shown(s)).toBe('...11.111');
    expect(s.summariser.requests).toEqual([]);
  });

  it('what is pruned says when, keeps tool, input and time, and is marked', { tags: ['N2'] }, async () => {
    const s = await grow([calls(['read_file', words(30_000), { path: 'a.ts' }]), ...outputs(4), ...newer]);
    const { context } = s.agent.journal;
    const before = context.conversation[2];
    await s.say();
    const item = context.conversation[2];
    expect(item?.message).toEqual({
      ...before?.message,
      text: `[Output pruned at 2026-01-01T12:00:00.000Z] [palimpsest:f00d 149999 characters; recall with id ${before?.id}]`,
    });
    expect(item?.time).toBe(before?.time);
    const by = { hidden: true, prunedAt: '2026-01-01T12:00:00.000Z' };
    expect(s.compactions()).toMatchObject([{ plan: [{ op: 'replace', id: before?.id, by }] }]);
  });

  it('fires above 0.7 of the input unless it is set, between 0.5 and 0.9', { tags: ['N3'] }, () => {
    const triggerOf = (more: Readonly<Record<string, unknown>> = {}) =>
      settingsOf({ strategy: 'prune-then-summary', ...more }).trigger;
    expect(triggerOf()).toMatchObject({ ratio: 0.7, basis: 'input', reserve: 0 });
    const ratios = [0.49, 0.5, 0.9, 0.91].map((ratio) => triggerOf({ 'pruneThenSummary.triggerRatio': ratio }).ratio);
    expect(ratios).toEqual([0.7, 0.5, 0.9, 0.7]);
  });

  it.each([
    [70_000, 0],
    [70_001, 1],
  ])(
    'a reported input of %i of 100,000 leads to %i compactions, whatever the answer has',
    { tags: ['N3'] },
    async (input, made) => {
      const s = await grow(outputs(6), { answers: [words(5_000)] });
      const message = 4 + 2;
      await s.add(text(input - s.size() - message));
      await s.say('go on');
      const usage = s.agent.journal.entries.findLast((entry) => entry.type === 'usage');
      expect([usage?.usage.input, usage?.usage.output]).toEqual([input, 5_000]);
      expect(s.compactions()).toHaveLength(made);
    },
  );

  it('nothing fires when the window is unknown', { tags: ['N3'] }, async () => {
    const s = await grow([...outputs(7), ...newer], { window: 0 });
    await s.say();
    expect(s.compactions()).toEqual([]);
  });

  it('automatic, pruning and going on are all on unless they are set', { tags: ['N5'] }, () => {
    const { auto, autoContinue, section } = settingsOf({ strategy: 'prune-then-summary' });
    expect([auto, autoContinue, section.pruningEnabled]).toEqual([true, true, true]);
  });

  it('auto off switches it off, and by hand it still works', { tags: ['N5'] }, async () => {
    const s = await grow([...outputs(7), ...newer], { settings: { auto: false } });
    await s.say();
    expect(s.compactions()).toEqual([]);
    await s.agent.compactor.compact({ trigger: 'manual' }, going);
    expect(shown(s)).toBe('...1111');
  });

  it('prunes, looks again, and summarises at once when it is still over', { tags: ['N4'] }, async () => {
    // 0.7 of 200,000 is 140,000. Pruning takes 30,000.
    const enough = await grow([text(90_000), ...outputs(7), ...newer], { window: 200_000 });
    await enough.say();
    expect([shown(enough), enough.summariser.requests]).toEqual(['...1111', []]);
    const still = await grow([text(120_000), ...outputs(7), ...newer], { window: 200_000 });
    await still.say();
    // At once, not when the compactor asks for a second attempt.
    expect(still.compactions()).toMatchObject([{ trigger: 'threshold', attempt: 1 }]);
    expect(isSummarised(still)).toBe(true);
  });

  it('looks again at what the trigger looks at, not at the answer that came after', {
    tags: ['N3', 'N4'],
  }, async () => {
    // Of 169,000 tokens 139,000 are left for the trigger to see, and the answer has 3,000 more.
    const s = await grow([...outputs(7), ...newer], { window: 200_000, answers: [words(3_000)] });
    await s.add(text(169_000 - s.size()));
    await s.say();
    expect(s.compactions()).toMatchObject([{ trigger: 'threshold', attempt: 1 }]);
    expect(s.compactions()[0]?.tokensAfter).toBeGreaterThan(140_000);
    expect(s.summariser.requests).toEqual([]);
  });

  it('looks again with the ratio in force, also where it is the general one', { tags: ['N4'] }, async () => {
    // Pruning leaves 105,000 of 135,000: more than half of 200,000, and far less than 0.7 of it.
    const s = await grow([...outputs(7), ...newer], { window: 200_000, settings: { 'trigger.ratio': 0.5 } });
    await s.add(text(135_000 - s.size()));
    await s.say();
    expect(s.compactions()).toMatchObject([{ attempt: 1 }]);
    expect(isSummarised(s)).toBe(true);
  });

  it('the summary is made from the pruned history', { tags: ['N9'] }, async () => {
    const s = await grow([text(120_000), ...outputs(7), ...newer], { window: 200_000 });
    await s.say();
    const read = s.summariser.requests.flatMap(({ messages }) => messages.map(({ text }) => text)).join('');
    expect(read.match(/\[Output pruned at /g)).toHaveLength(3);
    // Of seven results of 9,996 words four are left.
    expect(read.match(/\bw\b/g)?.length).toBeLessThan(4.1 * 9_996);
  });

  it('by hand pruning is enough when it did something', { tags: ['N4'] }, async () => {
    const s = await grow([text(120_000), ...outputs(7), ...newer, user('q3')], { window: 200_000 });
    expect(await s.agent.compactor.compact({ trigger: 'manual' }, going)).toMatchObject({ kind: 'compacted' });
    expect([shown(s), s.summariser.requests]).toEqual(['...1111', []]);
  });

  it.each([
    ['is not enough when it leaves more than the target', 7, true],
    ['is enough when it reaches the target', 16, false],
  ])('after an overflow pruning %s', { tags: ['N4'] }, async (_how, count, summarised) => {
    const error = new ModelError('overflow', 'Too long.');
    const s = await grow([...outputs(count), ...newer], { window: 200_000, answers: [{ error }] });
    expect(await s.say()).toEqual({ kind: 'done' });
    expect(s.compactions()).toMatchObject([{ trigger: 'overflow', attempt: 1 }]);
    expect(isSummarised(s)).toBe(summarised);
    if (!summarised) expect(shown(s)).toBe(`${'.'.repeat(count - 4)}1111`);
  });

  it('keeps half as much output when the first result was still too large', { tags: ['N2'] }, async () => {
    const error = new ModelError('auth', 'The key was refused.');
    const s = await grow([text(38_000), ...outputs(7), ...newer], { summaries: Array(9).fill({ error }) });
    await s.say();
    // Pruning alone is not the answer of a second attempt: it is what is left when the summary fails.
    expect(s.compactions()).toMatchObject([{ attempt: 2, strategy: 'partial' }]);
    expect(shown(s)).toBe('.....11');
  });

  it('pruning can be switched off', { tags: ['N5'] }, async () => {
    const s = await grow([...outputs(7), ...newer], { settings: { 'pruneThenSummary.pruningEnabled': false } });
    await s.say();
    expect(s.view()).toEqual(['user: notes', expect.stringMatching(/^user: Ledger/), 'user: go on']);
  });

  it('a tool can have a threshold of its own, or never be pruned', { tags: ['N7'] }, async () => {
    const of = (tools: string) => [...tools].map((tool) => output(tool));
    const set = (thresholds: object) => ({ 'pruneThenSummary.toolThresholds': thresholds });
    expect(await prune([text(10_000), ...of('ababab'), ...newer], set({ a: '0', b: 'never' }))).toBe('.1.1.1');
    // A threshold counts the outputs of its tool alone, and one that just reaches it stays.
    expect(await prune([text(10_000), ...of('aabaaa'), ...newer], set({ a: '20000' }))).toBe('..1.11');
  });
});

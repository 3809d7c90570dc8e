import { describe, expect, it } from 'vitest';
import { ModelError } from '../../../../src/core/errors.ts';
import type { Line } from '../../../support/compactionHarness.ts';
import { calls, compactionHarness, going, says, settingsOf, user, words } from '../../../support/compactionHarness.ts';

const settings = { strategy: 'prune-then-summary', 'verify.enabled': false };
/** A result of 10,000 tokens, the message's own 4 included. */
const output = (tool = 'read_file', tokens = 9_996) => calls([tool, words(tokens, 'w')]);
const newer = [user('q2'), says('a2'), user('q3'), says('a3')];

/** `.` for pruned, `1` for shown, oldest first. */
async function prune(history: readonly Line[], more: Readonly<Record<string, unknown>> = {}) {
  const h = await compactionHarness({ history, settings: { ...settings, ...more }, window: 1_000_000 });
  await h.compactor.compact({ trigger: 'manual' }, going);
  const results = h.journal.context.conversation.filter(({ kind }) => kind === 'toolResult');
  return results.map(({ hidden }) => (hidden ? '.' : '1')).join('');
}

describe('prune-then-summary', () => {
  const outputs = (n: number) => Array.from({ length: n }, () => output());

  it('N2: keeps the newest 40,000 tokens of tool output', async () => {
    expect(await prune([user('q1'), ...outputs(7), ...newer])).toBe('...1111');
  });

  it('N2: prunes only when more than 20,000 tokens would go', async () => {
    // Exactly 20,000 would go: not more, so pruning does nothing and the summary is asked for.
    const history = [user('q1'), ...outputs(6), ...newer];
    const h = await compactionHarness({ history, settings, window: 1_000_000, summaries: ['notes'] });
    await h.compactor.compact({ trigger: 'manual' }, going);
    expect(h.view()[0]).toBe('user: notes');
  });

  it('N2: 20,001 tokens are more than 20,000, and 40,001 more than 40,000', async () => {
    const over = (tokens: number) => output('read_file', tokens - 4);
    expect(await prune([user('q1'), ...[10_001, 10_000].map(over), ...outputs(4), ...newer])).toBe('..1111');
    // What makes it 40,001 goes itself.
    expect(await prune([user('q1'), ...outputs(5), over(10_001), ...newer])).toBe('...111');
  });

  it('N2: skips the newest 2 turns', async () => {
    const history = [user('q1'), ...outputs(7), user('q2'), ...outputs(2), user('q3'), ...outputs(1)];
    expect(await prune(history)).toBe('...1111111');
    expect(await prune(history, { 'pruneThenSummary.protectTurns': 1 })).toBe('.....11111');
  });

  it.each(['skill', 'task'])('N2: the output of %s is never pruned and does not count', async (tool) => {
    expect(await prune([user('q1'), output(tool), ...outputs(7), ...newer])).toBe('1...1111');
  });

  it('N2: stops at what was pruned already', async () => {
    const h = await compactionHarness({
      history: [user('q1'), ...outputs(7), ...newer],
      settings,
      window: 1_000_000,
      summaries: ['notes'],
    });
    await h.compactor.compact({ trigger: 'manual' }, going);
    // The oldest is shown again: it stands before what was pruned, so it is not looked at.
    await h.journal.append({ type: 'expanded', ids: h.journal.context.blockOf('m4') });
    await h.add(user('q4'), ...outputs(2), user('q5'), user('q6'));
    // Six unpruned results stand behind the pruned ones: 20,000 tokens would go, which is not more than the minimum.
    await h.compactor.compact({ trigger: 'manual' }, going);
    expect(h.view()[0]).toBe('user: notes');
  });

  it('N2: what is pruned says when, keeps tool, input and time, and is marked', async () => {
    const history = [user('q1'), calls(['read_file', words(30_000), { path: 'a.ts' }]), ...outputs(4), ...newer];
    const h = await compactionHarness({ history, settings, window: 1_000_000 });
    const before = h.journal.context.conversation[2];
    await h.compactor.compact({ trigger: 'manual' }, going);
    const item = h.journal.context.conversation[2];
    expect(item?.message).toEqual({
      ...before?.message,
      text: '[Output pruned at 2026-01-01T12:00:00.000Z] [palimpsest:f00d 149999 characters; recall with id m4]',
    });
    expect(item?.time).toBe(before?.time);
    const entry = h.journal.entries.findLast(({ type }) => type === 'compaction');
    expect(entry).toMatchObject({
      plan: [{ op: 'replace', id: 'm4', by: { hidden: true, prunedAt: '2026-01-01T12:00:00.000Z' } }],
    });
  });

  it('N3: fires above 0.7 of the input unless it is set, between 0.5 and 0.9', () => {
    const triggerOf = (more: Readonly<Record<string, unknown>> = {}) =>
      settingsOf({ strategy: 'prune-then-summary', ...more }).trigger;
    expect(triggerOf()).toMatchObject({ ratio: 0.7, basis: 'input', reserve: 0 });
    const ratios = [0.49, 0.5, 0.9, 0.91].map((ratio) => triggerOf({ 'pruneThenSummary.triggerRatio': ratio }).ratio);
    expect(ratios).toEqual([0.7, 0.5, 0.9, 0.7]);
  });

  it('N5: automatic, pruning and going on are all on unless they are set', () => {
    const { auto, autoContinue, section } = settingsOf({ strategy: 'prune-then-summary' });
    expect([auto, autoContinue, section.pruningEnabled]).toEqual([true, true, true]);
  });

  it('N4: prunes, looks again, and summarises only when it is still over', async () => {
    const history = [user('q1'), ...outputs(7), ...newer];
    const enough = await compactionHarness({ history, settings, window: 90_000 });
    await enough.used({ input: 70_100 });
    expect(await enough.compactor.beforeCall(going)).toMatchObject({ kind: 'compacted' });
    expect(enough.model.requests).toEqual([]);
    const still = await compactionHarness({ history, settings, window: 50_000, summaries: Array(9).fill('notes') });
    await still.used({ input: 70_100 });
    // At once, not when the compactor asks for a second attempt.
    expect(await still.compactor.beforeCall(going)).toMatchObject({ kind: 'compacted', entry: { attempt: 1 } });
    expect(still.view()[0]).toMatch(/^user: notes/);
  });

  it('N3: N4: looks again at what the trigger looks at, not at the answer that came after', async () => {
    // Of 73,100 tokens the trigger sees 70,100, and of 43,000 about 40,000: 0.7 of 58,000 is 40,600.
    const history = [user('q1'), ...outputs(7), ...newer];
    const h = await compactionHarness({ history, settings, window: 58_000 });
    await h.used({ input: 70_100, output: 3_000 });
    expect(await h.compactor.afterResponse(going)).toMatchObject({ kind: 'compacted', entry: { attempt: 1 } });
    expect(h.model.requests).toEqual([]);
  });

  it('N4: looks again with the ratio in force, also where it is the general one', async () => {
    const history = [user('q1'), ...outputs(7), ...newer];
    const general = { ...settings, 'trigger.ratio': 0.5 };
    // Half of 75,000 is 37,500, below the 40,000 that pruning leaves; 0.7 would be far above them.
    const h = await compactionHarness({
      history,
      settings: general,
      window: 75_000,
      summaries: Array(9).fill('notes'),
    });
    await h.used({ input: 70_100 });
    expect(await h.compactor.afterResponse(going)).toMatchObject({ kind: 'compacted', entry: { attempt: 1 } });
    expect(h.view()[0]).toBe('user: notes');
  });

  it('N9: the summary is made from the pruned history', async () => {
    const history = [user('q1'), ...outputs(7), ...newer];
    const h = await compactionHarness({ history, settings, window: 50_000, summaries: Array(9).fill('notes') });
    await h.used({ input: 70_100 });
    await h.compactor.afterResponse(going);
    const read = h.model.requests.flatMap(({ messages }) => messages.map(({ text }) => text)).join('');
    expect(read.match(/\[Output pruned at /g)).toHaveLength(3);
    // Of seven results of 9,996 words four are left.
    expect(read.match(/\bw\b/g)?.length).toBeLessThan(4.1 * 9_996);
  });

  it('N4: by hand pruning is enough when it did something', async () => {
    const h = await compactionHarness({ history: [user('q1'), ...outputs(7), ...newer], settings, window: 50_000 });
    await h.used({ input: 70_100 });
    expect(await h.compactor.compact({ trigger: 'manual' }, going)).toMatchObject({ kind: 'compacted' });
    expect(h.model.requests).toEqual([]);
  });

  it.each([
    ['is not enough when the target is lower', 0.5, 'user: notes'],
    ['is enough when it reaches the target', 0.95, 'user: q1'],
  ])('N4: after an overflow pruning %s', async (_how, targetRatio, first) => {
    const h = await compactionHarness({
      history: [user('q1'), ...outputs(7), ...newer],
      settings: { ...settings, targetRatio },
      window: 200_000,
      summaries: first === 'user: notes' ? Array(9).fill('notes') : [],
    });
    await h.used({ input: 70_100 });
    expect(await h.compactor.afterOverflow(undefined, going)).toMatchObject({
      kind: 'compacted',
      entry: { attempt: 1 },
    });
    expect(h.view()[0]).toBe(first);
  });

  it('N2: keeps half as much output when the first result was still too large', async () => {
    const error = new ModelError('auth', 'The key was refused.');
    const h = await compactionHarness({
      history: [user('q1'), ...outputs(7), ...newer],
      settings,
      window: 40_000,
      summaries: Array(9).fill({ error }),
    });
    await h.used({ input: 70_100 });
    expect(await h.compactor.beforeCall(going)).toMatchObject({ kind: 'compacted', entry: { attempt: 2 } });
    const results = h.journal.context.conversation.filter(({ kind }) => kind === 'toolResult');
    expect(results.map(({ hidden }) => (hidden ? '.' : '1')).join('')).toBe('.....11');
  });

  it('N5: pruning can be switched off', async () => {
    const h = await compactionHarness({
      history: [user('q1'), ...outputs(7), ...newer],
      settings: { ...settings, 'pruneThenSummary.pruningEnabled': false },
      window: 1_000_000,
      summaries: ['notes'],
    });
    await h.compactor.compact({ trigger: 'manual' }, going);
    expect(h.view()).toEqual(['user: notes', 'user: q3']);
  });

  it('N7: a tool can have a threshold of its own, or never be pruned', async () => {
    const history = [
      user('q1'),
      output('a'),
      output('b'),
      output('a'),
      output('b'),
      output('a'),
      output('b'),
      ...newer,
    ];
    expect(await prune(history, { 'pruneThenSummary.toolThresholds': { a: '0', b: 'never' } })).toBe('.1.1.1');
    // A threshold counts the outputs of its tool alone, and one that just reaches it stays.
    const half = [user('q1'), ...['a', 'a', 'b', 'a', 'a', 'a'].map((tool) => output(tool)), ...newer];
    expect(await prune(half, { 'pruneThenSummary.toolThresholds': { a: '20000' } })).toBe('..1.11');
  });
});

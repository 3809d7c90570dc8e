import { describe, expect, it } from 'vitest';
import { ModelError } from '../../../src/core/errors.ts';
import {
  calls,
  compactionHarness,
  going,
  type Line,
  reads,
  says,
  user,
  words,
} from '../../support/compactionHarness.ts';

type Harness = Awaited<ReturnType<typeof compactionHarness>>;

/** The tools of the results that are still shown, in order. */
const shown = (h: Harness): string[] =>
  h.journal.context.conversation.flatMap(({ message, hidden }) =>
    message.role === 'tool' && !hidden ? [message.toolName] : [],
  );

describe('tools whose results are kept', () => {
  const task = (name: string): Line => calls(['task', words(600, name)]);
  const history = [
    user('go'),
    task('a'),
    ...reads(4, 600),
    task('b'),
    ...reads(6, 600),
    user('on'),
    says('a'),
    says('b'),
  ];
  const kept = { 'keep.protectedTools': ['task'] };

  it.each([
    ['tool-result-hiding', {}, []],
    ['tool-result-hiding', kept, ['task', 'task']],
    ['hiding-then-summary', {}, []],
    ['hiding-then-summary', kept, ['task', 'task']],
    ['selective', { 'verify.enabled': false }, []],
    ['selective', kept, ['task', 'task']],
  ])('N2: are not hidden by %s with %j', async (strategy, settings, tasks) => {
    const h = await compactionHarness({ history, settings: { strategy, ...settings }, window: 9_500 });
    expect(await h.compactor.beforeCall(going)).toMatchObject({ kind: 'compacted', entry: { strategy } });
    expect(shown(h)).toEqual([...tasks, ...Array(5).fill('read_file')]);
  });

  it('K5: a group with such a result stays whole', async () => {
    const pair = calls(['read_file', words(600, 'p')], ['task', words(600, 'q')]);
    const settings = { strategy: 'tool-result-hiding', ...kept };
    const h = await compactionHarness({ history: [user('go'), pair, ...reads(10, 600)], settings, window: 9_000 });
    expect(await h.compactor.beforeCall(going)).toMatchObject({ kind: 'compacted' });
    expect(shown(h)).toEqual(['read_file', 'task', ...Array(5).fill('read_file')]);
  });

  it('N2: the list of prune-then-summary goes first, then the one of all, then its own default', async () => {
    const output = (tool: string) => calls([tool, words(9_996, 'w')]);
    const older = ['skill', 'look', 'read_file', 'read_file', 'read_file'].map(output);
    const newer = [...Array(4).fill('read_file').map(output), user('q2'), says('a2'), user('q3'), says('a3')];
    const prune = async (settings: object) => {
      const h = await compactionHarness({
        history: [user('q1'), ...older, ...newer],
        settings: { strategy: 'prune-then-summary', ...settings },
        window: 120_000,
      });
      await h.used({ input: 91_000 });
      expect(await h.compactor.beforeCall(going)).toMatchObject({ kind: 'compacted' });
      return shown(h).filter((name) => name !== 'read_file');
    };
    expect(await prune({})).toEqual(['skill']);
    expect(await prune({ 'keep.protectedTools': ['look'] })).toEqual(['look']);
    const own = { 'pruneThenSummary.protectedTools': ['skill', 'look'] };
    expect(await prune({ 'keep.protectedTools': ['look'], ...own })).toEqual(['skill', 'look']);
  });

  it('are not hidden for a strategy that failed, unless the window cannot hold them', async () => {
    const error = new ModelError('auth', 'The key was refused.');
    const lines = [user('go'), task('a'), task('b'), ...reads(10, 600), user('on')];
    const compacted = async (window: number) => {
      const h = await compactionHarness({
        history: lines,
        settings: kept,
        window,
        summaries: Array(9).fill({ error }),
      });
      expect(await h.compactor.beforeCall(going)).toMatchObject({ kind: 'compacted' });
      return shown(h).filter((name) => name === 'task');
    };
    expect(await compacted(9_500)).toEqual(['task', 'task']);
    expect(await compacted(3_000)).toEqual([]);
  });
});

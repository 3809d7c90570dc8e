/** Reads and commands that are repeated after a compaction, in its row. */

import { describe, expect, test } from 'vitest';
import type { EntryDraft } from '../../../src/core/journal/entry.ts';
import { answer, ask, call, fold, say } from './foldEntries.ts';

const read = (id: string, path: string, more = {}): EntryDraft[] => [
  call(id, 'read_file', { path, ...more }),
  answer(id, 'read_file', `text of ${path}`),
];
const run = (id: string, command: string): EntryDraft[] => [
  call(id, 'run_command', { command }),
  answer(id, 'run_command', 'exit code 0'),
];
const edit = (id: string, path: string): EntryDraft[] => [
  call(id, 'edit_file', { path, old_string: 'a', new_string: 'b' }),
  answer(id, 'edit_file', 'Changed.'),
];

/** A compaction that hides every result so far; the entries before it are m0 … */
const hideAll = (...before: EntryDraft[]): EntryDraft[] => [
  ...before,
  {
    type: 'compaction',
    base: before.length - 1,
    plan: before.flatMap((entry, seq) =>
      entry.type === 'message' && entry.message.role === 'tool'
        ? [{ op: 'replace' as const, id: `m${seq}`, by: { text: '[hidden]', tokens: 4, hidden: true } }]
        : [],
    ),
    strategy: 'tool-result-hiding',
    trigger: 'manual',
    // What the estimates of the four results, less their placeholders, come to.
    tokensBefore: 488,
    tokensAfter: 104,
    durationMs: 3,
    attempt: 1,
  },
];

const BEFORE = [ask('go'), ...read('1', 'a.ts'), ...read('2', 'b.ts'), ...run('3', 'npm test'), ...read('4', 'c.ts')];
const COMPACTED = hideAll(...BEFORE);
const ROW = `e${BEFORE.length}`;

function repeated(...path: EntryDraft[]) {
  const row = fold(...path).row(ROW);
  return row?.type === 'compaction' ? row.repeated : undefined;
}

describe('calls repeated after a compaction', { tags: ['B22'] }, () => {
  test('count with their tokens: reads by file, commands by line', () => {
    expect(repeated(...COMPACTED)).toBe(null);
    expect(repeated(...COMPACTED, ...read('5', './a.ts', { offset: 3 }), ...run('6', 'npm  test'))).toEqual({
      reads: 1,
      runs: 1,
      tokens: 200,
      gone: [],
    });
  });

  test('are given in the tokens of the row, as the meter counted them, and not as estimated', () => {
    const twice = COMPACTED.map((entry) =>
      entry.type === 'compaction' ? { ...entry, tokensBefore: 104 + 2 * (488 - 104) } : entry,
    );
    const again = [...read('5', 'a.ts'), ...read('6', 'b.ts'), ...run('7', 'npm test')];
    const [estimated, counted] = [COMPACTED, twice].map((path) => repeated(...path, ...again));
    const scale = (counted?.tokens ?? 0) / (estimated?.tokens ?? 1);
    expect(scale).toBeCloseTo(2);
    expect(counted?.gone[0]?.tokens).toBeCloseTo(scale * (estimated?.gone[0]?.tokens ?? 0));
  });

  test('count once each, and only if the compaction took their result', () => {
    const again = [...read('5', 'a.ts'), ...read('6', 'a.ts'), ...read('7', 'other.ts'), ...run('8', 'npm run lint')];
    expect(repeated(...COMPACTED, ...again)).toMatchObject({ reads: 1, runs: 0, tokens: 100 });
  });

  test('do not count after a change that is a reason of its own', () => {
    expect(repeated(...COMPACTED, ...edit('5', 'a.ts'), ...read('6', 'a.ts'), ...run('7', 'npm test'))).toBe(null);
    expect(repeated(...COMPACTED, ...edit('5', 'a.ts'), ...read('6', 'b.ts'))).toMatchObject({ reads: 1 });
  });

  test('count among the 24 calls after it, and not beyond', () => {
    const others = (count: number) => Array.from({ length: count }, (_, i) => read(`o${i}`, `other${i}.ts`)).flat();
    expect(repeated(...COMPACTED, ...others(23), ...read('5', 'a.ts'))).toMatchObject({ reads: 1 });
    expect(repeated(...COMPACTED, ...others(24), ...read('5', 'a.ts'))).toBe(null);
  });

  test('a repeat that fails brought nothing back, and a result that failed was not missed', () => {
    const failed = [call('5', 'read_file', { path: 'a.ts' }), answer('5', 'read_file', 'gone', true)];
    expect(repeated(...COMPACTED, ...failed)).toBe(null);
  });

  test('belong to the newest compaction that took the result', () => {
    const second = hideAll(...COMPACTED, ...read('5', 'a.ts'));
    const path = [...second, ...read('6', 'a.ts'), ...read('7', 'b.ts')];
    const { row } = fold(...path);
    const counts = [ROW, `e${second.length - 1}`].map((id) => {
      const found = row(id);
      return found?.type === 'compaction' ? found.repeated?.reads : undefined;
    });
    // The first counts a.ts and b.ts from before the second, which took a.ts and b.ts again.
    expect(counts).toEqual([1, 2]);
  });

  test('three of them offer what else it took and is still gone, the newest first', () => {
    const three = [...read('5', 'a.ts'), ...read('6', 'b.ts'), ...run('7', 'npm test')];
    expect(repeated(...COMPACTED, ...three)?.gone).toEqual([{ itemId: 'm8', tokens: 120 }]);
    expect(repeated(...COMPACTED, ...three.slice(0, 4))?.gone).toEqual([]);
    const shown: EntryDraft = { type: 'expanded', ids: ['m7', 'm8'] };
    expect(repeated(...COMPACTED, ...three, shown)?.gone).toEqual([]);
  });

  test('are not counted for results that expired, or once it is undone', () => {
    const expired = [...BEFORE, { ...COMPACTED.at(-1), trigger: 'ephemeral' } as EntryDraft];
    expect(repeated(...expired, ...read('5', 'a.ts'))).toBe(null);
    const undone: EntryDraft = { type: 'compactionUndone', target: BEFORE.length };
    expect(repeated(...COMPACTED, undone, ...read('5', 'a.ts'))).toBe(null);
  });

  test('the row comes again with the result that it counts', () => {
    const path = [...COMPACTED, ...read('5', 'a.ts')];
    const { transcript } = fold(...path.slice(0, -1));
    const last = path.at(-1) as EntryDraft;
    const entry = { seq: path.length - 1, parent: path.length - 2, time: '', ...last } as never;
    expect(transcript.apply(entry)).toContain(ROW);
  });

  test('a word of the agent is none', () => {
    expect(repeated(...COMPACTED, say('I read a.ts again.'))).toBe(null);
  });
});

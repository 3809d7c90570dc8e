import { expect, test } from 'vitest';
import { findInRows } from '../../../src/node/session/findInRows.ts';
import type { Row } from '../../../src/protocol/rows.ts';
import { assistant, checkpoint, compaction, notice, tool, user } from '../../support/panelScenes.ts';

/** Pages of rows, as the session gives them. */
function pages(rows: readonly Row[]) {
  const asked: (string | null)[] = [];
  const before = (id: string | null, count: number) => {
    asked.push(id);
    const end = id === null ? rows.length : rows.findIndex((row) => row.id === id);
    const start = Math.max(0, end - count);
    return { rows: rows.slice(start, end), more: start > 0 };
  };
  return { before, asked };
}

const find = (query: string, ...rows: Row[]) => findInRows(query, pages(rows).before, () => true);

test('every row that holds the text is found, oldest first, whatever its case', async () => {
  const rows = Array.from({ length: 1_000 }, (_, n) => user(`m${n}`, n % 400 === 7 ? 'a Needle and a needle' : 'hay'));
  const { before, asked } = pages(rows);
  expect(await findInRows('NEEDLE', before, () => true)).toEqual(
    [7, 407, 807].map((n) => ({ rowId: `m${n}`, count: 2 })),
  );
  expect(asked).toHaveLength(4);
});

test('an answer is read as it is shown, and its code as it stands', async () => {
  const text =
    'The **clock** is `read` _twice_, see [the *notes*](https://x.y/clock).\n\n```ts\nconst a_b = **c;\n```\n\n# clock\n';
  const row = assistant('m1', text, { reasoning: 'a clock' });
  expect(await find('clock is read twice, see the notes.', row)).toEqual([{ rowId: 'm1', count: 1 }]);
  expect(await find('clock', row)).toEqual([{ rowId: 'm1', count: 3 }]);
  expect(await find('a_b = **c', row)).toEqual([{ rowId: 'm1', count: 1 }]);
  expect(await find('**clock', row)).toEqual([]);
});

test('cards, compactions, notices and checkpoints are looked through', async () => {
  const rows = [
    tool('m1.0', 'run_command', 'npm test', {
      result: 'owl',
      detail: { kind: 'command', command: 'npm test', exitCode: 0 },
    }),
    compaction('e2', { summary: 'an owl', ledger: [] }),
    notice('e3', 'info', 'an owl'),
    checkpoint('e4', 'owl'),
  ];
  expect((await find('owl', ...rows)).map(({ rowId }) => rowId)).toEqual(['m1.0', 'e2', 'e3', 'e4']);
});

test('what is no longer wanted is not looked for any further', async () => {
  const { before, asked } = pages(Array.from({ length: 2_000 }, (_, n) => user(`m${n}`, 'x')));
  await findInRows('x', before, () => asked.length < 2);
  expect(asked).toHaveLength(2);
});

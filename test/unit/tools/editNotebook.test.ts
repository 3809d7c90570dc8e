/** Edits of notebooks through `edit_file`, in the text that `read_file` shows; bytes around them are compared. */

import { describe, expect, test } from 'vitest';
import { parseObject } from '../../../src/core/json.ts';
import { createWorkbench, useTool } from './useTool.ts';

const CELLS = [
  { cell_type: 'markdown', id: 'aa', metadata: {}, source: ['# Title\n', 'and text'] },
  {
    cell_type: 'code',
    execution_count: 3,
    id: 'bb',
    metadata: { tags: ['x'] },
    outputs: [{ name: 'stdout', output_type: 'stream', text: ['1\n'] }],
    source: ['x = "é"\n', 'print(1)'],
  },
  { cell_type: 'code', execution_count: null, id: 'cc', metadata: {}, outputs: [], source: [] },
];
const notebook = (cells: readonly object[] = CELLS, indent: number | string = 1) =>
  `${JSON.stringify({ cells, metadata: { kernelspec: { name: 'python3' } }, nbformat: 4, nbformat_minor: 5 }, null, indent)}\n`;

type Edit = readonly [old_string: string, new_string: string];

async function edit(content: string, ...edits: readonly Edit[]) {
  const ports = createWorkbench({ 'a.ipynb': content });
  const outcome = await useTool(ports, 'edit_file', {
    path: 'a.ipynb',
    edits: edits.map(([old_string, new_string]) => ({ old_string, new_string })),
  });
  const after = ports.files.textOf('a.ipynb') ?? '';
  if (outcome.isError) expect(after).toBe(content);
  return { after, text: outcome.text, diff: outcome.change?.diff ?? '' };
}

/** `before` with one piece replaced, which it holds once. */
function swap(before: string, piece: string, by: string): string {
  expect(before.split(piece)).toHaveLength(2);
  return before.replace(piece, () => by);
}

describe('a source that changes', () => {
  test.each([
    ['one space, as Jupyter saves', 1],
    ['two spaces', 2],
    ['tabs', '\t'],
  ])('nothing else changes: %s', async (_, indent) => {
    const before = notebook(CELLS, indent);
    const { after, text, diff } = await edit(before, ['print(1)', 'print(2)\nprint(3)']);
    const unit = typeof indent === 'number' ? ' '.repeat(indent) : indent;
    expect(after).toBe(swap(before, '"print(1)"', `"print(2)\\n",\n${unit.repeat(4)}"print(3)"`));
    expect(text).toContain('a.ipynb: changed cell 2');
    expect(diff.match(/^[+-].*/gmu)).toEqual(['-print(1)', '+print(2)', '+print(3)']);
  });

  test('in one line, in a file with CRLF, and as a single text', async () => {
    const flat = JSON.stringify({ nbformat: 4, nbformat_minor: 4, cells: CELLS });
    expect((await edit(flat, ['print(1)', 'a\nb'])).after).toBe(swap(flat, '"print(1)"', '"a\\n","b"'));
    const crlf = notebook().replaceAll('\n', '\r\n');
    expect((await edit(crlf, ['print(1)', 'a\nb'])).after).toBe(swap(crlf, '"print(1)"', '"a\\n",\r\n    "b"'));
    const single = notebook([{ cell_type: 'code', metadata: {}, outputs: [], source: 'a\nb' }]);
    expect((await edit(single, ['b', 'c'])).after).toBe(swap(single, '"a\\nb"', '"a\\nc"'));
  });

  test('lines that stay keep their escapes, and an order of keys of its own stays', async () => {
    const before = notebook()
      .replace('é', '\\u00e9')
      .replace('"cell_type": "code",', '"zz": 1,\n   "cell_type": "code",');
    expect((await edit(before, ['print(1)', 'print(2)'])).after).toBe(swap(before, 'print(1)', 'print(2)'));
  });

  test('an empty cell is filled by its head, and one is emptied', async () => {
    const filled = await edit(notebook(), ['[cell 3: code]', '[cell 3: code]\ny = 2']);
    expect(parseObject(filled.after)?.cells).toEqual(CELLS.with(2, { ...CELLS[2], source: ['y = 2'] } as never));
    const emptied = await edit(notebook(), ['# Title\nand text', '']);
    expect(emptied.after).toBe(swap(notebook(), '[\n    "# Title\\n",\n    "and text"\n   ]', '[]'));
  });

  test('metadata, which no cell shows, are changed in the file, which stays JSON', async () => {
    expect((await edit(notebook(), ['"python3"', '"julia"'])).after).toBe(swap(notebook(), '"python3"', '"julia"'));
    expect((await edit(notebook(), ['"python3"', '"julia'])).text).toContain('would no longer be JSON');
  });
});

describe('cells', () => {
  test('new ones begin with a line of their own, and are written as Jupyter would', async () => {
    const { after, text } = await edit(notebook(), [
      'print(1)',
      'print(1)\n\n[new markdown cell]\n## Next\n\n[new code cell]\nz = 3\nz',
    ]);
    const added = JSON.parse(after).cells.slice(2, 4);
    expect(added).toEqual([
      { cell_type: 'markdown', id: expect.stringMatching(/^[0-9a-f]{8}$/), metadata: {}, source: ['## Next'] },
      {
        cell_type: 'code',
        execution_count: null,
        id: expect.stringMatching(/^[0-9a-f]{8}$/),
        metadata: {},
        outputs: [],
        source: ['z = 3\n', 'z'],
      },
    ]);
    expect(after).toBe(notebook([...CELLS.slice(0, 2), ...added, ...CELLS.slice(2)]));
    expect(text).toContain('added cells 3, 4. The cells are numbered anew.');
  });

  test('in front of the first, and without ids in an older notebook', async () => {
    const older = notebook().replace('"nbformat_minor": 5', '"nbformat_minor": 4');
    const { after } = await edit(older, ['[cell 1: markdown]', '[new raw cell]\nraw\n\n[cell 1: markdown]']);
    expect(JSON.parse(after).cells).toEqual([{ cell_type: 'raw', metadata: {}, source: ['raw'] }, ...CELLS]);
  });

  test('one whose head is taken out is gone with its outputs; another kind takes its place', async () => {
    const gone = await edit(notebook(), ['[cell 2: code, run 3]\nx = "é"\nprint(1)', '']);
    expect(gone.after).toBe(notebook(CELLS.toSpliced(1, 1)));
    expect(gone.text).toContain('deleted 1 cell');
    const last = await edit(notebook(), ['\n\n[cell 3: code]', '']);
    expect(last.after).toBe(notebook(CELLS.slice(0, 2)));
    const changed = await edit(notebook(), ['[cell 3: code]', '[new markdown cell]\ntext']);
    expect(JSON.parse(changed.after).cells[2]).toMatchObject({ cell_type: 'markdown', source: ['text'] });
  });

  test.each<readonly [string, Edit, string]>([
    ['a part of a head', ['2: code, run', '2: markdown, run'], 'is a line about the cell'],
    ['a cell twice', ['[cell 3: code]', '[cell 3: code]\na\n[cell 3: code]\nb'], 'cannot be moved or repeated'],
    ['text before the first cell', ['[cell 1: markdown]', 'text\n[cell 1: markdown]'], 'would be in no cell'],
    ['outputs', ['print(1)', 'print(1)\n[output of cell 2]\n7'], 'is not part of old_string'],
    ['what is found in several cells', ['t', 'T'], 'is found'],
    ['what is nowhere', ['print(7)', 'x'], 'Nearest lines'],
  ])('refused, and nothing changes: %s', async (_, one, reason) => {
    expect((await edit(notebook(), one)).text).toContain(reason);
  });

  test('several edits at once, and sources that look like heads', async () => {
    const odd = notebook([
      { cell_type: 'markdown', id: 'q', metadata: {}, source: ['[new code cell]\n', 'old'] },
      ...CELLS,
    ]);
    const { after } = await edit(odd, ['old', 'new'], ['print(1)', 'print(2)']);
    expect(after).toBe(swap(swap(odd, '"old"', '"new"'), 'print(1)', 'print(2)'));
  });
});

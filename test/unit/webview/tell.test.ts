/** What the panel says of what a journal holds: in its own language where the words are stored, else the English. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { config } from '@vscode/l10n';
import { beforeEach, expect, test } from 'vitest';
import { ROOT } from '../../../scripts/paths.ts';
import { countFiles, listFiles } from '../../../src/core/checkpoints/restoreFiles.ts';
import type { NoteEntry } from '../../../src/core/journal/entry.ts';
import { makeNote } from '../../../src/core/journal/makeNote.ts';
import { eventRow } from '../../../src/core/transcript/eventRow.ts';
import { type Words, words } from '../../../src/core/words.ts';
import { inPanelLanguage, linesInPanelLanguage } from '../../../webview/page/format.ts';

const chinese = readFileSync(join(ROOT, 'l10n/bundle.l10n.zh-cn.json'), 'utf8');
beforeEach(() => config({ contents: {} }));

const OUTCOMES = [
  { restored: ['a.ts'], skipped: [] },
  {
    restored: ['a.ts', 'd.ts'],
    skipped: [
      { path: 'b.ts', reason: words('someone else has changed it since, so it was left as it is') },
      {
        path: 'c.bin',
        reason: words('it cannot be restored: {0}', words('it has {0} bytes; files over {1} bytes are not kept', 9, 5)),
      },
    ],
  },
];
const NOTES: readonly { readonly said: Words; readonly detail?: readonly Words[] }[] = [
  { said: words('Went back to checkpoint {0}. What came after it is kept as a branch.', 3) },
  { said: words('The conversation was cleared. What was said is kept as a branch.') },
  ...OUTCOMES.map((outcome) => ({ said: countFiles(outcome), detail: listFiles(outcome) })),
];

/** As the panel shows it, after the journal's JSON. */
function show(note: object): { readonly text: string; readonly detail: string } {
  const entry = JSON.parse(JSON.stringify({ seq: 1, parent: 0, time: '2026-01-01T00:00:00.000Z', ...note }));
  const row = eventRow('e1', entry as NoteEntry, {} as Parameters<typeof eventRow>[2]);
  if (row.type !== 'notice') throw new Error(`A note became a row of the type ${row.type}`);
  return { text: inPanelLanguage(row.text), detail: linesInPanelLanguage(row.detail) };
}

test('in English the panel says what the journal says', () => {
  for (const { said, detail = [] } of NOTES) {
    const note = makeNote('info', said, { detail });
    expect(show(note)).toEqual({ text: note.text, detail: note.detail ?? '' });
  }
});

test('in Chinese it says the same, and names each file with its reason', () => {
  config({ contents: chinese });
  expect(NOTES.map(({ said, detail = [] }) => show(makeNote('info', said, { detail })))).toEqual([
    { text: '已返回检查点 3。其后的内容作为分支保留。', detail: '' },
    { text: '对话已清空。之前的内容作为分支保留。', detail: '' },
    { text: '已恢复 1 个文件。', detail: 'a.ts' },
    {
      text: '已恢复 2 个文件。2 个文件保持原样。',
      detail: 'a.ts\nd.ts\nb.ts：之后被他人更改，因此保持原样\nc.bin：无法恢复：文件有 9 字节；超过 5 字节的文件不保留',
    },
  ]);
});

test('a note of an older session is shown in its own words, and so is one whose words are damaged', () => {
  config({ contents: chinese });
  const old = { type: 'note', level: 'info', text: 'Went back to checkpoint 1.', detail: 'as stored' };
  expect(show(old)).toEqual({ text: 'Went back to checkpoint 1.', detail: 'as stored' });
  expect(show({ ...old, words: [{ text: 1 }], detailWords: 'none' })).toEqual(show(old));
});

test('of a great many files only some are named', () => {
  const restored = Array.from({ length: 1_000 }, (_, n) => `${n}.ts`);
  const { detail } = show(
    makeNote('info', words('{0} files were restored.', 1_000), { detail: listFiles({ restored, skipped: [] }) }),
  );
  expect(detail.split('\n').slice(-2)).toEqual(['198.ts', '…']);
});

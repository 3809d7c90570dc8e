/** The rows of edits say whether their change stands, whatever was restored in between. */

import { expect, test } from 'vitest';
import type { EntryDraft, FilesEntry } from '../../../src/core/journal/entry.ts';
import { answer, ask, call, fold, say } from './foldEntries.ts';

type Content = string | null;
const files = (
  cause: FilesEntry['cause'],
  path: string,
  before: Content,
  after?: Content,
  id?: string,
): EntryDraft => ({
  type: 'files',
  cause,
  ...(id === undefined ? {} : { toolCallId: id }),
  files: [{ path, before, restorable: true, ...(after === undefined ? {} : { after }) }],
});
const edit = (id: string, path: string, before: Content, after: Content): EntryDraft[] => [
  call(id, 'edit_file', { path, old_string: 'a', new_string: 'b' }),
  files('tool', path, before, undefined, id),
  files('tool', path, before, after, id),
  answer(id, 'edit_file', 'Changed.'),
];

/** Of each edit, whether it is marked as taken back. */
const marks = (...path: EntryDraft[]) =>
  fold(...path)
    .rows()
    .rows.flatMap((row) => (row.type === 'tool' && row.detail.kind === 'edit' ? [row.detail.takenBack ?? false] : []));

const PATH = [ask('go'), ...edit('c1', 'a.ts', '0', '1'), ...edit('c2', 'a.ts', '1', '2'), say('done')];

test('a restore marks the edits that it took back, and its undo gives the marks back', () => {
  expect(marks(...PATH)).toEqual([false, false]);
  expect(marks(...PATH, files('restore', 'a.ts', '2', '1'))).toEqual([false, true]);
  const all = [...PATH, files('restore', 'a.ts', '2', '0')];
  expect(marks(...all)).toEqual([true, true]);
  expect(marks(...all, files('restore', 'a.ts', '0', '2'))).toEqual([false, false]);
  expect(marks(...all, ...edit('c3', 'a.ts', '0', '3'))).toEqual([true, true, false]);
  // What was built in its place is taken back, and the first two stay so.
  expect(marks(...all, ...edit('c3', 'a.ts', '0', '3'), files('restore', 'a.ts', '3', '0'))).toEqual([
    true,
    true,
    true,
  ]);
});

test('a file that was created is taken back by its removal', () => {
  const made = [ask('go'), ...edit('c1', 'new.ts', null, '1')];
  expect(marks(...made, files('restore', 'new.ts', '1', null))).toEqual([true]);
});

test('nothing is said where other files, other contents or reviews are meant', () => {
  expect(marks(...PATH, files('restore', 'b.ts', '2', '0'))).toEqual([false, false]);
  expect(marks(...PATH, files('restore', 'a.ts', '2', 'half'))).toEqual([false, false]);
  expect(marks(...PATH, files('reviewed', 'a.ts', '0', '0'))).toEqual([false, false]);
});

test('a command between two edits keeps its place, and an id that a provider uses again names the newest call', () => {
  const path = [ask('go'), ...edit('c1', 'a.ts', '0', '1'), files('command', 'a.ts', '1', '2', 'run')];
  expect(marks(...path, files('restore', 'a.ts', '2', '1'))).toEqual([false]);
  expect(marks(...path, ...edit('c1', 'a.ts', '2', '3'), files('restore', 'a.ts', '3', '2'))).toEqual([false, true]);
});

test('the rows that changed are told', () => {
  const { transcript } = fold(...PATH);
  const restore = { ...files('restore', 'a.ts', '2', '1'), seq: 99, parent: 98, time: '' } as FilesEntry;
  expect(transcript.apply(restore)).toEqual(['m5.0']);
  expect(transcript.apply(restore)).toEqual([]);
});

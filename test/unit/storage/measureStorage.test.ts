/** What sessions take on disk: their bodies and subagents count, and the trash is emptied on its own. */

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { emptyTrash, measureStorage } from '../../../src/host/commands/showStorage.ts';

const places: string[] = [];
afterEach(async () => {
  for (const place of places.splice(0)) await rm(place, { recursive: true, force: true });
});

test('counts each session with what lies under it, and empties the trash alone', async () => {
  const place = await mkdtemp(join(tmpdir(), 'palimpsest-storage-'));
  places.push(place);
  const folder = join(place, 'sessions');
  expect(await measureStorage(folder)).toEqual({ sessions: new Map(), trash: 0 });
  const write = async (path: string, bytes: number) => {
    await mkdir(join(place, path, '..'), { recursive: true });
    await writeFile(join(place, path), 'x'.repeat(bytes));
  };
  await write('sessions/a/journal.jsonl', 10);
  await write('sessions/a/blobs/ab/cdef', 200);
  await write('sessions/a/subagents/s/journal.jsonl', 3_000);
  await write('sessions/b/journal.jsonl', 7);
  await write('sessions/note.txt', 1_000_000);
  await write('trash/c.1/journal.jsonl', 40_000);
  const used = await measureStorage(folder);
  expect([[...used.sessions], used.trash]).toEqual([
    [
      ['a', 3_210],
      ['b', 7],
    ],
    40_000,
  ]);
  await emptyTrash(folder);
  await emptyTrash(folder);
  expect(await measureStorage(folder)).toEqual({ sessions: used.sessions, trash: 0 });
});

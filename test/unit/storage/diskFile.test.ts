import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DiskFile } from '../../../src/host/storage/journal/fileJournalStore.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'palimpsest-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const bytes = Buffer.from('all that was written\n');

describe('a file deleted while it is open', () => {
  it('is written under its name again, its folder too', async () => {
    const file = await DiskFile.open(join(folder, 'journal.jsonl'), 'new');
    await file.write(bytes, 0, bytes.length);
    await rm(folder, { recursive: true });
    expect(file.look()).toEqual({ size: bytes.length, gone: true });
    await file.revive();
    expect([file.look(), await readFile(join(folder, 'journal.jsonl'))]).toEqual([
      { size: bytes.length, gone: false },
      bytes,
    ]);
    await file.close();
  });

  it('leaves no half of it under its name when it cannot be written again', async () => {
    const path = join(folder, 'journal.jsonl');
    const file = await DiskFile.open(path, 'new');
    await file.write(bytes, 0, bytes.length);
    await rm(path);
    await file.close();
    await expect(file.revive()).rejects.toThrow();
    expect(await readdir(folder)).toEqual([]);
  });
});

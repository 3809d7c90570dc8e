import { mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DiskFile, FileJournalStore } from '../../../src/node/storage/journal/fileJournalStore.ts';

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
    expect(file.inspect()).toEqual({ size: bytes.length, gone: true });
    await file.revive();
    expect([file.inspect(), await readFile(join(folder, 'journal.jsonl'))]).toEqual([
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

/** As Windows does: nothing is cut through a handle that was opened to append. */
vi.mock('node:fs', async (load) => {
  const fs = await load<typeof import('node:fs')>();
  const appends = (fd: number): boolean => {
    const [, flags = '0'] = /^flags:\s*(\d+)$/mu.exec(fs.readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8')) ?? [];
    return (Number.parseInt(flags, 8) & fs.constants.O_APPEND) !== 0;
  };
  const ftruncateSync: typeof fs.ftruncateSync = (fd, length) => {
    if (appends(fd)) throw Object.assign(new Error('EPERM: operation not permitted, ftruncate'), { code: 'EPERM' });
    fs.ftruncateSync(fd, length);
  };
  return { ...fs, ftruncateSync };
});

describe.runIf(process.platform === 'linux')('where a handle that appends cuts nothing', () => {
  it('a torn line is cut all the same, and what comes next is written', async () => {
    const path = join(folder, 'journal.jsonl');
    await writeFile(path, `${bytes}torn`);
    const store = new FileJournalStore(path, await DiskFile.open(path), {
      length: bytes.length,
      needsBreak: false,
      torn: Buffer.from('torn'),
    });
    await store.append('next');
    await store.append('and next');
    await store.close();
    expect(await readFile(path, 'utf8')).toBe(`${bytes}next\nand next\n`);
    expect(await readFile(`${path}.torn`, 'utf8')).toBe('torn\n');
  });

  it('another file that took its name is left alone', async () => {
    const path = join(folder, 'journal.jsonl');
    const file = await DiskFile.open(path, 'new');
    await file.write(bytes, 0, bytes.length);
    await rename(path, `${path}.away`);
    await writeFile(path, 'not ours');
    await expect(file.truncate(0)).rejects.toThrow('was exchanged for another file');
    await file.close();
    expect(await readFile(path, 'utf8')).toBe('not ours');
    expect(await readFile(`${path}.away`, 'utf8')).toBe(String(bytes));
  });
});

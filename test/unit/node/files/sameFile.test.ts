import {
  chmodSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { rgPath } from '@vscode/ripgrep';
import { beforeEach, describe, expect, test } from 'vitest';
import { openCheckpointFiles } from '../../../../src/node/files/checkpointFiles.ts';
import { nodeDisk } from '../../../../src/node/files/pathDisk.ts';
import { isHalfWritten, putBackUnfinished } from '../../../../src/node/files/writeInPlace.ts';
import { inspectSystem } from '../../../../src/node/storage/sessions/lockOwner.ts';
import { foldingDisk } from '../../../support/ports/foldingDisk.ts';
import { createWorkbench, prepareOnly, useTool } from '../../tools/useTool.ts';
import { createTemporaryFolder, openFolder } from './temporaryFolder.ts';

const top = createTemporaryFolder();
const root = join(top, 'ws');
const records = join(top, 'unfinished');
const at = (path: string) => join(root, path);
const text = (path: string) => readFileSync(at(path), 'utf8');
const bytes = (value: string) => new TextEncoder().encode(value);

beforeEach(() => {
  for (const folder of [root, records]) rmSync(folder, { recursive: true, force: true });
  mkdirSync(at('src'), { recursive: true });
  writeFileSync(at('src/a.ts'), 'before\n');
});

describe('a file with several names', () => {
  const open = () => openFolder(root, { unfinished: records });

  test('stays one file when it is edited, and keeps its mode', async () => {
    chmodSync(at('src/a.ts'), 0o754);
    linkSync(at('src/a.ts'), at('second.ts'));
    const { ino } = statSync(at('src/a.ts'));
    const files = await open();
    for (const after of ['longer than before\n', 'x\n', '']) {
      await files.write('src/a.ts', bytes(after));
      expect([text('src/a.ts'), text('second.ts'), statSync(at('second.ts')).ino]).toEqual([after, after, ino]);
    }
    expect(statSync(at('second.ts')).mode & 0o7777).toBe(0o754);
    expect(readdirSync(records)).toEqual([]);
  });

  test('is asked for each time, and the person is told', async () => {
    linkSync(at('src/a.ts'), at('second.ts'));
    const edits = [{ old_string: 'before', new_string: 'after' }];
    const { approval } = await prepareOnly({ ...createWorkbench(), files: await open() }, 'edit_file', {
      path: 'second.ts',
      edits,
    });
    expect(approval).toMatchObject({ title: 'second.ts (one of 2 names of this file)', mayRemember: false });
  });

  test('is not touched where what it holds cannot be kept first', async () => {
    linkSync(at('src/a.ts'), at('second.ts'));
    writeFileSync(records, 'no folder');
    const files = await openFolder(root, { unfinished: join(records, 'below') });
    await expect(files.write('second.ts', bytes('after\n'))).rejects.toThrow('second.ts cannot be written');
    expect(text('src/a.ts')).toBe('before\n');
  });

  const keepRecord = (changes: object) => {
    mkdirSync(records, { recursive: true });
    const { dev, ino } = statSync(at('src/a.ts'), { bigint: true });
    const base64 = (value: string) => Buffer.from(value).toString('base64');
    const { owner } = inspectSystem();
    const gone = { ...owner, pid: 4_194_305, born: '0' };
    const record = {
      real: at('src/a.ts'),
      id: `${dev}:${ino}`,
      before: base64('before\n'),
      after: base64('AFTERWARDS'),
    };
    writeFileSync(join(records, 'x.json'), JSON.stringify({ ...record, owner: gone, ...changes }));
  };

  test.each([
    ['A', 'Aefore\n'],
    ['AFTER', 'AFTERe\n'],
    ['all of it, not cut yet', 'AFTERWAR'],
    ['nothing yet', 'before\n'],
  ])('that a kill left half written (%s) holds what it held before', async (_, left) => {
    writeFileSync(at('src/a.ts'), left);
    keepRecord({});
    await open();
    expect([text('src/a.ts'), readdirSync(records)]).toEqual(['before\n', []]);
  });

  test.each([
    ['written whole', 'AFTERWARDS', {}],
    ['changed by somebody since', 'theirs\n', {}],
    ['that is another one by now', 'AFTERe\n', { id: '1:2' }],
    ['whose record was not whole', 'before\n', { after: 7 }],
  ])('%s is left as it is', async (_, left, changes) => {
    writeFileSync(at('src/a.ts'), left);
    keepRecord(changes);
    await putBackUnfinished(records);
    expect([text('src/a.ts'), readdirSync(records)]).toEqual([left, []]);
  });

  test('that another window is writing is left to it', async () => {
    writeFileSync(at('src/a.ts'), 'Aefore\n');
    const { owner } = inspectSystem();
    keepRecord({
      owner: {
        pid: process.ppid,
        host: owner.host,
        ...(owner.boot ? { boot: owner.boot } : {}),
        ...(owner.space ? { space: owner.space } : {}),
      },
    });
    await putBackUnfinished(records);
    expect([text('src/a.ts'), readdirSync(records)]).toEqual(['Aefore\n', ['x.json']]);
  });

  test('is half written at no other place than between both', () => {
    const [before, after] = [bytes('aaaa bbbb'), bytes('aaXX')];
    for (let done = 0; done <= after.length; done++) {
      const now = Uint8Array.from([...after.subarray(0, done), ...before.subarray(done)]);
      expect(isHalfWritten(now, before, after)).toBe(true);
    }
    expect(isHalfWritten(after, before, after)).toBe(false);
    expect(isHalfWritten(bytes('aaaa bbbX'), before, after)).toBe(false);
  });
});

test('a moved file stays the same one: its mode, times and other names', async () => {
  linkSync(at('src/a.ts'), at('second.ts'));
  chmodSync(at('src/a.ts'), 0o751);
  utimesSync(at('src/a.ts'), 1_000, 2_000);
  const before = statSync(at('src/a.ts'));
  const files = await openFolder(root);
  await useTool({ ...createWorkbench(), files }, 'move_file', { path: 'src/a.ts', new_path: 'new/b.ts' });
  const { ino, mode, mtimeMs, nlink } = statSync(at('new/b.ts'));
  expect({ ino, mode, mtimeMs, nlink }).toEqual({ ino: before.ino, mode: before.mode, mtimeMs: 2_000_000, nlink: 2 });
  expect(readdirSync(at('src'))).toEqual([]);
});

describe('a folder of ours', () => {
  test('is one by what it is: a mount that leads there is refused, not listed and not searched', async () => {
    const ours = join(top, 'ours');
    mkdirSync(ours, { recursive: true });
    mkdirSync(at('mounted'));
    writeFileSync(at('mounted/secret.txt'), 'before\n');
    // As where the same folder is mounted at both places.
    const identify = (path: string) => nodeDisk.identify(path === at('mounted') ? ours : path);
    const files = await openFolder(root, {
      denied: [ours],
      disk: { ...nodeDisk, identify },
      ripgrep: async () => rgPath,
    });
    for (const path of ['mounted', 'mounted/secret.txt', 'mounted/new/x.txt']) {
      await expect(files.resolve(path)).rejects.toThrow("where sessions or the editor's own data are kept");
    }
    expect((await files.list('.')).map(({ name }) => name)).toEqual(['src']);
    const { signal } = new AbortController();
    const { matches } = await files.search({ pattern: 'before', regex: false }, 10, signal);
    expect(matches.map(({ path }) => path)).toEqual(['src/a.ts']);
    expect((await files.find({ glob: '*' }, 10, signal)).paths).toEqual(['src/a.ts']);
  });

  test('keeps its files by each of their names: a hard link is refused and not searched', async () => {
    const ours = join(top, 'ours');
    mkdirSync(join(ours, 'sessions/1'), { recursive: true });
    writeFileSync(join(ours, 'sessions/1/journal.jsonl'), 'before\n');
    rmSync(at('notes.txt'), { force: true });
    linkSync(join(ours, 'sessions/1/journal.jsonl'), at('notes.txt'));
    linkSync(at('src/a.ts'), at('second.ts'));
    const files = await openFolder(root, { denied: [ours], unfinished: records, ripgrep: async () => rgPath });
    const refused = "where sessions or the editor's own data are kept";
    await expect(files.resolve('notes.txt')).rejects.toThrow(refused);
    await expect(files.read('notes.txt')).rejects.toThrow(refused);
    await expect(files.write('notes.txt', bytes('x'))).rejects.toThrow(refused);
    await expect(files.remove('notes.txt', at('notes.txt'))).rejects.toThrow(refused);
    expect((await files.list('.')).map(({ name }) => name)).toEqual(['second.ts', 'src']);
    const { matches } = await files.search({ pattern: 'before', regex: false }, 10, new AbortController().signal);
    expect(matches.map(({ path }) => path).sort()).toEqual(['second.ts', 'src/a.ts']);
    // A file with two names of its own is none of ours, until a third name makes it one.
    expect(new TextDecoder().decode(await files.read('second.ts'))).toBe('before\n');
    linkSync(at('src/a.ts'), join(ours, 'sessions/1/blob'));
    await expect(files.read('second.ts')).rejects.toThrow(refused);
  });

  test('is not looked through for changes, also where the way to it goes through a link', async () => {
    rmSync(join(top, 'alias'), { force: true });
    symlinkSync(root, join(top, 'alias'));
    mkdirSync(at('sessions'));
    writeFileSync(at('sessions/1.jsonl'), 'before\n');
    const denied = [join(top, 'alias/sessions')];
    const kept = await openCheckpointFiles({
      files: await openFolder(root, { denied }),
      denied,
      onSave: () => () => undefined,
      folders: [{ name: 'ws', path: root }],
    });
    expect([...(await kept.scan(100)).files.keys()]).toEqual(['src/a.ts']);
  });

  test.each([true, false])(
    'holds in every spelling on a disk that takes them for one (it tells how it spells: %s)',
    async (spells) => {
      const [composed, parts] = ['K\u00e9pt', 'Ke\u0301pt'];
      for (const name of ['Sessions', composed]) {
        mkdirSync(at(name));
        writeFileSync(at(`${name}/1.jsonl`), 'before\n');
      }
      symlinkSync('Sessions', at('link'));
      // As the product was told of them, which is not as the disk spells them.
      const files = await openFolder(root, { denied: [at('SESSIONS'), at(parts)], disk: foldingDisk(root, spells) });
      const spelled = ['Sessions', 'sessions', 'SESSIONS', 'link', 'LINK', composed, parts, parts.toUpperCase()];
      for (const path of spelled.flatMap((name) => [name, `${name}/1.jsonl`, `${name}/new.txt`]))
        await expect(files.resolve(path), path).rejects.toThrow("where sessions or the editor's own data are kept");
      expect((await files.list('.')).map(({ name }) => name)).toEqual(['link', 'src']);
    },
  );

  test('costs a search one look for each folder, however many files are in it', async () => {
    for (let nth = 0; nth < 300; nth++) writeFileSync(at(`src/${nth}.ts`), 'before\n');
    const looked: string[] = [];
    const identify = (path: string) => {
      looked.push(path);
      return nodeDisk.identify(path);
    };
    const files = await openFolder(root, {
      denied: [join(top, 'ours')],
      disk: { ...nodeDisk, identify },
      ripgrep: async () => rgPath,
    });
    const { total } = await files.find({ glob: '*' }, 10, new AbortController().signal);
    expect(total).toBe(301);
    expect(looked.filter((path) => path.startsWith(root)).sort()).toEqual([root, at('src')].sort());
  });
});

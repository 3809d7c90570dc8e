import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { ChangeList, sinceMoment } from '../../../../src/core/checkpoints/changeList.ts';
import { FileKeeper, KEEP_LIMITS } from '../../../../src/core/checkpoints/fileKeeper.ts';
import { restoreFiles } from '../../../../src/core/checkpoints/restoreFiles.ts';
import { markReviewed, stepsBack } from '../../../../src/core/checkpoints/review.ts';
import { sinceLastCommit } from '../../../../src/host/review/commitBases.ts';
import { openCheckpointFiles } from '../../../../src/node/files/checkpointFiles.ts';
import { findOnPath } from '../../../../src/node/files/findRipgrep.ts';
import { openGit } from '../../../../src/node/files/openGit.ts';
import { memoryBlobs, memoryJournal } from '../../../support/ports/memoryStore.ts';
import { testCrypto } from '../../../support/ports/nodeCrypto.ts';
import { testClock } from '../../../support/ports/testClock.ts';
import { createTemporaryFolder, openFolder } from '../files/temporaryFolder.ts';

const program = await findOnPath('git', { path: process.env.PATH ?? '', workspaceFolders: [] });
const top = createTemporaryFolder();
const { signal } = new AbortController();
let count = 0;
let folder = '';

const identity = { GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@b', GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@b' };
const env = { ...process.env, ...identity, HOME: top, GIT_CONFIG_NOSYSTEM: '1' };
const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, env, stdio: 'pipe' }).toString();
const at = (name: string) => join(folder, name);
const write = (name: string, text: string) => writeFileSync(at(name), text, 'latin1');
const held = (name: string) => readFileSync(at(name)).toString('latin1');

beforeEach(() => {
  count += 1;
  folder = join(top, `repository-${count}`);
  mkdirSync(at('src'), { recursive: true });
  git('init', '-q', '-b', 'main');
});

async function open(root = folder) {
  const files = await openFolder(root);
  const { journal } = await memoryJournal();
  const reader = openGit({ folders: [root], denied: [], environment: env, git: async () => program });
  const folders = [{ name: 'workspace', path: root }];
  const ignored = (paths: readonly string[]) => reader.ignored(paths, signal);
  const ports = {
    journal,
    files: await openCheckpointFiles({
      files,
      folders,
      ignored,
      onSave: () => () => undefined,
      unchanged: () => reader.unchanged(signal),
    }),
    blobs: memoryBlobs(),
    crypto: testCrypto(),
    clock: testClock(),
  };
  const list = new ChangeList(
    sinceLastCommit([root], () => ({ files, git: reader }), ports),
    ports,
  );
  const takeBackAll = async () => {
    const steps = await Promise.all(
      (await list.list()).changed.map((file) => stepsBack({ file, changes: null }, ports)),
    );
    expect((await restoreFiles(steps.flat(), new Set(), ports)).skipped).toEqual([]);
  };
  return { ports, list, reader, takeBackAll };
}

describe.skipIf(program === null || process.platform === 'win32')('files since the last commit', () => {
  test('are listed, whoever changed them, and taken back to what git would write', async () => {
    git('config', 'core.autocrlf', 'true');
    write('.gitattributes', '*.sh text eol=lf\n');
    write('.gitignore', 'built/\n');
    for (const name of ['a.txt', 'src/b.txt', 'run.sh', 'gone.txt', 'moved.txt'])
      write(name, `${name}\none\ncaf\xe9\n`);
    chmodSync(at('run.sh'), 0o755);
    writeFileSync(at('picture.bin'), Buffer.from([0, 1, 13, 10, 2]));
    git('add', '.');
    git('commit', '-qm', 'All of it: “first”');
    git('rm', '-rqf', '--cached', '.');
    git('reset', '-q', '--hard');
    const names = ['a.txt', 'src/b.txt', 'run.sh', 'gone.txt', 'moved.txt', 'picture.bin'];
    const before = names.map(held);
    expect(before[0]).toBe('a.txt\r\none\r\ncaf\xe9\r\n');

    write('a.txt', 'a.txt\r\ntwo\r\ncaf\xe9\r\n');
    // With the line ends that the commit has.
    write('src/b.txt', 'src/b.txt\ntwo\ncaf\xe9\n');
    chmodSync(at('run.sh'), 0o644);
    rmSync(at('gone.txt'));
    renameSync(at('moved.txt'), at('new name.txt'));
    write('mine.txt', 'mine\n');
    mkdirSync(at('built'));
    write('built/out.txt', 'out\n');
    writeFileSync(at('picture.bin'), Buffer.from([0, 1]));
    git('add', 'a.txt', 'new name.txt');
    const { list, takeBackAll, reader } = await open();
    expect((await reader.lastCommit(folder, signal))?.subject).toBe('All of it: “first”');
    const { changed, unknown, incomplete } = await list.list();
    expect({ unknown, incomplete }).toEqual({ unknown: [], incomplete: false });
    expect(changed.map(({ path, renamedFrom, lines }) => [path, renamedFrom, lines?.added, lines?.removed])).toEqual([
      ['a.txt', null, 1, 1],
      ['gone.txt', null, 0, 3],
      ['mine.txt', null, 1, 0],
      ['new name.txt', 'moved.txt', 0, 0],
      ['picture.bin', null, undefined, undefined],
      ['run.sh', null, 0, 0],
      ['src/b.txt', null, 1, 1],
    ]);
    await takeBackAll();
    // The file that had other line ends keeps them.
    expect(names.map(held)).toEqual(before.map((text, nth) => (nth === 1 ? text.replaceAll('\r', '') : text)));
    git('reset', '-q');
    expect(git('diff', 'HEAD')).toBe('');
    expect((await list.list()).changed).toEqual([]);
  });

  test('in a folder of the repository, with links, filters and names of any kind', async () => {
    write('.gitattributes', '*.lfs filter=lfs\n');
    write('top.txt', 'one\n');
    write('src/-n "ä".txt', 'one\n');
    write('src/big.lfs', 'pointer\n');
    symlinkSync('../top.txt', at('src/link'));
    git('add', '.');
    git('commit', '-qm', 'first');
    git('config', 'filter.lfs.clean', `touch ${at('ran')}; cat`);
    git('config', 'filter.lfs.smudge', `touch ${at('ran')}; cat`);
    write('top.txt', 'two\n');
    write('src/-n "ä".txt', 'two\n');
    write('src/big.lfs', 'pulled\n');
    rmSync(at('src/link'));
    symlinkSync('../elsewhere', at('src/link'));
    const { list, takeBackAll } = await open(at('src'));
    const { changed, unknown } = await list.list();
    expect(changed.map(({ path }) => path)).toEqual(['-n "ä".txt']);
    expect(unknown).toEqual(['big.lfs', 'link']);
    await takeBackAll();
    expect(held('src/-n "ä".txt')).toBe('one\n');
    expect(() => held('ran')).toThrow();
  });

  test('stay reviewed until they change again, or are committed', { tags: ['long'] }, async () => {
    write('a.txt', 'one\n');
    git('add', '.');
    git('commit', '-qm', 'first');
    write('a.txt', 'two\n');
    const { list, ports } = await open();
    const listed = async () => (await list.list()).changed;
    const [file] = await listed();
    if (!file) throw new Error('It is listed');
    await markReviewed([{ file, changes: null }], ports);
    // The test's clock begins long ago.
    expect(await listed()).toHaveLength(1);
    execFileSync('git', ['commit', '-q', '--amend', '--no-edit', '--date=2001-01-01T00:00:00Z'], {
      cwd: folder,
      env: { ...env, GIT_COMMITTER_DATE: '2001-01-01T00:00:00Z' },
    });
    expect(await listed()).toEqual([]);
    write('a.txt', 'three\n');
    expect((await listed()).map(({ before }) => Buffer.from(before?.bytes ?? []).toString())).toEqual(['two\n']);
  });

  test('without a repository or a commit there is nothing to compare with', async () => {
    const { reader } = await open();
    expect(await reader.lastCommit(folder, signal)).toBeNull();
    await expect(reader.lastCommit(top, signal)).rejects.toThrow(/git cannot tell/u);
    expect(await reader.ignored([join(top, 'any')], signal)).toEqual(new Set());
  });

  test('files that were too many to read before a command come back from git, where it knew them', {
    tags: ['long'],
  }, async () => {
    git('config', 'core.autocrlf', 'true');
    write('.gitattributes', '*.sh text eol=lf\n');
    const names = ['a.txt', 'run.sh', 'src/gone.txt', 'unix.txt', 'touched.txt', 'edited.txt'];
    for (const name of names) write(name, `${name}\none\n`);
    chmodSync(at('run.sh'), 0o755);
    git('add', '.');
    git('commit', '-qm', 'first');
    git('rm', '-rqf', '--cached', '.');
    git('reset', '-q', '--hard');
    // Git holds it as it was before, and its index knows the file of now.
    write('unix.txt', 'unix.txt\none\n');
    git('add', 'unix.txt');
    write('edited.txt', 'edited.txt\r\ntwo\r\n');
    write('untracked.txt', 'mine\n');
    const all = [...names, 'untracked.txt'];
    const before = all.map(held);
    const { ports } = await open();
    const keeper = new FileKeeper(ports, { ...KEEP_LIMITS, memoryBytes: 0 });
    await keeper.before({ toolCallId: 'run', toolClass: 'run', changes: [] });
    for (const name of ['a.txt', 'unix.txt', 'edited.txt', 'untracked.txt']) write(name, 'by the command\n');
    chmodSync(at('run.sh'), 0o644);
    rmSync(at('src/gone.txt'));
    // The command may change what git knows, too.
    git('commit', '-qam', 'second');
    await keeper.after('run');
    const images = [...ports.journal.ofType('files')].flatMap(({ files }) => files);
    expect(images.map(({ path, restorable }) => [path, restorable]).sort()).toEqual([
      ['a.txt', true],
      ['edited.txt', false],
      ['run.sh', true],
      ['src/gone.txt', true],
      ['unix.txt', true],
      ['untracked.txt', false],
    ]);
    const list = new ChangeList(sinceMoment(0, ports), ports);
    const { changed, unknown } = await list.list();
    expect(unknown).toEqual(['edited.txt', 'untracked.txt']);
    const steps = await Promise.all(changed.map((file) => stepsBack({ file, changes: null }, ports)));
    await restoreFiles(steps.flat(), new Set(), ports);
    const now = all.map((name) => (unknown.includes(name) ? '' : held(name)));
    expect(now).toEqual(before.map((text, nth) => (unknown.includes(all[nth] ?? '') ? '' : text)));
    expect(statSync(at('run.sh')).mode & 0o111).toBe(0o111);
  });

  test('ignored files that only a command changed are no part of a review', async () => {
    write('.gitignore', 'out.txt\nkeys.txt\n');
    const { ports } = await open();
    const keeper = new FileKeeper(ports);
    await keeper.before({ toolCallId: 'run', toolClass: 'run', changes: [] });
    for (const name of ['out.txt', 'plain.txt']) write(name, 'made\n');
    await keeper.after('run');
    await keeper.before({ toolCallId: 'tool', toolClass: 'write', changes: ['keys.txt'] });
    write('keys.txt', 'a\n');
    await keeper.after('tool');
    const { changed } = await new ChangeList(sinceMoment(0, ports), ports).list();
    expect(changed.map(({ path }) => path)).toEqual(['keys.txt', 'plain.txt']);
  });
});

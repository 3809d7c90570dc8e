import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { findOnPath } from '../../../../src/node/files/findRipgrep.ts';
import { openGit } from '../../../../src/node/files/openGit.ts';
import { createTemporaryFolder } from '../files/temporaryFolder.ts';

const program = await findOnPath('git', { path: process.env.PATH ?? '', workspaceFolders: [] });
const top = createTemporaryFolder();
const { signal } = new AbortController();
let count = 0;
let folder = '';

const identity = { GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@b', GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@b' };
const env = { ...process.env, ...identity, HOME: top, GIT_CONFIG_NOSYSTEM: '1' };
const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, env, stdio: 'pipe' }).toString();
const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
const open = (folders = [folder], denied: string[] = []) =>
  openGit({ folders, denied, environment: env, git: async () => program });

beforeEach(() => {
  count += 1;
  folder = join(top, `repository-${count}`);
  mkdirSync(join(folder, 'src'), { recursive: true });
  git('init', '-q', '-b', 'main');
});

describe.skipIf(program === null || process.platform === 'win32')('git_changes on a real repository', () => {
  test('staged, unstaged and untracked changes, of all or of one folder', async () => {
    write('a.txt', 'one\n');
    write('src/b.txt', 'one\n');
    git('add', '.');
    git('commit', '-qm', 'first');
    write('a.txt', 'two\n');
    git('add', 'a.txt');
    write('src/b.txt', 'two\n');
    write('src/new name.txt', 'new\n');
    const { branch, files, diff, cut } = await open().changes(folder, signal);
    expect({ branch, files, cut }).toEqual({
      branch: 'main',
      files: [
        { state: 'M ', path: 'a.txt' },
        { state: ' M', path: 'src/b.txt' },
        { state: '??', path: 'src/new name.txt' },
      ],
      cut: false,
    });
    expect(diff).toContain('-one\n+two');
    const part = await open([join(folder, 'src')]).changes(join(folder, 'src'), signal);
    expect(part.files.map(({ path }) => path)).toEqual(['b.txt', 'new name.txt']);
    expect(part.diff).toContain('a/b.txt');
    expect(part.diff).not.toContain('a.txt');
  });

  test('changes in submodules and nested repositories are told with the others, or alone', async () => {
    const outer = folder;
    const other = join(top, `other-${count}`);
    mkdirSync(other);
    folder = other;
    git('init', '-q', '-b', 'main');
    write('s.txt', 'one\n');
    git('add', '.');
    git('commit', '-qm', 'first');
    folder = outer;
    write('a.txt', 'one\n');
    git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', other, 'libs/sub');
    git('add', '.');
    git('commit', '-qm', 'first');
    mkdirSync(join(outer, 'nested'));
    folder = join(outer, 'nested');
    git('init', '-q', '-b', 'dev');
    write('n.txt', 'one\n');
    git('add', '.');
    git('commit', '-qm', 'first');
    write('n.txt', 'two\n');
    folder = outer;
    write('libs/sub/s.txt', 'two\n');
    const all = await open().changes(folder, signal);
    expect(all.files).toEqual([
      { state: '??', path: 'nested/' },
      { state: ' M', path: 'libs/sub/s.txt' },
      { state: ' M', path: 'nested/n.txt' },
    ]);
    expect(all.nested).toEqual([
      { path: 'libs/sub', branch: 'main...origin/main' },
      { path: 'nested', branch: 'dev' },
    ]);
    for (const path of ['libs/sub/s.txt', 'nested/n.txt']) expect(all.diff).toContain(`+++ b/${path}`);
    for (const path of ['libs/sub', 'libs/sub/s.txt', 'nested', 'nested/n.txt']) {
      const part = await open().changes(join(folder, path), signal);
      const name = path.startsWith('libs') ? 'libs/sub/s.txt' : 'nested/n.txt';
      expect(part.files, path).toEqual([{ state: ' M', path: name }]);
      expect(part.diff, path).toContain(`--- a/${name}\n+++ b/${name}\n`);
    }
  });

  test('a folder that is in no repository tells the changes of those in it', async () => {
    const above = join(top, `above-${count}`);
    for (const name of ['web', 'api', 'libs/deep/one', 'node_modules/other']) {
      folder = join(above, name);
      mkdirSync(folder, { recursive: true });
      git('init', '-q', '-b', 'main');
      write('a.txt', 'one\n');
      git('add', '.');
      git('commit', '-qm', 'first');
      write('a.txt', 'two\n');
    }
    const all = await open([above]).changes(above, signal);
    expect(all.branch).toBe(null);
    const names = ['api', 'web', 'libs/deep/one'];
    expect(all.files).toEqual(names.map((name) => ({ state: ' M', path: `${name}/a.txt` })));
    expect(all.nested).toEqual(names.map((path) => ({ path, branch: 'main' })));
    expect(all.diff).toContain('+++ b/libs/deep/one/a.txt');
    expect((await open([above]).changes(join(above, 'libs'), signal)).files.map(({ path }) => path)).toEqual([
      'libs/deep/one/a.txt',
    ]);
    mkdirSync(join(above, 'empty'));
    await expect(open([above]).changes(join(above, 'empty'), signal)).rejects.toThrow('not a git repository');
  });

  test('repositories deeper in a folder that git does not track are told, too', async () => {
    write('a.txt', 'one\n');
    git('add', '.');
    git('commit', '-qm', 'first');
    const outer = folder;
    folder = join(outer, 'libs/deep/one');
    mkdirSync(folder, { recursive: true });
    git('init', '-q', '-b', 'dev');
    write('n.txt', 'one\n');
    folder = outer;
    const { files, nested } = await open().changes(outer, signal);
    expect(nested).toEqual([{ path: 'libs/deep/one', branch: 'No commits yet on dev' }]);
    expect(files).toContainEqual({ state: '??', path: 'libs/deep/one/n.txt' });
  });

  test('names outside of ASCII stand in the diff as they are', async () => {
    write('caf\u00e9 \u6f22.txt', 'one\n');
    git('add', '.');
    git('commit', '-qm', 'first');
    write('caf\u00e9 \u6f22.txt', 'two\n');
    expect((await open().changes(folder, signal)).diff).toContain('+++ b/caf\u00e9 \u6f22.txt');
  });

  test('before the first commit, in no repository, and where tools do not reach', async () => {
    write('a.txt', 'one\n');
    git('add', '.');
    expect((await open().changes(folder, signal)).diff).toContain('+one');
    await expect(open([folder], [join(folder, 'a.txt')]).changes(folder, signal)).rejects.toThrow(/are kept/);
    const bare = join(top, 'no-repository');
    mkdirSync(bare, { recursive: true });
    await expect(open([bare]).changes(bare, signal)).rejects.toThrow(/not a git repository/);
  });

  test('a repository that runs programs by every means runs none, and nothing in it is written', async () => {
    const marks = join(top, `marks-${count}`);
    mkdirSync(marks);
    const trap = (name: string) => {
      const path = join(folder, `.git/${name}.sh`);
      writeFileSync(path, `#!/bin/sh\n: > ${join(marks, name)}\ncat\n`);
      chmodSync(path, 0o755);
      return path;
    };
    write('.gitattributes', '*.txt filter=evil diff=evil\n*.bin filter=long\n');
    write('a.txt', 'one\n');
    write('a.bin', 'one\n');
    write('plain.md', 'one\n');
    git('add', '.');
    git('commit', '-qm', 'first');
    const set = (key: string, value: string) => git('config', key, value);
    set('core.fsmonitor', trap('monitor'));
    set('core.pager', trap('pager'));
    set('pager.diff', trap('pager-diff'));
    set('diff.external', trap('external'));
    set('diff.evil.command', trap('driver'));
    set('diff.evil.textconv', trap('textconv'));
    set('filter.evil.clean', trap('clean'));
    set('filter.evil.required', 'true');
    set('filter.long.process', trap('process'));
    set('core.sshCommand', trap('ssh'));
    set('remote.origin.url', `ext::${trap('remote')}`);
    set('protocol.ext.allow', 'always');
    set('remote.origin.promisor', 'true');
    mkdirSync(join(folder, '.git/traps'));
    for (const hook of ['post-index-change', 'pre-commit', 'post-checkout']) {
      writeFileSync(join(folder, '.git/traps', hook), `#!/bin/sh\n: > ${join(marks, hook)}\n`, { mode: 0o755 });
    }
    set('core.hooksPath', join(folder, '.git/traps'));
    write('a.txt', 'two\n');
    write('a.bin', 'two\n');
    write('plain.md', 'two\n');
    const index = join(folder, '.git/index');
    const before = [readFileSync(index).toString('hex'), statSync(index).mtimeMs];

    const { files, diff } = await open().changes(folder, signal);
    expect(files).toEqual([
      { state: ' M', path: 'a.bin', filtered: true },
      { state: ' M', path: 'a.txt', filtered: true },
      { state: ' M', path: 'plain.md' },
    ]);
    expect(diff).toContain('-one\n+two');
    expect(diff).not.toMatch(/a\.(?:txt|bin)/u);
    expect(readdirSync(marks)).toEqual([]);
    expect([readFileSync(index).toString('hex'), statSync(index).mtimeMs]).toEqual(before);

    // The traps do work: git by itself falls into them.
    try {
      git('diff');
    } catch {
      // What a trap answers may be no good to git.
    }
    expect(readdirSync(marks).length).toBeGreaterThan(1);
    expect(existsSync(join(marks, 'monitor'))).toBe(true);
  });

  test('a missing object is not fetched from the remote that the repository names', async () => {
    const mark = join(top, `fetched-${count}`);
    write('a.txt', 'one\n');
    git('add', '.');
    git('commit', '-qm', 'first');
    const id = git('rev-parse', 'HEAD:a.txt').trim();
    git('config', 'remote.origin.url', `ext::sh -c :>${mark}`);
    git('config', 'protocol.ext.allow', 'always');
    git('config', 'remote.origin.promisor', 'true');
    git('config', 'extensions.partialClone', 'origin');
    git('config', 'core.repositoryFormatVersion', '1');
    execFileSync('rm', ['-f', join(folder, '.git/objects', id.slice(0, 2), id.slice(2))]);
    write('a.txt', 'two\n');
    await expect(open().changes(folder, signal)).rejects.toThrow(/git cannot tell/);
    expect(existsSync(mark)).toBe(false);
  });

  test('files that the repository claims outside of the workspace folder are not told', async () => {
    write('a.txt', 'one\n');
    git('add', '.');
    git('commit', '-qm', 'first');
    writeFileSync(join(top, 'a.txt'), 'secret\n');
    git('config', 'core.worktree', top);
    const told = await open()
      .changes(folder, signal)
      .catch((thrown: unknown) => String(thrown));
    expect(JSON.stringify(told)).not.toContain('secret');
  });

  test('a filter of a name that cannot be switched off means that git is not run', async () => {
    git('config', 'filter.a=b.clean', 'true');
    await expect(open().changes(folder, signal)).rejects.toThrow(/cannot be switched off/);
  });
});

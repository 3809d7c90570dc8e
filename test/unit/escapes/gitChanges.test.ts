/**
 * Everything by which a repository can have git run a program, each in one line: `git_changes` runs none of them. The trap
 * leaves a mark; where a plain command of git would spring it, that command is named and the test makes sure that it does.
 */

import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openGit } from '../../../src/host/files/openGit.ts';
import { findOnPath } from '../../../src/host/files/runRipgrep.ts';
import { createTemporaryFolder } from '../host/files/temporaryFolder.ts';

const program = await findOnPath('git', { path: process.env.PATH ?? '', workspaceFolders: [] });
const top = createTemporaryFolder();
const identity = { GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@b', GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@b' };
const { signal } = new AbortController();

class Repository {
  readonly home: string;
  readonly folder: string;
  readonly marks: string;
  readonly env: Record<string, string | undefined>;

  constructor(nth: number) {
    this.home = join(top, `home-${nth}`);
    this.folder = join(this.home, 'repository');
    this.marks = join(this.home, 'marks');
    for (const path of [this.folder, this.marks]) mkdirSync(path, { recursive: true });
    this.env = { PATH: process.env.PATH, ...identity, HOME: this.home, GIT_CONFIG_NOSYSTEM: '1' };
    this.git('init', '-q', '-b', 'main');
    this.write('a.txt', 'one\n');
    this.write('b.md', 'one\n');
    this.git('add', '.');
    this.git('commit', '-qm', 'first');
  }

  git(...args: string[]): string {
    return execFileSync('git', args, {
      cwd: this.folder,
      env: this.env,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: 20_000,
    }).toString();
  }

  write(path: string, text: string | Buffer, mode = 0o644): void {
    mkdirSync(dirname(join(this.folder, path)), { recursive: true });
    writeFileSync(join(this.folder, path), text, { mode });
  }

  /** A program that leaves its mark, as a configuration would name it. */
  get trap(): string {
    const path = join(this.home, 'trap.sh');
    writeFileSync(path, `#!/bin/sh\n: > ${join(this.marks, 'sprung')}\n`, { mode: 0o755 });
    return path;
  }

  set(key: string, value = this.trap): void {
    this.git('config', key, value);
  }

  /** As written, for what the command would not write. */
  configure(text: string | Buffer, file = '.git/config'): void {
    appendFileSync(join(this.folder, file), text);
  }

  attribute(text: string | Buffer, file = '.gitattributes'): void {
    this.write(file, Buffer.concat([Buffer.from('*.txt '), Buffer.from(text), Buffer.from('\n')]));
  }

  hook(name: string, folder = '.git/hooks'): void {
    this.write(join(folder, name), readFileSync(this.trap), 0o755);
  }

  get sprung(): boolean {
    return readdirSync(this.marks).length > 0;
  }
}

interface Case {
  readonly name: string;
  readonly arrange: (repository: Repository) => void;
  /** `told`: the change of a.txt is in the diff; `notCompared`: it is only listed; else why git is not run. */
  readonly ends: 'told' | 'notCompared' | RegExp;
  /** A command of git that falls into the trap. */
  readonly springs?: readonly string[];
}

const DIFF = ['diff'];
const STATUS = ['status'];
const OFF = /cannot be switched off here/u;

const filter = (r: Repository, name: string, key = 'clean') => {
  r.set(`filter.${name}.${key}`);
  r.attribute(`filter=${name}`);
};
/** A submodule whose own repository is armed. */
const submodule = (r: Repository, arm: (inner: Repository) => void) => {
  const inner = join(r.folder, 'inner');
  r.git('init', '-q', inner);
  const at = { cwd: inner, env: r.env };
  writeFileSync(join(inner, 'c.txt'), 'one\n');
  for (const args of [
    ['add', '.'],
    ['commit', '-qm', 'x'],
  ])
    execFileSync('git', args, at);
  r.write('.gitmodules', '[submodule "inner"]\n\tpath = inner\n\turl = ./inner\n\tignore = none\n');
  r.git('-c', 'protocol.file.allow=always', 'add', 'inner', '.gitmodules');
  r.git('commit', '-qm', 'inner');
  arm(
    Object.assign(Object.create(r) as Repository, {
      folder: inner,
      git: (...args: string[]) => execFileSync('git', args, at).toString(),
    }),
  );
  writeFileSync(join(inner, 'c.txt'), 'two\n');
};
/** The repository lacks an object that a remote is to give. */
const missing = (r: Repository, remote: Readonly<Record<string, string>>) => {
  const id = r.git('rev-parse', 'HEAD:a.txt').trim();
  for (const [key, value] of Object.entries(remote)) r.set(`remote.origin.${key}`, value);
  r.set('remote.origin.promisor', 'true');
  r.set('extensions.partialClone', 'origin');
  r.set('core.repositoryFormatVersion', '1');
  rmSync(join(r.folder, '.git/objects', id.slice(0, 2), id.slice(2)), { force: true });
};

const CASES: readonly Case[] = [
  // Filters: each with a name that a file has as its attribute.
  { name: 'a clean filter', arrange: (r) => filter(r, 'evil'), ends: 'notCompared', springs: DIFF },
  {
    name: 'a filter as a long-running process',
    arrange: (r) => filter(r, 'evil', 'process'),
    ends: 'notCompared',
    springs: DIFF,
  },
  { name: 'a filter with a dot in its name', arrange: (r) => filter(r, 'a.b'), ends: 'notCompared', springs: DIFF },
  { name: 'a filter named like a variable', arrange: (r) => filter(r, 'x.clean'), ends: 'notCompared', springs: DIFF },
  { name: 'a filter with letters beyond ASCII', arrange: (r) => filter(r, 'é滤'), ends: 'notCompared', springs: DIFF },
  {
    name: 'a filter that is required',
    arrange: (r) => {
      filter(r, 'evil');
      r.set('filter.evil.required', 'true');
    },
    ends: 'notCompared',
    springs: DIFF,
  },
  {
    name: 'a filter with an empty name',
    arrange: (r) => {
      r.configure(`[filter ""]\n\tclean = ${r.trap}\n`);
      r.attribute('filter=');
    },
    ends: OFF,
    springs: DIFF,
  },
  {
    name: 'a process with an empty name',
    arrange: (r) => {
      r.configure(`[filter ""]\n\tprocess = ${r.trap}\n`);
      r.attribute('filter=');
    },
    ends: OFF,
    springs: DIFF,
  },
  {
    name: 'an empty name in capital letters',
    arrange: (r) => {
      r.configure(`[FILTER ""]\n\tCLEAN = ${r.trap}\n`);
      r.attribute('filter=');
    },
    ends: OFF,
    springs: DIFF,
  },
  { name: 'a name with an equals sign', arrange: (r) => filter(r, 'a=b'), ends: OFF, springs: DIFF },
  {
    name: 'a name that is no UTF-8',
    arrange: (r) => {
      r.configure(Buffer.from(`[filter "\xff"]\n\tclean = ${r.trap}\n`, 'latin1'));
      r.attribute(Buffer.from('filter=\xff', 'latin1'));
    },
    ends: OFF,
    springs: DIFF,
  },
  {
    name: 'a name that git says of files without a filter',
    arrange: (r) => filter(r, 'unspecified'),
    ends: OFF,
    springs: DIFF,
  },
  { name: 'a name that git says of a bare attribute', arrange: (r) => filter(r, 'set'), ends: OFF },
  { name: 'a key that is not known', arrange: (r) => filter(r, 'evil', 'command'), ends: OFF },
  { name: 'a key without a name', arrange: (r) => r.configure(`[filter]\n\tclean = ${r.trap}\n`), ends: OFF },
  {
    name: 'the older way to write a name',
    arrange: (r) => {
      r.configure(`[filter.evil]\n\tclean = ${r.trap}\n`);
      r.attribute('filter=evil');
    },
    ends: 'notCompared',
    springs: DIFF,
  },
  {
    name: 'capital letters',
    arrange: (r) => {
      r.configure(`[FILTER "Evil"]\n\tCLEAN = ${r.trap}\n`);
      r.attribute('filter=Evil');
    },
    ends: 'notCompared',
    springs: DIFF,
  },
  {
    name: 'more filters than are switched off',
    arrange: (r) => {
      for (let nth = 0; nth < 101; nth++) r.configure(`[filter "f${nth}"]\n\tclean = ${r.trap}\n`);
      r.attribute('filter=f100');
    },
    ends: /more than 100 filters/u,
    springs: DIFF,
  },
  // Where a filter or an attribute may come from.
  {
    name: 'attributes of the repository itself',
    arrange: (r) => {
      r.set('filter.evil.clean');
      r.attribute('filter=evil', '.git/info/attributes');
    },
    ends: 'notCompared',
    springs: DIFF,
  },
  {
    name: 'attributes of a file that the configuration names',
    arrange: (r) => {
      r.set('filter.evil.clean');
      r.attribute('filter=evil', 'attributes');
      r.set('core.attributesFile', join(r.folder, 'attributes'));
    },
    ends: 'notCompared',
    springs: DIFF,
  },
  {
    name: 'a macro of attributes',
    arrange: (r) => {
      r.set('filter.evil.clean');
      r.write('.gitattributes', '[attr]mine filter=evil\n*.txt mine\n');
    },
    ends: 'notCompared',
    springs: DIFF,
  },
  {
    name: 'an included configuration',
    arrange: (r) => {
      r.write('more', `[filter "evil"]\n\tclean = ${r.trap}\n`);
      r.set('include.path', '../more');
      r.attribute('filter=evil');
    },
    ends: 'notCompared',
    springs: DIFF,
  },
  {
    name: 'a configuration included for this folder',
    arrange: (r) => {
      r.write('more', `[filter ""]\n\tclean = ${r.trap}\n`);
      r.set(`includeIf.gitdir:${r.folder}/.path`, '../more');
      r.attribute('filter=');
    },
    ends: OFF,
    springs: DIFF,
  },
  {
    name: 'a configuration included for this branch',
    arrange: (r) => {
      r.write('more', `[filter "evil"]\n\tclean = ${r.trap}\n`);
      r.set('includeIf.onbranch:main.path', '../more');
      r.attribute('filter=evil');
    },
    ends: 'notCompared',
    springs: DIFF,
  },
  {
    name: 'the configuration of a worktree',
    arrange: (r) => {
      r.set('extensions.worktreeConfig', 'true');
      r.write('.git/config.worktree', `[filter "evil"]\n\tclean = ${r.trap}\n`);
      r.attribute('filter=evil');
    },
    ends: 'notCompared',
    springs: DIFF,
  },
  {
    name: 'the person’s own configuration, as LFS has it',
    arrange: (r) => {
      r.git('config', '--global', 'filter.lfs.clean', r.trap);
      r.attribute('filter=lfs diff=lfs merge=lfs -text');
    },
    ends: 'notCompared',
    springs: DIFF,
  },
  // What tells or compares.
  { name: 'an external diff', arrange: (r) => r.set('diff.external'), ends: 'told', springs: DIFF },
  {
    name: 'a diff driver',
    arrange: (r) => {
      r.set('diff.evil.command');
      r.attribute('diff=evil');
    },
    ends: 'told',
    springs: DIFF,
  },
  {
    name: 'a converter to text',
    arrange: (r) => {
      r.set('diff.evil.textconv');
      r.attribute('diff=evil');
    },
    ends: 'told',
    springs: DIFF,
  },
  {
    name: 'a converter whose output is kept',
    arrange: (r) => {
      r.set('diff.evil.textconv');
      r.set('diff.evil.cachetextconv', 'true');
      r.attribute('diff=evil');
    },
    ends: 'told',
    springs: DIFF,
  },
  {
    name: 'a merge driver',
    arrange: (r) => {
      r.set('merge.evil.driver');
      r.attribute('merge=evil');
    },
    ends: 'told',
  },
  {
    name: 'a pager',
    arrange: (r) => {
      r.set('core.pager');
      r.set('pager.diff');
      r.set('pager.status');
    },
    ends: 'told',
  },
  {
    name: 'a program for signatures',
    arrange: (r) => {
      r.set('gpg.program');
      r.set('gpg.ssh.program');
      r.set('log.showSignature', 'true');
      r.set('commit.gpgSign', 'true');
    },
    ends: 'told',
    springs: ['commit', '-am', 'x'],
  },
  { name: 'a filter for interactive diffs', arrange: (r) => r.set('interactive.diffFilter'), ends: 'told' },
  {
    name: 'a tool for diffs',
    arrange: (r) => {
      r.set('diff.tool', 'evil');
      r.set('difftool.evil.cmd');
      r.set('difftool.prompt', 'false');
    },
    ends: 'told',
    springs: ['difftool'],
  },
  { name: 'an order of files that never ends', arrange: (r) => r.set('diff.orderFile', '/dev/zero'), ends: 'told' },
  {
    name: 'attributes that never end',
    arrange: (r) => r.set('core.attributesFile', '/dev/zero'),
    ends: 'told',
  },
  {
    name: 'attributes that never end, by a link with a relative name',
    arrange: (r) => {
      symlinkSync('/dev/zero', join(r.folder, 'attributes'));
      r.set('core.attributesFile', 'attributes');
    },
    ends: 'told',
  },
  { name: 'ignored names that never end', arrange: (r) => r.set('core.excludesFile', '/dev/zero'), ends: 'told' },
  {
    name: 'ignored names from a pipe that nobody writes',
    arrange: (r) => {
      execFileSync('mkfifo', [join(r.home, 'pipe')]);
      r.set('core.excludesFile', join(r.home, 'pipe'));
    },
    ends: 'told',
  },
  {
    name: 'names of people and revisions that never end',
    arrange: (r) => {
      for (const key of ['mailmap.file', 'blame.ignoreRevsFile', 'commit.template']) r.set(key, '/dev/zero');
    },
    ends: 'told',
  },
  {
    name: 'an included configuration that never ends',
    arrange: (r) => r.configure('[include]\n\tpath = /dev/zero\n'),
    ends: /git cannot tell/u,
  },
  {
    name: 'attributes of the repository itself that never end',
    arrange: (r) => symlinkSync('/dev/zero', join(r.folder, '.git/info/attributes')),
    ends: /git cannot tell \(fatal: Out of memory/u,
  },
  {
    name: 'other places of objects that never end',
    arrange: (r) => symlinkSync('/dev/zero', join(r.folder, '.git/objects/info/alternates')),
    ends: /git cannot tell \(fatal: Out of memory/u,
  },
  // What is asked or started beside.
  { name: 'a monitor of files', arrange: (r) => r.set('core.fsmonitor'), ends: 'told', springs: STATUS },
  {
    name: 'hooks',
    arrange: (r) => {
      for (const each of ['post-index-change', 'pre-commit', 'fsmonitor-watchman', 'post-checkout']) r.hook(each);
    },
    ends: 'told',
    springs: ['commit', '-am', 'x'],
  },
  {
    name: 'hooks elsewhere',
    arrange: (r) => {
      r.hook('post-index-change', 'traps');
      r.set('core.hooksPath', join(r.folder, 'traps'));
      r.git('update-index', '--refresh');
    },
    ends: 'told',
    springs: ['add', 'a.txt'],
  },
  {
    name: 'a hook of the configuration',
    arrange: (r) => {
      r.set('hook.evil.command');
      r.set('hook.evil.event', 'post-index-change');
    },
    ends: 'told',
  },
  {
    name: 'aliases of the commands that are used',
    arrange: (r) => {
      for (const each of ['status', 'diff', 'config', 'check-attr', 'rev-parse', 'st'])
        r.set(`alias.${each}`, `!${r.trap}`);
    },
    ends: 'told',
    springs: ['st'],
  },
  {
    name: 'an editor, a browser, a helper for passwords',
    arrange: (r) => {
      for (const each of [
        'core.editor',
        'sequence.editor',
        'credential.helper',
        'core.askPass',
        'browser.evil.cmd',
        'core.alternateRefsCommand',
        'uploadpack.packObjectsHook',
        'trailer.x.command',
      ])
        r.set(each);
    },
    ends: 'told',
    springs: ['commit', '-a'],
  },
  // Remotes and submodules.
  {
    name: 'a remote that is a command',
    arrange: (r) => {
      r.set('protocol.ext.allow', 'always');
      missing(r, { url: `ext::${r.trap}` });
    },
    ends: /git cannot tell/u,
    springs: DIFF,
  },
  {
    name: 'a remote by ssh',
    arrange: (r) => {
      r.set('core.sshCommand');
      missing(r, { url: 'ssh://nowhere.invalid/x' });
    },
    ends: /git cannot tell/u,
    springs: DIFF,
  },
  {
    name: 'a remote by a proxy',
    arrange: (r) => {
      r.set('core.gitProxy');
      missing(r, { url: 'git://nowhere.invalid/x' });
    },
    ends: /git cannot tell/u,
    springs: DIFF,
  },
  {
    name: 'a remote on this disk with its own program',
    arrange: (r) => missing(r, { url: '.', uploadpack: r.trap }),
    ends: /git cannot tell/u,
    springs: DIFF,
  },
  {
    name: 'a submodule with a filter',
    arrange: (r) => submodule(r, (inner) => filter(inner, 'evil')),
    ends: 'told',
    springs: STATUS,
  },
  {
    name: 'a submodule with an external diff',
    arrange: (r) => {
      submodule(r, (inner) => inner.set('diff.external'));
      r.set('diff.submodule', 'diff');
      r.set('status.submoduleSummary', 'true');
    },
    ends: 'told',
    springs: ['diff', '--submodule=diff'],
  },
  {
    name: 'a submodule that is updated by a command',
    arrange: (r) => {
      submodule(r, () => undefined);
      r.set('submodule.inner.update', `!${r.trap}`);
      r.set('submodule.recurse', 'true');
    },
    ends: 'told',
  },
  // The environment of the editor.
  {
    name: 'variables of git',
    arrange: (r) => {
      for (const each of [
        'GIT_EXTERNAL_DIFF',
        'GIT_PAGER',
        'GIT_SSH_COMMAND',
        'GIT_ASKPASS',
        'GIT_EDITOR',
        'git_external_diff',
      ])
        r.env[each] = r.trap;
    },
    ends: 'told',
    springs: DIFF,
  },
  {
    name: 'a configuration in variables',
    arrange: (r) =>
      Object.assign(r.env, { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'diff.external', GIT_CONFIG_VALUE_0: r.trap }),
    ends: 'told',
    springs: DIFF,
  },
  {
    name: 'a configuration of a variable',
    arrange: (r) => {
      r.env.GIT_CONFIG_PARAMETERS = `'core.fsmonitor'='${r.trap}'`;
    },
    ends: 'told',
    springs: STATUS,
  },
  {
    name: 'a pager in variables',
    arrange: (r) => {
      r.env.PAGER = r.trap;
      r.env.LESSOPEN = `|${r.trap} %s`;
    },
    ends: 'told',
  },
  // Where the repository is.
  {
    name: 'a repository that a file names',
    arrange: (r) => {
      r.set('diff.external');
      r.git('init', '-q', '--separate-git-dir', join(r.home, 'apart'));
    },
    ends: 'told',
    springs: DIFF,
  },
  {
    name: 'a bare repository among the files',
    arrange: (r) => {
      rmSync(join(r.folder, '.git'), { recursive: true });
      r.git('init', '-q', '--bare', '.');
      r.set('core.bare', 'false');
      r.set('core.worktree', r.folder);
      r.set('core.fsmonitor');
    },
    ends: /git cannot tell/u,
    springs: STATUS,
  },
  // Neighbours: what is no program is understood as before.
  {
    name: 'an attribute whose filter nobody has set up',
    arrange: (r) => r.attribute('filter=lfs diff=lfs merge=lfs -text'),
    ends: 'told',
  },
  {
    name: 'a filter that no changed file has',
    arrange: (r) => {
      r.set('filter.evil.clean');
      r.write('.gitattributes', '*.bin filter=evil\n');
    },
    ends: 'told',
  },
  {
    name: 'conversion of line ends',
    arrange: (r) => {
      r.set('core.autocrlf', 'true');
      r.attribute('text eol=crlf');
    },
    ends: 'told',
  },
  { name: 'an encoding', arrange: (r) => r.attribute('working-tree-encoding=UTF-8 ident'), ends: 'told' },
];

describe.skipIf(program === null || process.platform === 'win32')('git_changes runs nothing for a repository', () => {
  test.each(CASES.map((each, nth) => ({ ...each, nth })))('$name', async ({ arrange, ends, springs, nth }) => {
    const repository = new Repository(nth);
    arrange(repository);
    repository.write('a.txt', 'two\n');
    rmSync(repository.marks, { recursive: true });
    mkdirSync(repository.marks);
    const index = join(repository.folder, '.git/index');
    const before = ends instanceof RegExp ? null : stateOf(repository, index);

    const git = openGit({
      folders: [repository.folder],
      denied: [],
      environment: repository.env,
      git: async () => program,
    });
    const told = await git.changes(repository.folder, signal).catch((thrown: unknown) => String(thrown));
    expect(repository.sprung).toBe(false);
    if (ends instanceof RegExp) expect(told).toMatch(ends);
    else {
      expect(told).toMatchObject({ files: expect.arrayContaining([expect.objectContaining({ path: 'a.txt' })]) });
      const { files, diff } = told as Exclude<typeof told, string>;
      const filtered = files.find(({ path }) => path === 'a.txt')?.filtered === true;
      expect({ filtered, inDiff: diff.includes('-one\n+two') }).toEqual(
        ends === 'told' ? { filtered: false, inDiff: true } : { filtered: true, inDiff: false },
      );
    }
    if (before !== null) expect(stateOf(repository, index)).toEqual(before);

    if (springs) {
      try {
        repository.git(...springs);
      } catch {
        // What a trap answers may be no good to git.
      }
      expect(repository.sprung, 'the trap does work').toBe(true);
    }
  });
});

function stateOf(repository: Repository, index: string): unknown {
  const at = statSync(join(repository.folder, '.git')).isDirectory() ? index : join(repository.home, 'apart/index');
  return [readFileSync(at).toString('hex'), statSync(at).mtimeMs];
}

/**
 * Repositories that are armed: each has git run a program, which leaves a mark. Where a plain command of git would spring
 * the trap, that command is named and the test makes sure that it does.
 */

import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findOnPath } from '../../src/node/files/findRipgrep.ts';
import { inspectRepository } from '../../src/node/files/inspectRepository.ts';
import { openGit } from '../../src/node/files/openGit.ts';
import { createTemporaryFolder } from '../unit/node/files/temporaryFolder.ts';

const program = await findOnPath('git', { path: process.env.PATH ?? '', workspaceFolders: [] });
const top = createTemporaryFolder();
const identity = { GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@b', GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@b' };
const { signal } = new AbortController();

export class Repository {
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

export interface Case {
  readonly name: string;
  readonly arrange: (repository: Repository) => void;
  /** `told`: the change of a.txt is in the diff; `notCompared`: it is only listed; else why git is not run. */
  readonly ends: 'told' | 'notCompared' | RegExp;
  /** The person's own variables and configuration, and what only takes forever, are no matter of approvals. */
  readonly beyond?: true;
  /** A command of git that falls into the trap. */
  readonly springs?: readonly string[];
}

export const DIFF = ['diff'];
export const STATUS = ['status'];
export const OFF = /cannot be switched off here/u;

export const filter = (r: Repository, name: string, key = 'clean') => {
  r.set(`filter.${name}.${key}`);
  r.attribute(`filter=${name}`);
};
/** A submodule whose own repository is armed. */
export const submodule = (r: Repository, arm: (inner: Repository) => void) => {
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
export const missing = (r: Repository, remote: Readonly<Record<string, string>>) => {
  const id = r.git('rev-parse', 'HEAD:a.txt').trim();
  for (const [key, value] of Object.entries(remote)) r.set(`remote.origin.${key}`, value);
  r.set('remote.origin.promisor', 'true');
  r.set('extensions.partialClone', 'origin');
  r.set('core.repositoryFormatVersion', '1');
  rmSync(join(r.folder, '.git/objects', id.slice(0, 2), id.slice(2)), { force: true });
};

/** `git_changes` falls into none of the traps. */
export function expectNoTrapSprings(cases: readonly Case[]): void {
  const able = program !== null && process.platform !== 'win32';
  describe.runIf(able)('git_changes runs nothing for a repository', { tags: ['long'] }, () => {
    test.each(cases.map((each, nth) => ({ ...each, nth })))(
      '$name',
      async ({ arrange, beyond, ends, springs, nth }) => {
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
        const since = await git.sinceCommit(repository.folder, signal).catch(() => null);
        for (const { read, before: held } of since?.files ?? []) {
          if (held) for (const how of ['written', 'held'] as const) await read(how).catch(() => null);
        }
        for (const { read } of (await git.unchanged(signal)).values()) await read('written').catch(() => null);
        await git.lastCommit(repository.folder, signal).catch(() => null);
        await git.ignored([join(repository.folder, 'a.txt')], signal);
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

        // A command that only reads is asked about wherever git would start something.
        const place = { git: program ?? '', folder: repository.folder, environment: repository.env };
        const { fault, top: found } = await inspectRepository(
          place,
          { folders: [repository.folder], denied: [] },
          signal,
        );
        if (fault === null && found !== null && !beyond) {
          for (const reading of [['status'], ['diff'], ['log', '-p', '-2'], ['show'], ['ls-files'], ['branch', '-a']]) {
            repository.git('--no-pager', ...reading);
            expect(repository.sprung, reading.join(' ')).toBe(false);
          }
        }
        if (springs && !beyond) expect(fault === null && found !== null).toBe(false);

        if (springs) {
          try {
            repository.git(...springs);
          } catch {
            // A trap's answer may be useless to git.
          }
          expect(repository.sprung, 'the trap does work').toBe(true);
        }
      },
    );
  });
}

function stateOf(repository: Repository, index: string): unknown {
  const at = statSync(join(repository.folder, '.git')).isDirectory() ? index : join(repository.folder, 'apart/index');
  return [readFileSync(at).toString('hex'), statSync(at).mtimeMs];
}

/**
 * A folder that is open, beside a repository of somebody else that is not. All that could tell of the other one holds
 * the word VICTIM, or is its newest commit.
 */

import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { findOnPath } from '../../src/node/files/findRipgrep.ts';
import { type GitOptions, openGit } from '../../src/node/files/openGit.ts';
import { createTemporaryFolder } from '../unit/node/files/temporaryFolder.ts';
import { whyAsked } from './readingQuestion.ts';

const temporary = createTemporaryFolder();
const identity = { GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@b', GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@b' };
const program = await findOnPath('git', { path: process.env.PATH ?? '', workspaceFolders: [] });
const { signal } = new AbortController();
let count = 0;

/** Arranges folders by real git, and asks the product about them. */
export class ForeignGit {
  /** Holds all that follows. */
  readonly home = join(temporary, `home-${count++}`);
  /** What came from elsewhere. */
  readonly evil = join(this.home, 'evil');
  /** The other repository. */
  readonly other = join(this.home, 'other');
  /** What a person has open: at first all of `evil`. */
  open = [this.evil];
  /** Where commands run, in an open folder. */
  cwd = this.evil;
  denied: string[] = [];
  /** In addition, where it is shown what git makes of all that. */
  variables: Record<string, string> = {};
  readonly env: Record<string, string | undefined> = {
    PATH: process.env.PATH,
    ...identity,
    HOME: join(this.home, 'nobody'),
    GIT_CONFIG_NOSYSTEM: '1',
  };

  constructor() {
    mkdirSync(this.evil, { recursive: true });
    this.write('other/VICTIM.txt', 'VICTIM one\n');
    this.git('other', 'init', '-q', '-b', 'VICTIM-branch');
    this.commit('other', 'VICTIM message');
    this.git('other', 'config', 'remote.origin.url', 'https://VICTIM@nowhere.invalid/');
    this.git('other', 'config', 'core.logAllRefUpdates', 'true');
    this.write('other/VICTIM.txt', 'VICTIM two\n');
    this.write('VICTIM.list', 'VICTIM*\n');
  }

  /** The names and ids by which one sees that something of the other repository was shown. */
  get marks(): RegExp {
    const heads = [this.other, join(this.home, 'bare.git')].filter(existsSync);
    const ids = heads.flatMap((each) =>
      this.git(each, 'rev-list', '--abbrev-commit', '--abbrev=7', '--all').split('\n'),
    );
    return new RegExp(['VICTIM', ...ids.filter((each) => each !== '')].join('|'), 'u');
  }

  /** Paths are relative to `home`. */
  path(path: string): string {
    return path.startsWith('/') ? path : join(this.home, path);
  }

  git(folder: string, ...args: string[]): string {
    const env = {
      ...this.env,
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'protocol.file.allow',
      GIT_CONFIG_VALUE_0: 'always',
    };
    return execFileSync('git', args, { cwd: this.path(folder), env, stdio: 'pipe' }).toString();
  }

  /** A repository with one file that has changed since its commit. */
  init(folder: string, ...args: string[]): void {
    this.write(`${folder}/a.txt`, 'one\n');
    this.git(folder, 'init', '-q', '-b', 'main', ...args);
    this.commit(folder, 'first');
    this.write(`${folder}/a.txt`, 'two\n');
  }

  commit(folder: string, message: string): void {
    this.git(folder, 'add', '.');
    this.git(folder, 'commit', '-qm', message);
  }

  write(path: string, text: string): void {
    mkdirSync(dirname(this.path(path)), { recursive: true });
    writeFileSync(this.path(path), text);
  }

  link(target: string, path: string): void {
    mkdirSync(dirname(this.path(path)), { recursive: true });
    symlinkSync(target, this.path(path));
  }

  /** Everything that `git` by itself writes. */
  plain(args: readonly string[]): string {
    const { stdout, stderr } = spawnSync('git', ['--no-pager', ...args], {
      cwd: this.cwd,
      env: { ...this.env, ...this.variables },
      timeout: 20_000,
    });
    return `${stdout}${stderr}`;
  }

  get #options(): GitOptions {
    const { open: folders, denied, env, variables } = this;
    return { folders, denied, environment: { ...env, ...variables }, git: async () => program };
  }

  /** What `git_changes`, the review and the checkpoints learn of each open folder; an error as its text. */
  async changes(): Promise<{ readonly diff: string; readonly all: string }> {
    const git = openGit(this.#options);
    const orWhy = (thrown: unknown) => String(thrown);
    let diff = '';
    const all: unknown[] = [];
    for (const folder of this.open) {
      const changes = await git.changes(realpathSync(folder), signal).catch(orWhy);
      diff += typeof changes === 'string' ? changes : changes.diff;
      const since = await git.sinceCommit(folder, signal).catch(orWhy);
      all.push(changes, since, await git.lastCommit(folder, signal).catch(orWhy));
      for (const { path, before, read } of typeof since === 'string' ? [] : since.files) {
        all.push(path, before === null ? '' : String(Buffer.from(await read('held').catch(() => Buffer.alloc(0)))));
      }
    }
    all.push([...(await git.unchanged(signal)).keys()]);
    for (const each of this.open.map((folder) => join(folder, 'VICTIM'))) {
      if ((await git.ignored([each], signal)).has(each)) all.push('VICTIM is a pattern');
    }
    return { diff, all: JSON.stringify(all) };
  }

  /** Why a line is asked about; `runs` if it is not. */
  async asks(command: string): Promise<string> {
    const [root = ''] = this.open;
    const way = this.cwd === root ? '' : `cd ${this.cwd.slice(root.length + 1)} && `;
    return whyAsked(this.#options, way + command);
  }

  /** Loose objects of a repository, relative to its folder of objects. */
  objects(gitFolder: string): readonly string[] {
    const folder = this.path(`${gitFolder}/objects`);
    return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((each) => /^..[\\/].{38}$/u.test(each));
  }
}

/**
 * Reads the changes of the workspace's files from git. Only files in the workspace folder are included, wherever the
 * repository's work tree is, and none in folders that tools may not touch.
 */

import { lstat, realpath } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { ToolError } from '../../core/errors.ts';
import { showInOneLine } from '../../core/tools/text/showHidden.ts';
import { type Words, words } from '../../core/words.ts';
import type { ChangedFile, Git, NestedRepository } from '../../core/workspace/git.ts';
import { openDenied } from './deniedFolders.ts';
import { explainFileError } from './fileErrors.ts';
import { findRepositories } from './findRepositories.ts';
import { isInside } from './inside.ts';
import { hasRepository, type OpenFolders } from './locateRepository.ts';
import { type PreparedGit, prepareGit } from './prepareGit.ts';
import { checked, GITLINK, type GitPlace } from './runGit.ts';

export interface GitOptions extends OpenFolders {
  readonly environment: GitPlace['environment'];
  /** Absolute path of git; null if there is none. */
  readonly git: () => Promise<string | null>;
}

const STATUS = [
  'status',
  '--porcelain=v1',
  '-z',
  '--branch',
  '--no-renames',
  '--ignore-submodules=dirty',
  '--untracked-files=normal',
];

const DIFF = [
  'diff',
  '--no-color',
  '--no-ext-diff',
  '--no-textconv',
  '--submodule=short',
  '--ignore-submodules=dirty',
  '--relative',
];

/** Repositories in a folder whose changes are told with its own. */
const MOST_NESTED = 10;

/** Maximum characters of names in one command: Windows limits a whole line to 32,767. */
const MOST_NAMED = 20_000;

/** Maximum bytes of a file read from a commit. */
const MOST_CONTENT = 10_000_000;

/** Maximum bytes of what git tells about its index. */
const MOST_INDEX = 32_000_000;

/** For people, who may look at more than the model. */
export interface GitFiles extends Git {
  /** The newest commit of a folder; null without one. Throws `ToolError` with the reason. */
  lastCommit(folder: string, signal: AbortSignal): Promise<LastCommit | null>;
  /** Files that differ from it, also those that git does not know yet. Ignored ones are left out. */
  sinceCommit(folder: string, signal: AbortSignal): Promise<CommittedFiles>;
  /**
   * Files of the open folders that are on disk as git's index knows them, by absolute path; none where git cannot tell.
   * Reads none of them.
   */
  unchanged(signal: AbortSignal): Promise<ReadonlyMap<string, CommittedFile>>;
  /** Those of the absolute paths that git is told to ignore; none where git cannot tell. */
  ignored(paths: readonly string[], signal: AbortSignal): Promise<ReadonlySet<string>>;
}

interface LastCommit {
  readonly subject: string;
  /** Milliseconds since the epoch. */
  readonly time: number;
}

interface CommittedFiles {
  readonly files: readonly CommittedFile[];
  /** Absolute paths of files that pass through a filter, links and submodules. */
  readonly left: readonly string[];
  /** There are more. */
  readonly cut: boolean;
}

export interface CommittedFile {
  /** Absolute. */
  readonly path: string;
  /** Null where the commit does not have it. */
  readonly before: { readonly blob: string; readonly executable: boolean } | null;
  /** The content as git writes it into the folder, and as the commit holds it: line ends may differ. */
  readonly read: (how: 'written' | 'held') => Promise<Uint8Array>;
}

export function openGit({ folders, denied, environment, git }: GitOptions): GitFiles {
  const prepare = async (folder: string, signal: AbortSignal): Promise<PreparedGit> => {
    const program = await git();
    if (program === null) throw new ToolError('git is not installed.');
    return prepareGit({ git: program, folder, environment }, { folders, denied }, signal);
  };
  const realFolders = () =>
    Promise.all(
      folders.map((folder) =>
        realpath(folder).catch((thrown: unknown) => {
          throw explainFileError(folder, 'cannot be looked at', thrown);
        }),
      ),
    );

  /** Of the part of the repository at `folder` that lies at `real`; `shown` is put before each path. */
  const changesIn = async (folder: string, real: string, shown: string, signal: AbortSignal) => {
    const prepared = await prepare(folder, signal);
    const { prefix, run } = prepared;
    const path = relative(folder, real).split(sep).join('/') || '.';
    const submodules = await refuseSubmodules(path, prepared);

    const status = checked(await run([...STATUS, '--', `:(literal)${path}`]));
    const { branch, files } = readStatus(status.output, prefix);
    const ours = await openDenied(denied);
    const areOurs = await Promise.all(files.map((file) => ours.holds(join(folder, file.path))));
    if (areOurs.includes(true)) {
      throw new ToolError('Some of it lies where sessions or the editor’s own data are kept. Name a smaller folder.');
    }
    const filtered = await findFiltered(
      files.map((file) => file.path),
      prepared,
    );
    const excluded = [...filtered].map((each) => `:(exclude,literal)${each}`);
    if (excluded.join(' ').length > MOST_NAMED) {
      throw new ToolError(
        'Too many of the changed files pass through a filter of git (such as LFS). Name a smaller folder.',
      );
    }
    const born = (await run(['rev-parse', '--verify', '--quiet', 'HEAD'])).code === 0;
    const against = born ? 'HEAD' : '--cached';
    const named = [`--src-prefix=a/${shown}`, `--dst-prefix=b/${shown}`];
    const diff = checked(await run([...DIFF, ...named, against, '--', `:(literal)${path}`, ...excluded]));
    const untracked = files.filter(({ state, path: each }) => state === '??' && each.endsWith('/'));
    return {
      branch,
      files: files.map((file) => ({
        ...file,
        path: shown + file.path,
        ...(filtered.has(file.path) ? { filtered: true as const } : {}),
      })),
      diff: diff.output,
      cut: diff.cut || status.cut,
      repositories: [
        ...submodules.map((each) => join(folder, each)),
        ...(await findRepositories(
          untracked.map((file) => join(folder, file.path)),
          await openDenied(denied),
        )),
      ],
    };
  };

  /** Of the repositories in a folder that is in none itself. */
  const changesBelow = async (real: string, signal: AbortSignal) => {
    const repositories = await findRepositories([real], await openDenied(denied));
    // Git says why there is nothing to tell.
    if (repositories.length === 0) await prepare(real, signal);
    return { branch: null, files: [], diff: '', cut: false, repositories };
  };

  return {
    async changes(real, signal) {
      const roots = await realFolders();
      const root = roots.find((each) => isInside(real, each));
      if (root === undefined) throw new ToolError('The path lies outside of the workspace folder.');
      const folder = await innermost(real, root);
      const nameFrom = (path: string) => relative(root, path).split(sep).join('/');
      const outer = nameFrom(folder);
      const part = (await hasRepository(folder))
        ? await changesIn(folder, real, outer === '' ? '' : `${outer}/`, signal)
        : await changesBelow(real, signal);
      const nested: NestedRepository[] = [];
      const parts = [part];
      for (const each of part.repositories.slice(0, MOST_NESTED)) {
        const path = nameFrom(each);
        try {
          const inner = await changesIn(each, each, `${path}/`, signal);
          parts.push(inner);
          nested.push({ path, branch: inner.branch });
        } catch (thrown) {
          if (!(thrown instanceof ToolError)) throw thrown;
          nested.push({ path, fault: thrown.message });
        }
      }
      for (const each of part.repositories.slice(MOST_NESTED)) {
        nested.push({ path: nameFrom(each), fault: 'Name it to see its changes.' });
      }
      return {
        branch: part.branch,
        files: parts.flatMap(({ files }) => files),
        diff: parts.map(({ diff }) => diff).join(''),
        cut: parts.some(({ cut }) => cut),
        ...(nested.length > 0 ? { nested } : {}),
      };
    },

    async lastCommit(folder, signal) {
      const { run } = await prepare(await realpath(folder), signal);
      const { code, output } = await run(['log', '-1', '--no-show-signature', '--format=%ct %s', 'HEAD', '--']);
      const [, seconds, subject = ''] = /^(\d+) (.*)/u.exec(output) ?? [];
      return code === 0 && seconds !== undefined ? { subject, time: Number(seconds) * 1_000 } : null;
    },

    async sinceCommit(folder, signal) {
      const prepared = await prepare(await realpath(folder), signal);
      const { folder: real, run } = prepared;
      await refuseSubmodules('.', prepared);
      const diff = checked(await run([...DIFF, '--raw', '-z', '--no-renames', '--no-abbrev', 'HEAD', '--', '.']));
      const added = checked(await run(['ls-files', '-z', '--others', '--exclude-standard', '--', '.']));
      const raw = readRaw(diff.output);
      const listed = [...raw, ...added.output.split('\0').map((path) => ({ path, blob: null, mode: NONE }))].filter(
        ({ path }) => path !== '' && !path.endsWith('/'),
      );
      const filtered = await findFiltered(
        listed.map(({ path }) => path),
        prepared,
      );
      const ours = await openDenied(denied);
      const left: string[] = [];
      const files: CommittedFile[] = [];
      for (const { path, blob, mode } of listed) {
        const absolute = join(real, path);
        if (await ours.holds(absolute)) continue;
        if (filtered.has(path) || !PLAIN.has(mode)) {
          left.push(absolute);
          continue;
        }
        files.push(committedFile(prepared, path, blob, mode));
      }
      return { files, left, cut: diff.cut || added.cut };
    },

    async unchanged(signal) {
      const found = new Map<string, CommittedFile>();
      for (const folder of await realFolders()) {
        try {
          const prepared = await prepare(folder, signal);
          const more = { mostBytes: MOST_INDEX };
          const index = checked(await prepared.run(['ls-files', '-z', '--stage', '--', '.'], more));
          const touched = checked(
            await prepared.run(
              ['diff-files', '-z', '--ignore-submodules=all', '--relative', '--name-only', '--', '.'],
              more,
            ),
          );
          if (index.cut || touched.cut) continue;
          const other = new Set(touched.output.split('\0'));
          for (const each of index.output.split('\0')) {
            // A stage other than 0 is a conflict of a merge.
            const [, mode = '', blob = '', path = ''] = /^(\d{6}) ([0-9a-f]+) 0\t(.*)$/su.exec(each) ?? [];
            if (path === '' || other.has(path) || !PLAIN.has(mode)) continue;
            found.set(join(folder, path), committedFile(prepared, path, blob, mode));
          }
        } catch {
          // No repository, no git, or one that may not be run here.
        }
      }
      return found;
    },

    async ignored(paths, signal) {
      const found = new Set<string>();
      for (const folder of await realFolders()) {
        const here = new Map(
          paths.flatMap((path) =>
            isInside(path, folder) ? [[relative(folder, path).split(sep).join('/'), path]] : [],
          ),
        );
        if (here.size === 0) continue;
        const input = [...here.keys()].map((path) => `${path}\0`).join('');
        const asked = await prepare(folder, signal)
          .then(({ run }) => run(['check-ignore', '-z', '--stdin'], { input }))
          .catch(() => null);
        for (const path of asked?.output.split('\0') ?? []) found.add(here.get(path) ?? '');
      }
      return found;
    },
  };
}

function committedFile(git: PreparedGit, path: string, blob: string | null, mode: string): CommittedFile {
  return {
    path: join(git.folder, path),
    before: blob === null ? null : { blob, executable: mode === PROGRAM },
    read: async (how) => {
      const args = how === 'held' ? ['cat-file', 'blob'] : ['cat-file', '--filters', `--path=${git.prefix}${path}`];
      const content = checked(await git.run([...args, blob ?? ''], { mostBytes: MOST_CONTENT }));
      if (content.cut) throw new ToolError(`${path} is larger than ${MOST_CONTENT} bytes.`);
      return content.bytes;
    },
  };
}

/** The topmost folder of the repository that the path lies in, as far as it is in the open folder. */
async function innermost(real: string, root: string): Promise<string> {
  for (let at = real; at !== root && isInside(at, root); at = dirname(at)) {
    if ((await lstat(join(at, '.git')).catch(() => null)) !== null) return at;
  }
  return root;
}

/** The submodules there. Where one lies elsewhere, even its newest commit is not told. */
async function refuseSubmodules(path: string, { folder, run, submodule }: PreparedGit): Promise<readonly string[]> {
  const found: string[] = [];
  const args = ['ls-files', '-z', '--stage', '--', `:(literal)${path}`];
  const index = checked(await run(args, { mostBytes: MOST_INDEX }));
  const refuse = (name: string, why: Words) =>
    new ToolError(words('In {0}: {1} Git is not run there unasked.', showInOneLine(name), why));
  if (index.cut) throw refuse(path, words('Its repository is too large to be looked at.'));
  for (const each of index.output.split('\0')) {
    if (!each.startsWith(GITLINK)) continue;
    const name = each.slice(each.indexOf('\t') + 1);
    // Without a `.git` of its own, git has nothing to read there.
    if ((await lstat(join(folder, name, '.git')).catch(() => null)) === null) continue;
    const located = await submodule(name);
    if (located.kind === 'elsewhere') throw refuse(name, located.why);
    if (located.kind !== 'none') found.push(name);
  }
  return found;
}

/** Those with one of the filters, wherever the attribute comes from. */
async function findFiltered(paths: readonly string[], { filters, run }: PreparedGit): Promise<ReadonlySet<string>> {
  if (paths.length === 0 || filters.size === 0) return new Set();
  const input = paths.map((path) => `${path}\0`).join('');
  const { output } = checked(await run(['check-attr', '-z', '--stdin', 'filter'], { input }));
  // Three fields each: the path, the attribute, its value.
  const fields = output.split('\0');
  const filtered = fields.filter((_, at) => at % 3 === 0 && filters.has(fields[at + 2] ?? ''));
  return new Set(filtered);
}

const [NONE, PROGRAM] = ['000000', '100755'];
/** Modes of what a checkpoint can hold: no links and no submodules. */
const PLAIN: ReadonlySet<string> = new Set([NONE, '100644', PROGRAM]);

/** `:100644 100644 <blob> <blob> M`, then the path; the first of each is the commit's. */
function readRaw(output: string): { path: string; blob: string | null; mode: string }[] {
  const fields = output.split('\0');
  const files: { path: string; blob: string | null; mode: string }[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [, mode = '', now = '', blob = ''] = /^:(\d{6}) (\d{6}) ([0-9a-f]+) /u.exec(fields[at] ?? '') ?? [];
    if (mode === '') break;
    const plain = PLAIN.has(now) ? mode : now;
    files.push({ path: fields[at + 1] ?? '', blob: mode === NONE ? null : blob, mode: plain });
  }
  return files;
}

/** `prefix` is the path from the top of the repository to the workspace folder. */
function readStatus(output: string, prefix: string): { branch: string; files: ChangedFile[] } {
  const [head = '', ...entries] = output.split('\0');
  const files = entries.flatMap((entry) => {
    const path = entry.slice(3);
    return entry.length > 3 && path.startsWith(prefix)
      ? [{ state: entry.slice(0, 2), path: path.slice(prefix.length) }]
      : [];
  });
  return { branch: head.replace(/^## /u, ''), files };
}

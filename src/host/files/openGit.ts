/**
 * Reads the changes of the workspace's files from git. Only files in the workspace folder are included, wherever the
 * repository's work tree is, and none in folders that tools may not touch.
 */

import { spawn } from 'node:child_process';
import { realpath, stat } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';
import { messageOf, ToolError } from '../../core/errors.ts';
import type { ChangedFile, Git } from '../../core/ports.ts';
import { showInOneLine } from '../../core/tools/text/showHidden.ts';
import { commandEnvironment } from '../shell/commandEnvironment.ts';
import { openDenied } from './deniedFolders.ts';
import { isInside } from './pathGuard.ts';

export interface GitOptions {
  readonly folders: readonly string[];
  /** Folders that no tool may touch. */
  readonly denied: readonly string[];
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
  ...['diff', '--no-color', '--no-ext-diff', '--no-textconv', '--submodule=short', '--ignore-submodules=dirty'],
  ...['--src-prefix=a/', '--dst-prefix=b/', '--relative'],
];

/** Maximum characters of names in one command: Windows limits a whole line to 32,767. */
const MOST_NAMED = 20_000;

export function openGit({ folders, denied, environment, git }: GitOptions): Git {
  return {
    async changes(real, signal) {
      const program = await git();
      if (program === null) throw new ToolError('git is not installed.');
      const roots = await Promise.all(folders.map((folder) => realpath(folder)));
      const folder = roots.find((root) => isInside(real, root));
      if (folder === undefined) throw new ToolError('The path lies outside of the workspace folder.');
      const path = relative(folder, real).split(sep).join('/') || '.';
      const place = { git: program, folder, environment };
      const filters = await readFilters(place, signal);
      const { output } = checked(await runGit(place, [], ['rev-parse', '--show-prefix'], signal));
      const prefix = output.replace(/\n$/u, '');
      const without = await findEndless(
        place,
        join(
          folder,
          ...prefix
            .split('/')
            .filter(Boolean)
            .map(() => '..'),
        ),
        signal,
      );
      const settings = [...filters.off, ...without];
      const run = (args: readonly string[], input?: string) => runGit(place, settings, args, signal, input);

      const status = checked(await run([...STATUS, '--', `:(literal)${path}`]));
      const { branch, files } = readStatus(status.output, prefix);
      const ours = await openDenied(denied);
      const areOurs = await Promise.all(files.map((file) => ours.holds(join(folder, file.path))));
      if (areOurs.includes(true)) {
        throw new ToolError('Some of it lies where sessions or the editor’s own data are kept. Name a smaller folder.');
      }
      const filtered = await findFiltered(files, filters.names, run);
      const excluded = [...filtered].map((each) => `:(exclude,literal)${each}`);
      if (excluded.join(' ').length > MOST_NAMED) {
        throw new ToolError(
          'Too many of the changed files pass through a filter of git (such as LFS). Name a smaller folder.',
        );
      }
      const born = (await run(['rev-parse', '--verify', '--quiet', 'HEAD'])).code === 0;
      const against = born ? 'HEAD' : '--cached';
      const diff = checked(await run([...DIFF, against, '--', `:(literal)${path}`, ...excluded]));
      const told = files.map((file) => (filtered.has(file.path) ? { ...file, filtered: true as const } : file));
      return { branch, files: told, diff: diff.output, cut: diff.cut || status.cut };
    },
  };
}

/** Files that git reads because a setting names them. */
const NAMED_FILES = '^core\\.(attributesfile|excludesfile)$';

/** Settings that remove those that are not regular files. `top`: base of relative names. */
async function findEndless(place: GitPlace, top: string, signal: AbortSignal): Promise<readonly string[]> {
  const args = ['config', '-z', '--type=path', '--get-regexp', NAMED_FILES];
  const { output, code, complaint } = await runGit(place, [], args, signal);
  // 1: none set.
  if (code !== 0 && code !== 1) throw cannotTell(complaint, code);
  const off = output.split('\0').map(async (each) => {
    const [key = '', ...name] = each.split('\n');
    if (key === '') return [];
    const facts = await stat(resolve(top, name.join('\n'))).catch(() => null);
    return facts === null || facts.isFile() ? [] : [`${key}=`];
  });
  return (await Promise.all(off)).flat();
}

interface Filters {
  readonly names: ReadonlySet<string>;
  /** The settings that disable all of them. */
  readonly off: readonly string[];
}

const MOST_FILTERS = 100;
const FILTER = /^filter\.(?<name>.+)\.(?:clean|smudge|process|required)$/su;

/**
 * A filter is a program that reading a changed file would run: each is set to nothing. If a key might not be cleared
 * reliably, git is not run at all.
 */
async function readFilters(place: GitPlace, signal: AbortSignal): Promise<Filters> {
  const { output, cut, code, complaint } = await runGit(
    place,
    [],
    ['config', '-z', '--name-only', '--get-regexp', '^filter\\.'],
    signal,
  );
  // 1: none set.
  if (code !== 0 && code !== 1 && !cut) throw cannotTell(complaint, code);
  const keys = output.split('\0').filter((key) => key !== '');
  const names = new Set<string>();
  for (const key of keys) {
    const name = FILTER.exec(key)?.groups?.name;
    if (name === undefined || !canBeNamed(name)) {
      throw new ToolError(
        `git is configured with ${showInOneLine(key.slice(0, 200))}, which cannot be switched off here, so it is not run. Use run_command instead.`,
      );
    }
    names.add(name);
  }
  if (cut || names.size > MOST_FILTERS) {
    throw new ToolError(`git is configured with more than ${MOST_FILTERS} filters, so it is not run.`);
  }
  const off = [...names].flatMap((name) => [
    ...[`filter.${name}.clean=`, `filter.${name}.smudge=`, `filter.${name}.process=`, `filter.${name}.required=false`],
  ]);
  return { names, off };
}

/** Excludes names that git prints for "no filter", and bytes that are not valid text. */
function canBeNamed(name: string): boolean {
  return !/[=\n\uFFFD]/u.test(name) && !['set', 'unset', 'unspecified'].includes(name);
}

/** Files with one of the filters, wherever the attribute comes from. */
async function findFiltered(
  files: readonly ChangedFile[],
  filters: ReadonlySet<string>,
  run: (args: readonly string[], input: string) => Promise<GitResult>,
): Promise<ReadonlySet<string>> {
  if (files.length === 0 || filters.size === 0) return new Set();
  const names = files.map(({ path }) => `${path}\0`).join('');
  const { output } = checked(await run(['check-attr', '-z', '--stdin', 'filter'], names));
  // Three fields each: the path, the attribute, its value.
  const fields = output.split('\0');
  const filtered = fields.filter((_, at) => at % 3 === 0 && filters.has(fields[at + 2] ?? ''));
  return new Set(filtered);
}

function checked(result: GitResult): GitResult {
  if (result.code === 0 || result.cut) return result;
  throw cannotTell(result.complaint, result.code);
}

function cannotTell(complaint: string, code: number | null): ToolError {
  return new ToolError(`git cannot tell (${showInOneLine(complaint.slice(0, 500)) || `exit code ${code}`}).`);
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

/**
 * Runs git so that nothing that a repository contains or configures is started: no hook, monitor, filter, pager,
 * external diff, converter, or remote helper. Output and time are bounded. Arguments are a list; there is no shell.
 */
const MOST_MS = 30_000;
const MOST_BYTES = 2 * 1024 * 1024;
const MOST_COMPLAINT = 2000;
const MOST_MEMORY_KB = 1024 * 1024;

interface GitResult {
  readonly code: number | null;
  readonly output: string;
  readonly complaint: string;
  /** There was more output. */
  readonly cut: boolean;
}

interface GitPlace {
  /** Absolute path of git. */
  readonly git: string;
  readonly folder: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

const NOTHING = process.platform === 'win32' ? 'NUL' : '/dev/null';

const HARMLESS = [
  'core.fsmonitor=false',
  `core.hooksPath=${NOTHING}`,
  // A file that git reads whole, wherever it is.
  `diff.orderFile=${NOTHING}`,
  'core.pager=cat',
  'diff.external=',
  'protocol.allow=never',
  'safe.bareRepository=explicit',
];

/**
 * `settings` are additional ones of the form `name=value`, overriding those in files. `input` is git's standard input.
 */
async function runGit(
  { git, folder, environment }: GitPlace,
  settings: readonly string[],
  args: readonly string[],
  signal: AbortSignal,
  input = '',
): Promise<GitResult> {
  const flags = [...HARMLESS, ...settings].flatMap((setting) => ['-c', setting]);
  const late = AbortSignal.timeout(MOST_MS);
  const [program, ...before] = withLittleMemory(git);
  const child = spawn(program, [...before, '--no-pager', ...flags, ...args], {
    cwd: folder,
    env: gitEnvironment(environment),
    stdio: ['pipe', 'pipe', 'pipe'],
    windowsHide: true,
    signal: AbortSignal.any([signal, late]),
    killSignal: 'SIGKILL',
  });
  // It may end before it has read everything: its exit code gives the reason.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const chunks: Buffer[] = [];
  let size = 0;
  let complaint = '';
  child.stdout.on('data', (chunk: Buffer) => {
    if (size >= MOST_BYTES) return;
    chunks.push(chunk.subarray(0, MOST_BYTES - size));
    size += chunk.length;
    if (size > MOST_BYTES) child.kill('SIGKILL');
  });
  child.stderr.on('data', (chunk: Buffer) => {
    if (complaint.length < MOST_COMPLAINT) complaint += chunk.toString('utf8').slice(0, MOST_COMPLAINT);
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('close', resolve);
    child.once('error', reject);
  }).catch((thrown: unknown) => {
    signal.throwIfAborted();
    if (late.aborted) throw new ToolError(`git took longer than ${MOST_MS / 1000} s. Name a smaller folder.`);
    throw new ToolError(`git could not start (${messageOf(thrown)}).`, { cause: thrown });
  });
  return { code, output: Buffer.concat(chunks).toString('utf8'), complaint: complaint.trim(), cut: size > MOST_BYTES };
}

/**
 * Git reads some files of a repository whole, such as its list of attributes, and any of them may be a link to an
 * endless device: git then fails instead of using all memory. Packs do not count, as they are mapped read-only.
 */
function withLittleMemory(git: string): [string, ...string[]] {
  if (process.platform === 'win32') return [git];
  return ['/bin/sh', '-c', `ulimit -d ${MOST_MEMORY_KB} 2>/dev/null; exec "$0" "$@"`, git];
}

/** Git's own variables would redirect it, or name programs. */
function gitEnvironment(own: GitPlace['environment']): Record<string, string> {
  const foreign = Object.fromEntries(Object.entries(own).filter(([name]) => !/^GIT_/iu.test(name)));
  return {
    ...commandEnvironment(foreign, []),
    LC_ALL: 'C',
    // Nothing is written into the repository.
    GIT_OPTIONAL_LOCKS: '0',
    // Missing parts of a partial clone are not fetched.
    GIT_NO_LAZY_FETCH: '1',
    GIT_ALLOW_PROTOCOL: 'none',
  };
}

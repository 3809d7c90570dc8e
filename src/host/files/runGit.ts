/**
 * Runs git so that nothing that a repository contains or configures is started: no hook, monitor, filter, pager,
 * external diff, converter, or remote helper. Output and time are bounded. Arguments are a list; there is no shell.
 */

import { spawn } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { messageOf, ToolError } from '../../core/errors.ts';
import { showInOneLine } from '../../core/tools/text/showHidden.ts';
import { commandEnvironment } from '../shell/commandEnvironment.ts';

const MOST_MS = 30_000;
const MOST_BYTES = 2 * 1024 * 1024;
const MOST_COMPLAINT = 2000;
const MOST_MEMORY_KB = 1024 * 1024;

interface GitResult {
  readonly code: number | null;
  readonly bytes: Buffer;
  /** The same as text. */
  readonly output: string;
  readonly complaint: string;
  /** There was more output. */
  readonly cut: boolean;
}

export interface GitPlace {
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

interface GitInput {
  /** In addition to those of every run, of the form `name=value`; they override those in files. */
  readonly settings?: readonly string[];
  /** Its standard input. */
  readonly input?: string;
  /** More output is cut. */
  readonly mostBytes?: number;
}

export async function runGit(
  { git, folder, environment }: GitPlace,
  args: readonly string[],
  signal: AbortSignal,
  { settings = [], input = '', mostBytes = MOST_BYTES }: GitInput = {},
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
    if (size >= mostBytes) return;
    chunks.push(chunk.subarray(0, mostBytes - size));
    size += chunk.length;
    if (size > mostBytes) child.kill('SIGKILL');
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
  const bytes = Buffer.concat(chunks);
  return { code, bytes, output: bytes.toString('utf8'), complaint: complaint.trim(), cut: size > mostBytes };
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

/** Git in one folder, ready to run. */
export interface PreparedGit {
  readonly folder: string;
  /** Path from the top of the work tree to the folder; ends with a slash unless empty. */
  readonly prefix: string;
  /** Names of the filters, which are switched off. */
  readonly filters: ReadonlySet<string>;
  readonly run: (args: readonly string[], more?: Omit<GitInput, 'settings'>) => Promise<GitResult>;
}

/** Throws `ToolError` with the reason where git cannot tell, or could run something of the repository's. */
export async function prepareGit(place: GitPlace, signal: AbortSignal): Promise<PreparedGit> {
  const { folder } = place;
  const filters = await readFilters(place, signal);
  const { output } = checked(await runGit(place, ['rev-parse', '--show-prefix'], signal));
  const prefix = output.replace(/\n$/u, '');
  const up = prefix.split('/').filter(Boolean);
  const top = join(folder, ...up.map(() => '..'));
  const settings = [...filters.off, ...(await findEndless(place, top, signal))];
  return {
    folder,
    prefix,
    filters: filters.names,
    run: (args, more) => runGit(place, args, signal, { ...more, settings }),
  };
}

/** Files that git reads because a setting names them. */
const NAMED_FILES = '^core\\.(attributesfile|excludesfile)$';

/** Settings that remove those that are not regular files. `top`: base of relative names. */
async function findEndless(place: GitPlace, top: string, signal: AbortSignal): Promise<readonly string[]> {
  const args = ['config', '-z', '--type=path', '--get-regexp', NAMED_FILES];
  const { output, code, complaint } = await runGit(place, args, signal);
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
    `filter.${name}.clean=`,
    `filter.${name}.smudge=`,
    `filter.${name}.process=`,
    `filter.${name}.required=false`,
  ]);
  return { names, off };
}

/** Excludes names that git prints for "no filter", and bytes that are not valid text. */
function canBeNamed(name: string): boolean {
  return !/[=\n\uFFFD]/u.test(name) && !['set', 'unset', 'unspecified'].includes(name);
}

export function checked(result: GitResult): GitResult {
  if (result.code === 0 || result.cut) return result;
  throw cannotTell(result.complaint, result.code);
}

function cannotTell(complaint: string, code: number | null): ToolError {
  return new ToolError(`git cannot tell (${showInOneLine(complaint.slice(0, 500)) || `exit code ${code}`}).`);
}

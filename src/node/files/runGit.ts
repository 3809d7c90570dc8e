/**
 * Runs git so that nothing that a repository contains or configures is started: no hook, monitor, filter, pager,
 * external diff, converter, or remote helper. Output and time are bounded. Arguments are a list; there is no shell.
 */

import { spawn } from 'node:child_process';
import { messageOf, ToolError } from '../../core/errors.ts';
import { showInOneLine } from '../../core/tools/text/showHidden.ts';
import { commandEnvironment } from '../shell/commandEnvironment.ts';

const MOST_MS = 30_000;
const MOST_BYTES = 2 * 1024 * 1024;
const MOST_COMPLAINT = 2000;
const MOST_MEMORY_KB = 1024 * 1024;

export interface GitResult {
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
  /** Without it, git looks for the repository. With it, what would lead git to another one is not read again. */
  readonly repository?: RepositoryPlace;
}

/** Absolute. */
export interface RepositoryPlace {
  /** The top of the work tree. */
  readonly top: string;
  readonly gitFolder: string;
  /** Shared by all work trees of the repository; the same as `gitFolder` in the main one. */
  readonly commonFolder: string;
}

/** Mode of a submodule in an index. */
export const GITLINK = '160000';

const NOTHING = process.platform === 'win32' ? 'NUL' : '/dev/null';

const HARMLESS = [
  'core.fsmonitor=false',
  `core.hooksPath=${NOTHING}`,
  // A file that git reads whole, wherever it is.
  `diff.orderFile=${NOTHING}`,
  'core.pager=cat',
  // Names outside of ASCII as they are.
  'core.quotePath=false',
  'diff.external=',
  'protocol.allow=never',
  'safe.bareRepository=explicit',
];

export interface GitInput {
  /** In addition to those of every run, of the form `name=value`; they override those in files. */
  readonly settings?: readonly string[];
  /** Its standard input. */
  readonly input?: string;
  /** More output is cut. */
  readonly mostBytes?: number;
}

export async function runGit(
  { git, folder, environment, repository }: GitPlace,
  args: readonly string[],
  signal: AbortSignal,
  { settings = [], input = '', mostBytes = MOST_BYTES }: GitInput = {},
): Promise<GitResult> {
  const flags = [...HARMLESS, ...settings].flatMap((setting) => ['-c', setting]);
  const late = AbortSignal.timeout(MOST_MS);
  const [program, ...before] = withLittleMemory(git);
  const child = spawn(program, [...before, '--no-pager', ...flags, ...args], {
    cwd: folder,
    env: { ...gitEnvironment(environment), ...(repository ? variablesOf(repository) : {}) },
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

function variablesOf({ top, gitFolder, commonFolder }: RepositoryPlace): Record<string, string> {
  return { GIT_DIR: gitFolder, GIT_COMMON_DIR: commonFolder, GIT_WORK_TREE: top };
}

export function checked(result: GitResult): GitResult {
  if (result.code === 0 || result.cut) return result;
  throw cannotTell(result.complaint, result.code);
}

export function cannotTell(complaint: string, code: number | null): ToolError {
  return new ToolError(`git cannot tell (${showInOneLine(complaint.slice(0, 500)) || `exit code ${code}`}).`);
}

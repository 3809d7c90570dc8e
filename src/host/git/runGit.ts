/**
 * Runs git so that nothing which a repository holds or configures is started: no hook, monitor, filter, pager, external
 * diff, converter, or way to a remote. Output and time are bounded. Arguments are a list; there is no shell.
 */

import { spawn } from 'node:child_process';
import { messageOf, ToolError } from '../../core/errors.ts';
import { commandEnvironment } from '../shell/commandEnvironment.ts';

const MOST_MS = 30_000;
const MOST_BYTES = 2 * 1024 * 1024;
const MOST_COMPLAINT = 2000;
const MOST_MEMORY_KB = 1024 * 1024;

export interface GitResult {
  readonly code: number | null;
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
  // A file that git reads whole, wherever it lies.
  `diff.orderFile=${NOTHING}`,
  'core.pager=cat',
  'diff.external=',
  'protocol.allow=never',
  'safe.bareRepository=explicit',
];

/** `settings` are further ones of the form `name=value`, stronger than any file's. `input` is what git reads. */
export async function runGit(
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
  // It may end before it has read all: its exit code says why.
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
 * Git reads some files of a repository whole, such as its list of attributes, and any of them may be a link to a device
 * that never ends: it then fails instead of taking all memory. Packs are not counted, as they are mapped for reading only.
 */
function withLittleMemory(git: string): [string, ...string[]] {
  if (process.platform === 'win32') return [git];
  return ['/bin/sh', '-c', `ulimit -d ${MOST_MEMORY_KB} 2>/dev/null; exec "$0" "$@"`, git];
}

/** Variables of git itself would point it elsewhere, or name programs. */
function gitEnvironment(own: GitPlace['environment']): Record<string, string> {
  const foreign = Object.fromEntries(Object.entries(own).filter(([name]) => !/^GIT_/iu.test(name)));
  return {
    ...commandEnvironment(foreign, []),
    LC_ALL: 'C',
    // Nothing is written into the repository.
    GIT_OPTIONAL_LOCKS: '0',
    // Of a partial clone the missing parts are not fetched.
    GIT_NO_LAZY_FETCH: '1',
    GIT_ALLOW_PROTOCOL: 'none',
  };
}

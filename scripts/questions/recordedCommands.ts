/** The shell commands of recorded sessions, each with the folder in which it ran. */

import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { gunzipSync } from 'node:zlib';

export interface RecordedCommand {
  readonly line: string;
  /** Absolute. */
  readonly folder: string;
}

export interface RecordedSession {
  /** The folder that its paths have in common: taken for the open folder. */
  readonly root: string;
  readonly commands: readonly RecordedCommand[];
}

const SHELLS = new Set([
  'bash',
  'shell',
  'exec_command',
  'execute_bash',
  'run_command',
  'shell_command',
  'local_shell',
]);

/** Of all absolute paths, this share must be in the root. */
const MOST = 0.7;

/** Folders below a project's own. */
const INSIDE = new Set('src cmd packages apps web website docs lib test tests'.split(' '));

type Arguments = Readonly<Record<string, unknown>>;

/** Messages of chat completions, one a line. */
export function readCommands(path: string): RecordedSession {
  const bytes = readFileSync(path);
  const text = (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
  const calls = text.split('\n').flatMap(readCalls);
  const root = findRoot(calls.flatMap(({ given }) => pathsOf(given)));
  const commands = calls.flatMap(({ name, given }) => {
    const line = lineOf(given.command ?? given.cmd);
    if (!SHELLS.has(name.toLowerCase()) || line === null) return [];
    const folder = given.workdir ?? given.cwd;
    return [{ line, folder: typeof folder === 'string' && folder.startsWith('/') ? fold(folder) : root }];
  });
  return { root, commands };
}

function readCalls(line: string): readonly { readonly name: string; readonly given: Arguments }[] {
  if (line.trim() === '') return [];
  const message = JSON.parse(line) as { tool_calls?: { function: { name: string; arguments: string } }[] };
  return (message.tool_calls ?? []).flatMap(({ function: { name, arguments: given } }) => {
    try {
      const read: unknown = JSON.parse(given);
      return typeof read === 'object' && read !== null ? [{ name, given: read as Arguments }] : [];
    } catch {
      // Recorded as the model wrote it; such a call ran nothing.
      return [];
    }
  });
}

function lineOf(command: unknown): string | null {
  if (typeof command === 'string') return command;
  // A list such as `["bash", "-lc", "ls"]`.
  const last: unknown = Array.isArray(command) ? command.at(-1) : null;
  return typeof last === 'string' ? last : null;
}

function pathsOf(given: Arguments): readonly string[] {
  const named = [given.file_path, given.path, given.workdir, given.cwd].filter((each) => typeof each === 'string');
  const line = lineOf(given.command ?? given.cmd) ?? '';
  const entered = [...line.matchAll(/(?:^|[\n;&] *)cd "?(?<path>[/A-Za-z][^\s"';&]*)/gu)].map(
    ({ groups }) => groups?.path ?? '',
  );
  return [...named, ...entered].map(fold).filter((path) => path.startsWith('/') && !path.startsWith('/tmp'));
}

/** `D:\a` and `D:/a` as Git Bash writes them: `/d/a`. */
export function fold(path: string): string {
  const slashes = path.replaceAll('\\', '/');
  return posix.normalize(slashes.replace(/^(?<drive>[A-Za-z]):\//u, (_, drive: string) => `/${drive.toLowerCase()}/`));
}

/** The deepest folder that holds most of the paths. */
function findRoot(paths: readonly string[]): string {
  let root = '/';
  for (;;) {
    const inside = paths.filter((path) => path === root || path.startsWith(root === '/' ? '/' : `${root}/`));
    const counts = new Map<string, number>();
    for (const path of inside) {
      const rest = path.slice(root === '/' ? 1 : root.length + 1).split('/');
      if (rest[0]) counts.set(rest[0], (counts.get(rest[0]) ?? 0) + 1);
    }
    const [name, count] = [...counts].sort(([, a], [, b]) => b - a)[0] ?? ['', 0];
    const isProject = count > 0 && count >= paths.length * MOST && !INSIDE.has(name);
    if (!isProject) return root === '/' ? '/workspace' : root;
    root = posix.join(root, name);
  }
}

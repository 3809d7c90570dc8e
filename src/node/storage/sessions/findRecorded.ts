/**
 * Finds sessions of other programs where these keep them by default. Looking whether a folder is there reads nothing of
 * it; the rest happens only when the person asked for it, and is bounded.
 */

import { open, readdir, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { injectedKind } from '../../../core/context/attribute.ts';
import { readForeign } from '../../../core/sessions/importRecorded.ts';
import { recognise } from '../../../core/sessions/recognise.ts';
import { newImportReport } from '../../../core/sessions/recorded.ts';

export interface FoundSession {
  readonly program: string;
  readonly path: string;
  /** Milliseconds since the epoch of its last change. */
  readonly time: number;
  /** The person's first question; empty where the beginning of the file does not say. */
  readonly title: string;
  /** The folder that it worked in, as far as the beginning of the file says. */
  readonly folder: string;
}

const MOST_FILES = 20_000;
/** Sessions that are listed, the newest ones; the beginning of each is read. */
const MOST_LISTED = 100;
const MOST_READ = 128 * 1024;
const LONGEST_TITLE = 100;

interface Root {
  readonly place: SessionPlace;
  readonly folder: string;
}

/** The folders in which this system's programs keep sessions, whether they are there or not. */
export function sessionRoots(env = process.env, home = homedir()): Root[] {
  return SESSION_PLACES.flatMap((place) =>
    foldersOf(place, SYSTEM, env).map((folder) => ({ place, folder: fromHome(folder, home) })),
  );
}

/** The data folders of this system's editors. */
export const editorRoots = (env = process.env, home = homedir()): string[] =>
  editorFolders(SYSTEM, env).map((folder) => fromHome(folder, home));

const fromHome = (folder: string, home: string) => (folder.startsWith('~/') ? join(home, folder.slice(2)) : folder);

/** The folders that are there. */
export async function findSessionFolders(env = process.env, home = homedir()): Promise<Root[]> {
  const roots = sessionRoots(env, home);
  const there = await Promise.all(
    roots.map(({ folder }) =>
      stat(folder).then(
        (it) => it.isDirectory(),
        () => false,
      ),
    ),
  );
  return roots.filter((_, i) => there[i]);
}

const SYSTEMS: Readonly<Partial<Record<NodeJS.Platform, System>>> = { darwin: 'mac', win32: 'windows' };
const SYSTEM = SYSTEMS[process.platform] ?? 'linux';

/** Newest first. A folder or file that cannot be read is left out. */
export async function listRecorded(roots: readonly Root[], signal?: AbortSignal): Promise<FoundSession[]> {
  const found: { readonly program: string; readonly path: string; readonly time: number }[] = [];
  let left = MOST_FILES;
  const walk = async ({ place, folder }: Root, below: string, depth: number): Promise<void> => {
    signal?.throwIfAborted();
    const entries = await readdir(join(folder, below), { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      if (left-- <= 0) return;
      const path = below === '' ? entry.name : `${below}/${entry.name}`;
      if (entry.isDirectory() && depth > 0) await walk({ place, folder }, path, depth - 1);
      if (!entry.isFile() || !place.file.test(path)) continue;
      const facts = await stat(join(folder, path)).catch(() => null);
      if (facts && facts.size > 0)
        found.push({ program: place.program, path: join(folder, path), time: facts.mtimeMs });
    }
  };
  for (const root of roots) await walk(root, '', root.place.depth);
  const newest = found.sort((a, b) => b.time - a.time).slice(0, MOST_LISTED);
  const listed: FoundSession[] = [];
  for (const each of newest) {
    signal?.throwIfAborted();
    listed.push({ ...each, ...(await describe(each.path)) });
  }
  return listed;
}

async function describe(path: string): Promise<Pick<FoundSession, 'title' | 'folder'>> {
  const text = await readBeginning(path).catch(() => '');
  const cwd = /"(?:cwd|workspace|workspaceDirectory)"\s*:\s*("(?:[^"\\]|\\.)*")/.exec(text)?.[1];
  return { title: titleOf(text), folder: cwd ? readText(cwd) : basename(dirname(path)) };
}

function readText(json: string): string {
  try {
    return String(JSON.parse(json));
  } catch {
    return '';
  }
}

async function readBeginning(path: string): Promise<string> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(MOST_READ), 0, MOST_READ, 0);
    return buffer
      .subarray(0, bytesRead)
      .toString('utf8')
      .replace(/^\uFEFF/, '');
  } finally {
    await file.close();
  }
}

/** The first line of what the person wrote first. */
function titleOf(text: string): string {
  const format = recognise(text)?.format;
  if (!format || format === 'palimpsest' || format === 'normal' || format === 'normalList') return '';
  const said = readForeign(format, text.split('\n'), newImportReport());
  for (const message of said) {
    if (message.role !== 'user' || (message.kind ?? injectedKind(message.text)) !== 'user') continue;
    const line =
      message.text
        .replace(/<\/?(?:task|feedback|user_message)>/g, '')
        .trim()
        .split('\n')[0] ?? '';
    if (line !== '') return line.slice(0, LONGEST_TITLE).toWellFormed();
  }
  return '';
}

// Where programs keep their sessions by default, on each system. Only places with a session in one file.

type System = 'linux' | 'mac' | 'windows';

interface SessionPlace {
  readonly program: string;
  /** Folders, with forward slashes, from `~` or from `{editor}`, the data folder of an editor of the VS Code family. */
  readonly folders: readonly string[];
  /** Environment variable that names another folder in place of the first part of each, from `~` on. */
  readonly movedBy?: { readonly variable: string; readonly from: string };
  /** A session's path below such a folder, with forward slashes. */
  readonly file: RegExp;
  /** Levels of folders below it that are searched. */
  readonly depth: number;
}

const TASK_FILE = /^[^/]+\/api_conversation_history\.json$/;

/** The same on all systems where nothing else is said: these programs put a folder of theirs into the home folder. */
export const SESSION_PLACES: readonly SessionPlace[] = [
  {
    program: 'Claude Code',
    folders: ['~/.claude/projects'],
    movedBy: { variable: 'CLAUDE_CONFIG_DIR', from: '~/.claude' },
    // Those of its subagents have names that begin with `agent-`.
    file: /^[^/]+\/(?!agent-)[^/]+\.jsonl$/,
    depth: 1,
  },
  {
    program: 'Codex',
    folders: ['~/.codex/sessions'],
    movedBy: { variable: 'CODEX_HOME', from: '~/.codex' },
    file: /\/rollout-[^/]+\.jsonl$/,
    depth: 3,
  },
  { program: 'Copilot CLI', folders: ['~/.copilot/session-state'], file: /(^|\/)[^/]+\.jsonl$/, depth: 1 },
  { program: 'Gemini CLI', folders: ['~/.gemini/tmp'], file: /^[^/]+\/chats\/[^/]+\.jsonl?$/, depth: 2 },
  { program: 'pi', folders: ['~/.pi/agent/sessions'], file: /^[^/]+\/[^/]+\.jsonl$/, depth: 1 },
  { program: 'Kimi CLI', folders: ['~/.kimi/sessions'], file: /^[^/]+\/[^/]+\/context\.jsonl$/, depth: 2 },
  { program: 'Continue', folders: ['~/.continue/sessions'], file: /^(?!sessions\.json$)[^/]+\.json$/, depth: 0 },
  {
    program: 'Cline',
    folders: ['{editor}/User/globalStorage/saoudrizwan.claude-dev/tasks'],
    file: TASK_FILE,
    depth: 1,
  },
  {
    program: 'Roo Code',
    folders: ['{editor}/User/globalStorage/rooveterinaryinc.roo-cline/tasks'],
    file: TASK_FILE,
    depth: 1,
  },
];

/** Editors whose data folders differ in name only. */
const EDITORS = ['Code', 'Code - Insiders', 'VSCodium', 'Cursor', 'Windsurf'];
const SERVERS = ['.vscode-server', '.vscode-server-insiders', '.vscodium-server', '.cursor-server'];

type Environment = Readonly<Record<string, string | undefined>>;

/** The data folders of the editors, and of those on another machine; `~` is the home folder. */
function editorFolders(system: System, env: Environment): string[] {
  const servers = SERVERS.map((server) => `~/${server}/data`);
  const below = (folder: string) => EDITORS.map((editor) => `${folder}/${editor}`);
  switch (system) {
    case 'mac':
      return [...below('~/Library/Application Support'), ...servers];
    case 'windows':
      return below(env.APPDATA || '~/AppData/Roaming');
    case 'linux':
      return [...below(env.XDG_CONFIG_HOME || '~/.config'), ...servers];
  }
}

/** The folders of a place on this system, each still beginning with `~` unless a variable names it. */
export function foldersOf({ folders, movedBy }: SessionPlace, system: System, env: Environment): string[] {
  const moved = movedBy && env[movedBy.variable];
  return folders.flatMap((folder) => {
    if (folder.startsWith('{editor}'))
      return editorFolders(system, env).map((data) => folder.replace('{editor}', data));
    return moved ? [folder.replace(movedBy.from, moved)] : [folder];
  });
}

/** Where programs keep their sessions by default, on each system. */

export type System = 'linux' | 'mac' | 'windows';

export interface SessionPlace {
  readonly program: string;
  /** Folders, with forward slashes, from `~` or from `{editor}`, the data folder of an editor of the VS Code family. */
  readonly folders: readonly string[];
  /** Environment variable that names another folder in place of the first part of each, from `~` on. */
  readonly movedBy?: { readonly variable: string; readonly from: string };
  /** A session's path below such a folder, with forward slashes. */
  readonly file: RegExp;
  /** Levels of folders below it that are searched. */
  readonly depth: number;
  /**
   * The source of the folder that a session worked in. `name`: the first folder below is named after it. `beside`: a file
   * there has its address. Default: the session itself.
   */
  readonly tells?: 'name' | 'beside';
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
    tells: 'name',
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
  // Chats of its first versions are where Gemini CLI has them.
  {
    program: 'Qwen Code',
    folders: ['~/.qwen/projects', '~/.qwen/tmp'],
    file: /^[^/]+\/chats\/[^/]+\.jsonl?$/,
    depth: 2,
    tells: 'name',
  },
  {
    program: 'OpenCode',
    folders: ['~/.local/share/opencode'],
    movedBy: { variable: 'XDG_DATA_HOME', from: '~/.local/share' },
    file: /^opencode(?:-[\w.-]+)?\.db$/,
    depth: 0,
  },
  { program: 'pi', folders: ['~/.pi/agent/sessions'], file: /^[^/]+\/[^/]+\.jsonl$/, depth: 1, tells: 'name' },
  {
    program: 'Kimi CLI',
    folders: ['~/.kimi/sessions'],
    file: /^[^/]+\/[^/]+\/context\.jsonl$/,
    depth: 2,
    tells: 'name',
  },
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
  {
    program: 'Copilot Chat',
    folders: ['{editor}/User/workspaceStorage'],
    file: /^[^/]+\/chatSessions\/[^/]+\.jsonl?$/,
    depth: 2,
    tells: 'beside',
  },
];

/** Kept in the folder that was worked in. */
export const PLACES_IN_FOLDER: readonly SessionPlace[] = [
  { program: 'Aider', folders: [], file: /^\.aider\.chat\.history\.md$/, depth: 0 },
];

/** Editors whose data folders differ in name only. */
const EDITORS = ['Code', 'Code - Insiders', 'VSCodium', 'Cursor', 'Windsurf'];

const SERVERS = ['.vscode-server', '.vscode-server-insiders', '.vscodium-server', '.cursor-server'];

type Environment = Readonly<Record<string, string | undefined>>;

/** The data folders of the editors, and of those on another machine; `~` is the home folder. */
export function editorFolders(system: System, env: Environment): string[] {
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
export function foldersOf(
  { folders, movedBy }: SessionPlace,
  system: System,
  env: Environment,
  editors = editorFolders(system, env),
): string[] {
  const moved = movedBy && env[movedBy.variable];
  return folders.flatMap((folder) => {
    if (folder.startsWith('{editor}')) return editors.map((data) => folder.replace('{editor}', data));
    return moved ? [folder.replace(movedBy.from, moved)] : [folder];
  });
}

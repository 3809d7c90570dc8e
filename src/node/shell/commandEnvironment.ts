/**
 * The environment of a command: the user's own, without variables that look like secrets unless the user allows them by
 * name, and without variables that steer the editor. Programs are never searched for in the current folder, where a
 * workspace could have planted one.
 */

import { delimiter, isAbsolute, posix, win32 } from 'node:path';

/**
 * Variables of the editor's process that would change a child's behaviour or let it reach back. A shell function
 * exported under a name like `BASH_FUNC_git%%` would run in place of the program.
 */
export const STEERING = /^(?:BASH_FUNC_.*|PALIMPSEST_.*|VSCODE_.*|ELECTRON_.*|CDPATH|NODE_OPTIONS|NODE_CHANNEL_FD)$/iu;

/** Settings of model clients, and typical names of keys and passwords. */
export const SECRET =
  /^(?:OPENAI|ANTHROPIC|AZURE_OPENAI)_|(?:^|_)(?:KEYS?|PASS|PAT|JWT|COOKIE)$|_PWD$|(?:APIKEYS?|TOKENS?|SECRETS?|PASSWORD|PASSWD|PASSPHRASE)$|(?:^|_)SECRET_|_KEY_(?:BASE|BASE64|PEM|JSON)$/iu;

/** Pagers and prompts would wait for an absent person. */
export const FIXED_VARIABLES: Readonly<Record<string, string>> = {
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  GIT_TERMINAL_PROMPT: '0',
  TERM: 'dumb',
  NO_COLOR: '1',
  // Only cmd.exe reads it.
  NoDefaultCurrentDirectoryInExePath: '1',
};

export const isSecretName = (name: string): boolean => SECRET.test(name);

/** `allowed` are the names of secrets that commands may have. */
export function commandEnvironment(
  own: Readonly<Record<string, string | undefined>>,
  allowed: readonly string[],
): Record<string, string> {
  const may = new Set(allowed.map((name) => name.toUpperCase()));
  const kept = Object.entries(own).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && !STEERING.test(entry[0]) && (!SECRET.test(entry[0]) || may.has(entry[0].toUpperCase())),
  );
  const searched = kept.map(([name, value]) => [name, /^path$/iu.test(name) ? withoutRelative(value) : value]);
  return { ...Object.fromEntries(searched), ...FIXED_VARIABLES };
}

/** An empty entry means the current folder. */
function withoutRelative(path: string): string {
  return path
    .split(delimiter)
    .filter((folder) => isAbsolute(folder))
    .join(delimiter);
}

// Finds a program as the system would by its name. The system is a parameter, so that each can be examined on any other.
// Pure except for `exists`.

export interface System {
  readonly platform: NodeJS.Platform;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly exists: (path: string) => boolean;
}

/** Windows names variables in any case. */
export function readVariable({ platform, environment }: System, name: string): string | undefined {
  if (platform !== 'win32') return environment[name];
  const found = Object.keys(environment).find((each) => each.toUpperCase() === name.toUpperCase());
  return found === undefined ? undefined : environment[found];
}

/** The absolute folders of the PATH. */
export function readPath(system: System): readonly string[] {
  const { delimiter, isAbsolute } = system.platform === 'win32' ? win32 : posix;
  return (readVariable(system, 'PATH') ?? '')
    .split(delimiter)
    .map((folder) => (system.platform === 'win32' ? folder.replaceAll('"', '') : folder))
    .filter((folder) => isAbsolute(folder));
}

/** Its absolute path; null if there is none. A name with a folder in it is resolved from `folder`. */
export function findProgram(name: string, folder: string, system: System): string | null {
  const windows = system.platform === 'win32';
  const { join, resolve } = windows ? win32 : posix;
  const named = (windows ? /[\\/:]/ : /\//).test(name);
  const places = named ? [resolve(folder, name)] : readPath(system).map((each) => join(each, name));
  const found = places.flatMap((place) => endings(place, system).map((ending) => place + ending));
  return found.find(system.exists) ?? null;
}

/** On Windows a name without an executable extension means the first file that has one. */
function endings(path: string, system: System): readonly string[] {
  if (system.platform !== 'win32') return [''];
  const known = (readVariable(system, 'PATHEXT') ?? '.COM;.EXE;.BAT;.CMD').toLowerCase().split(';').filter(Boolean);
  return known.includes(win32.extname(path).toLowerCase()) ? ['', ...known] : known;
}

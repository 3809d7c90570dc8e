/**
 * The environment of a command: the user's own, without variables that look like secrets unless the user allows them by
 * name, and without variables that steer the editor. Programs are never searched for in the current folder, where a
 * workspace could have planted one.
 */

import { posix, win32 } from 'node:path';
import { entriesOf } from './findProgram.ts';

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
  platform: NodeJS.Platform = process.platform,
): Record<string, string> {
  const may = new Set(allowed.map((name) => name.toUpperCase()));
  const kept = Object.entries(own).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && !STEERING.test(entry[0]) && (!SECRET.test(entry[0]) || may.has(entry[0].toUpperCase())),
  );
  const searched = kept.map(([name, value]) => [
    name,
    /^path$/iu.test(name) ? withoutRelative(value, platform) : value,
  ]);
  return { ...Object.fromEntries(searched), ...FIXED_VARIABLES };
}

const withoutRelative = (path: string, platform: NodeJS.Platform): string =>
  entriesOf(path, platform)
    .map(({ written }) => written)
    .join((platform === 'win32' ? win32 : posix).delimiter);

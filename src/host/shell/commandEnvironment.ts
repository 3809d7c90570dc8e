/**
 * The environment a command gets: the user's own, without keys for models and without variables that steer the editor.
 * Programs are never looked for in the current folder: what a workspace planted there is not what was approved.
 */

import { delimiter, isAbsolute } from 'node:path';

/** Keys for models, and variables of the editor's process that would change what a child does or let it reach back. */
const WITHHELD =
  /^(?:PALIMPSEST_.*|OPENAI_.*|ANTHROPIC_.*|AZURE_OPENAI_.*|.*_API_KEY|VSCODE_.*|ELECTRON_.*|NODE_OPTIONS|NODE_CHANNEL_FD)$/iu;

/** Pagers and prompts would wait for a person who is not there. */
const FIXED: Readonly<Record<string, string>> = {
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  GIT_TERMINAL_PROMPT: '0',
  TERM: 'dumb',
  NO_COLOR: '1',
  // Only cmd.exe reads it.
  NoDefaultCurrentDirectoryInExePath: '1',
};

export function commandEnvironment(own: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const kept = Object.entries(own).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && !WITHHELD.test(entry[0]),
  );
  const searched = kept.map(([name, value]) => [name, /^path$/iu.test(name) ? withoutRelative(value) : value]);
  return { ...Object.fromEntries(searched), ...FIXED };
}

/** An empty entry means the current folder. */
function withoutRelative(path: string): string {
  return path
    .split(delimiter)
    .filter((folder) => isAbsolute(folder))
    .join(delimiter);
}

/**
 * Finds a file that may hold secrets among all those that a command searches below a folder. Where it is not certain that
 * a name is left out of the search, it counts as searched.
 */

import type { Dirent } from 'node:fs';
import { lstat, readdir, readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { isSystemError } from '../../core/errors.ts';
import { isSecretPath } from '../../core/secrets/secretPaths.ts';
import type { CommandDisk } from '../../core/tools/commands/commandDisk.ts';
import type { HiddenNames } from '../../core/tools/commands/readingCommands.ts';

/** Names looked at in one search. */
const MOST_NAMES = 20_000;

/** Its files are published. */
const PACKAGES = 'node_modules';

/** `isOurs`: whether the folder at a real path is one that no tool may touch. `top` is a real path. */
export async function findSecret(
  top: string,
  hidden: HiddenNames,
  isOurs: (real: string) => Promise<boolean>,
): ReturnType<CommandDisk['secretUnder']> {
  const patterns = hidden === 'all' ? null : hidden.map(matchLastName);
  const waiting = [{ folder: top, listed: patterns ? await readIgnoreFilesAbove(top) : [] }];
  let seen = 0;
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { folder } = next;
    const entries = await listNames(folder);
    seen += entries.length;
    if (seen > MOST_NAMES) return 'tooMany';
    const hasLists = patterns && entries.some(({ name }) => IGNORE_FILES.includes(name) || name === '.git');
    const listed = hasLists ? [...next.listed, ...(await readIgnoreFiles(folder))] : next.listed;
    for (const entry of entries) {
      const { name } = entry;
      const isFolder = entry.isDirectory();
      // Where patterns say which files are searched, the lists only lead into further folders.
      const more = patterns && (isFolder || patterns.length === 0) ? listed : [];
      if (patterns && name.startsWith('.') && ![...patterns, ...more].some((matches) => matches(name))) continue;
      const path = join(folder, name);
      const found = { name: path.slice(top.length + 1) };
      if (!isFolder && isSecretPath(path)) return found;
      // The inside of a repository holds addresses with passwords.
      if (isFolder && (name === '.git' || (await isOurs(path)))) return found;
      if (isFolder && name !== PACKAGES) waiting.push({ folder: path, listed });
    }
  }
  return null;
}

/** A folder that cannot be read here cannot be read by the command. */
export async function listNames(folder: string): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (thrown) {
    if (isSystemError(thrown)) return [];
    throw thrown;
  }
}

type Match = (name: string) => boolean;

/** Of all that they ignore, a line that begins with `!` takes names out, which are then searched although they are hidden. */
const IGNORE_FILES: readonly string[] = ['.gitignore', '.ignore', '.rgignore'];
const MOST_IGNORED = 1_000_000;

async function readIgnoreFilesAbove(folder: string): Promise<readonly Match[]> {
  const above = dirname(folder);
  if (above === folder) return [];
  return [...(await readIgnoreFilesAbove(above)), ...(await readIgnoreFiles(above))];
}

async function readIgnoreFiles(folder: string): Promise<readonly Match[]> {
  const excludes = await Promise.all((await gitFoldersOf(folder)).map((each) => join(each, 'info', 'exclude')));
  const files = [...IGNORE_FILES.map((name) => join(folder, name)), ...excludes];
  const texts = await Promise.all(files.map((file) => readShort(file, MOST_IGNORED)));
  const lines = texts.flatMap((text) => text?.split('\n') ?? []);
  return lines.filter((line) => line.startsWith('!')).map((line) => matchLastName(line.slice(1)));
}

/** Where a search for what git ignores looks: by `.git` in this folder, and by what a file `.git` names. */
async function gitFoldersOf(folder: string): Promise<readonly string[]> {
  const entry = join(folder, '.git');
  const named = /^gitdir: (?<path>.+)/u.exec((await readShort(entry, 8_192)) ?? '')?.groups?.path;
  if (named === undefined) return [entry];
  const gitFolder = resolve(folder, named);
  const shared = await readShort(join(gitFolder, 'commondir'), 8_192);
  return [gitFolder, ...(shared === null ? [] : [resolve(gitFolder, shared.trimEnd())])];
}

/** Null without a file, or where it is too long: nothing searches by that. */
async function readShort(file: string, most: number): Promise<string | null> {
  try {
    const facts = await lstat(file);
    if (facts.isSymbolicLink() || (facts.isFile() && facts.size > most)) return '!*';
    return facts.isFile() ? await readFile(file, 'utf8') : null;
  } catch (thrown) {
    if (isSystemError(thrown)) return null;
    throw thrown;
  }
}

/**
 * Whether a pattern could mean something of this name, wherever it is: by its last name alone, in any case, and for
 * anything where it is not sure how the pattern is read.
 */
function matchLastName(pattern: string): Match {
  const whole = pattern.trim().replace(/\/+$/u, '');
  const last = whole.slice(whole.lastIndexOf('/') + 1);
  const isPlain = !/^#|[[\]\\]/u.test(last) && !/\{[^}]*\//u.test(whole) && !/\{[^}]*\{/u.test(last);
  if (!isPlain || last === '') return () => true;
  const source = last
    .replace(/[.+^$()|]/gu, '\\$&')
    .replace(/\*+/gu, '.*')
    .replaceAll('?', '.')
    .replace(/\{(?<names>[^{}]*)\}/gu, (_, names: string) => `(?:${names.replaceAll(',', '|')})`);
  if (/[{}]/u.test(source)) return () => true;
  const matches = new RegExp(`^${source}$`, 'iu');
  return (name) => matches.test(name);
}

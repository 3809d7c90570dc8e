/**
 * Decides which paths are inside the workspace. A path must pass twice: as written, and as the real path after links
 * are followed. The stricter verdict wins. Names that mean different files on different systems are refused everywhere.
 */

import type { Stats } from 'node:fs';
import { lstat, realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { ToolError } from '../../core/errors.ts';
import { isGuarded, REPOSITORY_HEAD, SHORT_NAME } from '../../core/tools/guardedNames.ts';
import { hasHidden, showInOneLine } from '../../core/tools/text/showHidden.ts';
import { hasCode } from './fileErrors.ts';

export interface Root {
  /** As VS Code shows it; with several roots, the first segment of a shown path. */
  readonly name: string;
  readonly path: string;
  /** Real path on disk. */
  readonly real: string;
}

export interface PlacedPath {
  readonly shown: string;
  readonly absolute: string;
  /** Where it lies if no link below the workspace folder leads elsewhere. */
  readonly straight: string;
}

export interface GuardedPath extends PlacedPath {
  readonly real: string;
  readonly exists: boolean;
  readonly guarded: boolean;
}

const LONGEST_PATH = 4096;
const DEVICE_NAME = /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(?:\.|$)/iu;

/** The verdict on the path as written; nothing is looked up on disk. Throws `ToolError`. */
export function placePath(path: string, roots: readonly Root[]): PlacedPath {
  const [first] = roots;
  if (!first) throw new ToolError('No folder is open. Ask the user to open one.');
  const refuse = (reason: string) =>
    new ToolError(`The path "${showInOneLine(path.slice(0, 300))}" is refused: ${reason}.`);
  if (path === '') throw refuse('it is empty; "." is the workspace folder');
  if (path.length > LONGEST_PATH) throw refuse('it is too long');
  if (hasHidden(path) || /[\t\n]/u.test(path)) throw refuse('it holds a character that cannot be seen');
  if (path.includes('\\')) throw refuse('it holds a backslash; write it with forward slashes');
  if (/^~(?:\/|$)/u.test(path)) throw refuse('"~" is not expanded here; write it relative to the workspace folder');
  const absolute = isAbsolute(path) ? resolve(path) : placeRelative(path, roots, first);
  const root = roots.find(({ path: folder, real }) => isInside(absolute, folder) || isInside(absolute, real));
  if (!root) throw refuse('it lies outside of the workspace folder');
  const folder = isInside(absolute, root.path) ? root.path : root.real;
  const inside = relative(folder, absolute);
  // Checked as written too: the system may read a segment that `..` removes as another name.
  const written = isAbsolute(path) ? [] : path.split('/').filter((segment) => !/^\.{0,2}$/u.test(segment));
  for (const segment of [...inside.split(sep), ...written]) {
    const fault = faultOf(segment);
    if (fault !== null) throw refuse(fault);
  }
  const shown = inside.split(sep).join('/') || '.';
  return {
    shown: roots.length === 1 ? shown : shown === '.' ? root.name : `${root.name}/${shown}`,
    absolute,
    straight: join(root.real, inside),
  };
}

function placeRelative(path: string, roots: readonly Root[], first: Root): string {
  if (roots.length > 1) {
    const [head = '', ...rest] = path.split('/');
    const named = roots.find(({ name }) => name === head);
    if (named) return resolve(named.path, ...rest);
  }
  return resolve(first.path, path);
}

/** Null when the name means the same file on every system. */
function faultOf(segment: string): string | null {
  if (segment.includes(':')) return 'a colon can name a stream behind a file';
  if (/[. ]$/u.test(segment)) return 'a name that ends with a dot or a space can mean another file';
  if (SHORT_NAME.test(segment)) return `"${segment}" can be the short name of another file`;
  if (DEVICE_NAME.test(segment)) return `"${segment}" is the name of a device`;
  if (Buffer.byteLength(segment) > 255) return 'a name in it is too long';
  return null;
}

/** The verdict on disk. `denied` are the real paths of our own folders. */
export async function guardPath(path: string, roots: readonly Root[], denied: readonly string[]): Promise<GuardedPath> {
  const placed = placePath(path, roots);
  const { real, exists } = await followLinks(placed);
  const root = roots.find((candidate) => isInside(real, candidate.real));
  if (!root) throw new ToolError(`${placed.shown} leads outside of the workspace folder (to ${showInOneLine(real)}).`);
  if (isDenied(real, denied)) {
    throw new ToolError(
      `${placed.shown} lies where sessions or the editor's own data are kept, which tools do not touch.`,
    );
  }
  const guarded =
    isGuarded(placed.shown) || isGuarded(relative(root.real, real)) || (await isInRepository(real, root.real));
  return { ...placed, real, exists, guarded };
}

/** `real` lies in one of our own folders or in an editor's data. */
export function isDenied(real: string, denied: readonly string[]): boolean {
  return isExtensionStorage(real) || denied.some((folder) => isInside(real, folder));
}

/**
 * Git takes any folder with the right names in it for a repository, and runs what the configuration there names. So all
 * that lies beside or below a `HEAD` counts as a part of one.
 */
async function isInRepository(real: string, root: string): Promise<boolean> {
  for (let at = real; at !== root && dirname(at) !== at; ) {
    at = dirname(at);
    const head = await lookAt(join(at, REPOSITORY_HEAD));
    if (head !== null && !head.isDirectory()) return true;
  }
  return false;
}

/** For a path that does not exist yet: the real path of its nearest existing ancestor, then the rest as written. */
async function followLinks({ shown, absolute }: PlacedPath): Promise<{ real: string; exists: boolean }> {
  const rest: string[] = [];
  for (let at = absolute; ; at = dirname(at)) {
    try {
      return { real: join(await realpath(at), ...rest), exists: rest.length === 0 };
    } catch (thrown) {
      if (hasCode(thrown, 'ELOOP')) throw new ToolError(`${shown} is a link that leads in a circle.`);
      if (hasCode(thrown, 'ENOTDIR'))
        throw new ToolError(`${shown} cannot be: a name before it is a file, not a folder.`);
      if (!hasCode(thrown, 'ENOENT')) throw thrown;
      if ((await lookAt(at))?.isSymbolicLink()) throw new ToolError(`${shown} goes through a link that leads nowhere.`);
      if (dirname(at) === at) throw thrown;
      rest.unshift(basename(at));
    }
  }
}

/** Null when there is nothing. */
async function lookAt(path: string): Promise<Stats | null> {
  try {
    return await lstat(path);
  } catch (thrown) {
    if (hasCode(thrown, 'ENOENT', 'ENOTDIR')) return null;
    throw thrown;
  }
}

/** Both absolute and normalised. */
export function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

/** Storage of any editor's extensions, whatever the editor is called and wherever its data lies. */
const EXTENSION_STORAGE = /[\\/]user[\\/](?:profiles[\\/][^\\/]+[\\/])?(?:globalstorage|workspacestorage)(?:[\\/]|$)/iu;

function isExtensionStorage(path: string): boolean {
  return EXTENSION_STORAGE.test(path);
}

/** The folder of this editor's user data, from that of an extension's storage in it; null when it is laid out otherwise. */
export function userDataOf(globalStorage: string): string | null {
  for (let at = globalStorage; dirname(at) !== at; at = dirname(at)) {
    if (basename(at) === 'User') return dirname(at);
  }
  return null;
}

/**
 * Gives each workspace folder a unique name that is one segment of a path. With several folders that name tells their
 * files apart, and a workspace file may contain any text as a name. Pure.
 */
export interface NamedFolder {
  readonly name: string;
  readonly path: string;
}

export function nameFolders(folders: readonly NamedFolder[]): NamedFolder[] {
  const used = new Set<string>();
  return folders.map(({ name, path }) => {
    const wanted = name.replace(/[\p{C}\\/:]/gu, '-').replace(/(?<![. ])[. ]+$/u, '') || 'folder';
    let unique = wanted;
    // Names that differ only in case may be one file, so they count as one here.
    for (let n = 2; used.has(unique.toLowerCase()); n++) unique = `${wanted}-${n}`;
    used.add(unique.toLowerCase());
    return { name: unique, path };
  });
}

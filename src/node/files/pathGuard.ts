/**
 * Decides which paths are inside the workspace. A path must pass twice: as written, and as the real path after links
 * are followed. The stricter verdict wins. Paths are reported in the disk's spelling, however they were requested.
 */

import type { Stats } from 'node:fs';
import nodePaths, { basename, dirname, join, type PlatformPath, relative, sep } from 'node:path';
import { isSystemError, ToolError } from '../../core/errors.ts';
import { isGuarded, REPOSITORY_HEAD, SHORT_NAME } from '../../core/tools/guardedNames.ts';
import { hasHidden, showInOneLine } from '../../core/tools/text/showHidden.ts';
import type { DeniedFolders } from './deniedFolders.ts';
import { hasCode } from './fileErrors.ts';
import { isInside } from './inside.ts';
import { nodeDisk, type PathDisk } from './pathDisk.ts';

export interface Root {
  /** As VS Code shows it; with several roots, the first segment of a shown path. */
  readonly name: string;
  readonly path: string;
  /** Real path on disk. */
  readonly real: string;
}

interface PlacedPath {
  readonly shown: string;
  readonly absolute: string;
  /** The path if no link below the workspace folder leads elsewhere. */
  readonly straight: string;
  /** With several folders: its first segment names no folder, so it is taken to be in the first. */
  readonly unnamedRoot?: true;
}

export interface GuardedPath extends PlacedPath {
  /** The requested file name, where the disk spells it differently. */
  readonly written?: string;
  readonly real: string;
  readonly exists: boolean;
  readonly guarded: boolean;
}

const LONGEST_PATH = 4096;
const DEVICE_NAME = /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(?:\.|$)/iu;

/**
 * The verdict on a model's path as written, without looking at the disk. Throws `ToolError`. `paths` are the rules of
 * the system: on Windows both kinds of slashes separate names.
 */
export function placePath(path: string, roots: readonly Root[], paths: PlatformPath = nodePaths): PlacedPath {
  const [first] = roots;
  if (!first) throw new ToolError('No folder is open. Ask the user to open one.');
  const refuse = (reason: string) =>
    new ToolError(`The path "${showInOneLine(path.slice(0, 300))}" is refused: ${reason}.`);
  if (path === '') throw refuse('it is empty; "." is the workspace folder');
  if (path.length > LONGEST_PATH) throw refuse('it is too long');
  if (hasHidden(path) || /[\t\n]/u.test(path)) throw refuse('it holds a character that cannot be seen');
  const windows = paths.sep === '\\';
  if (!windows && path.includes('\\')) throw refuse('it holds a backslash; write it with forward slashes');
  const asked = windows ? path.replaceAll('\\', '/') : path;
  if (/^~(?:\/|$)/u.test(asked)) throw refuse('"~" is not expanded here; write it relative to the workspace folder');
  const isAbsolute = paths.isAbsolute(asked);
  const named = isAbsolute ? null : rootNamed(asked, roots);
  const absolute = isAbsolute
    ? paths.resolve(asked)
    : paths.resolve((named?.root ?? first).path, named ? named.rest : asked);
  const root = rootOf(absolute, roots, paths);
  if (!root) throw refuse('it lies outside of the workspace folder');
  const inside = wayInside(absolute, root, paths);
  // Also checked as written: the system may read a segment that `..` removes as another name.
  const written = isAbsolute ? [] : asked.split('/').filter((segment) => !/^\.{0,2}$/u.test(segment));
  for (const segment of [...inside.split(paths.sep), ...written]) {
    const fault = faultOf(segment, windows);
    if (fault !== null) throw refuse(fault);
  }
  const isUnnamed = roots.length > 1 && !named && !isAbsolute;
  return {
    shown: showPath(inside, root, roots, paths),
    absolute,
    straight: paths.join(root.real, inside),
    ...(isUnnamed ? { unnamedRoot: true } : {}),
  };
}

/** The shown path for the editor's absolute path; null outside the workspace folders. Pure. */
export function placeNative(native: string, roots: readonly Root[], paths: PlatformPath = nodePaths): string | null {
  if (!paths.isAbsolute(native)) return null;
  const absolute = paths.resolve(native);
  const root = rootOf(absolute, roots, paths);
  return root ? showPath(wayInside(absolute, root, paths), root, roots, paths) : null;
}

function rootOf(absolute: string, roots: readonly Root[], paths: PlatformPath): Root | undefined {
  return roots.find(({ path, real }) => isInside(absolute, path, paths) || isInside(absolute, real, paths));
}

function wayInside(absolute: string, { path, real }: Root, paths: PlatformPath): string {
  return paths.relative(isInside(absolute, path, paths) ? path : real, absolute);
}

function showPath(inside: string, root: Root, roots: readonly Root[], paths: PlatformPath): string {
  const shown = inside.split(paths.sep).join('/') || '.';
  return roots.length === 1 ? shown : shown === '.' ? root.name : `${root.name}/${shown}`;
}

/** Folder names differ in more than case, so a name in another case means that folder. */
function rootNamed(path: string, roots: readonly Root[]): { readonly root: Root; readonly rest: string } | null {
  if (roots.length === 1) return null;
  const [head = '', ...rest] = path.replace(/^(?:\.\/+)+/u, '').split('/');
  const root = roots.find(({ name }) => name === head) ?? roots.find(({ name }) => foldCase(name) === foldCase(head));
  return root ? { root, rest: rest.join('/').replace(/^\/+/u, '') } : null;
}

/** Makes names equal that some disks treat as one. */
export function foldCase(name: string): string {
  return name.normalize('NFC').toLowerCase();
}

/** Null when the name means one file. */
function faultOf(segment: string, windows: boolean): string | null {
  if (segment.includes(':')) return 'a colon can name a stream behind a file';
  if (/[. ]$/u.test(segment)) return 'a name that ends with a dot or a space can mean another file';
  if (SHORT_NAME.test(segment)) return `"${segment}" can be the short name of another file`;
  if (windows && DEVICE_NAME.test(segment)) return `"${segment}" is the name of a device`;
  if (Buffer.byteLength(segment) > 255) return 'a name in it is too long';
  return null;
}

/** The verdict on disk. */
export async function guardPath(
  path: string,
  roots: readonly Root[],
  denied: Pick<DeniedFolders, 'holds'>,
  disk: PathDisk = nodeDisk,
): Promise<GuardedPath> {
  const asked = placePath(path, roots);
  await refuseWrongRoot(asked, path, roots, disk);
  const { real, exists } = await followLinks(asked, disk);
  const root = roots.find((candidate) => isInside(real, candidate.real));
  if (!root) throw new ToolError(`${asked.shown} leads outside of the workspace folder (to ${showInOneLine(real)}).`);
  const placed = await spellAsOnDisk(asked, real, root, roots, disk);
  if (await denied.holds(real)) {
    throw new ToolError(
      `${placed.shown} lies where sessions or the editor's own data are kept, which tools do not touch.`,
    );
  }
  const guarded =
    isGuarded(placed.shown) ||
    isGuarded(relative(root.real, real)) ||
    (await isInRepository(real, root.real)) ||
    (await isLinkedAsGuarded(real, root.real, disk));
  return { ...placed, real, exists, guarded };
}

/** Otherwise a segment that names no folder would create a folder of that name in the first one. */
async function refuseWrongRoot(
  { unnamedRoot, absolute }: PlacedPath,
  path: string,
  roots: readonly Root[],
  disk: PathDisk,
): Promise<void> {
  const [first] = roots;
  if (!unnamedRoot || !first) return;
  const [head = '', ...rest] = relative(first.path, absolute).split(sep);
  // The product itself looks for hidden names at the top.
  if (rest.length === 0 || head.startsWith('.') || (await statOf(join(first.path, head), disk))) return;
  const names = roots.map(({ name }) => showInOneLine(name)).join(', ');
  throw new ToolError(
    `The path "${showInOneLine(path)}" is refused: the workspace folders are ${names}, and "${showInOneLine(head)}" is none of them. Begin the path with one of these names.`,
  );
}

/** The path in the existing spelling, where it differs only in spelling and not because of a link. */
async function spellAsOnDisk(
  asked: PlacedPath,
  real: string,
  root: Root,
  roots: readonly Root[],
  disk: PathDisk,
): Promise<PlacedPath & Pick<GuardedPath, 'written'>> {
  const { straight } = asked;
  if (straight === real || foldCase(straight) !== foldCase(real)) return asked;
  for (let at = straight; at !== root.real && dirname(at) !== at; at = dirname(at)) {
    if ((await statOf(at, disk))?.isSymbolicLink()) return asked;
  }
  const shown = showPath(relative(root.real, real), root, roots, nodePaths);
  const name = basename(straight);
  return { ...asked, shown, straight: real, ...(name === basename(real) ? {} : { written: name }) };
}

/**
 * Git accepts any folder with the right names as a repository, and runs what its configuration names. So everything
 * next to or below a `HEAD` counts as part of one.
 */
async function isInRepository(real: string, root: string): Promise<boolean> {
  for (let at = real; at !== root && dirname(at) !== at; ) {
    at = dirname(at);
    const head = await statOf(join(at, REPOSITORY_HEAD));
    if (head !== null && !head.isDirectory()) return true;
  }
  return false;
}

/**
 * True for the target of a guarded link: it is read by the link's name. Links are looked for in the open folder, in folders of agents
 * in it, and in each folder above the path.
 */
async function isLinkedAsGuarded(real: string, root: string, disk: PathDisk): Promise<boolean> {
  const places = [root, ...LINKING.map((name) => join(root, name))];
  for (let at = dirname(real); at !== root && isInside(at, root); at = dirname(at)) places.push(at);
  for (const place of places) {
    const links = (await disk.links(place)).map((name) => join(place, name));
    for (const path of links.filter((each) => isGuarded(relative(root, each)))) {
      const target = await targetOf(path, disk);
      if (target !== null && target !== root && isInside(real, target)) return true;
    }
  }
  return false;
}

/** Folders of agents and hosts, in which instructions are often links. */
const LINKING = ['.github', '.claude', '.cursor', '.vscode', '.agents', '.codex', '.gemini', '.husky'];

async function targetOf(link: string, disk: PathDisk): Promise<string | null> {
  try {
    return await disk.realpath(link);
  } catch (thrown) {
    if (isSystemError(thrown)) return null;
    throw thrown;
  }
}

/** For a path that does not exist yet: the real path of its nearest existing ancestor, then the rest as written. */
async function followLinks(
  { shown, absolute }: PlacedPath,
  disk: PathDisk,
): Promise<{ real: string; exists: boolean }> {
  const rest: string[] = [];
  for (let at = absolute; ; at = dirname(at)) {
    try {
      const real = disk.spells ? await disk.realpath(at) : await spell(await disk.realpath(at), disk);
      return { real: join(real, ...rest), exists: rest.length === 0 };
    } catch (thrown) {
      if (hasCode(thrown, 'ELOOP')) throw new ToolError(`${shown} is a link that leads in a circle.`);
      if (hasCode(thrown, 'ENOTDIR'))
        throw new ToolError(`${shown} cannot be: a name before it is a file, not a folder.`);
      if (!hasCode(thrown, 'ENOENT')) throw thrown;
      if ((await statOf(at, disk))?.isSymbolicLink())
        throw new ToolError(`${shown} goes through a link that leads nowhere.`);
      if (dirname(at) === at) throw thrown;
      const other = await otherForm(at, disk);
      if (other !== null) return followLinks({ shown, absolute: join(other, ...rest), straight: '' }, disk);
      rest.unshift(basename(at));
    }
  }
}

/**
 * An existing name in another Unicode form: models write composed letters, whatever they were shown. Null if there is
 * none.
 */
async function otherForm(path: string, disk: PathDisk): Promise<string | null> {
  const name = basename(path);
  if (name.normalize('NFC') === name.normalize('NFD')) return null;
  try {
    const found = (await disk.readdir(dirname(path))).find((each) => each.normalize('NFC') === name.normalize('NFC'));
    return found === undefined || found === name ? null : join(dirname(path), found);
  } catch (thrown) {
    if (hasCode(thrown, 'ENOENT', 'ENOTDIR', 'EACCES', 'EPERM')) return null;
    throw thrown;
  }
}

/** Linux returns the requested name, even where the disk ignores case: then the folder listing gives the name. */
async function spell(real: string, disk: PathDisk): Promise<string> {
  const folder = dirname(real);
  if (folder === real || !(await ignoresCase(real, disk))) return real;
  const names = await disk.readdir(folder);
  const name = basename(real);
  const found = names.includes(name) ? name : names.find((each) => foldCase(each) === foldCase(name));
  return join(await spell(folder, disk), found ?? name);
}

/** True when the same file is found in other letters. */
async function ignoresCase(real: string, disk: PathDisk): Promise<boolean> {
  const name = basename(real);
  const other = name === name.toLowerCase() ? name.toUpperCase() : name.toLowerCase();
  if (other === name) return dirname(real) !== real && ignoresCase(dirname(real), disk);
  const [one, two] = await Promise.all([disk.identify(real), disk.identify(join(dirname(real), other))]);
  return one !== null && one === two;
}

/** Null when nothing is there. */
async function statOf(path: string, disk: Pick<PathDisk, 'lstat'> = nodeDisk): Promise<Stats | null> {
  try {
    return await disk.lstat(path);
  } catch (thrown) {
    if (hasCode(thrown, 'ENOENT', 'ENOTDIR')) return null;
    throw thrown;
  }
}

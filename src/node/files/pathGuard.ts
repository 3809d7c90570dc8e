/**
 * Decides which paths are inside the workspace. A model's path must pass twice: as written, and as the real path after
 * links are followed. The stricter verdict wins. A path that the product wrote down comes through a door of its own.
 * Paths are reported in the disk's spelling, however they were requested.
 */

import type { Stats } from 'node:fs';
import nodePaths, { basename, dirname, join, type PlatformPath, relative, sep } from 'node:path';
import { isSystemError, ToolError } from '../../core/errors.ts';
import { isGuarded, REPOSITORY_HEAD, SHORT_NAME } from '../../core/tools/guardedNames.ts';
import { hasHidden, readShown, showInOneLine, withoutHidden } from '../../core/tools/text/showHidden.ts';
import { isWholePath, wholePaths } from '../../core/workspace/wholePaths.ts';
import type { DeniedFolders } from './deniedFolders.ts';
import { hasCode } from './fileErrors.ts';
import { isInside } from './inside.ts';
import { leadsToMisnamed } from './misnamed.ts';
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
const DEVICE_NAME = /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³]) *(?:\.|$)/iu;

/**
 * The verdict on a model's path as written, without looking at the disk. Throws `ToolError`. `paths` are the rules of
 * the system: on Windows both kinds of slashes separate names.
 */
export function placePath(path: string, roots: readonly Root[], paths: PlatformPath = nodePaths): PlacedPath {
  const { names, ...placed } = place(path, roots, paths);
  for (const { fault } of names) if (fault) throw refusal(path, fault.reason);
  return placed;
}

interface PlacedNames extends PlacedPath {
  readonly root: Root;
  /** The names below the root, in order. */
  readonly names: readonly PlacedName[];
}

interface PlacedName {
  readonly name: string;
  readonly fault: NameFault | null;
}

interface NameFault {
  readonly reason: string;
  /** It holds also for a file that is there under exactly this name. */
  readonly always?: true;
  /** Some names are spelled with it. */
  readonly maySpell?: 'hidden' | 'colon';
}

const refusal = (path: string, reason: string) =>
  new ToolError(`The path "${showInOneLine(path.slice(0, 300))}" is refused: ${reason}.`);

const OUTSIDE = 'it lies outside of the workspace folder';

const NOT_EXPANDED: NameFault = {
  reason: '"~" is not expanded here; write it relative to the workspace folder',
};

/** Throws for what no file on the disk could excuse. */
function place(path: string, roots: readonly Root[], paths: PlatformPath): PlacedNames {
  const [first] = roots;
  if (!first) throw new ToolError('No folder is open. Ask the user to open one.');
  if (path === '') throw refusal(path, 'it is empty; "." is the workspace folder');
  if (path.length > LONGEST_PATH) throw refusal(path, 'it is too long');
  const windows = paths.sep === '\\';
  const asked = windows ? path.replaceAll('\\', '/') : path;
  const whole = findWhole(path, roots, paths);
  if (!whole && paths.isAbsolute(asked)) throw refusal(path, OUTSIDE);
  const named = whole ? null : rootNamed(asked, roots);
  const way = whole?.way ?? named?.rest ?? asked;
  const absolute = whole?.absolute ?? paths.resolve((named?.root ?? first).path, way);
  const faultIn = (name: string): NameFault | null => {
    if (name === '~' && /^~(?:\/|$)/u.test(asked)) return NOT_EXPANDED;
    const fault = faultOf(name, windows);
    if (!fault || whole || !isWholePath(path)) return fault;
    return { reason: OUTSIDE, ...(fault.always ? { always: true } : {}) };
  };
  const root = whole?.root ?? rootOf(absolute, roots, paths);
  if (!root) throw refusal(path, OUTSIDE);
  const inside = wayInside(absolute, root, paths);
  const names = inside.split(paths.sep).map((name) => ({ name, fault: faultIn(name) }));
  // The system may read a segment that `..` removes as another name.
  for (const name of removedFrom(way, [inside, root.path, root.real], paths)) {
    const fault = whole ? hiddenIn(name) : faultIn(name);
    if (fault) throw refusal(path, fault.reason);
  }
  const isUnnamed = roots.length > 1 && !named && !whole;
  return {
    shown: showPath(inside, root, roots, paths),
    absolute,
    straight: paths.join(root.real, inside),
    root,
    names,
    ...(isUnnamed ? { unnamedRoot: true } : {}),
  };
}

interface WholePath {
  /** As it was written, in the system's own form with forward slashes. */
  readonly way: string;
  readonly absolute: string;
  readonly root: Root;
}

/** Of the places that a whole path may stand for, the first one inside an open folder; null if there is none. */
function findWhole(path: string, roots: readonly Root[], paths: PlatformPath): WholePath | null {
  for (const way of wholePaths(path, paths.sep === '\\')) {
    for (const { path: folder } of roots) {
      // Without a drive, it is one of the folder's.
      const absolute = paths.resolve(folder, way);
      const root = rootOf(absolute, roots, paths);
      if (root) return { way, absolute, root };
    }
  }
  return null;
}

/** The segments that were written and are in none of the paths that were made of it. */
function removedFrom(way: string, made: readonly string[], paths: PlatformPath): readonly string[] {
  const kept = new Set(made.flatMap((path) => path.split(paths.sep)).map(foldCase));
  return way.split('/').filter((segment) => !/^\.{0,2}$/u.test(segment) && !kept.has(foldCase(segment)));
}

/** Where the path lies that the product itself wrote down: each name as it is on disk, whatever its letters. */
function placeExact(name: string, roots: readonly Root[], paths: PlatformPath): PlacedNames {
  const windows = paths.sep === '\\';
  const isOne = roots.length === 1;
  const root = roots.find((each) => isOne || name === each.name || name.startsWith(`${each.name}/`));
  const way = !root || isOne ? name : name.slice(root.name.length + 1) || '.';
  const names = way === '.' ? [] : way.split('/');
  // Such a name would lead elsewhere, or is cut short by the system.
  const leadsAway = (each: string) => /^\.{0,2}$|\0/u.test(each) || (windows && /[\\:]/u.test(each));
  if (!root || names.some(leadsAway)) {
    throw new ToolError(`${showInOneLine(name.slice(0, 300))} is no path in the open folders.`);
  }
  return {
    shown: name,
    absolute: paths.join(root.path, ...names),
    straight: paths.join(root.real, ...names),
    root,
    names: names.map((each) => ({ name: each, fault: faultOf(each, windows) })),
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
  const fold = (name: string) => foldCase(showInOneLine(name));
  const root = roots.find(({ name }) => name === head) ?? roots.find(({ name }) => fold(name) === fold(head));
  return root ? { root, rest: rest.join('/').replace(/^\/+/u, '') } : null;
}

/** Makes names equal that some disks treat as one. */
export function foldCase(name: string): string {
  return name.normalize('NFC').toLowerCase();
}

/** Null when the name means one file, and a reader sees which. */
function faultOf(segment: string, windows: boolean): NameFault | null {
  // Windows takes such a name for another one, even where a file was made under it.
  const taken = windows ? { always: true as const } : {};
  const hidden = hiddenIn(segment);
  if (hidden) return hidden;
  if (segment.includes('\\')) return { reason: 'it holds a backslash; write it with forward slashes' };
  if (/[. ]$/u.test(segment))
    return { reason: 'a name that ends with a dot or a space can mean another file', ...taken };
  if (/^\p{Zs}|\p{Zs}$/u.test(segment)) {
    return { reason: 'a blank at the beginning or the end of a name cannot be seen; write it without' };
  }
  if (SHORT_NAME.test(segment)) return { reason: `"${segment}" can be the short name of another file` };
  if (windows && DEVICE_NAME.test(segment)) return { reason: `"${segment}" is the name of a device`, ...taken };
  if (segment.includes(':')) return { reason: 'a colon can name a stream behind a file', maySpell: 'colon', ...taken };
  if ((windows ? segment.length : Buffer.byteLength(segment)) > 255) return { reason: 'a name in it is too long' };
  if (SPELLED_OUT.test(segment)) return { reason: `nothing there is shown as "${segment}"` };
  return null;
}

function hiddenIn(segment: string): NameFault | null {
  const isHidden = hasHidden(segment) || /[\t\n]/u.test(segment);
  return isHidden ? { reason: 'it holds a character that cannot be seen; write it without', maySpell: 'hidden' } : null;
}

/** As tools show a character that cannot be seen. */
const SPELLED_OUT = /⟨U\+[0-9A-F]{4,6}⟩/u;

type OwnFolders = Pick<DeniedFolders, 'holds'>;

/** The verdict on disk on a model's path. */
export async function guardPath(
  path: string,
  roots: readonly Root[],
  denied: OwnFolders,
  disk: PathDisk = nodeDisk,
): Promise<GuardedPath> {
  const asked = await nameAsThere(place(path, roots, nodePaths), path, roots, disk);
  await refuseWrongRoot(asked, path, roots, disk);
  if (await leadsToMisnamed(asked.absolute)) {
    throw new ToolError(
      `${showInOneLine(asked.shown)} cannot be opened: this name is not valid UTF-8 on the disk, with \uFFFD for its bad bytes here. A command can rename it.`,
    );
  }
  return guardPlaced(asked, await followLinks(asked, disk), roots, denied, disk);
}

/**
 * The verdict on disk on a path that the product itself wrote down. No name is refused for its letters, and none is
 * looked for in another form. Links, the borders of the folders and what is guarded count as for a model's path.
 */
export async function guardExact(
  name: string,
  roots: readonly Root[],
  denied: OwnFolders,
  disk: PathDisk = nodeDisk,
): Promise<GuardedPath> {
  const placed = placeExact(name, roots, nodePaths);
  await refuseAlias(placed, disk);
  return guardPlaced(placed, await followLinks(placed, disk, 'exact'), roots, denied, disk);
}

async function guardPlaced(
  asked: PlacedPath,
  { real, exists }: Followed,
  roots: readonly Root[],
  denied: OwnFolders,
  disk: PathDisk,
): Promise<GuardedPath> {
  const root = roots.find((candidate) => isInside(real, candidate.real));
  if (!root)
    throw new ToolError(
      `${showInOneLine(asked.shown)} leads outside of the workspace folder (to ${showInOneLine(real)}).`,
    );
  if (!exists) await refuseGone(root, disk);
  const placed = await spellAsOnDisk(asked, real, root, roots, disk);
  if (await denied.holds(real)) {
    throw new ToolError(
      `${showInOneLine(placed.shown)} lies where sessions or the editor's own data are kept, which tools do not touch.`,
    );
  }
  const guarded =
    isGuarded(placed.shown) ||
    isGuarded(relative(root.real, real)) ||
    (await isInRepository(real, root.real, disk)) ||
    (await isLinkedAsGuarded(real, root.real, disk));
  return { ...placed, real, exists, guarded };
}

/**
 * A name with a fault, or as tools show it, is taken where a file of the same spelling is there: the folder's own list
 * says so, as the system may find another file under that name.
 */
async function nameAsThere(
  { root, names, ...placed }: PlacedNames,
  path: string,
  roots: readonly Root[],
  disk: PathDisk,
): Promise<PlacedPath> {
  const isOdd = ({ name, fault }: PlacedName) => fault !== null || BREAK_OR_TAB.test(name);
  if (!names.some(isOdd)) return placed;
  const there: string[] = [];
  for (const each of names) {
    const { name, fault } = each;
    const folder = { shown: placed.shown, absolute: join(root.path, ...there) };
    const spelled = isOdd(each) && !fault?.always ? await findNamed(name, folder, roots, disk) : null;
    if (fault && spelled === null) {
      const reason = fault.always ? fault.reason : await refuseNew(each, fault, folder, roots, disk);
      if (reason !== null) throw refusal(path, reason);
    }
    there.push(spelled ?? name);
  }
  const inside = there.join(sep);
  return {
    ...placed,
    shown: showPath(inside, root, roots, nodePaths),
    absolute: join(root.path, inside),
    straight: join(root.real, inside),
  };
}

/** As tools show a line break or a tab; a name may also hold them as they are. */
const BREAK_OR_TAB = /[⏎⇥]/u;

/** The name in a folder that is spelled like this, raw or as tools show it; null if there is none, or several. */
async function findNamed(
  name: string,
  folder: Pick<PlacedPath, 'shown' | 'absolute'>,
  roots: readonly Root[],
  disk: PathDisk,
): Promise<string | null> {
  const names = await namesAt(folder, roots, disk);
  if (names.includes(name)) return name;
  const spell = (each: string) => readShown(each).normalize('NFC');
  const found = names.filter((each) => spell(each) === spell(name));
  return found.length === 1 ? (found[0] ?? null) : null;
}

async function namesAt(
  folder: Pick<PlacedPath, 'shown' | 'absolute'>,
  roots: readonly Root[],
  disk: PathDisk,
): Promise<readonly string[]> {
  const { real, exists } = await followLinks(folder, disk);
  return exists && roots.some((root) => isInside(real, root.real)) ? namesIn(real, disk) : [];
}

/** Why nothing new may get this name, which is not there yet; null where it is an ordinary one of its script. */
async function refuseNew(
  { name }: PlacedName,
  fault: NameFault,
  folder: Pick<PlacedPath, 'shown' | 'absolute'>,
  roots: readonly Root[],
  disk: PathDisk,
): Promise<string | null> {
  if (!fault.maySpell) return fault.reason;
  const plain = withoutNeeded(name);
  const left = faultOf(plain, nodePaths.sep === '\\');
  if (left !== null && (left.maySpell !== 'colon' || !hasOwnColons(plain))) return left.reason;
  const names = await namesAt(folder, roots, disk);
  const [beforeColon = ''] = name.split(':');
  if (left !== null && (isGuarded(beforeColon) || names.some((each) => foldCase(each) === foldCase(beforeColon)))) {
    return left.reason;
  }
  const look = (each: string) => foldCase(withoutHidden(each).normalize('NFKC'));
  const alike = names.find((each) => look(each) === look(name));
  return alike === undefined ? null : `"${showInOneLine(alike)}", which is there, looks the same`;
}

/** Scripts that are spelled with joiners, such as that of Persian and those of India. */
const JOINED =
  '[\\p{Script=Arabic}\\p{Script=Syriac}\\p{Script=Mongolian}\\p{Script=Devanagari}\\p{Script=Bengali}\\p{Script=Gurmukhi}\\p{Script=Gujarati}\\p{Script=Oriya}\\p{Script=Tamil}\\p{Script=Telugu}\\p{Script=Kannada}\\p{Script=Malayalam}\\p{Script=Sinhala}\\p{Script=Khmer}\\p{Script=Myanmar}\\p{Script=Tibetan}]';
const PICTURE = '\\p{Extended_Pictographic}';
/** Characters that cannot be seen and belong to the spelling: joiners in words, and parts of a picture. */
const NEEDED = new RegExp(
  [
    `(?<=${JOINED}\\p{M}*)[\\u200C\\u200D](?=${JOINED})`,
    `(?<=${PICTURE}(?:\\uFE0F|\\p{Emoji_Modifier})?)\\u200D(?=${PICTURE})`,
    `(?<=${PICTURE})\\uFE0F`,
    '(?<=[0-9#*])\\uFE0F(?=\\u20E3)',
  ].join('|'),
  'gu',
);

const withoutNeeded = (name: string) => name.replace(NEEDED, '');

/** Neither a drive, a scheme, a stream behind a file (`a.ts:x`) nor a place in one (`a.ts:12`). */
const hasOwnColons = (name: string) =>
  !/^[a-z][a-z\d+.-]*:$|^[^:]*\.\w+:|:\d+(?:[-:]\d+)?$|^[a-z]:|:\$|^:+$/iu.test(name);

/** The disk finds something under a name that no list has: it is another file. */
async function refuseAlias({ root, names, shown }: PlacedNames, disk: PathDisk): Promise<void> {
  let at = root.real;
  for (const { name, fault } of names) {
    if (fault && (await statOf(join(at, name), disk)) && !(await namesIn(at, disk)).includes(name)) {
      throw new ToolError(`${showInOneLine(shown)} is another file's name on this disk, so it is left alone.`);
    }
    at = join(at, name);
  }
}

/** None for what is no folder that can be read. */
async function namesIn(folder: string, disk: PathDisk): Promise<readonly string[]> {
  try {
    return await disk.readdir(folder);
  } catch (thrown) {
    if (hasCode(thrown, 'ENOENT', 'ENOTDIR', 'EACCES', 'EPERM')) return [];
    throw thrown;
  }
}

/** Otherwise a new file would bring back an open folder that was renamed or deleted. */
export async function refuseGone({ name, path, real }: Root, disk: PathDisk = nodeDisk): Promise<void> {
  if ((await statOf(real, disk))?.isDirectory()) return;
  throw new ToolError(
    `The open folder ${showInOneLine(name)} is no longer at ${showInOneLine(path)}: it was renamed, moved or deleted. Ask the user to open it where it is now.`,
  );
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
async function isInRepository(real: string, root: string, disk: PathDisk): Promise<boolean> {
  for (let at = real; at !== root && dirname(at) !== at; ) {
    at = dirname(at);
    const head = await statOf(join(at, REPOSITORY_HEAD), disk);
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

interface Followed {
  readonly real: string;
  readonly exists: boolean;
}

/**
 * For a path that does not exist yet: the real path of its nearest existing ancestor, then the rest as written. With
 * `exact` no existing name in another form is taken for one of these.
 */
async function followLinks(
  path: Pick<PlacedPath, 'shown' | 'absolute'>,
  disk: PathDisk,
  exact?: 'exact',
): Promise<Followed> {
  const shown = showInOneLine(path.shown);
  const rest: string[] = [];
  for (let at = path.absolute; ; at = dirname(at)) {
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
      const other = exact ? null : await otherForm(at, disk);
      if (other !== null) return followLinks({ ...path, absolute: join(other, ...rest) }, disk);
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
  const found = (await namesIn(dirname(path), disk)).find((each) => each.normalize('NFC') === name.normalize('NFC'));
  return found === undefined || found === name ? null : join(dirname(path), found);
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

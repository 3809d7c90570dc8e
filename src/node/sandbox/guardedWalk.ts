/**
 * Finds the guarded names in the open folders, for a command in the sandbox. On Linux every folder is opened below the
 * one before it and never through a link, so a process that renames or swaps folders meanwhile can lead the walk nowhere
 * else. What cannot be looked into counts as guarded itself.
 */

import {
  type BigIntStats,
  closeSync,
  constants,
  type Dirent,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { isSystemError } from '../../core/errors.ts';
import {
  type GuardedPlace,
  isGuardedEntry,
  isOutputFolder,
  looksLikeRepository,
} from '../../core/tools/guardedNames.ts';
import { type Words, words } from '../../core/words.ts';
import { isInside } from '../files/inside.ts';
import { codeOf } from '../storage/disk/storageError.ts';

/** Beyond them a folder is too large to be guarded. */
export interface WalkLimits {
  readonly entries: number;
  /** With the folders above them: each is a mount, of which bubblewrap takes fewer than 3,000. */
  readonly guarded: number;
  /** Of folders in each other; each keeps a descriptor open. */
  readonly depth: number;
}
export const WALK_LIMITS: WalkLimits = { entries: 300_000, guarded: 2_500, depth: 100 };
/** Packages are not looked through: nothing reads orders or settings there. */
const SKIPPED = 'node_modules';
/** After so many entries, other work of this process gets its turn. */
const PAUSE = 2_000;

/**
 * A path whose bytes need not be valid UTF-8: each character is one byte, as in `latin1`. Comparing two of them compares
 * their bytes.
 */
export type PathBytes = string & { readonly bytes: unique symbol };

export const bytesOf = (path: string): PathBytes => Buffer.from(path, 'utf8').toString('latin1') as PathBytes;
/** For people, and for paths that are known to be valid. */
export const textOf = (path: PathBytes): string => Buffer.from(path, 'latin1').toString('utf8');
const bufferOf = (path: string): Buffer => Buffer.from(path, 'latin1');
const below = (folder: string, name: string) => `${folder}/${name}` as PathBytes;

export interface GuardedName {
  readonly path: PathBytes;
  readonly kind: 'folder' | 'file' | 'link' | 'other';
  /** Device, inode and kind; of a link what it says, too, and of a file with several names when it was changed. */
  readonly identity: string;
}

export interface GuardedFolders {
  /** The outermost of each, in the order found. What a guarded link leads to within the folders is among them. */
  readonly names: readonly GuardedName[];
  /** Folders between an open one and a name, with their identities. */
  readonly above: readonly GuardedName[];
  /** Where guarded links lead to nothing yet within the folders: the first missing path of each. */
  readonly missing: readonly PathBytes[];
}

export type Walk =
  | { readonly kind: 'walked'; readonly found: GuardedFolders }
  | { readonly kind: 'unseen'; readonly why: Words };

/** Without folders that lie in another one. */
export const outermost = (folders: readonly string[]): readonly string[] =>
  folders.filter(
    (folder, at) => !folders.some((other, i) => i !== at && isInside(folder, other) && (other !== folder || i < at)),
  );

/** `folders` are real paths. What one in another holds counts like the rest of a project, wherever it lies. */
export async function walkGuarded(folders: readonly string[], limits: WalkLimits = WALK_LIMITS): Promise<Walk> {
  const walker = new Walker(folders, limits);
  for (const folder of outermost(folders)) {
    const why = await walker.walkRoot(folder);
    if (why !== null) return { kind: 'unseen', why };
  }
  const why = walker.followLinks();
  return why === null ? { kind: 'walked', found: walker.found() } : { kind: 'unseen', why };
}

class Walker {
  /** None lies in another. */
  readonly #folders: readonly PathBytes[];
  /** Open folders within those. */
  readonly #inner: readonly PathBytes[];
  readonly #limits: WalkLimits;
  readonly #names = new Map<PathBytes, GuardedName>();
  readonly #above = new Map<PathBytes, GuardedName>();
  readonly #missing = new Set<PathBytes>();
  #entries = 0;

  constructor(folders: readonly string[], limits: WalkLimits) {
    const outer = outermost(folders);
    this.#folders = outer.map(bytesOf);
    this.#inner = folders.filter((folder) => !outer.includes(folder)).map(bytesOf);
    this.#limits = limits;
  }

  found(): GuardedFolders {
    return { names: [...this.#names.values()], above: [...this.#above.values()], missing: [...this.#missing] };
  }

  /** Null, or why the folder cannot be looked through. */
  async walkRoot(folder: string): Promise<Words | null> {
    const path = bytesOf(folder);
    let opened: OpenFolder;
    try {
      opened = openFolder(bufferOf(path));
    } catch (thrown) {
      if (!isSystemError(thrown)) throw thrown;
      return words('The open folder {0} cannot be read ({1}).', folder, codeOf(thrown) ?? '');
    }
    try {
      const entries = opened.entries();
      return await this.#walk(opened, entries, path, isRepository(entries) ? 'repository' : 'project', []);
    } finally {
      opened.close();
    }
  }

  async #walk(
    folder: OpenFolder,
    entries: readonly Dirent<Buffer>[],
    path: PathBytes,
    place: GuardedPlace,
    above: readonly GuardedName[],
  ): Promise<Words | null> {
    if (above.length > this.#limits.depth) {
      return words('Folders are nested more deeply than the sandbox can guard: {0}', textOf(path));
    }
    for (const entry of entries) {
      this.#entries += 1;
      if (this.#entries > this.#limits.entries) {
        return words(
          'The open folders hold more than {0} entries, which the sandbox cannot guard.',
          this.#limits.entries,
        );
      }
      if (this.#entries % PAUSE === 0) await setImmediate();
      const name = entry.name.toString('utf8');
      const at = below(path, entry.name.toString('latin1'));
      const isOutput = entry.isDirectory() && isOutputFolder(name);
      if (isGuardedEntry(name, isOutput ? 'output' : place)) {
        const full = this.#add(folder, entry.name, at, above);
        if (full !== null) return full;
      } else if (entry.isDirectory() && (name !== SKIPPED || this.#inner.some((inner) => isInside(inner, at)))) {
        const within = isOutput || name === SKIPPED ? 'output' : place;
        const why = await this.#enter(folder, entry.name, at, this.#inner.includes(at) ? 'project' : within, above);
        if (why !== null) return why;
      }
    }
    return null;
  }

  async #enter(
    folder: OpenFolder,
    name: Buffer,
    path: PathBytes,
    place: GuardedPlace,
    above: readonly GuardedName[],
  ): Promise<Words | null> {
    let opened: OpenFolder;
    try {
      opened = openFolder(folder.pathOf(name));
    } catch (thrown) {
      if (!isSystemError(thrown)) throw thrown;
      // Gone, or no folder any more.
      if (['ENOENT', 'ENOTDIR', 'ELOOP'].includes(codeOf(thrown) ?? '')) return null;
      // Closed even to its owner: nobody knows what lies in it.
      return this.#add(folder, name, path, above);
    }
    try {
      const own: GuardedName = { path, kind: 'folder', identity: opened.identity() };
      const entries = opened.entries();
      if (isRepository(entries)) return this.#keep(own, above);
      return await this.#walk(opened, entries, path, place, [...above, own]);
    } finally {
      opened.close();
    }
  }

  #add(folder: OpenFolder, name: Buffer, path: PathBytes, above: readonly GuardedName[]): Words | null {
    const found = identify(folder.pathOf(name), path);
    if (found === null) return null;
    return this.#keep(found, above);
  }

  #keep(found: GuardedName, above: readonly GuardedName[]): Words | null {
    this.#names.set(found.path, found);
    for (const each of above) this.#above.set(each.path, each);
    return this.#names.size + this.#above.size > this.#limits.guarded
      ? words(
          'The open folders hold more than {0} guarded names, which the sandbox cannot guard.',
          this.#limits.guarded,
        )
      : null;
  }

  /** The target of a guarded link is read in its place, so it is guarded as well. */
  followLinks(): Words | null {
    for (const { path, kind } of [...this.#names.values()]) {
      if (kind !== 'link') continue;
      const end = endOfLink(path);
      if (end === null) continue;
      const root = this.#folders.find((each) => isInside(end.path, each) && end.path !== each);
      if (root === undefined) continue;
      if (!end.exists) {
        this.#missing.add(end.path);
        continue;
      }
      if ([...this.#names.keys()].some((name) => isInside(end.path, name))) continue;
      const found = identify(bufferOf(end.path), end.path);
      const above = foldersBetween(end.path, root).map((each) => identify(bufferOf(each), each));
      if (found === null || above.includes(null)) continue;
      const full = this.#keep(
        found,
        above.filter((each) => each !== null),
      );
      if (full !== null) return full;
    }
    return null;
  }
}

/** The folders above a path below `root`, outermost last. */
function foldersBetween(path: PathBytes, root: PathBytes): PathBytes[] {
  const found: PathBytes[] = [];
  for (let at = dirname(path); at !== root && at.length > root.length; at = dirname(at)) found.push(at as PathBytes);
  return found;
}

/**
 * The real path that a link leads to; where nothing is there, the first part of it that is missing. Null where the link
 * itself is gone.
 */
function endOfLink(link: PathBytes): { readonly path: PathBytes; readonly exists: boolean } | null {
  const real = (path: string) => realpathSync(bufferOf(path), 'latin1') as PathBytes;
  try {
    return { path: real(link), exists: true };
  } catch (thrown) {
    if (!isSystemError(thrown)) throw thrown;
  }
  // Links of links that lead nowhere are rare: the first says where its content would have to be.
  const target = readLink(link);
  if (target === null) return null;
  const parts = (target.startsWith('/') ? target : `${dirname(link)}/${target}`).split('/');
  let at = '/';
  for (const part of parts.filter((each) => each !== '' && each !== '.')) {
    const next = part === '..' ? dirname(at) : below(at === '/' ? '' : at, part);
    try {
      at = real(next);
    } catch (thrown) {
      if (!isSystemError(thrown)) throw thrown;
      return { path: next as PathBytes, exists: false };
    }
  }
  return { path: at as PathBytes, exists: true };
}

function readLink(link: PathBytes): string | null {
  try {
    return readlinkSync(bufferOf(link), 'latin1');
  } catch (thrown) {
    if (isSystemError(thrown)) return null;
    throw thrown;
  }
}

const isRepository = (entries: readonly Dirent<Buffer>[]) =>
  looksLikeRepository(
    entries.map((entry) => ({
      name: entry.name.toString('utf8'),
      // Git follows links there.
      isFolder: entry.isDirectory() || (entry.isSymbolicLink() && !/^head$/iu.test(entry.name.toString('latin1'))),
    })),
  );

const KINDS = ['folder', 'file', 'link', 'other'] as const;

function kindOf(stats: BigIntStats): GuardedName['kind'] {
  if (stats.isDirectory()) return KINDS[0];
  if (stats.isFile()) return KINDS[1];
  return stats.isSymbolicLink() ? KINDS[2] : KINDS[3];
}

/** Null where nothing is there. `shown` is the path that is kept. */
export function identify(path: Buffer, shown: PathBytes): GuardedName | null {
  try {
    const stats = lstatSync(path, { bigint: true });
    const kind = kindOf(stats);
    const own = `${stats.dev}:${stats.ino} ${kind}`;
    // A file with another name can be changed by that.
    const more =
      kind === 'link'
        ? ` ${readlinkSync(path, 'latin1')}`
        : kind === 'file' && stats.nlink > 1n
          ? ` ${stats.size} ${stats.ctimeNs}`
          : '';
    return { path: shown, kind, identity: own + more };
  } catch (thrown) {
    if (isSystemError(thrown)) return null;
    throw thrown;
  }
}

/** An open folder, by a descriptor where the system has paths for them. */
export interface OpenFolder {
  entries(): Dirent<Buffer>[];
  identity(): string;
  /** For one operation on an entry, which must not follow it. */
  pathOf(name: Buffer): Buffer;
  close(): void;
}

/** Never through a link as its last part. Throws system errors. */
export function openFolder(path: Buffer): OpenFolder {
  if (process.platform !== 'linux') return openByName(path);
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  const own = Buffer.from(`/proc/self/fd/${descriptor}`);
  return {
    entries: () => readdirSync(own, { withFileTypes: true, encoding: 'buffer' }),
    identity() {
      const { dev, ino } = fstatSync(descriptor, { bigint: true });
      return `${dev}:${ino} folder`;
    },
    pathOf: (name) => Buffer.concat([own, Buffer.from('/'), name]),
    close: () => closeSync(descriptor),
  };
}

/** On macOS a wrong name makes a profile that denies more, and never one that allows more. */
function openByName(path: Buffer): OpenFolder {
  const entries = readdirSync(path, { withFileTypes: true, encoding: 'buffer' });
  return {
    entries: () => entries,
    identity() {
      const { dev, ino } = statSync(path, { bigint: true });
      return `${dev}:${ino} folder`;
    },
    pathOf: (name) => Buffer.concat([path, Buffer.from('/'), name]),
    close: () => undefined,
  };
}

/**
 * Opens the folder of a path below `root`, one part after the other. Null where a part is a link or is gone. Close it.
 */
export function openParent(
  path: PathBytes,
  root: PathBytes,
): { readonly folder: OpenFolder; readonly name: Buffer } | null {
  const parts = path.slice(root.length + 1).split('/');
  const name = bufferOf(parts.pop() ?? '');
  let folder: OpenFolder | null = null;
  try {
    folder = openFolder(bufferOf(root));
    for (const part of parts) {
      const next = openFolder(folder.pathOf(bufferOf(part)));
      folder.close();
      folder = next;
    }
    return { folder, name };
  } catch (thrown) {
    folder?.close();
    if (isSystemError(thrown)) return null;
    throw thrown;
  }
}

/** Folders that no tool may touch: our own, and those of editors. They are known by what they are, not only by name. */

import type { Dirent, Stats } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isSystemError } from '../../core/errors.ts';
import { hasCode } from './fileErrors.ts';
import { isInside } from './inside.ts';
import { nodeDisk, type PathDisk } from './pathDisk.ts';

/**
 * Maximum number of the product's files and folders that are examined to recognise one under another name; the deepest
 * are omitted.
 */
const MOST_LOOKED_AT = 20_000;

/** Whether a file is one of the product's, by its device, inode and time of the last change, names included. */
export type LinkVerdicts = Map<string, boolean>;

/** `real` lies in one of our own folders or in an editor's data, by its name alone. */
function isDenied(real: string, denied: readonly string[]): boolean {
  return EXTENSION_STORAGE.test(real) || denied.some((folder) => isInside(real, folder));
}

/**
 * A mount or another spelling that leads into them lies in them too, and a file of theirs is theirs by any of its names.
 * What was looked up counts as long as this is kept.
 */
export class DeniedFolders {
  readonly #folders: readonly string[];
  readonly #disk: PathDisk;
  readonly #verdicts: LinkVerdicts;
  readonly #within = new Map<string, Promise<boolean>>();
  #ids: Promise<ReadonlySet<string>> | null = null;
  #linked: Promise<ReadonlySet<string>> | null = null;

  /** `folders` are real paths. `verdicts` on files with several names may be kept for longer. */
  constructor(folders: readonly string[], disk: PathDisk, verdicts: LinkVerdicts) {
    this.#folders = folders;
    this.#disk = disk;
    this.#verdicts = verdicts;
  }

  async holds(real: string): Promise<boolean> {
    return (await this.holdsFolder(real)) || (await this.isLinked(real));
  }

  /** Names of those of a folder's entries that lie in them. The folder itself does not. One look at each entry. */
  async among(folder: string, entries: readonly Dirent[]): Promise<ReadonlySet<string>> {
    const isHeld = async (entry: Dirent): Promise<boolean> => {
      const path = join(folder, entry.name);
      if (isDenied(path, this.#folders)) return true;
      if (!entry.isDirectory() || this.#folders.length === 0) return this.isLinked(path);
      this.#ids ??= this.#identify();
      const id = await this.#disk.identify(path);
      return id !== null && (await this.#ids).has(id);
    };
    const areHeld = await Promise.all(entries.map(isHeld));
    return new Set(entries.filter((_, nth) => areHeld[nth]).map(({ name }) => name));
  }

  /** Looked up once for all that lies in it. */
  async holdsFolder(real: string): Promise<boolean> {
    if (isDenied(real, this.#folders)) return true;
    return this.#folders.length > 0 && (await this.#isWithin(real));
  }

  /** The file has a second name, a hard link, in one of the folders. */
  async isLinked(real: string): Promise<boolean> {
    const facts = this.#folders.length > 0 ? await statOf(real, this.#disk) : null;
    if (!facts?.isFile() || facts.nlink < 2) return false;
    const id = await this.#disk.identify(real);
    if (id === null) return false;
    // A further name changes the time, too.
    const key = `${id} ${facts.ctimeMs}`;
    const known = this.#verdicts.get(key);
    if (known !== undefined) return known;
    this.#linked ??= this.#findLinked(facts.dev);
    const isOurs = (await this.#linked).has(id);
    this.#verdicts.set(key, isOurs);
    return isOurs;
  }

  #isWithin(path: string): Promise<boolean> {
    const known = this.#within.get(path) ?? this.#check(path);
    this.#within.set(path, known);
    return known;
  }

  async #check(path: string): Promise<boolean> {
    this.#ids ??= this.#identify();
    const id = await this.#disk.identify(path);
    if (id !== null && (await this.#ids).has(id)) return true;
    return dirname(path) !== path && this.#isWithin(dirname(path));
  }

  async #identify(): Promise<ReadonlySet<string>> {
    const ids = await Promise.all(this.#folders.map((folder) => this.#disk.identify(folder)));
    return new Set(ids.filter((id) => id !== null));
  }

  /** Files of the folders with several names, as far as the folders lie on that device: no link leads to another one. */
  async #findLinked(device: number): Promise<ReadonlySet<string>> {
    const found = new Set<string>();
    const waiting = [...this.#folders];
    let left = MOST_LOOKED_AT;
    for (let at = waiting.shift(); at !== undefined && left > 0; at = waiting.shift()) {
      const folder = at;
      const names = (await statOf(folder, this.#disk))?.dev === device ? await this.#namesIn(folder) : [];
      const checked = names.slice(0, left);
      left -= checked.length;
      await Promise.all(
        checked.map(async (name) => {
          const path = join(folder, name);
          const facts = await statOf(path, this.#disk);
          if (facts?.isDirectory()) waiting.push(path);
          if (!facts?.isFile() || facts.nlink < 2) return;
          const id = await this.#disk.identify(path);
          if (id !== null) found.add(id);
        }),
      );
    }
    return found;
  }

  async #namesIn(folder: string): Promise<readonly string[]> {
    try {
      return await this.#disk.readdir(folder);
    } catch (thrown) {
      if (isSystemError(thrown)) return [];
      throw thrown;
    }
  }
}

/** They may be made later: until then each is kept as it is written. */
export async function openDenied(
  folders: readonly string[],
  disk: PathDisk = nodeDisk,
  verdicts: LinkVerdicts = new Map(),
): Promise<DeniedFolders> {
  const real = folders.map((path) =>
    realpath(path).catch((thrown: unknown) => {
      if (hasCode(thrown, 'ENOENT')) return path;
      throw thrown;
    }),
  );
  return new DeniedFolders(await Promise.all(real), disk, verdicts);
}

/** Null where there is nothing, or nothing can be learned. */
async function statOf(path: string, disk: PathDisk): Promise<Stats | null> {
  try {
    return await disk.lstat(path);
  } catch (thrown) {
    if (isSystemError(thrown)) return null;
    throw thrown;
  }
}

/** Storage of any editor's extensions, whatever the editor is called and wherever its data lies. */
const EXTENSION_STORAGE = /[\\/]user[\\/](?:profiles[\\/][^\\/]+[\\/])?(?:globalstorage|workspacestorage)(?:[\\/]|$)/iu;

/** The folder of this editor's user data, from that of an extension's storage in it; null when it is laid out otherwise. */
export function userDataOf(globalStorage: string): string | null {
  for (let at = globalStorage; dirname(at) !== at; at = dirname(at)) {
    if (basename(at) === 'User') return dirname(at);
  }
  return null;
}

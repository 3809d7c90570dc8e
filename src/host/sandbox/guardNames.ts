/**
 * Guarded names in the open folders, for a command in the sandbox: those that are there before it are found, so that they
 * can be mounted read-only. A name that is not there yet cannot be mounted, so one that a command made is taken out of
 * the folder after it, before anything else reads it by that name.
 */

import type { Dirent } from 'node:fs';
import { chmod, cp, lstat, mkdir, mkdtemp, readdir, readlink, symlink } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import { isSystemError } from '../../core/errors.ts';
import { isGuarded } from '../../core/tools/guardedNames.ts';
import { rename, rm, unlink } from '../storage/disk/patientDisk.ts';

/** Beyond them a folder is too large to be guarded. */
const MOST_ENTRIES = 300_000;
const MOST_GUARDED = 3_000;
/** Packages are not looked through: nothing reads orders or settings there. */
const SKIPPED = 'node_modules';

interface GuardedNames {
  /** Absolute, the outermost of each: files and folders. */
  readonly mounted: readonly string[];
  /** Links, which cannot be mounted, with where they lead. */
  readonly links: ReadonlyMap<string, string>;
  /** The folders between the open one and a mounted name. */
  readonly above: readonly string[];
}

/** Null for a folder that is too large. */
export async function findGuarded(folders: readonly string[]): Promise<GuardedNames | null> {
  const mounted: string[] = [];
  const links = new Map<string, string>();
  const above = new Set<string>();
  for (const folder of folders) {
    const found = await walk(folder, folder);
    if (found === null) return null;
    for (const { path, isLink } of found) {
      if (isLink) links.set(path, await readlink(path));
      else mounted.push(path);
      for (let at = dirname(path); at !== folder; at = dirname(at)) above.add(at);
    }
    if (mounted.length + links.size > MOST_GUARDED) return null;
  }
  return { mounted, links, above: [...above] };
}

interface Found {
  readonly path: string;
  readonly isLink: boolean;
}

/** The outermost guarded names below. Folders that a command closed are opened again. */
async function walk(folder: string, root: string): Promise<readonly Found[] | null> {
  const found: Found[] = [];
  const waiting = [folder];
  let seen = 0;
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    const above = at;
    for (const entry of await entriesOf(above)) {
      seen += 1;
      if (seen > MOST_ENTRIES) return null;
      const path = join(above, entry.name);
      // Other kinds, such as pipes and sockets, are guarded by their names as well.
      if (isGuarded(relative(root, path).split(sep).join('/'))) found.push({ path, isLink: entry.isSymbolicLink() });
      else if (entry.isDirectory() && entry.name !== SKIPPED) waiting.push(path);
    }
  }
  return found;
}

async function entriesOf(folder: string): Promise<readonly Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (thrown) {
    if (!isSystemError(thrown)) throw thrown;
    try {
      await chmod(folder, 0o755);
      return await readdir(folder, { withFileTypes: true });
    } catch (again) {
      if (isSystemError(again)) return [];
      throw again;
    }
  }
}

export interface SetAside {
  readonly path: string;
  /** Where it lies now; null where it could not be kept. */
  readonly kept: string | null;
}

/**
 * Takes guarded names out that were not there before, and puts links back that were changed. What was taken out lies in
 * a new folder in `temporary` that only this person can enter.
 */
export async function setAside(
  folders: readonly string[],
  before: GuardedNames,
  temporary: string,
): Promise<SetAside[]> {
  const known = new Set([...before.mounted, ...before.links.keys()]);
  const now = await Promise.all(folders.map((folder) => walk(folder, folder)));
  const taken: SetAside[] = [];
  for (const { path, isLink } of now.flatMap((found) => found ?? [])) {
    const isSame =
      known.has(path) && (!before.links.has(path) || (isLink && (await readlink(path)) === before.links.get(path)));
    if (!isSame) taken.push({ path, kept: await takeOut(path, temporary) });
  }
  for (const [path, target] of before.links) {
    if ((await lstat(path).catch(() => null)) !== null) continue;
    await mkdir(dirname(path), { recursive: true });
    await symlink(target, path);
    if (!taken.some((each) => each.path === path)) taken.push({ path, kept: null });
  }
  return taken;
}

async function takeOut(path: string, temporary: string): Promise<string | null> {
  const kept = join(await mkdtemp(join(temporary, 'palimpsest-set-aside-')), basename(path));
  try {
    await rename(path, kept);
    return kept;
  } catch (thrown) {
    if (!isSystemError(thrown)) throw thrown;
  }
  // On another disk. Pipes and the like are not kept.
  const copied = await cp(path, kept, { recursive: true, verbatimSymlinks: true }).then(
    () => kept,
    () => null,
  );
  if ((await lstat(path)).isDirectory()) await rm(path, { recursive: true, force: true });
  else await unlink(path);
  return copied;
}

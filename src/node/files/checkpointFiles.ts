/**
 * The workspace's files for checkpoints, whatever their names: a command may delete any of them. Links are neither
 * followed nor listed, and version control folders are never entered.
 */

import { type Dirent, realpathSync } from 'node:fs';
import { chmod, lstat, readdir, realpath } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import type { CheckpointFiles, FileStamp } from '../../core/checkpoints/fileKeeper.ts';
import { isSystemError, ToolError } from '../../core/errors.ts';
import { decodeFile } from '../../core/tools/text/decodeText.ts';
import type { FileFacts, Files } from '../../core/workspace/files.ts';
import { rmdir } from '../storage/disk/patientDisk.ts';
import { readChecked, removeChecked } from './checkedFiles.ts';
import { openDenied } from './deniedFolders.ts';
import { explainFileError, hasCode } from './fileErrors.ts';
import { isInside } from './inside.ts';
import { isThere, mayBeMisnamed, stampMisnamed } from './misnamed.ts';
import type { CommittedFile } from './openGit.ts';
import { foldCase } from './pathGuard.ts';

interface CheckpointFilesOptions {
  readonly files: Files;
  /** The workspace folders, as in `Files`. */
  readonly folders: readonly { readonly name: string; readonly path: string }[];
  /** Calls `listener` with the absolute path of each file saved in an editor; returns a function that unsubscribes. */
  readonly onSave: (listener: (path: string) => void) => () => void;
  /** Folders excluded from checkpoints: the product's own and the editor's. */
  readonly denied?: readonly string[];
  /** Those of the absolute paths that git ignores. */
  readonly ignored?: (paths: readonly string[]) => Promise<ReadonlySet<string>>;
  /** Files that are on disk as git's index knows them, by absolute path. */
  readonly unchanged?: () => Promise<ReadonlyMap<string, Pick<CommittedFile, 'before' | 'read'>>>;
}

/** Milliseconds. */
const COARSE = 2_000;

interface CheckpointRoot {
  /** Prefix of the paths shown for its files. */
  readonly prefix: string;
  readonly real: string;
}

/** Version control, and output of package managers and builds. */
const SKIPPED = new Set([
  '.git',
  '.hg',
  '.svn',
  '.jj',
  'node_modules',
  '.venv',
  'venv',
  '__pycache__',
  '.mypy_cache',
  '.pytest_cache',
  '.gradle',
  '.next',
  '.turbo',
  '.cache',
  'bazel-out',
]);

/** A folder of this name is build output only if one of these files is next to it. */
const BUILT = 'target';
const BUILT_BY: readonly string[] = ['Cargo.toml', 'pom.xml', 'build.sbt'];

export async function openCheckpointFiles(options: CheckpointFilesOptions): Promise<CheckpointFiles> {
  const { folders, onSave, denied = [], ignored = async () => new Set(), unchanged } = options;
  const { exact: files, text } = options.files;
  const roots = await Promise.all(
    folders.map(async ({ name, path }): Promise<CheckpointRoot> => {
      return { prefix: folders.length > 1 ? `${name}/` : '', real: await realpath(path) };
    }),
  );
  const nameOfReal = (real: string): string => {
    const root = roots.find((each) => isInside(real, each.real));
    return root ? root.prefix + relative(root.real, real).split(sep).join('/') : real;
  };

  const rootOf = (path: string) => roots.find(({ prefix }) => path.startsWith(prefix));
  const realIn = (root: CheckpointRoot, path: string) => join(root.real, path.slice(root.prefix.length));

  /** The facts of the file with exactly this name. Throws when the name has become a link, or passes through one. */
  const resolve = async (path: string): Promise<FileFacts> => {
    const facts = await files.resolve(path);
    const name = nameOfReal(facts.real);
    if (name === path) return facts;
    // On a disk that ignores case, the file there has another name and is a different file.
    if (foldCase(name) === foldCase(path)) return { ...facts, exists: false };
    throw new ToolError(
      `${facts.shown} is a link by now, or lies behind one: it leads to ${name}, which is left alone.`,
    );
  };

  /** True when a folder on the path is now a file. */
  const standsOnFile = async (path: string): Promise<boolean> => {
    const root = rootOf(path);
    if (!root) return false;
    let at = dirname(realIn(root, path));
    for (; at !== root.real && isInside(at, root.real); at = dirname(at)) {
      const facts = await lstat(at).catch(() => null);
      if (facts) return facts.isFile();
    }
    return false;
  };

  return {
    async nameOf(path) {
      const name = nameOfReal((await files.resolve(path)).real);
      // When a file is only respelled, the new name does not exist yet although the disk finds the file.
      return foldCase(name) === foldCase(path) ? path : name;
    },

    async read(path, mostBytes, from) {
      if (await standsOnFile(path)) return { kind: 'none' };
      const { exists, type, real, shown, size } = await resolve(path);
      if (!exists || type === 'folder') return { kind: 'none' };
      if (type !== 'file') throw new ToolError(`${shown} is no plain file.`);
      try {
        const facts = await lstat(real);
        const held = from === 'editor' ? size : facts.size;
        if (held > mostBytes) return { kind: 'tooLarge', size: held };
        const bytes = await (from === 'editor' ? files.read(path) : readChecked(real, shown));
        return { kind: 'held', bytes, executable: process.platform !== 'win32' && (facts.mode & 0o111) !== 0 };
      } catch (thrown) {
        throw explainFileError(shown, 'cannot be read', thrown);
      }
    },

    async stamp(path) {
      if (await standsOnFile(path)) return 'none';
      const { exists, type, real, unsaved } = await resolve(path);
      if (!exists || type === 'folder') return 'none';
      const { size, mtimeMs, ctimeMs, mode } = await lstat(real);
      // A disk's clock may be too coarse to tell two changes in quick succession apart.
      if (unsaved || Date.now() - ctimeMs < COARSE) return null;
      return [size, mtimeMs, ctimeMs, mode].join(' ');
    },

    ignored: async (paths) => {
      const reals = new Map<string, string>();
      for (const path of paths) {
        const root = rootOf(path);
        if (root) reals.set(realIn(root, path), path);
      }
      const found = await ignored([...reals.keys()]);
      return new Set([...found].flatMap((real) => reals.get(real) ?? []));
    },

    async textOf(path, bytes) {
      const decoded = await decodeFile((await files.resolve(path)).real, bytes, text);
      return decoded.kind === 'text' ? decoded.text : null;
    },

    async newFolderOf(path) {
      const names = path.split('/');
      for (let count = 1; count < names.length; count++) {
        const folder = names.slice(0, count).join('/');
        if (roots.some(({ prefix }) => prefix === `${folder}/`)) continue;
        if (await standsOnFile(`${folder}/any`)) return folder;
        const { exists, type } = await files.resolve(folder);
        if (!exists || type !== 'folder') return folder;
      }
      return null;
    },

    async write(path, { bytes, executable }) {
      const { real, shown } = await resolve(path);
      await files.write(path, bytes, real);
      if (process.platform === 'win32') return;
      try {
        const { mode } = await lstat(real);
        if (((mode & 0o111) !== 0) === executable) return;
        // Everybody who may read it may run it, as far as the person's umask allows.
        await chmod(real, executable ? (mode & 0o7777) | ((mode & 0o444) >> 2) : mode & 0o7666);
      } catch (thrown) {
        throw explainFileError(shown, 'was written, but its mode cannot be set', thrown);
      }
    },

    async remove(path, newFolder) {
      const { real, exists, type, shown } = await resolve(path);
      if (!exists || type === 'folder') return;
      if (type !== 'file') throw new ToolError(`${shown} is no plain file.`);
      try {
        await removeChecked(real, shown);
        await removeEmpty(path, newFolder, resolve);
      } catch (thrown) {
        throw explainFileError(shown, 'cannot be deleted', thrown);
      }
    },

    async scan(limit) {
      const scan = {
        files: new Map<string, FileStamp>(),
        folders: new Set<string>(),
        misnamed: new Map<string, string>(),
        complete: true,
      };
      const ours = await openDenied(denied);
      for (const [at, root] of roots.entries()) {
        // A folder inside another one belongs to the first, which prefixes its paths.
        const earlier = roots.slice(0, at).map(({ real }) => real);
        if (earlier.some((real) => isInside(root.real, real))) continue;
        const skipped = async (folder: string) => earlier.includes(folder) || (await ours.holdsFolder(folder));
        await walk(root, skipped, limit, scan);
      }
      return scan;
    },

    async copies() {
      const known = await unchanged?.();
      return async (path, size) => {
        const root = rootOf(path);
        const file = root && known?.get(realIn(root, path));
        if (!file?.before) return null;
        // Git may write other line ends than the file has: the one of the right length is the same in every byte.
        for (const how of ['written', 'held'] as const) {
          const bytes = await file.read(how).catch(() => null);
          const executable = file.before.executable && process.platform !== 'win32';
          if (bytes?.length === size) return { bytes, executable };
        }
        return null;
      };
    },

    watchSaves() {
      const saved = new Set<string>();
      return { saved, end: onSave((path) => saved.add(nameOfReal(realPathOf(path)))) };
    },
  };
}

interface WalkedFiles {
  readonly files: Map<string, FileStamp>;
  readonly folders: Set<string>;
  readonly misnamed: Map<string, string>;
  complete: boolean;
}

/** Breadth first, so that a limit omits the deepest files. */
async function walk(
  root: CheckpointRoot,
  skipped: (folder: string) => Promise<boolean>,
  limit: number,
  scan: WalkedFiles,
): Promise<void> {
  const folders: { readonly path: string; readonly shown: string }[] = [{ path: root.real, shown: root.prefix }];
  for (let folder = folders.shift(); folder; folder = folders.shift()) {
    const { path, shown } = folder;
    const items = await list(path);
    // An open folder that is gone was not emptied: it may be somewhere else.
    if (!items || (path === root.real && items.length === 0 && !(await isThere(path)))) {
      scan.complete = false;
      continue;
    }
    if (items.some(({ name }) => mayBeMisnamed(name))) {
      for (const [name, stamp] of await stampMisnamed(path)) scan.misnamed.set(`${shown}${name}`, stamp);
    }
    const built = items.some(({ name }) => BUILT_BY.includes(name));
    const files = items.filter((item) => item.isFile());
    for (const item of items) {
      if (!item.isDirectory() || SKIPPED.has(item.name) || (built && item.name === BUILT)) continue;
      if (await skipped(join(path, item.name))) continue;
      folders.push({ path: join(path, item.name), shown: `${shown}${item.name}/` });
      scan.folders.add(`${shown}${item.name}`);
    }
    if (scan.files.size + files.length > limit) {
      scan.complete = false;
      return;
    }
    const stamps = await Promise.all(files.map(({ name }) => stampOf(join(path, name))));
    files.forEach(({ name }, i) => {
      const stamp = stamps[i];
      if (stamp) scan.files.set(`${shown}${name}`, stamp);
    });
  }
}

/**
 * A folder that is gone or inaccessible holds nothing that could be kept. Null when its content cannot be read for
 * another reason.
 */
async function list(path: string): Promise<Dirent[] | null> {
  try {
    return await readdir(path, { withFileTypes: true });
  } catch (thrown) {
    return hasCode(thrown, 'ENOENT', 'ENOTDIR', 'EACCES', 'EPERM') ? [] : null;
  }
}

/** Null when the file is gone or its facts are unavailable. */
async function stampOf(path: string): Promise<FileStamp | null> {
  try {
    const { size, mtimeMs, ctimeMs } = await lstat(path);
    return { size, mtimeMs, ctimeMs };
  } catch (thrown) {
    if (isSystemError(thrown)) return null;
    throw thrown;
  }
}

function realPathOf(path: string): string {
  try {
    return realpathSync.native(path);
  } catch (thrown) {
    if (hasCode(thrown, 'ENOENT', 'ENOTDIR')) return path;
    throw thrown;
  }
}

/** From the file's folder up to `newFolder`, as long as they are empty. */
async function removeEmpty(
  path: string,
  newFolder: string | null,
  resolve: (path: string) => Promise<FileFacts>,
): Promise<void> {
  if (newFolder === null) return;
  for (let at = dirname(path); at === newFolder || at.startsWith(`${newFolder}/`); at = dirname(at)) {
    try {
      await rmdir((await resolve(at)).real);
    } catch (thrown) {
      // It is no longer empty, or is gone already.
      if (hasCode(thrown, 'ENOTEMPTY', 'EEXIST', 'ENOENT')) return;
      throw thrown;
    }
  }
}

/**
 * The workspace's files as checkpoints see them. Paths pass the workspace's own guard, links are neither followed nor
 * listed, and version control's folders are never looked into.
 */

import type { Dirent } from 'node:fs';
import { lstat, readdir, realpath, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { CheckpointFiles, FileScan, FileStamp } from '../../core/checkpoints/checkpointFiles.ts';
import { ToolError } from '../../core/errors.ts';
import type { Files } from '../../core/ports.ts';
import { codeOf } from './storageError.ts';

export interface CheckpointFilesOptions {
  readonly files: Files;
  /** The workspace folders, as `Files` has them. */
  readonly folders: readonly { readonly name: string; readonly path: string }[];
}

/** Version control, and what package managers and builds make again. */
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
  'target',
  'bazel-out',
]);

export function openCheckpointFiles({ files, folders }: CheckpointFilesOptions): CheckpointFiles {
  return {
    async read(path) {
      const { exists, type, shown } = await files.resolve(path);
      if (!exists) return null;
      if (type !== 'file') throw new ToolError(`${shown} is no plain file.`);
      return files.read(path);
    },

    write: (path, bytes) => files.write(path, bytes),

    async remove(path) {
      const { exists, type, real, shown } = await files.resolve(path);
      if (!exists) return;
      if (type !== 'file') throw new ToolError(`${shown} is no plain file.`);
      await unlink(real);
    },

    async scan(limit) {
      const found = new Map<string, FileStamp>();
      let complete = true;
      for (const { name, path } of folders) {
        const prefix = folders.length > 1 ? `${name}/` : '';
        complete = (await walk(await realpath(path), prefix, limit, found)) && complete;
      }
      return { files: found, complete } satisfies FileScan;
    },
  };
}

/** Breadth first, so that a limit leaves out what lies deepest. False when the limit was reached. */
async function walk(root: string, prefix: string, limit: number, found: Map<string, FileStamp>): Promise<boolean> {
  const folders: { readonly path: string; readonly shown: string }[] = [{ path: root, shown: prefix }];
  for (let folder = folders.shift(); folder; folder = folders.shift()) {
    const { path, shown } = folder;
    const files: Dirent[] = [];
    for (const item of await list(path)) {
      if (item.isFile()) files.push(item);
      else if (item.isDirectory() && !SKIPPED.has(item.name)) {
        folders.push({ path: join(path, item.name), shown: `${shown}${item.name}/` });
      }
    }
    if (found.size + files.length > limit) return false;
    const stamps = await Promise.all(files.map(({ name }) => stampOf(join(path, name))));
    files.forEach(({ name }, i) => {
      const stamp = stamps[i];
      if (stamp) found.set(`${shown}${name}`, stamp);
    });
  }
  return true;
}

/** A folder that is gone, or closed to us, holds nothing that we could keep. */
async function list(path: string): Promise<Dirent[]> {
  try {
    return await readdir(path, { withFileTypes: true });
  } catch (thrown) {
    if (['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM'].includes(codeOf(thrown) ?? '')) return [];
    throw thrown;
  }
}

async function stampOf(path: string): Promise<FileStamp | null> {
  try {
    const { size, mtimeMs } = await lstat(path);
    return { size, mtimeMs };
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return null;
    throw thrown;
  }
}

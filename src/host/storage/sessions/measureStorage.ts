/** How many bytes the sessions of a workspace take on disk, each with its bodies and its subagents, and the trash beside them. */

import { readdir, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { codeOf, storageError } from '../disk/storageError.ts';

export interface StorageUsed {
  /** Bytes by the id of the session. */
  readonly sessions: ReadonlyMap<string, number>;
  readonly trash: number;
}

/** `folder` holds the sessions. */
export async function measureStorage(folder: string): Promise<StorageUsed> {
  const sessions = new Map<string, number>();
  for (const path of await foldersIn(folder)) sessions.set(basename(path), await bytesIn(path));
  return { sessions, trash: await bytesIn(trashOf(folder)) };
}

/** What was moved there is gone for good then. */
export async function emptyTrash(folder: string): Promise<void> {
  const path = trashOf(folder);
  try {
    await rm(path, { recursive: true, force: true });
  } catch (thrown) {
    throw storageError(path, thrown);
  }
}

const trashOf = (folder: string) => join(dirname(folder), 'trash');

async function foldersIn(folder: string): Promise<string[]> {
  try {
    const found = await readdir(folder, { withFileTypes: true });
    return found.filter((item) => item.isDirectory()).map(({ name }) => join(folder, name));
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return [];
    throw storageError(folder, thrown);
  }
}

/** A file that goes while it is counted is not counted. Links are not followed. */
async function bytesIn(folder: string): Promise<number> {
  const files = await readdir(folder, { recursive: true, withFileTypes: true }).catch((thrown: unknown) => {
    if (codeOf(thrown) === 'ENOENT') return [];
    throw storageError(folder, thrown);
  });
  let bytes = 0;
  for (const file of files) {
    if (file.isFile())
      bytes += await stat(join(file.parentPath, file.name)).then(
        ({ size }) => size,
        () => 0,
      );
  }
  return bytes;
}

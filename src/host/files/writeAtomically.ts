/**
 * Writes a file through a temporary file and a rename in the same folder, so that it is never half written. The folder
 * stays open from the check to the rename: where the system can name an open folder, replacing it with a link changes
 * nothing. Deleting is protected in the same way.
 */

import { randomBytes } from 'node:crypto';
import { type FileHandle, lstat, mkdir, open, rename, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { ToolError } from '../../core/errors.ts';
import { hasCode } from './fileErrors.ts';
import { type HeldFolder, holdFolder } from './holdFolder.ts';

/** `real` is the checked real path. Missing folders are made. A file that is replaced keeps its mode and owner. */
export async function writeAtomically(real: string, shown: string, bytes: Uint8Array): Promise<void> {
  const folder = await makeFolder(dirname(real), shown);
  try {
    await replaceIn(folder.at, basename(real), shown, bytes);
  } finally {
    await folder.release();
  }
}

/** Deletes the file at its checked real path; no error when it is gone. */
export async function removeChecked(real: string, shown: string): Promise<void> {
  const folder = await holdFolder(dirname(real), shown);
  try {
    await unlink(join(folder.at, basename(real)));
  } catch (thrown) {
    if (!hasCode(thrown, 'ENOENT')) throw thrown;
  } finally {
    await folder.release();
  }
}

/** Missing folders are made. */
export async function makeFolder(real: string, shown: string): Promise<HeldFolder> {
  try {
    return await holdFolder(real, shown);
  } catch (thrown) {
    if (!hasCode(thrown, 'ENOENT') || dirname(real) === real) throw thrown;
  }
  const parent = await makeFolder(dirname(real), shown);
  try {
    const path = join(parent.at, basename(real));
    await mkdir(path).catch((thrown: unknown) => {
      // Somebody else has made it meanwhile; opening it shows whether it is a folder.
      if (!hasCode(thrown, 'EEXIST')) throw thrown;
    });
    return await holdFolder(real, shown, path);
  } finally {
    await parent.release();
  }
}

async function replaceIn(folder: string, name: string, shown: string, bytes: Uint8Array): Promise<void> {
  const target = join(folder, name);
  const before = await lstat(target).catch((thrown: unknown) => {
    if (hasCode(thrown, 'ENOENT')) return null;
    throw thrown;
  });
  if (before && !before.isFile()) throw new ToolError(`${shown} is not a regular file and is not replaced.`);
  if (before && (before.mode & 0o222) === 0) throw new ToolError(`${shown} is read-only.`);
  const temporary = join(folder, `.palimpsest-${randomBytes(8).toString('hex')}.tmp`);
  const handle = await open(temporary, 'wx', 0o666);
  try {
    await fill(handle, bytes, before);
    await rename(temporary, target);
  } catch (thrown) {
    await unlink(temporary);
    throw thrown;
  }
}

async function fill(
  handle: FileHandle,
  bytes: Uint8Array,
  before: { readonly mode: number; readonly uid: number; readonly gid: number } | null,
): Promise<void> {
  try {
    await handle.writeFile(bytes);
    if (before) {
      const own = await handle.stat();
      if (own.uid !== before.uid || own.gid !== before.gid) {
        await handle.chown(before.uid, before.gid).catch((thrown: unknown) => {
          // Only root may change a file's owner, and the content matters more.
          if (!hasCode(thrown, 'EPERM')) throw thrown;
        });
      }
      await handle.chmod(before.mode & 0o7777);
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
}

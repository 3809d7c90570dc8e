/**
 * Writes a file through a temporary file and a rename in the same folder, so that it is never half written. The folder
 * is held open from the check to the rename: where the system can name an open folder, replacing it with a link has no
 * effect. Deleting is protected in the same way.
 */

import { randomBytes } from 'node:crypto';
import type { Stats } from 'node:fs';
import { constants, type FileHandle, lstat, mkdir, open, readlink, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { ToolError } from '../../core/errors.ts';
import { rename, unlink } from '../storage/disk/patientDisk.ts';
import { beginAsCopy } from './beginAsCopy.ts';
import { hasCode } from './fileErrors.ts';
import { type HeldFolder, holdFolder } from './openFolder.ts';
import { writeInPlace } from './writeInPlace.ts';

/**
 * `real` is the checked real path. Missing folders are created. A replaced file keeps its mode, its owner and, where the
 * system's copy does, what is kept beside its content. A file with
 * several hard links is written in place if `records` is given, so that it stays one file.
 */
export async function writeChecked(
  real: string,
  shown: string,
  bytes: Uint8Array,
  records: string | null,
): Promise<void> {
  const folder = await makeFolder(dirname(real), shown);
  try {
    const path = join(folder.at, basename(real));
    const before = await refuseUnwritable(path, shown);
    if (before && before.nlink > 1 && records !== null) await writeInPlace(path, { real, shown, bytes, records });
    else await replaceIn(folder.at, basename(real), before, bytes);
  } finally {
    await folder.release();
  }
}

/** Deletes the file at its checked real path; does nothing when it is gone. */
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

/** Missing folders are created. */
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
      // Somebody else has created it meanwhile; opening it shows whether it is a folder.
      if (!hasCode(thrown, 'EEXIST')) throw thrown;
    });
    return await holdFolder(real, shown, path);
  } finally {
    await parent.release();
  }
}

async function replaceIn(folder: string, name: string, before: Stats | null, bytes: Uint8Array): Promise<void> {
  const target = join(folder, name);
  const own = `.palimpsest-${randomBytes(8).toString('hex')}.tmp`;
  const temporary = join(folder, own);
  const handle = (before && (await beginAsCopy(folder, name, own))) ?? (await open(temporary, 'wx', 0o666));
  try {
    await fill(handle, bytes, before);
    await rename(temporary, target);
  } catch (thrown) {
    await unlink(temporary);
    throw thrown;
  }
}

/** Null when nothing is there. */
async function refuseUnwritable(path: string, shown: string): Promise<Stats | null> {
  const before = await lstat(path).catch((thrown: unknown) => {
    if (hasCode(thrown, 'ENOENT')) return null;
    throw thrown;
  });
  if (before && !before.isFile()) throw new ToolError(`${shown} is not a regular file and is not replaced.`);
  if (before && (before.mode & 0o222) === 0) throw new ToolError(`${shown} is read-only.`);
  return before;
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

/** macOS can refuse every link on the path (`O_NOFOLLOW_ANY`); elsewhere only the last name is protected. */
const NO_LINKS = process.platform === 'darwin' ? 0x20000000 : (constants.O_NOFOLLOW ?? 0);

/** Opening must neither follow a link that was just created nor wait for the writer of a pipe. */
export const FLAGS = constants.O_RDONLY | NO_LINKS | (constants.O_NONBLOCK ?? 0);

export async function readChecked(real: string, shown: string): Promise<Uint8Array> {
  const handle = await open(real, FLAGS);
  try {
    if (!(await handle.stat()).isFile()) throw new ToolError(`${shown} is not a regular file.`);
    // A folder on the path may have been replaced by a link between check and opening.
    if (!(await isOpenAt(handle, real))) {
      throw new ToolError(`${shown} was exchanged while it was opened; nothing was read.`);
    }
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}

/**
 * The bytes of a regular file, links followed, or why there are none. Devices are not read, and pipes are not waited
 * for. Throws the system's error for a file that cannot be opened.
 */
export async function readBounded(path: string, most: number): Promise<Buffer | 'notRegular' | 'tooLarge'> {
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const facts = await file.stat();
    if (!facts.isFile()) return 'notRegular';
    if (facts.size > most) return 'tooLarge';
    // One byte above the limit reveals a file that grows meanwhile.
    const chunks: Buffer[] = [];
    let read = 0;
    while (read <= most) {
      const chunk = Buffer.alloc(Math.min(most + 1 - read, PIECE));
      const { bytesRead } = await file.read(chunk, 0, chunk.length, read);
      if (bytesRead === 0) return Buffer.concat(chunks);
      chunks.push(chunk.subarray(0, bytesRead));
      read += bytesRead;
    }
    return 'tooLarge';
  } finally {
    await file.close();
  }
}

export async function isOpenAt(handle: FileHandle, real: string): Promise<boolean> {
  // Linux reports the path of the open file. Looking the path up again would find whatever is there by then.
  if (process.platform === 'linux') return (await readlink(`/proc/self/fd/${handle.fd}`)) === real;
  const [opened, named, again] = await Promise.all([
    handle.stat({ bigint: true }),
    stat(real, { bigint: true }),
    realpath(real),
  ]);
  return again === real && named.ino === opened.ino && named.dev === opened.dev;
}

export const PIECE = 256 * 1024;

/**
 * Writes a file through a temporary file and a rename in the same folder, so that it is never half written. The folder
 * is held open from the check to the rename: where the system can name an open folder, replacing it with a link has no
 * effect. Deleting is protected in the same way.
 */

import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import type { Stats } from 'node:fs';
import {
  constants,
  copyFile,
  type FileHandle,
  link,
  lstat,
  mkdir,
  open,
  readdir,
  readlink,
  realpath,
  stat,
} from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isSystemError, ToolError, UserFacingError, wordsOf } from '../../core/errors.ts';
import { type ReportSkipped, sourceText } from '../../core/instructions/sourceFile.ts';
import { words } from '../../core/words.ts';
import { rename, unlink } from '../storage/disk/patientDisk.ts';
import { hasCode } from './fileErrors.ts';
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
async function makeFolder(real: string, shown: string): Promise<HeldFolder> {
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

// The file that is to replace another begins with what the system keeps beside its content: extended attributes and
// access lists, on Windows further streams. Node can neither read nor write them, so a copy by the system brings them along.

/** Never looked for along `PATH`, where a workspace may have put another. */
const COPY = '/bin/cp';

/** Milliseconds; no content is copied. */
const LONGEST_COPY = 5_000;

/** All but the times: the content is about to change. What a disk cannot keep is left out. */
const COPY_OPTIONS = ['--attributes-only', '--no-dereference', '--preserve=all', '--no-preserve=timestamps', '--'];

/** The empty file `temporary` in `folder`, open for writing; null where the system has no such copy. */
export async function beginAsCopy(folder: string, name: string, temporary: string): Promise<FileHandle | null> {
  const path = join(folder, temporary);
  let file: FileHandle | null = null;
  try {
    if (process.platform !== 'linux') await copyFile(join(folder, name), path, constants.COPYFILE_EXCL);
    else if (!(await copyAttributes(folder, name, temporary))) return null;
    file = await open(path, constants.O_WRONLY | (constants.O_NOFOLLOW ?? 0));
    await file.truncate(0);
    return file;
  } catch (thrown) {
    if (!isSystemError(thrown)) throw thrown;
    await file?.close();
    await unlink(path).catch((missing: unknown) => {
      if (!hasCode(missing, 'ENOENT')) throw missing;
    });
    return null;
  }
}

/** From within the folder, whose name may stand for what only this process holds open. False where `cp` is not GNU's. */
function copyAttributes(folder: string, name: string, temporary: string): Promise<boolean> {
  const options = { cwd: folder, env: { LC_ALL: 'C' }, timeout: LONGEST_COPY, killSignal: 'SIGKILL' } as const;
  return new Promise((resolve) => {
    execFile(COPY, [...COPY_OPTIONS, `./${name}`, `./${temporary}`], options, (error) => resolve(error === null));
  });
}

/** macOS can refuse every link on the path (`O_NOFOLLOW_ANY`); elsewhere only the last name is protected. */
const NO_LINKS = process.platform === 'darwin' ? 0x20000000 : (constants.O_NOFOLLOW ?? 0);

/** Opening must neither follow a link that was just created nor wait for the writer of a pipe. */
const FLAGS = constants.O_RDONLY | NO_LINKS | (constants.O_NONBLOCK ?? 0);

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

const PIECE = 256 * 1024;

/** A file of the person's own that adds context to a turn. Null when it does not exist or was left out. */
export async function readOwnSource(
  path: string,
  origin: string,
  most: number,
  reportSkipped: ReportSkipped,
): Promise<string | null> {
  return unlessSkipped(origin, reportSkipped, async () => sourceText(await readBounded(path, most), most));
}

/** The names in a folder of such files. */
export async function listOwnSources(
  path: string,
  origin: string,
  reportSkipped: ReportSkipped,
): Promise<readonly string[]> {
  return (await unlessSkipped(origin, reportSkipped, () => readdir(path))) ?? [];
}

async function unlessSkipped<T>(
  origin: string,
  reportSkipped: ReportSkipped,
  read: () => Promise<T>,
): Promise<T | null> {
  try {
    return await read();
  } catch (thrown) {
    // Most people have none.
    if (hasCode(thrown, 'ENOENT', 'ENOTDIR')) return null;
    if (thrown instanceof UserFacingError) reportSkipped(origin, wordsOf(thrown));
    else if (isSystemError(thrown)) reportSkipped(origin, words('It cannot be read: {0}.', thrown.message));
    else throw thrown;
    return null;
  }
}

async function isOpenAt(handle: FileHandle, real: string): Promise<boolean> {
  // Linux reports the path of the open file. Looking the path up again would find whatever is there by then.
  if (process.platform === 'linux') return (await readlink(`/proc/self/fd/${handle.fd}`)) === real;
  const [opened, named, again] = await Promise.all([
    handle.stat({ bigint: true }),
    stat(real, { bigint: true }),
    realpath(real),
  ]);
  return again === real && named.ino === opened.ino && named.dev === opened.dev;
}

/**
 * Opens a checked folder, and keeps it open while it is used: where the system can name an open folder, replacing it
 * with a link has no effect.
 */
interface HeldFolder {
  /** A path to the same folder as long as it is open, where the system has one. */
  readonly at: string;
  release(): Promise<void>;
}

/** `real` is the checked real path. With `path`, the folder is opened there, and must be the one at that real path. */
export async function holdFolder(real: string, shown: string, path = real): Promise<HeldFolder> {
  const moved = () => new ToolError(`${shown}: a folder on the way was exchanged for a link; it was left alone.`);
  if (process.platform !== 'linux') {
    if ((await realpath(path)) !== real) throw moved();
    return { at: path, release: async () => {} };
  }
  const handle = await open(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  const at = `/proc/self/fd/${handle.fd}`;
  try {
    if ((await readlink(at)) !== real) throw moved();
  } catch (thrown) {
    await handle.close();
    throw thrown;
  }
  return { at, release: () => handle.close() };
}

// Moves a file by adding the new name and removing the old one: unlike a rename, this overwrites nothing and follows no
// link, and the file keeps its identity and metadata. Where the disk has no hard links, it is written anew.

/** With its checked real path. */
interface Place {
  readonly real: string;
  readonly shown: string;
}

/** Changes the letter case of a file's name, on a disk that ignores case. */
export async function respell({ real, shown }: Place, name: string): Promise<void> {
  const folder = await holdFolder(dirname(real), shown);
  try {
    await rename(join(folder.at, basename(real)), join(folder.at, name));
  } finally {
    await folder.release();
  }
}

export async function moveChecked(from: Place, to: Place): Promise<void> {
  const folder = await makeFolder(dirname(to.real), to.shown);
  const target = join(folder.at, basename(to.real));
  try {
    if (!(await linkChecked(from, target))) await copyChecked(from, target);
    try {
      await removeChecked(from.real, from.shown);
    } catch (thrown) {
      await unlink(target);
      throw thrown;
    }
  } finally {
    await folder.release();
  }
}

/** False where the disk has no hard links, or the new name is on another disk. */
async function linkChecked(from: Place, target: string): Promise<boolean> {
  const handle = await open(from.real, FLAGS);
  try {
    const moved = await handle.stat({ bigint: true });
    if (!moved.isFile()) throw new ToolError(`${from.shown} is not a regular file.`);
    if (!(await isOpenAt(handle, from.real))) throw exchanged(from);
    const source = await holdFolder(dirname(from.real), from.shown);
    try {
      await link(join(source.at, basename(from.real)), target);
    } catch (thrown) {
      if (hasCode(thrown, 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EXDEV', 'EMLINK', 'EISDIR')) return false;
      throw thrown;
    } finally {
      await source.release();
    }
    const there = await lstat(target, { bigint: true });
    if (there.ino === moved.ino && there.dev === moved.dev) return true;
    await unlink(target);
    throw exchanged(from);
  } finally {
    await handle.close();
  }
}

const exchanged = ({ shown }: Place) => new ToolError(`${shown} was exchanged while it was moved; it was left alone.`);

async function copyChecked(from: Place, target: string): Promise<void> {
  const { mode } = await lstat(from.real);
  const bytes = await readChecked(from.real, from.shown);
  const handle = await open(target, 'wx', 0o600);
  try {
    await handle.writeFile(bytes);
    await handle.chmod(mode & 0o7777);
    await handle.sync();
  } catch (thrown) {
    await unlink(target);
    throw thrown;
  } finally {
    await handle.close();
  }
}

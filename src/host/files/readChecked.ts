/**
 * Reads a regular file: at its real path, making sure that the file opened is the file checked, or as it is named, of
 * bounded size.
 */

import { constants, type FileHandle, open, readdir, readlink, realpath, stat } from 'node:fs/promises';
import { isSystemError, ToldError, ToolError, wordsOf } from '../../core/errors.ts';
import { type LeaveOut, sourceText } from '../../core/sourceFile.ts';
import { words } from '../../core/words.ts';
import { hasCode } from './fileErrors.ts';

/** macOS can refuse every link on the way by itself (`O_NOFOLLOW_ANY`); elsewhere only the last name is protected. */
const NO_LINKS = process.platform === 'darwin' ? 0x20000000 : (constants.O_NOFOLLOW ?? 0);
/** Opening must neither follow a link that was just put there nor wait for the writer of a pipe. */
const FLAGS = constants.O_RDONLY | NO_LINKS | (constants.O_NONBLOCK ?? 0);

export async function readChecked(real: string, shown: string): Promise<Uint8Array> {
  const handle = await open(real, FLAGS);
  try {
    if (!(await handle.stat()).isFile()) throw new ToolError(`${shown} is not a regular file.`);
    // A folder on the way may have been replaced by a link between the check and the opening.
    if (!(await isOpenAt(handle, real))) {
      throw new ToolError(`${shown} was exchanged while it was opened; nothing was read.`);
    }
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}

/**
 * The bytes of a regular file, links followed, or why there are none. A device or a pipe is not read, and the one that
 * waits for a writer is not waited for. Throws what the system says about a file that cannot be opened.
 */
export async function readBounded(path: string, most: number): Promise<Buffer | 'notRegular' | 'tooLarge'> {
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const facts = await file.stat();
    if (!facts.isFile()) return 'notRegular';
    if (facts.size > most) return 'tooLarge';
    // One byte more than may be tells of a file that grows meanwhile.
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

/** The person's own file that tells a turn something. Null where there is none, and for one that is left out. */
export async function readOwnSource(
  path: string,
  origin: string,
  most: number,
  leaveOut: LeaveOut,
): Promise<string | null> {
  return unlessLeftOut(origin, leaveOut, async () => sourceText(await readBounded(path, most), most));
}

/** The names in a folder of such files. */
export async function listOwnSources(path: string, origin: string, leaveOut: LeaveOut): Promise<readonly string[]> {
  return (await unlessLeftOut(origin, leaveOut, () => readdir(path))) ?? [];
}

async function unlessLeftOut<T>(origin: string, leaveOut: LeaveOut, read: () => Promise<T>): Promise<T | null> {
  try {
    return await read();
  } catch (thrown) {
    // Most people have none.
    if (hasCode(thrown, 'ENOENT', 'ENOTDIR')) return null;
    if (thrown instanceof ToldError) leaveOut(origin, wordsOf(thrown));
    else if (isSystemError(thrown)) leaveOut(origin, words('It cannot be read: {0}.', thrown.message));
    else throw thrown;
    return null;
  }
}

async function isOpenAt(handle: FileHandle, real: string): Promise<boolean> {
  // Linux tells where the open file is. Looking up the path again would find what is there by then.
  if (process.platform === 'linux') return (await readlink(`/proc/self/fd/${handle.fd}`)) === real;
  const [opened, named, again] = await Promise.all([
    handle.stat({ bigint: true }),
    stat(real, { bigint: true }),
    realpath(real),
  ]);
  return again === real && named.ino === opened.ino && named.dev === opened.dev;
}

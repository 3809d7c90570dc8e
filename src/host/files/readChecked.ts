/** Reads a file at its real path, and makes sure that the file opened is the file checked. */

import { constants, type FileHandle, open, readlink, realpath, stat } from 'node:fs/promises';
import { ToolError } from '../../core/errors.ts';

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

/** Reads a file at its real path, and makes sure that what was opened is what was checked. */

import { constants, open, realpath, stat } from 'node:fs/promises';
import { ToolError } from '../../core/errors.ts';

/** Opening must not follow a link that has just been put there, nor wait for the writer of a pipe. */
const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

export async function readChecked(real: string, shown: string): Promise<Uint8Array> {
  const handle = await open(real, FLAGS);
  try {
    const opened = await handle.stat({ bigint: true });
    if (!opened.isFile()) throw new ToolError(`${shown} is not a regular file.`);
    // A folder on the way may have been swapped for a link between the check and the opening.
    const named = await stat(real, { bigint: true });
    if ((await realpath(real)) !== real || named.ino !== opened.ino || named.dev !== opened.dev) {
      throw new ToolError(`${shown} was exchanged while it was opened; nothing was read.`);
    }
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}

/**
 * Opens a checked folder, and keeps it open while it is used: where the system can name an open folder, replacing it
 * with a link has no effect.
 */

import { constants, open, readlink, realpath } from 'node:fs/promises';
import { ToolError } from '../../core/errors.ts';

export interface HeldFolder {
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

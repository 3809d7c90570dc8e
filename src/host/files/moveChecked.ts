/**
 * Moves a file by writing it where nothing is yet and deleting it where it was: unlike a rename, this overwrites nothing
 * and follows no link. The mode stays.
 */

import { lstat, open, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { readChecked } from './readChecked.ts';
import { makeFolder, removeChecked } from './writeAtomically.ts';

/** With its checked real path. */
interface Place {
  readonly real: string;
  readonly shown: string;
}

export async function moveChecked(from: Place, to: Place): Promise<void> {
  const { mode } = await lstat(from.real);
  const bytes = await readChecked(from.real, from.shown);
  const folder = await makeFolder(dirname(to.real), to.shown);
  const target = join(folder.at, basename(to.real));
  try {
    const handle = await open(target, 'wx', 0o600);
    try {
      try {
        await handle.writeFile(bytes);
        await handle.chmod(mode & 0o7777);
        await handle.sync();
      } finally {
        await handle.close();
      }
      await removeChecked(from.real, from.shown);
    } catch (thrown) {
      await unlink(target);
      throw thrown;
    }
  } finally {
    await folder.release();
  }
}

/**
 * Reads a strategy's file once. The same bytes are hashed, consented to and loaded, so a concurrent change of the file
 * has no effect.
 */

import { createHash } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import { messageOf, UserFacingError } from '../../core/errors.ts';
import { words } from '../../core/words.ts';
import { readBounded } from '../files/checkedFiles.ts';
import { hasCode } from '../files/fileErrors.ts';
import { isInside } from '../files/inside.ts';
import { isModule, isProgram, MODULES, type StrategyFile } from './program.ts';

const MOST_BYTES = 1 << 20;

/** `workspaceFolders` are the open ones: nothing in them is loaded. Throws a `UserFacingError` with the fault. */
export async function readStrategyFile(path: string, workspaceFolders: readonly string[]): Promise<StrategyFile> {
  try {
    const real = await realpath(path);
    if ((await liesIn(path, workspaceFolders)) || (await liesIn(real, workspaceFolders)))
      throw new UserFacingError(words('its file {0} lies in the open folder; move it elsewhere', path));
    const bytes = await readBytes(real);
    const hash = createHash('sha256').update(bytes).digest('hex');
    const text = decode(real, bytes);
    if (!isModule(real) && !isProgram({ path: real, text }))
      throw new UserFacingError(
        words(
          'its file {0} ends in none of {1}, and does not begin with #!, as a program would',
          real,
          MODULES.join(', '),
        ),
      );
    return { path: real, hash, text };
  } catch (thrown) {
    if (thrown instanceof UserFacingError) throw thrown;
    if (hasCode(thrown, 'ENOENT', 'ENOTDIR'))
      throw new UserFacingError(words('its file {0} is not on the machine where Palimpsest runs', path), thrown);
    throw new UserFacingError(words('its file {0} cannot be read ({1})', path, messageOf(thrown)), thrown);
  }
}

/** True when a path is in one of the folders, as written or with links resolved. */
export async function liesIn(path: string, folders: readonly string[]): Promise<boolean> {
  const inside = async (folder: string) => isInside(path, folder) || isInside(path, await realpath(folder));
  return (await Promise.all(folders.map(inside))).includes(true);
}

async function readBytes(path: string): Promise<Buffer> {
  const read = await readBounded(path, MOST_BYTES);
  if (read === 'notRegular') throw new UserFacingError(words('its file {0} is not a regular file', path));
  if (read === 'tooLarge')
    throw new UserFacingError(words('its file {0} is longer than {1} KB', path, MOST_BYTES / 1_024));
  return read;
}

function decode(path: string, bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (thrown) {
    throw new UserFacingError(words('its file {0} is not UTF-8', path), thrown);
  }
}

/** Files of the person's own that add context to a turn: what cannot be read is reported, and stops nothing. */

import { readdir } from 'node:fs/promises';
import { isSystemError, UserFacingError, wordsOf } from '../../core/errors.ts';
import { type ReportSkipped, sourceText } from '../../core/instructions/sourceFile.ts';
import { words } from '../../core/words.ts';
import { readBounded } from './checkedFiles.ts';
import { hasCode } from './fileErrors.ts';

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

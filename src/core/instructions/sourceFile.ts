/**
 * Files that add context to a turn: memory, skills, agents. They are foreign and may hold anything, so each is read
 * whole and bounded, or left out with the reason.
 */

import { ToolError, UserFacingError, wordsOf } from '../errors.ts';
import { type DecodedFile, decodeFile, decodeText } from '../tools/text/decodeText.ts';
import { type Words, words } from '../words.ts';
import type { Files } from '../workspace/files.ts';

/** Receives each source that exists but cannot be used. */
export type ReportSkipped = (origin: string, reason: Words) => void;

export const skipSilently: ReportSkipped = () => undefined;

/** Null when the file does not exist or was left out. */
export async function readSource(
  files: Files,
  path: string,
  most: number,
  reportSkipped: ReportSkipped,
): Promise<string | null> {
  return unlessSkipped(files, path, reportSkipped, async () => {
    const { exists, type, size, real } = await files.resolve(path);
    if (!exists) return null;
    if (type !== 'file') return sourceText('notRegular', most);
    if (size > most) return sourceText('tooLarge', most);
    return textOf(await decodeFile(real, await files.read(path), files.text));
  });
}

/** The entries of a folder of sources; empty without such a folder. */
export async function listSources(
  files: Files,
  folder: string,
  reportSkipped: ReportSkipped,
): Promise<Awaited<ReturnType<Files['list']>>> {
  const listed = await unlessSkipped(files, folder, reportSkipped, async () => {
    const { exists } = await files.resolve(folder);
    return exists ? files.list(folder) : null;
  });
  return listed ?? [];
}

/** The text read within `most` bytes. Throws `UserFacingError` with the reason if there is none. */
export function sourceText(read: Uint8Array | 'notRegular' | 'tooLarge', most: number): string {
  if (read === 'notRegular') throw new UserFacingError(words('It is not a regular file.'));
  if (read === 'tooLarge') throw new UserFacingError(words('It is larger than {0} KB.', Math.floor(most / 1024)));
  return textOf(decodeText(read));
}

function textOf(decoded: DecodedFile): string {
  if (decoded.kind === 'binary') throw new UserFacingError(words('It is not text in UTF-8 or UTF-16.'));
  return decoded.text;
}

async function unlessSkipped<T>(
  files: Files,
  path: string,
  reportSkipped: ReportSkipped,
  read: () => Promise<T | null>,
): Promise<T | null> {
  try {
    return await read();
  } catch (thrown) {
    if (!(thrown instanceof ToolError || thrown instanceof UserFacingError)) throw thrown;
    if (!(await isBelowFile(files, path))) reportSkipped(path, wordsOf(thrown));
    return null;
  }
}

/** True when nothing can exist there, because a parent is a file. */
async function isBelowFile(files: Files, path: string): Promise<boolean> {
  const folder = path.slice(0, Math.max(0, path.lastIndexOf('/')));
  if (folder === '') return false;
  try {
    const { exists, type } = await files.resolve(folder);
    return exists && type !== 'folder';
  } catch (thrown) {
    if (thrown instanceof ToolError) return false;
    throw thrown;
  }
}

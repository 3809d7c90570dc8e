/** Explains the operating system's file errors to the model and the person. */

import { messageOf, ToolError } from '../../core/errors.ts';
import { showInOneLine } from '../../core/tools/text/showHidden.ts';

export function hasCode(thrown: unknown, ...codes: readonly string[]): boolean {
  return thrown instanceof Error && 'code' in thrown && codes.includes(String(thrown.code));
}

const WORDS: Readonly<Record<string, string>> = {
  EACCES: 'permission is denied',
  EPERM: 'it is not permitted',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  ENOENT: 'it does not exist',
  ENOTDIR: 'a name before it is a file, not a folder',
  EISDIR: 'it is a folder',
  EEXIST: 'something is there already',
  ENAMETOOLONG: 'its name is too long',
  ELOOP: 'a link has taken its place',
  EMFILE: 'too many files are open',
  EBUSY: 'another program is using it',
};

/** Windows reports both alike, so a hint about permissions alone would be wrong. */
const HELD_OR_CLOSED = 'another program may be using it, or it is not permitted; try again in a moment';

/** `deed` as in `cannot be written`. Other errors are returned unchanged. */
export function explainFileError(
  shown: string,
  deed: string,
  thrown: unknown,
  windows = process.platform === 'win32',
): unknown {
  if (!(thrown instanceof Error) || !('code' in thrown) || typeof thrown.code !== 'string') return thrown;
  // The system's own text contains the absolute path, so it is a last resort.
  const isLocked = windows && hasCode(thrown, 'EPERM', 'EACCES', 'EBUSY');
  const reason = isLocked ? HELD_OR_CLOSED : (WORDS[thrown.code] ?? messageOf(thrown));
  return new ToolError(`${showInOneLine(shown)} ${deed}: ${reason}.`, { cause: thrown });
}

/** Turns file system errors into errors that name the file, the reason and what can be done. A missing folder is empty. */

import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { JournalError, type JournalErrorKind, messageOf } from '../../../core/errors.ts';
import { type Words, words } from '../../../core/words.ts';

interface Known {
  readonly kind: JournalErrorKind;
  readonly advice: Words;
}

const FORBIDDEN: Known = {
  kind: 'noPermission',
  advice: words('reading or writing it is not allowed. Check the permissions of the file and its folder.'),
};

/** Windows reports both alike. */
const HELD_OR_FORBIDDEN: Known = {
  kind: 'noPermission',
  advice: words(
    'another program, such as a virus scanner or a backup, may be using it, or changing it is not allowed. Try again in a moment; if it persists, check the permissions of the file and its folder.',
  ),
};

const KINDS: Readonly<Record<string, Known>> = {
  ENOENT: {
    kind: 'missing',
    advice: words('it is not there. It may have been moved or deleted; look in the trash.'),
  },
  EACCES: FORBIDDEN,
  EPERM: FORBIDDEN,
  EROFS: { kind: 'noPermission', advice: words('its disk is read-only. Make it writable and try again.') },
  ENOSPC: {
    kind: 'diskFull',
    advice: words(
      'the disk is full. Free some space; what was not written stays in memory and is written with the next message.',
    ),
  },
  EDQUOT: {
    kind: 'diskFull',
    advice: words(
      'the disk quota is used up. Free some space; what was not written stays in memory and is written with the next message.',
    ),
  },
  EFBIG: {
    kind: 'diskFull',
    advice: words('the file has reached the largest size allowed here. Start a new session.'),
  },
  EEXIST: {
    kind: 'io',
    advice: words(
      'it was deleted while it was open, and another file has taken its name. Move that file away; what was not written stays in memory.',
    ),
  },
  EISDIR: { kind: 'foreign', advice: words('it is a folder, not a session file.') },
};

/** `path` names the file, for the person who must act. A `JournalError` passes unchanged. */
export function storageError(path: string, thrown: unknown, windows = process.platform === 'win32'): JournalError {
  if (thrown instanceof JournalError) return thrown;
  const code = codeOf(thrown) ?? '';
  const known = windows && ['EPERM', 'EACCES', 'EBUSY'].includes(code) ? HELD_OR_FORBIDDEN : KINDS[code];
  const { kind, advice } = known ?? {
    kind: 'io',
    advice: words('{0}. Try again; if it persists, check the disk and keep a copy of the file.', messageOf(thrown)),
  };
  return new JournalError(kind, path, words('The session file {0} cannot be used: {1}', path, advice), thrown);
}

/** The system's error code, such as `ENOENT`; null without one. */
export function codeOf(thrown: unknown): string | null {
  const code = thrown instanceof Error ? (thrown as NodeJS.ErrnoException).code : undefined;
  return code ?? null;
}

/** The content of a folder; empty where there is none. */
export async function readFolder(folder: string, options: { readonly recursive?: boolean } = {}): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true, ...options });
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return [];
    throw storageError(folder, thrown);
  }
}

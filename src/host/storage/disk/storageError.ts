/** Turns what the file system throws into errors that name the file, the reason and what can be done. */

import { JournalError, type JournalErrorKind, messageOf } from '../../../core/errors.ts';

const KINDS: Readonly<Record<string, { readonly kind: JournalErrorKind; readonly advice: string }>> = {
  ENOENT: { kind: 'missing', advice: 'it is not there. It may have been moved or deleted; look in the trash.' },
  EACCES: {
    kind: 'noPermission',
    advice: 'reading or writing it is not allowed. Check the permissions of the file and its folder.',
  },
  EPERM: {
    kind: 'noPermission',
    advice: 'reading or writing it is not allowed. Check the permissions of the file and its folder.',
  },
  EROFS: { kind: 'noPermission', advice: 'its disk is read-only. Make it writable and try again.' },
  ENOSPC: {
    kind: 'diskFull',
    advice:
      'the disk is full. Free some space; what was not written stays in memory and is written with the next message.',
  },
  EDQUOT: {
    kind: 'diskFull',
    advice:
      'the disk quota is used up. Free some space; what was not written stays in memory and is written with the next message.',
  },
  EFBIG: { kind: 'diskFull', advice: 'the file has reached the largest size allowed here. Start a new session.' },
  EEXIST: {
    kind: 'io',
    advice:
      'it was deleted while it was open, and another file has taken its name. Move that file away; what was not written stays in memory.',
  },
  EISDIR: { kind: 'foreign', advice: 'it is a folder, not a session file.' },
};

/** `path` names the file for the person who must act. A `JournalError` passes unchanged. */
export function storageError(path: string, thrown: unknown): JournalError {
  if (thrown instanceof JournalError) return thrown;
  const code = codeOf(thrown);
  const known = code === null ? undefined : KINDS[code];
  if (known)
    return new JournalError(known.kind, path, `The session file ${path} cannot be used: ${known.advice}`, thrown);
  const reason = `${messageOf(thrown)}. Try again; if it persists, check the disk and keep a copy of the file.`;
  return new JournalError('io', path, `The session file ${path} cannot be used: ${reason}`, thrown);
}

/** The system's error code, such as `ENOENT`; null when there is none. */
export function codeOf(thrown: unknown): string | null {
  const code = thrown instanceof Error ? (thrown as NodeJS.ErrnoException).code : undefined;
  return code ?? null;
}

/**
 * The errors about a session's lock: who has it, and what the one who is refused can do. A window of the editor can take
 * a session over on a person's word; another program is told where to look.
 */

import { JournalError } from '../../../core/errors.ts';
import { showName } from '../../../core/tools/text/showHidden.ts';
import { type Words, words } from '../../../core/words.ts';
import type { LockOwner } from './lockOwner.ts';

/** Of a lock, as it was read; null where there is none, or none that can be read. */
export type Holder = LockOwner | null;

interface Refused {
  /** The session's folder. */
  readonly folder: string;
  /** The session, for a program that may have several open. */
  readonly session: string;
  /** The lock's file. */
  readonly lock: string;
  /** The one who is refused. */
  readonly here: LockOwner;
}

export function heldError(refused: Refused, holder: Holder): JournalError {
  return new JournalError('locked', refused.folder, wordsAboutHeld(refused, holder));
}

function wordsAboutHeld({ session, lock, here }: Refused, holder: Holder): Words {
  if (here.program === undefined) {
    if (holder === null)
      return words(
        'Another window or program is using this session. You can read it here; take it over, or close it there, to continue.',
      );
    if (holder.program === undefined)
      return words(
        'Another window is using this session. You can read it here; take it over, or close it there, to continue.',
      );
    return words(
      '{0} is using this session. You can read it here; take it over, or close it there, to continue.',
      nameOf(holder, here),
    );
  }
  if (isSameProcess(holder, here))
    return words('The session {0} is open in this program already: close it first.', session);
  const inUse = words(
    'The session {0} is in use by {1}, and only one can write it. Close it there, or end that process, and try again.',
    session,
    nameOf(holder, here),
  );
  if (!isElsewhere(holder, here)) return inUse;
  return [...inUse, ...words('If nothing runs there any more, take it over, or delete the file {0}.', lock)];
}

export function lostError({ folder, session, here }: Refused, holder: Holder): JournalError {
  return new JournalError('locked', folder, wordsAboutLost(session, here, holder));
}

function wordsAboutLost(session: string, here: LockOwner, holder: Holder): Words {
  if (here.program !== undefined)
    return words(
      'The session {0} was taken over by {1}. What was not written before is in this program only.',
      session,
      nameOf(holder, here),
    );
  if (holder === null)
    return words(
      'Another window or program took over this session. You can read it here; anything not saved yet stays in this window only.',
    );
  if (holder.program === undefined)
    return words(
      'Another window took over this session. You can read it here; anything not saved yet stays in this window only.',
    );
  return words(
    '{0} took over this session. You can read it here; anything not saved yet stays in this window only.',
    nameOf(holder, here),
  );
}

function nameOf(holder: Holder, here: LockOwner): Words {
  if (holder === null) return words('another program');
  const { pid, host } = holder;
  const name = holder.program === undefined ? words('a window of the editor') : words('{0}', showName(holder.program));
  return isElsewhere(holder, here)
    ? words('{0} (process {1} on {2})', name, String(pid), showName(host))
    : words('{0} (process {1})', name, String(pid));
}

const isElsewhere = (holder: Holder, here: LockOwner): boolean => holder !== null && holder.host !== here.host;

/** Containers number their processes alike. */
const isSameProcess = (holder: Holder, here: LockOwner): boolean =>
  holder !== null &&
  holder.pid === here.pid &&
  holder.host === here.host &&
  holder.space === here.space &&
  holder.born === here.born;

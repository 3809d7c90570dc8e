/** Makes a note entry from translatable words: the journal stores them along with their English. Pure. */

import { inEnglish, type Words } from '../words.ts';
import type { EntryDraft, NoteAction, NoteEntry } from './entry.ts';

type NoteDraft = Extract<EntryDraft, { type: 'note' }>;

interface More {
  /** One for each line. */
  readonly detail?: readonly Words[];
  readonly action?: NoteEntry['action'] | undefined;
  readonly also?: readonly NoteAction[];
  readonly retryAt?: number | undefined;
  readonly heldBelow?: number;
  readonly dmail?: NoteEntry['dmail'];
  readonly session?: string;
  readonly restored?: NoteEntry['restored'];
  readonly changes?: NoteEntry['changes'];
  readonly left?: NoteEntry['left'];
}

export function makeNote(
  level: NoteEntry['level'],
  message: Words,
  { detail = [], action, also = [], retryAt, heldBelow, dmail, session, restored, changes, left }: More = {},
): NoteDraft {
  return {
    type: 'note',
    level,
    text: inEnglish(message),
    words: message,
    ...(detail.length > 0 ? { detail: detail.map(inEnglish).join('\n'), detailWords: detail } : {}),
    ...(action ? { action } : {}),
    ...(also.length > 0 ? { also } : {}),
    ...(retryAt ? { retryAt } : {}),
    ...(heldBelow ? { heldBelow } : {}),
    ...(dmail ? { dmail } : {}),
    ...(session ? { session } : {}),
    ...(restored ? { restored } : {}),
    ...(changes ? { changes } : {}),
    ...(left ? { left } : {}),
  };
}

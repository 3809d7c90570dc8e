/** The note in the conversation that says what a restore of files did. */

import { makeNote } from '../journal/makeNote.ts';
import type { RestoreOutcome } from './restoreFiles.ts';
import { countFiles, listFiles } from './restorePlan.ts';

/** Null where nothing was to be restored. */
export function noteRestore(outcome: RestoreOutcome): ReturnType<typeof makeNote> | null {
  const { restored, skipped } = outcome;
  if (restored.length === 0 && skipped.length === 0) return null;
  return makeNote(skipped.length > 0 ? 'warning' : 'info', countFiles(outcome), {
    detail: listFiles(outcome),
    action: restored.length > 0 ? 'undoRestore' : undefined,
  });
}

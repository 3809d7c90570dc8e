/**
 * A new session that goes on from where another one was compacted, with everything that had left: the messages before the
 * compaction, none of them hidden. The other session stays as it is.
 */

import { newImportReport } from '../../core/sessions/recorded.ts';
import { importChat } from '../storage/sessions/importFile.ts';
import type { SessionStore } from '../storage/sessions/sessionStore.ts';
import { type LabSession, readStored } from './storedSession.ts';

/** Returns its id. `nth` counts the session's compactions from 1. Throws when there is no such compaction. */
export async function restoreSession(
  store: SessionStore,
  stored: LabSession,
  nth: number,
  title: string,
): Promise<string> {
  const { messages, compactions, name } = await readStored(stored);
  const compaction = compactions[nth - 1];
  if (!compaction) throw new Error(`${name} has no compaction ${nth}.`);
  const lines = messages.slice(0, compaction.after).map((message) => JSON.stringify(message));
  return importChat({ store, name, title, lines, report: newImportReport() });
}

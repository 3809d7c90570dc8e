/** A stored session in the form of the lab: its messages, and the compactions that happened in it. */

import { JournalError } from '../../core/errors.ts';
import { exportNormalForm } from '../../core/sessions/exportSession.ts';
import { words } from '../../core/words.ts';
import { readCompactions } from '../../lab/live/recordedCompactions.ts';
import { type RecordedSession, readSession } from '../../lab/session.ts';
import { nodeCrypto } from '../storage/disk/fileBlobStore.ts';
import { openJournal } from '../storage/journal/openJournal.ts';

/** A stored session: plain data that can be sent to a worker. */
export interface LabSession {
  readonly id: string;
  readonly title: string;
  readonly path: string;
  /** In bytes of its journal. */
  readonly size: number;
}

export async function readStored(
  { path, id, title }: LabSession,
  pause: () => Promise<void> = async () => undefined,
): Promise<RecordedSession> {
  const readOnly = new JournalError('noPermission', path, words('It can only be read here.'));
  const { journal } = await openJournal({ path, id, clock: { now: () => 0 }, crypto: nodeCrypto, readOnly });
  try {
    const lines: string[] = [];
    for (const line of exportNormalForm(journal)) {
      lines.push(line);
      await pause();
    }
    return { ...readSession(title, lines.join(''), null), compactions: readCompactions(journal) };
  } finally {
    await journal.close();
  }
}

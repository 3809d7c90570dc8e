/** *Check Session*: reads every line of a session and every blob it needs, and says what is not as it should be. */

import { join } from 'node:path';
import { JournalError } from '../../../core/errors.ts';
import { listReferences } from '../../../core/journal/blobReferences.ts';
import { checkEntries } from '../../../core/journal/checkEntries.ts';
import { Journal } from '../../../core/journal/journal.ts';
import type { Clock, Crypto } from '../../../core/ports.ts';
import { FileBlobStore, listBlobs } from '../disk/fileBlobStore.ts';
import { readOnlyStore } from '../journal/openJournal.ts';
import { type JournalReport, readJournal } from '../journal/readJournal.ts';
import { JOURNAL } from './sessionStore.ts';

export interface SessionCheck {
  readonly report: JournalReport;
  /** One sentence each, fit to be shown; empty when all is well. */
  readonly findings: readonly string[];
  /** Blobs that are there, by bytes on disk. */
  readonly blobs: { readonly count: number; readonly missing: number };
  /** True when *Repair Session* would change something. */
  readonly repairable: boolean;
}

/** `folder` is the session's. Throws `JournalError` when nothing can be read. Changes nothing. */
export async function checkSession(
  folder: string,
  id: string,
  ports: { readonly clock: Clock; readonly crypto: Crypto },
): Promise<SessionCheck> {
  const path = join(folder, JOURNAL);
  const { entries, report } = await readJournal(path, id, ports.crypto);
  const closed = new JournalError('closed', path, 'Only being checked.');
  const journal = new Journal(entries, { store: readOnlyStore(path, closed), ...ports });
  const findings = [...describe(report), ...checkEntries(journal).map(({ text }) => text)];
  const references = listReferences(entries);
  const store = new FileBlobStore(join(folder, 'blobs'));
  let missing = 0;
  for (const [name, kind] of references) {
    if (kind === 'session' && (await store.get(name)) === null) {
      missing++;
      findings.push(`A body that the model saw (${name.slice(0, 12)}…) is missing or damaged.`);
    }
  }
  const count = (await listBlobs(store.folder)).length;
  const repairable = report.damaged.length > 0 || report.tornBytes > 0 || report.sessionLost;
  return { report, findings, blobs: { count, missing }, repairable };
}

function describe(report: JournalReport): string[] {
  const { damaged, gaps, tornBytes, sessionLost } = report;
  const findings = damaged.map(
    ({ line, length, reason }) => `Line ${line} (${length} bytes) is left out: ${REASONS[reason]}.`,
  );
  for (const { from, to } of gaps) {
    findings.push(from === to ? `Entry ${from} is missing.` : `Entries ${from} to ${to} are missing.`);
  }
  if (tornBytes > 0)
    findings.push(`The last line is torn: ${tornBytes} bytes were not acknowledged and are set aside.`);
  if (sessionLost) findings.push('The first line, with the facts about the session, is lost.');
  return findings;
}

const REASONS: Readonly<Record<JournalReport['damaged'][number]['reason'], string>> = {
  noCrc: 'it has no checksum',
  badCrc: 'it does not fit its checksum',
  notJson: 'it is not JSON',
  notAnEntry: 'it is no entry of a session',
  doubled: 'its number was there before',
  outOfOrder: 'its number is out of order',
};

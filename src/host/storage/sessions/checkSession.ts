/** *Check Session*: reads every line of a session and every blob it needs, and says what is not as it should be. */

import { join } from 'node:path';
import { JournalError } from '../../../core/errors.ts';
import { listReferences } from '../../../core/journal/blobReferences.ts';
import { checkEntries } from '../../../core/journal/checkEntries.ts';
import { Journal } from '../../../core/journal/journal.ts';
import type { Clock, Crypto } from '../../../core/ports.ts';
import { type Words, words } from '../../../core/words.ts';
import { FileBlobStore, listBlobs } from '../disk/fileBlobStore.ts';
import { LONGEST_LINE } from '../disk/readLines.ts';
import { readOnlyStore } from '../journal/openJournal.ts';
import { type JournalReport, readJournal } from '../journal/readJournal.ts';
import { JOURNAL } from './sessionStore.ts';

export interface SessionCheck {
  readonly report: JournalReport;
  /** One sentence each; empty when all is well. */
  readonly findings: readonly Words[];
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
  const findings = [...describe(report), ...checkEntries(journal).map(({ said }) => said)];
  const references = listReferences(entries);
  const store = new FileBlobStore(join(folder, 'blobs'));
  let missing = 0;
  for (const [name, kind] of references) {
    if (kind === 'session' && (await store.get(name)) === null) {
      missing++;
      findings.push(words('Content that the model saw ({0}…) is missing or damaged.', name.slice(0, 12)));
    }
  }
  const count = (await listBlobs(store.folder)).length;
  const repairable = report.damaged.length > 0 || report.tornBytes > 0 || report.sessionLost;
  return { report, findings, blobs: { count, missing }, repairable };
}

function describe({ damaged, gaps, tornBytes, sessionLost }: JournalReport): Words[] {
  return [
    ...damaged.map(({ line, length, reason }) =>
      words('Line {0} ({1} bytes) is left out: {2}.', line, length, REASONS[reason]),
    ),
    ...gaps.map(({ from, to }) =>
      from === to ? words('Entry {0} is missing.', from) : words('Entries {0} to {1} are missing.', from, to),
    ),
    ...(tornBytes > 0
      ? [words('The last line is incomplete: {0} bytes were never confirmed as written and are set aside.', tornBytes)]
      : []),
    ...(sessionLost ? [words('The first line, with the facts about the session, is lost.')] : []),
  ];
}

const REASONS: Readonly<Record<JournalReport['damaged'][number]['reason'], Words>> = {
  noCrc: words('it has no checksum'),
  badCrc: words('it does not fit its checksum'),
  notJson: words('it is not JSON'),
  notAnEntry: words('it is not an entry of a session'),
  doubled: words('its number is used twice'),
  outOfOrder: words('its number is out of order'),
  tooLong: words('it is longer than the longest line that is read ({0} bytes)', LONGEST_LINE),
};

/** *Check Session*: reads every line of a session and every blob it needs, and reports all faults. */

import { appendFile, copyFile, link } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../../core/clock.ts';
import { Projection } from '../../../core/context/projection.ts';
import type { Crypto } from '../../../core/crypto.ts';
import { JournalError } from '../../../core/errors.ts';
import { encodeEntry } from '../../../core/journal/codec.ts';
import { isTreeEntry } from '../../../core/journal/entry.ts';
import { Journal } from '../../../core/journal/journal.ts';
import { type Words, words } from '../../../core/words.ts';
import { FileBlobStore, listBlobs } from '../disk/fileBlobStore.ts';
import { rename, rm } from '../disk/patientDisk.ts';
import { LONGEST_LINE, readLines } from '../disk/readLines.ts';
import { storageError } from '../disk/storageError.ts';
import { BREAK, writeLines } from '../disk/writeLines.ts';
import { dropIndex } from '../journal/journalIndex.ts';
import { readOnlyStore } from '../journal/openJournal.ts';
import { type JournalReport, readJournal } from '../journal/readJournal.ts';
import { JOURNAL } from './sessionStore.ts';
import { SUMMARY } from './sessionSummary.ts';
import { addReferences, type BlobClass } from './sweepBlobs.ts';

export interface SessionCheck {
  readonly report: JournalReport;
  /** One sentence each; empty without faults. */
  readonly findings: readonly Words[];
  /** Existing blobs, by bytes on disk. */
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
  const findings = [...describe(report), ...checkEntries(journal)];
  const references = new Map<string, BlobClass>();
  for (const entry of entries) addReferences(entry, references);
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

/**
 * Violations of a sound journal's invariants, beyond checksums, in file order: the tree first, then the current branch as
 * the fold sees it.
 */
function checkEntries(journal: Journal): Words[] {
  const findings: Words[] = [];
  const known = new Set(journal.entries.filter(isTreeEntry).map(({ seq }) => seq));
  const checkpoints = new Set<number>();
  for (const entry of journal.entries) {
    const { seq } = entry;
    if (isTreeEntry(entry) && entry.parent !== null && !known.has(entry.parent)) {
      findings.push(
        words('Entry {0} follows entry {1}, which is lost; the entry before that is used instead.', seq, entry.parent),
      );
    }
    if (entry.type === 'revert' && entry.target !== null && !known.has(entry.target)) {
      findings.push(words('Entry {0} goes back to entry {1}, which is lost.', seq, entry.target));
    }
    if (entry.type === 'checkpoint') {
      if (checkpoints.has(entry.id)) findings.push(words('The id of checkpoint {0} is used twice.', entry.id));
      checkpoints.add(entry.id);
    }
  }
  const projection = new Projection();
  for (const entry of journal.path()) {
    const whole = entry.parent === projection.head;
    const refusal = whole ? projection.refusalOf(entry) : null;
    if (refusal) findings.push(words('Entry {0} ({1}) does not fit: {2}.', entry.seq, entry.type, refusal));
    projection.apply(entry);
  }
  return findings;
}

/**
 * *Repair Session*: rewrites the journal from its valid lines, byte for byte. Omitted lines go to
 * `journal.jsonl.damaged`, and the original file is kept next to it. The session must not be open.
 */
export interface RepairReport {
  /** The original file; null when nothing had to be repaired. */
  readonly kept: string | null;
  readonly goodLines: number;
  readonly damagedLines: number;
  /** Entries that stay lost, by `seq`. */
  readonly gaps: readonly { readonly from: number; readonly to: number }[];
}

export async function repairSession(
  folder: string,
  id: string,
  ports: { readonly clock: Clock; readonly crypto: Crypto },
): Promise<RepairReport> {
  const path = join(folder, JOURNAL);
  const { entries, report, tail } = await readJournal(path, id, ports.crypto);
  const { torn } = tail;
  const { damaged, gaps, sessionLost } = report;
  const goodLines = report.lines - damaged.length;
  if (damaged.length === 0 && !torn && !sessionLost) return { kept: null, goodLines, damagedLines: 0, gaps };
  const bad = new Set(damaged.map(({ offset }) => offset));
  const aside: Buffer[] = torn ? [Buffer.from(torn), BREAK] : [];
  const kept = `${path}.before-repair-${ports.clock.now()}`;
  try {
    const [first] = entries;
    await writeLines(`${path}.repaired`, async (write) => {
      // A substitute replaces the lost first line, so that the next opening finds one.
      if (sessionLost && first) write(Buffer.from(encodeEntry(first, ports.crypto)));
      await readLines(path, (line, offset) => {
        if (bad.has(offset)) aside.push(Buffer.from(line), BREAK);
        else write(line);
      }).then(({ rest }) => {
        if (rest && !torn) write(rest.bytes);
      });
    });
    if (aside.length > 0) await appendFile(`${path}.damaged`, Buffer.concat(aside));
    await dropIndex(path);
    await rm(join(folder, SUMMARY), { force: true });
    // A journal exists at every moment: first a second name for the old one, then the new one in its place.
    await link(path, kept).catch(() => copyFile(path, kept));
    await rename(`${path}.repaired`, path);
  } catch (thrown) {
    throw storageError(path, thrown);
  }
  return { kept, goodLines, damagedLines: damaged.length + (torn ? 1 : 0), gaps };
}

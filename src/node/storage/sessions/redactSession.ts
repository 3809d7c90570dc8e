/**
 * *Redact*: the only command that changes stored text. It writes a redacted copy of the journal and of every affected
 * blob, then removes the originals: the old journal, the index, saved torn and damaged lines. The session must not be
 * open.
 */

import { isUtf8 } from 'node:buffer';
import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Crypto } from '../../../core/crypto.ts';
import { decodeBytes, encodeEntry } from '../../../core/journal/codec.ts';
import { redactEntry } from '../../../core/journal/redactEntry.ts';
import { REDACTED, TextRedaction, writtenForms } from '../../../core/journal/redactText.ts';
import { FileBlobStore, listBlobs } from '../disk/fileBlobStore.ts';
import { rename, rm } from '../disk/patientDisk.ts';
import { readLines, writeLines } from '../disk/readLines.ts';
import { storageError } from '../disk/storageError.ts';
import { redactMail } from './mailbox.ts';
import { JOURNAL, listSubagents, removeKept } from './sessionStore.ts';
import { SUMMARY } from './sessionSummary.ts';

export interface RedactReport {
  /** Changed entries, by `seq`. */
  readonly entries: readonly number[];
  readonly occurrences: number;
  readonly blobs: number;
  /** Unreadable lines, which were removed because their content is unknown. */
  readonly removedLines: number;
  /** Values nested too deeply to inspect, removed whole. */
  readonly cutValues: number;
  /** Encrypted or signed reasoning items, removed because their content is unknown. */
  readonly sealedItems: number;
  /** Files that can no longer be restored, because their content or path was redacted. */
  readonly unrestorable: number;
  /** Lines in which the text remains as a part of the journal's structure, such as a field name. */
  readonly structural: number;
  /** Bodies that are not text and may contain it in another form. */
  readonly opaque: number;
}

/** `secrets` are texts of at least 4 characters; each becomes `[redacted]`. */
export async function redactSession(folder: string, secrets: readonly string[], crypto: Crypto): Promise<RedactReport> {
  const path = join(folder, JOURNAL);
  const short = secrets.find((secret) => secret.length < MIN_LENGTH);
  if (short !== undefined) throw new Error(`A text to redact needs at least ${MIN_LENGTH} characters`);
  const blobs = new FileBlobStore(join(folder, 'blobs'));
  const { renamed, opaque } = await redactBlobs(blobs, secrets);
  const entries: number[] = [];
  const sums = { occurrences: 0, removedLines: 0, cutValues: 0, sealedItems: 0, unrestorable: 0, structural: 0 };
  const sought = writtenForms(secrets);
  const holds = (line: Buffer) => sought.some((form) => line.includes(form));
  try {
    await writeLines(`${path}.redacted`, async (write) => {
      const take = (line: Buffer) => {
        // Decoding changes the bytes that it is given.
        const whole = Buffer.from(line);
        const decoded = decodeBytes(line, crypto);
        if (decoded.kind === 'damaged') {
          sums.removedLines++;
          return;
        }
        const { entry, changed, count, cut, sealed, unrestorable } = redactEntry(decoded.entry, secrets, renamed);
        // Values nested too deeply stay if the text occurs nowhere in the line.
        const clean = changed && (count + sealed > 0 || cut === 0 || holds(whole));
        const kept = clean ? Buffer.from(encodeEntry(entry, crypto)) : whole;
        if (clean) {
          if (count > 0) entries.push(entry.seq);
          sums.occurrences += count;
          sums.cutValues += cut;
          sums.sealedItems += sealed;
          sums.unrestorable += unrestorable;
        }
        if (holds(kept)) sums.structural++;
        write(kept);
      };
      const { rest } = await readLines(path, take);
      if (rest) take(rest.bytes);
    });
    await rename(`${path}.redacted`, path);
    await removeTraces(folder);
    await redactMail(folder, holds);
    await removeKept(folder, holds);
    for (const old of renamed.keys()) await rm(blobs.pathOf(old), { force: true });
  } catch (thrown) {
    throw storageError(path, thrown);
  }
  return { entries, ...sums, blobs: renamed.size, opaque };
}

/** Includes the sessions of its subagents; entries are those of the session itself. */
export async function redactWithSubagents(
  folder: string,
  secrets: readonly string[],
  crypto: Crypto,
): Promise<RedactReport> {
  let report = await redactSession(folder, secrets, crypto);
  for (const each of await listSubagents(folder))
    report = addReports(report, await redactSession(each, secrets, crypto));
  return report;
}

function addReports(a: RedactReport, b: RedactReport): RedactReport {
  return {
    entries: a.entries,
    occurrences: a.occurrences + b.occurrences,
    blobs: a.blobs + b.blobs,
    removedLines: a.removedLines + b.removedLines,
    cutValues: a.cutValues + b.cutValues,
    sealedItems: a.sealedItems + b.sealedItems,
    unrestorable: a.unrestorable + b.unrestorable,
    structural: a.structural + b.structural,
    opaque: a.opaque + b.opaque,
  };
}

const MIN_LENGTH = 4;

/**
 * Redacted copies of the blobs that contain a secret, old name to new name, and the number of blobs that are not text.
 */
async function redactBlobs(blobs: FileBlobStore, secrets: readonly string[]) {
  const renamed = new Map<string, string>();
  let opaque = 0;
  for (const path of await listBlobs(blobs.folder)) {
    const bytes = await readFile(path);
    const text = isUtf8(bytes);
    if (!text) opaque++;
    const cleaned = text ? redactBytesOfText(bytes, secrets) : redactBytes(bytes, secrets);
    if (cleaned) renamed.set(`${basename(dirname(path))}${basename(path)}`, await blobs.put(cleaned));
  }
  return { renamed, opaque };
}

/** Null when there is nothing to replace. */
function redactBytesOfText(bytes: Buffer, secrets: readonly string[]): Buffer | null {
  const redaction = new TextRedaction(secrets);
  const cleaned = redaction.clean(bytes.toString('utf8'));
  return redaction.count > 0 ? Buffer.from(cleaned) : null;
}

/** The surrounding bytes stay, whatever they mean. */
function redactBytes(bytes: Buffer, secrets: readonly string[]): Buffer | null {
  const found = secrets.filter((secret) => bytes.includes(secret));
  if (found.length === 0) return null;
  const binary = (text: string) => Buffer.from(text).toString('latin1');
  const cleaned = found.reduce((all, secret) => all.replaceAll(binary(secret), REDACTED), bytes.toString('latin1'));
  return Buffer.from(cleaned, 'latin1');
}

/** Everything derived from the journal or saved from it: index, summary, torn and damaged lines, older copies. */
async function removeTraces(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const derived = name === SUMMARY || (name.startsWith(`${JOURNAL}.`) && name !== `${JOURNAL}.redacted`);
    if (derived) await rm(join(folder, name), { force: true });
  }
}

/**
 * *Redact*: the one command that changes what was written. It writes a cleaned copy of the journal and of every blob in
 * which a text occurs, then removes what held it: the old journal, the index, torn and damaged lines set aside. The
 * session must not be open.
 */

import { readdir, readFile, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { decodeBytes, encodeEntry } from '../../../core/journal/codec.ts';
import type { Entry } from '../../../core/journal/entry.ts';
import { REDACTED, redactValue, writtenForms } from '../../../core/journal/redactValue.ts';
import type { Crypto } from '../../../core/ports.ts';
import { FileBlobStore, listBlobs } from '../disk/fileBlobStore.ts';
import { readLines } from '../disk/readLines.ts';
import { storageError } from '../disk/storageError.ts';
import { writeLines } from '../disk/writeLines.ts';
import { JOURNAL } from './sessionStore.ts';
import { SUMMARY } from './sessionSummary.ts';

export interface RedactReport {
  /** Entries that were changed, by `seq`. */
  readonly entries: readonly number[];
  readonly occurrences: number;
  readonly blobs: number;
  /** Lines that could not be read and were removed, because nobody can tell what they hold. */
  readonly removedLines: number;
}

/** `secrets` are texts of at least 4 characters; each becomes `[redacted]`. */
export async function redactSession(folder: string, secrets: readonly string[], crypto: Crypto): Promise<RedactReport> {
  const path = join(folder, JOURNAL);
  const short = secrets.find((secret) => secret.length < MIN_LENGTH);
  if (short !== undefined) throw new Error(`A text to redact needs at least ${MIN_LENGTH} characters`);
  const blobs = new FileBlobStore(join(folder, 'blobs'));
  const renamed = await redactBlobs(blobs, secrets);
  const entries: number[] = [];
  let occurrences = 0;
  let removedLines = 0;
  try {
    await writeLines(`${path}.redacted`, async (write) => {
      const take = (line: Uint8Array) => {
        const decoded = decodeBytes(line, crypto);
        if (decoded.kind === 'damaged') {
          removedLines++;
          return;
        }
        const { value, count } = redactValue(decoded.entry, secrets, renamed);
        if (count > 0) entries.push(decoded.entry.seq);
        occurrences += count;
        write(Buffer.from(encodeEntry(value as Entry, crypto)));
      };
      const { rest } = await readLines(path, take);
      if (rest) take(rest.bytes);
    });
    await rename(`${path}.redacted`, path);
    await removeTraces(folder);
    for (const old of renamed.keys()) await rm(blobs.pathOf(old), { force: true });
  } catch (thrown) {
    throw storageError(path, thrown);
  }
  return { entries, occurrences, blobs: renamed.size, removedLines };
}

const MIN_LENGTH = 4;

/** Cleaned copies of the blobs in which a secret occurs; old name to new name. */
async function redactBlobs(blobs: FileBlobStore, secrets: readonly string[]): Promise<Map<string, string>> {
  const renamed = new Map<string, string>();
  const sought = writtenForms(secrets);
  for (const path of await listBlobs(blobs.folder)) {
    const bytes = await readFile(path);
    if (!sought.some((secret) => bytes.includes(secret))) continue;
    const cleaned = sought.reduce((text, secret) => text.replaceAll(secret, REDACTED), bytes.toString('utf8'));
    renamed.set(`${basename(dirname(path))}${basename(path)}`, await blobs.put(Buffer.from(cleaned)));
  }
  return renamed;
}

/** Whatever was derived from the journal or set aside from it: index, summary, torn and damaged lines, older copies. */
async function removeTraces(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const derived = name === SUMMARY || (name.startsWith(`${JOURNAL}.`) && name !== `${JOURNAL}.redacted`);
    if (derived) await rm(join(folder, name), { force: true });
  }
}

/**
 * Frees disk space without losing important data: full outputs of which the model saw a part expire when a session was
 * not opened for some days, before-images of files when they are old or too many. Bodies that the model saw stay with
 * their session.
 */

import { stat, utimes, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { CHECKPOINTS } from '../../../core/checkpoints/fileKeeper.ts';
import type { Message } from '../../../core/context/message.ts';
import type { Entry } from '../../../core/journal/entry.ts';
import { OUTPUT } from '../../../core/tools/toolSettings.ts';
import { listBlobs } from '../disk/fileBlobStore.ts';
import { rm } from '../disk/patientDisk.ts';
import { readLines } from '../disk/readLines.ts';
import { codeOf, readFolder, storageError } from '../disk/storageError.ts';
import { JOURNAL, listSubagents } from './sessionStore.ts';

export interface BlobLimits {
  /** Days to keep full outputs after a session was last opened. */
  readonly outputDays: number;
  /** Days to keep before-images. */
  readonly beforeImageDays: number;
  /** Bytes of before-images over all sessions of the workspace. */
  readonly beforeImageBytes: number;
}

const BLOB_LIMITS: BlobLimits = {
  outputDays: OUTPUT.fields.days.default,
  beforeImageDays: CHECKPOINTS.fields.days.default,
  beforeImageBytes: CHECKPOINTS.fields.quota.default * 1_000_000,
};

export interface SweepReport {
  readonly outputsRemoved: number;
  readonly beforeImagesRemoved: number;
  readonly bytesFreed: number;
  /** Remaining bytes of before-images: the quota shown next to `beforeImageBytes`. */
  readonly beforeImageBytes: number;
}

interface StoredBlob {
  readonly path: string;
  readonly bytes: number;
  /** Milliseconds since the epoch. */
  readonly time: number;
  /** Index among the bodies that its journal names, starting at 0: decides between equal times. */
  readonly nth: number;
}

const OPENED = 'opened';
const DAY = 86_400_000;

/** Call when a session is opened, which prolongs the life of its full outputs. */
export async function touchOpened(folder: string, now: number): Promise<void> {
  const path = join(folder, OPENED);
  try {
    await writeFile(path, '', { flag: 'a' });
    await utimes(path, now / 1000, now / 1000);
  } catch (thrown) {
    throw storageError(path, thrown);
  }
}

/**
 * `folders` contain the sessions of a workspace. Safe while sessions are open: recently journaled bodies are too young.
 */
export async function sweepBlobs(
  folders: readonly string[],
  now: number,
  limits: BlobLimits = BLOB_LIMITS,
): Promise<SweepReport> {
  const outputs: StoredBlob[] = [];
  const images: StoredBlob[] = [];
  for (const session of (await Promise.all(folders.map(listFolders))).flat()) {
    const references = await readReferences(join(session, JOURNAL));
    const named = new Map([...references.keys()].map((name, nth) => [name, nth]));
    const opened = await openedAt(session);
    for (const path of await listBlobs(join(session, 'blobs'))) {
      const name = `${basename(dirname(path))}${basename(path)}`;
      const kind = references.get(name);
      const file = await describe(path);
      if (!file) continue;
      const blob = { ...file, nth: named.get(name) ?? 0 };
      if (kind === 'output' && now - Math.max(opened, blob.time) > limits.outputDays * DAY) outputs.push(blob);
      if (kind === 'beforeImage') images.push(blob);
    }
  }
  images.sort((a, b) => b.time - a.time || b.nth - a.nth);
  let left = 0;
  const old = images.filter((image) => {
    const keep = now - image.time <= limits.beforeImageDays * DAY && left + image.bytes <= limits.beforeImageBytes;
    if (keep) left += image.bytes;
    return !keep;
  });
  for (const { path } of [...outputs, ...old]) await rm(path, { force: true });
  const bytesFreed = [...outputs, ...old].reduce((sum, { bytes }) => sum + bytes, 0);
  return { outputsRemoved: outputs.length, beforeImagesRemoved: old.length, bytesFreed, beforeImageBytes: left };
}

async function listFolders(folder: string): Promise<string[]> {
  const found = await readFolder(folder);
  const sessions = found.filter((item) => item.isDirectory()).map((item) => join(folder, item.name));
  return [...sessions, ...(await Promise.all(sessions.map(listSubagents))).flat()];
}

/** Parses only lines that can name a blob. An unreadable journal names none, and nothing of it is removed. */
async function readReferences(path: string): Promise<Map<string, BlobClass>> {
  const references = new Map<string, BlobClass>();
  try {
    const { rest } = await readLines(path, (line) => addLine(line, references));
    if (rest) addLine(rest.bytes, references);
  } catch {
    references.clear();
  }
  return references;
}

function addLine(line: Buffer, references: Map<string, BlobClass>): void {
  if (!line.includes('"blob":"') && !line.includes('"before":"')) return;
  try {
    addReferences(JSON.parse(line.toString()) as Entry, references);
  } catch {
    // A damaged line names nothing, so bodies named only there have no class and stay.
  }
}

async function openedAt(session: string): Promise<number> {
  const times = await Promise.all([OPENED, JOURNAL].map((name) => describe(join(session, name))));
  return Math.max(0, ...times.map((each) => each?.time ?? 0));
}

async function describe(path: string): Promise<Omit<StoredBlob, 'nth'> | null> {
  try {
    const { size, mtimeMs } = await stat(path);
    return { path, bytes: size, time: mtimeMs };
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return null;
    throw storageError(path, thrown);
  }
}

/**
 * The blobs that a session's entries refer to, and how long each must be kept: bodies that the model saw as long as the
 * session; before-images of files, and full outputs of which the model saw a part, expire.
 */
export type BlobClass = 'session' | 'output' | 'beforeImage';

/** The longest-lived class wins. */
const RANK: Readonly<Record<BlobClass, number>> = { session: 2, beforeImage: 1, output: 0 };

export function addReferences(entry: Entry, references: Map<string, BlobClass>): void {
  const add = (blob: string | null | undefined, kind: BlobClass) => {
    if (typeof blob !== 'string') return;
    const known = references.get(blob);
    if (!known || RANK[kind] > RANK[known]) references.set(blob, kind);
  };
  const addMessage = (message: Message) => {
    if (message.role === 'assistant') return;
    for (const attachment of message.attachments ?? []) add(attachment.blob, 'session');
    if (message.role !== 'tool') return;
    add(message.offload?.blob, 'session');
    add(message.truncation?.blob, 'output');
  };
  switch (entry.type) {
    case 'message':
      addMessage(entry.message);
      break;
    case 'compaction':
      for (const op of entry.plan) {
        if (op.op === 'insert') addMessage(op.message);
        if (op.op === 'replace') add(op.by.offload?.blob, 'session');
      }
      break;
    case 'request':
      if (entry.purpose === 'summary') add(entry.bodySha256, 'session');
      break;
    case 'files':
      for (const image of entry.files) add(image.before, 'beforeImage');
      break;
    default:
      break;
  }
}

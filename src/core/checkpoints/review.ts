/**
 * Compares the workspace's files with an earlier moment of a session, including changes by others, and lets a person take
 * changes back or mark them as reviewed. Only files that the session's tools or commands have touched are known. Reviewed content becomes the one to compare with, so that a later change of the same lines shows again.
 */

import { ToldError } from '../errors.ts';
import type { Entry, FileImage } from '../journal/entry.ts';
import { equalBytes } from '../tools/text/decodeText.ts';
import { words } from '../words.ts';
import { type HeldFile, inBatches } from './fileKeeper.ts';
import { countChangedLines, isText, type LineChange, takeBackLines } from './lines.ts';
import type { RestorePorts } from './restoreFiles.ts';
import type { RestoreStep } from './restorePlan.ts';

export interface ChangedFile {
  readonly path: string;
  /** As it was then, or as it was reviewed; null where it did not exist. */
  readonly before: HeldFile | null;
  /** As it is now, in an editor too; null where it is gone. */
  readonly now: HeldFile | null;
  /** Topmost folder that was made for it. */
  readonly newFolder: string | null;
  /** Null where a version is no text: it can be taken back only as a whole. */
  readonly lines: { readonly added: number; readonly removed: number } | null;
}

/** A file larger than this many bytes is left out. */
const MOST_BYTES = 10_000_000;
const NOTHING = new Uint8Array();

/** Files that differ from what they held at entry `moment`, by path, and those that cannot be compared. */
export async function listChanges(
  moment: number,
  ports: RestorePorts,
): Promise<{ readonly changed: readonly ChangedFile[]; readonly unknown: readonly string[] }> {
  const { journal } = ports;
  const { importedTo } = journal;
  const unknown: string[] = [];
  const bases = basesSince(journal.ofType('files'), Math.max(moment, importedTo));
  const changed = await inBatches([...bases.values()], async (base): Promise<ChangedFile | null> => {
    try {
      return await compare(base, ports);
    } catch {
      // Links, folders and what may not be read by now.
      unknown.push(base.path);
      return null;
    }
  });
  const byPath = (a: string, b: string) => (a < b ? -1 : 1);
  return {
    changed: changed.filter((each) => each !== null).sort((a, b) => byPath(a.path, b.path)),
    unknown: unknown.sort(byPath),
  };
}

/** The content of each file before its first change after `moment`, or the newest that was reviewed since. */
function basesSince(entries: Iterable<Entry>, moment: number): Map<string, FileImage> {
  const bases = new Map<string, FileImage>();
  for (const entry of entries) {
    if (entry.type !== 'files' || entry.seq <= moment) continue;
    for (const image of entry.files)
      if (entry.cause === 'reviewed' || !bases.has(image.path)) bases.set(image.path, image);
  }
  return bases;
}

/** Null where nothing differs. */
async function compare(base: FileImage, { files, blobs }: RestorePorts): Promise<ChangedFile | null> {
  const { path, restorable, executable = false, newFolder = null } = base;
  const bytes = base.before === null ? null : await blobs.get(base.before);
  if (!restorable || (base.before !== null && bytes === null)) throw new Error('Its earlier content was not kept.');
  const held = await files.read(path, MOST_BYTES, 'editor');
  if (held.kind === 'tooLarge') throw new Error('It is too large.');
  const before = bytes && { bytes, executable };
  const now = held.kind === 'held' ? { bytes: held.bytes, executable: held.executable } : null;
  if (before && now ? equalBytes(before.bytes, now.bytes) : before === now) return null;
  return { path, before, now, newFolder, lines: countChangedLines(before?.bytes ?? NOTHING, now?.bytes ?? NOTHING) };
}

/** The file as it is once the change, or all of them, is taken back; null where it is gone then. */
export function takenBack({ before, now }: ChangedFile, change: LineChange | null): HeldFile | null {
  if (change === null) return before;
  if (!before || !now) return wholeOnly();
  return { ...now, bytes: takeBackLines(before.bytes, now.bytes, change) };
}

/** The new base of comparison once the change, or all of them, is reviewed. */
function reviewedBase({ before, now }: ChangedFile, change: LineChange | null): HeldFile | null {
  if (change === null) return now;
  if (!before || !now) return wholeOnly();
  const opposite = { before: change.after, after: change.before };
  return { ...before, bytes: takeBackLines(now.bytes, before.bytes, opposite) };
}

function wholeOnly(): never {
  throw new ToldError(words('A file that is new or gone can be reviewed only as a whole.'));
}

/** Whether single changes of lines can be told apart in it. */
export function hasLines({ before, now }: ChangedFile): boolean {
  return before !== null && now !== null && isText(before.bytes) && isText(now.bytes);
}

/** The step of a restore that takes it back. A file that changes before the step is carried out is left as it is. */
export async function stepBack(
  file: ChangedFile,
  change: LineChange | null,
  { blobs, crypto }: RestorePorts,
): Promise<RestoreStep> {
  const back = takenBack(file, change);
  const now = file.now && (await crypto.sha256(file.now.bytes));
  if (!back) return { path: file.path, now, kind: 'remove', newFolder: file.newFolder, conflict: null };
  const { executable, bytes } = back;
  return { path: file.path, now, kind: 'write', blob: await blobs.put(bytes), executable, conflict: null };
}

/** Marks the changes as reviewed. */
export async function markReviewed(
  reviewed: readonly { readonly file: ChangedFile; readonly change: LineChange | null }[],
  { journal, blobs }: RestorePorts,
): Promise<void> {
  const files: FileImage[] = [];
  for (const { file, change } of reviewed) {
    const base = reviewedBase(file, change);
    files.push({
      path: file.path,
      before: base && (await blobs.put(base.bytes)),
      restorable: true,
      ...(base?.executable ? { executable: true } : {}),
      ...(file.newFolder === null || base !== null ? {} : { newFolder: file.newFolder }),
    });
  }
  await journal.append({ type: 'files', cause: 'reviewed', files });
}

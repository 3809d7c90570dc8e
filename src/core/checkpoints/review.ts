/**
 * Lets a person take back changes that a list shows, or mark them as reviewed. Reviewed content becomes the one to compare
 * with, so that a later change of the same lines shows again.
 */

import { ToldError } from '../errors.ts';
import type { FileImage, TurnChanges } from '../journal/entry.ts';
import { type Words, words } from '../words.ts';
import { type ChangedFile, ChangeList, sinceMoment } from './changeList.ts';
import type { HeldFile } from './fileKeeper.ts';
import { isText, type LineChange, takeBackLines } from './lines.ts';
import type { RestorePorts } from './restoreFiles.ts';
import type { RestoreStep } from './restorePlan.ts';

/** Counts the differences from entry `since`; null where nothing does. Reads only files that an entry names. */
export async function countChanges(since: number, ports: RestorePorts): Promise<TurnChanges | null> {
  const { changed, incomplete } = await new ChangeList(sinceMoment(since, ports), ports).list();
  if (changed.length === 0) return null;
  const sum = (kind: 'added' | 'removed') => changed.reduce((all, { lines }) => all + (lines?.[kind] ?? 0), 0);
  return {
    since,
    files: changed.length,
    added: sum('added'),
    removed: sum('removed'),
    ...(incomplete ? { incomplete } : {}),
  };
}

export function sayChanges({ files, added, removed, incomplete }: TurnChanges): Words {
  if (incomplete) return words('At least {0} files, +{1} −{2}', files, added, removed);
  if (files === 1) return words('One file, +{0} −{1}', added, removed);
  return words('{0} files, +{1} −{2}', files, added, removed);
}

/** The file as it is once the change, or all of them, is taken back; null where it is gone then. */
export function takenBack({ before, now }: ChangedFile, change: LineChange | null): HeldFile | null {
  if (change === null) return before;
  if (!before || !now) return wholeOnly();
  return { ...now, bytes: takeBackLines(before.bytes, now.bytes, change) };
}

/** The new base of comparison once the change is reviewed. */
function reviewedBase({ before, now }: ChangedFile, change: LineChange): HeldFile {
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

/**
 * The steps of a restore that take it back: two for a whole file that was renamed. A file that changes before its step is
 * carried out is left as it is, and so is one that stands again where a file is to come back.
 */
export async function stepsBack(
  file: ChangedFile,
  change: LineChange | null,
  { blobs }: RestorePorts,
): Promise<RestoreStep[]> {
  const { path, renamedFrom, hash, newFolder } = file;
  const remove = { path, now: hash, kind: 'remove', newFolder, conflict: null } as const;
  const back = takenBack(file, change);
  if (!back) return [remove];
  const { executable, bytes } = back;
  const write = { kind: 'write', blob: await blobs.put(bytes), executable, conflict: null } as const;
  if (renamedFrom === null || change !== null) return [{ path, now: hash, ...write }];
  return [remove, { path: renamedFrom, now: null, ...write }];
}

export interface Chosen {
  readonly file: ChangedFile;
  /** Null: all of it. */
  readonly change: LineChange | null;
}

/** Marks the changes as reviewed. */
export async function markReviewed(reviewed: readonly Chosen[], { journal, blobs }: RestorePorts): Promise<void> {
  const files: FileImage[] = [];
  for (const { file, change } of reviewed) {
    const { path, renamedFrom, now, hash, newFolder } = file;
    const base = change === null ? now : reviewedBase(file, change);
    files.push({
      path,
      before: base && (await blobs.put(base.bytes)),
      after: hash,
      restorable: true,
      ...(base?.executable ? { executable: true } : {}),
      ...(newFolder === null ? {} : { newFolder }),
      ...(renamedFrom === null || change === null ? {} : { renamedFrom }),
    });
    if (renamedFrom !== null && change === null)
      files.push({ path: renamedFrom, before: null, after: null, restorable: true });
  }
  await journal.append({ type: 'files', cause: 'reviewed', files });
}

/**
 * Lets a person take back changes that a list shows, or mark them as reviewed. Reviewed content becomes the one to compare
 * with, so that a later change of the same lines shows again.
 */

import { UserFacingError } from '../errors.ts';
import type { FileImage, TurnChanges } from '../journal/entry.ts';
import { type Words, words } from '../words.ts';
import { ChangeList, sinceMoment } from './changeList.ts';
import type { ChangedFile } from './compared.ts';
import type { FileVersion } from './fileKeeper.ts';
import { isText, type LineChange, type LineRange, listChanges, takeBackChanges, touch } from './lines.ts';
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

export function describeChanges({ files, added, removed, incomplete }: TurnChanges): Words {
  if (incomplete)
    return files === 1
      ? words('At least one file, +{0} −{1}', added, removed)
      : words('At least {0} files, +{1} −{2}', files, added, removed);
  if (files === 1) return words('One file, +{0} −{1}', added, removed);
  return words('{0} files, +{1} −{2}', files, added, removed);
}

/** The file as it is once the chosen changes are taken back; null where it is gone then. */
export function takenBack({ file, changes }: Chosen): FileVersion | null {
  const { before, now } = file;
  if (changes === null) return before;
  if (!before || !now) return wholeOnly();
  return { ...now, bytes: takeBackChanges(before.bytes, now.bytes, changes) };
}

/** The new base of comparison once the changes are reviewed. */
function reviewedBase({ before, now }: ChangedFile, changes: readonly LineChange[]): FileVersion {
  if (!before || !now) return wholeOnly();
  const opposite = changes.map((change) => ({ before: change.after, after: change.before }));
  return { ...before, bytes: takeBackChanges(now.bytes, before.bytes, opposite) };
}

function wholeOnly(): never {
  throw new UserFacingError(words('A file that is new or gone can be reviewed only as a whole.'));
}

/** Whether single changes of lines can be told apart in it. */
export function hasLines({ before, now }: ChangedFile): boolean {
  return before !== null && now !== null && isText(before.bytes) && isText(now.bytes);
}

/**
 * The change at a line of one side of the file, counted from 0; `all` where the lines cannot be told apart, null where none
 * is.
 */
export function changeAt(file: ChangedFile, line: number, side: 'before' | 'after'): LineChange | 'all' | null {
  const { before, now } = file;
  const changes = before && now && hasLines(file) ? listChanges(before.bytes, now.bytes) : null;
  if (!changes || changes.length < 2) return 'all';
  // Lines that are not on this side stand before the line.
  const isAt = ({ from, count }: LineRange) => from <= line && line < from + Math.max(count, 1);
  return changes.find((change) => isAt(change[side])) ?? null;
}

/**
 * The steps of a restore that take it back: two for a whole file that was renamed. A file that changes before its step is
 * carried out is left as it is, and so is one that stands again where a file is to come back.
 */
export async function stepsBack(chosen: Chosen, { blobs }: RestorePorts): Promise<RestoreStep[]> {
  const { file, changes } = chosen;
  const { path, renamedFrom, hash, newFolder } = file;
  const remove = { path, now: hash, kind: 'remove', newFolder, conflict: null } as const;
  const back = takenBack(chosen);
  if (!back) return [remove];
  const { executable, bytes } = back;
  const write = { kind: 'write', blob: await blobs.put(bytes), executable, conflict: null } as const;
  if (renamedFrom === null || changes !== null) return [{ path, now: hash, ...write }];
  return [remove, { path: renamedFrom, now: null, ...write }];
}

export interface Chosen {
  readonly file: ChangedFile;
  /** Null: all of it. */
  readonly changes: readonly LineChange[] | null;
}

/** A choice that would take back what somebody else did after the agent. */
export interface ConflictingChoice {
  readonly chosen: Chosen;
  /** The same without lines that somebody else changed; null where nothing else is left, or it cannot be told. */
  readonly own: Chosen | null;
}

/** The choices that include changes of somebody else: lines as far as they can be told, or else the whole file. */
export async function findConflicts(
  chosen: readonly Chosen[],
  { blobs }: Pick<RestorePorts, 'blobs'>,
): Promise<ConflictingChoice[]> {
  const found: ConflictingChoice[] = [];
  for (const each of chosen) {
    const { file, changes } = each;
    const { before, now, conflict, agentLeft } = file;
    if (!conflict || !now) continue;
    const left = agentLeft !== null && before && hasLines(file) ? await blobs.get(agentLeft) : null;
    const theirs = left && listChanges(left, now.bytes);
    const all = changes ?? (before && theirs && listChanges(before.bytes, now.bytes));
    if (!theirs || !all) {
      found.push({ chosen: each, own: null });
      continue;
    }
    const own = all.filter(({ after }) => !theirs.some((other) => touch(after, other.after)));
    // All of a file is more than its lines: a name, a mode.
    if (changes !== null && own.length === all.length) continue;
    found.push({ chosen: each, own: own.length > 0 ? { file, changes: own } : null });
  }
  return found;
}

/** Marks the changes as reviewed. */
export async function markReviewed(reviewed: readonly Chosen[], { journal, blobs }: RestorePorts): Promise<void> {
  const files: FileImage[] = [];
  for (const { file, changes } of reviewed) {
    const { path, renamedFrom, now, hash, newFolder } = file;
    const base = changes === null ? now : reviewedBase(file, changes);
    files.push({
      path,
      before: base && (await blobs.put(base.bytes)),
      after: hash,
      restorable: true,
      ...(base?.executable ? { executable: true } : {}),
      ...(newFolder === null ? {} : { newFolder }),
      ...(renamedFrom === null || changes === null ? {} : { renamedFrom }),
    });
    if (renamedFrom !== null && changes === null)
      files.push({ path: renamedFrom, before: null, after: null, restorable: true });
  }
  await journal.append({ type: 'files', cause: 'reviewed', files });
}

/**
 * Plans what restoring the files of an earlier moment would do, and carries it out. A file that others changed since is written only when the
 * person agreed for that file. The present content of every file is journaled first, so a restore can itself be undone.
 */

import { UserFacingError, wordsOf } from '../errors.ts';
import type { FileImage, FilesEntry, NoteAction, NoteEntry } from '../journal/entry.ts';
import type { Journal } from '../journal/journal.ts';
import { makeNote } from '../journal/makeNote.ts';
import { verbatim, type Words, words } from '../words.ts';
import { type CheckpointPorts, type FileVersion, inBatches } from './fileKeeper.ts';
import { listTargets, type PresentFile, planRestore, type RestoreStep } from './restorePlan.ts';

export type RestorePorts = Omit<CheckpointPorts, 'clock'>;

export interface RestorePreview {
  readonly steps: readonly RestoreStep[];
  /** True when a command ran in a folder where not every file was scanned: it may have changed more files. */
  readonly incomplete: boolean;
}

export interface RestoreOutcome {
  readonly restored: readonly string[];
  readonly skipped: readonly SkippedFile[];
  /** Pass its `seq` - 1 as the moment of another restore to undo this one; null when nothing was changed. */
  readonly entry: FilesEntry | null;
}

/** A file that was left as it is. */
export interface SkippedFile {
  readonly path: string;
  readonly reason: Words;
}

type Change = Extract<RestoreStep, { kind: 'write' | 'remove' }>;

/** A file larger than this many bytes is neither overwritten nor removed: it could not be given back. */
const MOST_BYTES = 64_000_000;

/**
 * Previews what restoring the files as of entry `moment` would do now. Changes nothing. An imported journal describes
 * files elsewhere, so only changes after the import count.
 */
export async function previewRestore(moment: number, ports: RestorePorts): Promise<RestorePreview> {
  const { importedTo } = ports.journal;
  const entries = [...ports.journal.ofType('files')].filter(({ seq }) => seq > importedTo);
  const now = new Map<string, PresentFile | null>();
  const blobs = new Set<string>();
  const targets = await inBatches(listTargets(entries, moment), async (each) => {
    const { path, target } = each;
    if (target !== null && (await ports.blobs.get(target)) !== null) blobs.add(target);
    try {
      const present = await readNow(path, ports);
      now.set(path, present && { hash: await ports.crypto.sha256(present.bytes), executable: present.executable });
      return each;
    } catch (thrown) {
      return { ...each, lost: wordsOf(thrown) };
    }
  });
  const incomplete = entries.some(({ seq, incomplete: unseen }) => seq > moment && unseen === true);
  return { steps: planRestore(targets, now, (blob) => blobs.has(blob)), incomplete };
}

/**
 * Carries out the steps of a preview. `overwrite` holds the paths that the person decided to overwrite in spite of
 * conflicts. A file that changed between preview and restore is skipped and named.
 */
export async function restoreFiles(
  steps: readonly RestoreStep[],
  overwrite: ReadonlySet<string>,
  ports: RestorePorts,
): Promise<RestoreOutcome> {
  const skipped: SkippedFile[] = [];
  const images: FileImage[] = [];
  const ready: Change[] = [];
  for (const step of inOrder(steps)) {
    if (step.kind === 'same') continue;
    const read =
      step.kind === 'lost'
        ? { path: step.path, reason: words('it cannot be restored: {0}', step.reason) }
        : await readBefore(step, overwrite, ports);
    if ('reason' in read) {
      skipped.push(read);
      continue;
    }
    images.push(read.image);
    ready.push(read.step);
  }
  if (ready.length === 0) return { restored: [], skipped, entry: null };
  const entry = await ports.journal.append({ type: 'files', cause: 'restore', files: images });
  const restored: string[] = [];
  for (const step of ready) {
    try {
      await carryOut(step, ports);
      restored.push(step.path);
    } catch (thrown) {
      skipped.push(refuseFor(step.path, thrown));
    }
  }
  await ports.journal.sync();
  return { restored, skipped, entry };
}

/** Removals come first: a file may occupy the path of a folder that is needed, or differ only in case. */
function inOrder(steps: readonly RestoreStep[]): RestoreStep[] {
  return [...steps.filter(({ kind }) => kind === 'remove'), ...steps.filter(({ kind }) => kind !== 'remove')];
}

/** The file's contents before the step, as kept, or the reason why they are not kept. */
async function readBefore(
  step: Change,
  overwrite: ReadonlySet<string>,
  ports: RestorePorts,
): Promise<{ readonly step: Change; readonly image: FileImage } | SkippedFile> {
  const { path, conflict } = step;
  if (conflict && !overwrite.has(path)) {
    const reason =
      conflict === 'changedSince'
        ? words('someone else has changed it since, so it was left as it is')
        : words('who changed it last is unknown, so it was left as it is');
    return { path, reason };
  }
  try {
    const present = await readNow(path, ports);
    if ((await hashOf(present, ports)) !== step.now) throw new ChangedMeanwhile();
    const before = present ? await ports.blobs.put(present.bytes) : null;
    const newFolder = step.kind === 'write' ? await ports.files.newFolderOf(path) : null;
    const image = {
      path,
      before,
      after: step.kind === 'write' ? step.blob : null,
      restorable: true,
      ...(present?.executable ? { executable: true } : {}),
      ...(newFolder === null ? {} : { newFolder }),
    };
    return { step, image };
  } catch (thrown) {
    return refuseFor(path, thrown);
  }
}

class ChangedMeanwhile extends Error {}

async function carryOut(step: Change, ports: RestorePorts): Promise<void> {
  const { files, blobs } = ports;
  // The file may have changed while the earlier steps ran.
  if ((await hashOf(await readNow(step.path, ports), ports)) !== step.now) throw new ChangedMeanwhile();
  if (step.kind === 'remove') return files.remove(step.path, step.newFolder);
  const bytes = await blobs.get(step.blob);
  if (!bytes) throw new UserFacingError(words('its earlier contents are no longer there'));
  return files.write(step.path, { bytes, executable: step.executable });
}

function refuseFor(path: string, thrown: unknown): SkippedFile {
  const reason =
    thrown instanceof ChangedMeanwhile
      ? words('it changed after the preview, so it was left as it is')
      : words('it was left as it is: {0}', wordsOf(thrown));
  return { path, reason };
}

async function readNow(path: string, { files }: RestorePorts): Promise<FileVersion | null> {
  const present = await files.read(path, MOST_BYTES, 'editor');
  if (present.kind === 'tooLarge') {
    throw new UserFacingError(
      words('it now has {0} bytes, and files over {1} bytes cannot be restored', present.size, MOST_BYTES),
    );
  }
  return present.kind === 'held' ? present : null;
}

async function hashOf(present: FileVersion | null, { crypto }: RestorePorts): Promise<string | null> {
  return present && crypto.sha256(present.bytes);
}

/** Before a restore: where the conversation was, and the newest entry, whose files are those of then. */
export type Moment = NonNullable<NoteEntry['restored']>;

export const momentOf = ({ head, nextSeq }: Journal): Moment => ({ head: head ?? 0, moment: nextSeq - 1 });

/** One note for the conversation and the files, with an action that moves both back. */
export function noteMove(
  notice: Words,
  files: Files,
  restored: Moment,
  action: NoteAction = 'undoRestore',
  ...also: readonly NoteAction[]
): ReturnType<typeof makeNote> {
  const isOfFiles = files.restored.length + files.skipped.length > 0;
  const detail = listFiles(files);
  const level = files.skipped.length > 0 ? 'warning' : 'info';
  return makeNote(level, isOfFiles ? [...notice, ...countFiles(files)] : notice, { detail, action, also, restored });
}

type Files = Pick<RestoreOutcome, 'restored' | 'skipped'>;

export function countFiles({ restored, skipped }: Files): Words {
  const left = skipped.length;
  return [
    ...(restored.length === 1 ? words('One file was restored.') : words('{0} files were restored.', restored.length)),
    ...(left === 1 ? words('One was left as it is.') : left > 1 ? words('{0} were left as they are.', left) : []),
  ];
}

export function listFiles({ restored, skipped }: Files): Words[] {
  return [...restored.map(verbatim), ...skipped.map(({ path, reason }) => words('{0}: {1}', path, reason))];
}

/** The note in the conversation that says what a restore did; null where nothing was to be restored. */
export function noteRestore(outcome: RestoreOutcome): ReturnType<typeof makeNote> | null {
  const { restored, skipped } = outcome;
  if (restored.length === 0 && skipped.length === 0) return null;
  return makeNote(skipped.length > 0 ? 'warning' : 'info', countFiles(outcome), {
    detail: listFiles(outcome),
    action: restored.length > 0 ? 'undoRestore' : undefined,
  });
}

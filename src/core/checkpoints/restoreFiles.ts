/**
 * Looks at the workspace and carries out a restore plan. A file that others changed since is written only when the
 * person said so for this file; what every file held is journaled first, so a restore can itself be undone.
 */

import { messageOf } from '../errors.ts';
import type { FileImage, FilesEntry, SkippedFile } from '../journal/entry.ts';
import type { Journal } from '../journal/journal.ts';
import type { BlobStore, Crypto } from '../ports.ts';
import type { CheckpointFiles, HeldFile } from './checkpointFiles.ts';
import { inBatches } from './inBatches.ts';
import { listTargets, planRestore, type RestoreStep } from './restorePlan.ts';

export interface RestorePorts {
  readonly journal: Journal;
  readonly files: CheckpointFiles;
  readonly blobs: BlobStore;
  readonly crypto: Crypto;
}

export interface RestorePreview {
  readonly steps: readonly RestoreStep[];
  /** True when a command ran in a folder of which not every file was looked at: it may have changed more. */
  readonly incomplete: boolean;
}

export interface RestoreOutcome {
  readonly restored: readonly string[];
  readonly skipped: readonly SkippedFile[];
  /** Pass its `seq` - 1 as the moment of another restore to undo this one; null when nothing was changed. */
  readonly entry: FilesEntry | null;
}

type Change = Extract<RestoreStep, { kind: 'write' | 'remove' }>;

/** A file larger than this many bytes is neither overwritten nor removed: it could not be given back. */
const MOST_BYTES = 64_000_000;

/** What restoring the files as of entry `moment` would do now. Changes nothing. */
export async function previewRestore(moment: number, ports: RestorePorts): Promise<RestorePreview> {
  const entries = [...ports.journal.ofType('files')];
  const now = new Map<string, string | null>();
  const blobs = new Set<string>();
  const targets = await inBatches(listTargets(entries, moment), async (each) => {
    const { path, target } = each;
    if (target !== null && (await ports.blobs.get(target)) !== null) blobs.add(target);
    try {
      now.set(path, await hashOf(await readNow(path, ports), ports));
      return each;
    } catch (thrown) {
      return { ...each, lost: messageOf(thrown), lack: null };
    }
  });
  const incomplete = entries.some(({ seq, incomplete: unseen }) => seq > moment && unseen === true);
  return { steps: planRestore(targets, now, (blob) => blobs.has(blob)), incomplete };
}

/**
 * Carries out the steps of a preview. `overwrite` has the paths whose conflicts the person decided to overwrite. A file
 * that changed between preview and restore is skipped and named.
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
    const look = step.kind === 'lost' ? refuseLost(step) : await lookBefore(step, overwrite, ports);
    if ('why' in look) {
      skipped.push(look);
      continue;
    }
    images.push(look.image);
    ready.push(look.step);
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

/** Removing comes first: a file may stand where a folder is to be, or under a name that differs in case alone. */
function inOrder(steps: readonly RestoreStep[]): RestoreStep[] {
  return [...steps.filter(({ kind }) => kind === 'remove'), ...steps.filter(({ kind }) => kind !== 'remove')];
}

/** What is kept of the file before the step is carried out, or why it is not. */
async function lookBefore(
  step: Change,
  overwrite: ReadonlySet<string>,
  ports: RestorePorts,
): Promise<{ readonly step: Change; readonly image: FileImage } | SkippedFile> {
  const { path, conflict } = step;
  if (conflict && !overwrite.has(path)) {
    return conflict === 'changedSince'
      ? refuse(path, 'changedSince', 'somebody else changed it since, so it was left as it is')
      : refuse(path, 'unknown', 'it cannot be told who changed it last, so it was left as it is');
  }
  try {
    const held = await readNow(path, ports);
    if ((await hashOf(held, ports)) !== step.now) throw new ChangedMeanwhile();
    const before = held ? await ports.blobs.put(held.bytes) : null;
    const newFolder = step.kind === 'write' ? await ports.files.newFolderOf(path) : null;
    const image = {
      path,
      before,
      after: step.kind === 'write' ? step.blob : null,
      restorable: true,
      ...(held?.executable ? { executable: true } : {}),
      ...(newFolder === null ? {} : { newFolder }),
    };
    return { step, image };
  } catch (thrown) {
    return refuseFor(path, thrown);
  }
}

class ChangedMeanwhile extends Error {
  constructor() {
    super('it changed after the preview, so it was left as it is');
  }
}

async function carryOut(step: Change, ports: RestorePorts): Promise<void> {
  const { files, blobs } = ports;
  // The files before this one took their time.
  if ((await hashOf(await readNow(step.path, ports), ports)) !== step.now) throw new ChangedMeanwhile();
  if (step.kind === 'remove') return files.remove(step.path, step.newFolder);
  const bytes = await blobs.get(step.blob);
  if (!bytes) throw new Error('what it held is no longer there');
  return files.write(step.path, { bytes, executable: step.executable });
}

function refuseLost({ path, reason, lack }: Extract<RestoreStep, { kind: 'lost' }>): SkippedFile {
  return { ...refuse(path, 'lost', reason), ...(lack ? { lack } : {}) };
}

function refuse(path: string, why: SkippedFile['why'], reason: string): SkippedFile {
  return { path, why, reason };
}

function refuseFor(path: string, thrown: unknown): SkippedFile {
  return refuse(path, thrown instanceof ChangedMeanwhile ? 'changedMeanwhile' : 'failed', messageOf(thrown));
}

async function readNow(path: string, { files }: RestorePorts): Promise<HeldFile | null> {
  const held = await files.read(path, MOST_BYTES, 'editor');
  if (held.kind === 'tooLarge') {
    throw new Error(`it has ${held.size} bytes now, and over ${MOST_BYTES} bytes it could not be given back`);
  }
  return held.kind === 'held' ? held : null;
}

async function hashOf(held: HeldFile | null, { crypto }: RestorePorts): Promise<string | null> {
  return held && crypto.sha256(held.bytes);
}

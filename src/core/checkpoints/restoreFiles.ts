/**
 * Looks at the workspace and carries out a restore plan. A file that others changed since is written only when the
 * person said so for this file; what every file held is journaled first, so a restore can itself be undone.
 */

import { messageOf } from '../errors.ts';
import type { FileImage, FilesEntry } from '../journal/entry.ts';
import type { Journal } from '../journal/journal.ts';
import type { BlobStore, Crypto } from '../ports.ts';
import type { CheckpointFiles } from './checkpointFiles.ts';
import { listTargets, planRestore, type RestoreStep } from './restorePlan.ts';

export interface RestorePorts {
  readonly journal: Journal;
  readonly files: CheckpointFiles;
  readonly blobs: BlobStore;
  readonly crypto: Crypto;
}

export interface RestoreOutcome {
  readonly restored: readonly string[];
  readonly skipped: readonly { readonly path: string; readonly reason: string }[];
  /** Pass its `seq` - 1 as the moment of another restore to undo this one; null when nothing was changed. */
  readonly entry: FilesEntry | null;
}

/** What restoring the files as of entry `moment` would do now. Changes nothing. */
export async function previewRestore(moment: number, ports: RestorePorts): Promise<RestoreStep[]> {
  const targets = listTargets(ports.journal.entries, moment);
  const now = new Map<string, string | null>();
  const blobs = new Set<string>();
  const unreadable = new Map<string, string>();
  for (const { path, target } of targets) {
    if (target !== null && (await ports.blobs.get(target)) !== null) blobs.add(target);
    try {
      now.set(path, await hashNow(path, ports));
    } catch (thrown) {
      unreadable.set(path, messageOf(thrown));
    }
  }
  const readable = targets.map((each) => ({ ...each, lost: unreadable.get(each.path) ?? each.lost }));
  return planRestore(readable, now, (blob) => blobs.has(blob));
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
  const skipped: { path: string; reason: string }[] = [];
  const images: FileImage[] = [];
  const ready: Extract<RestoreStep, { kind: 'write' | 'remove' }>[] = [];
  for (const step of steps) {
    if (step.kind === 'same') continue;
    const reason = step.kind === 'lost' ? step.reason : await refusalOf(step, overwrite, ports);
    if (step.kind === 'lost' || reason !== null) {
      skipped.push({ path: step.path, reason: reason ?? '' });
      continue;
    }
    const bytes = step.now === null ? null : await ports.files.read(step.path);
    const before = bytes === null ? null : await ports.blobs.put(bytes);
    images.push({ path: step.path, before, after: step.kind === 'write' ? step.blob : null, restorable: true });
    ready.push(step);
  }
  if (ready.length === 0) return { restored: [], skipped, entry: null };
  const entry = await ports.journal.append({ type: 'files', cause: 'restore', files: images });
  const restored: string[] = [];
  for (const step of ready) {
    try {
      await carryOut(step, ports);
      restored.push(step.path);
    } catch (thrown) {
      skipped.push({ path: step.path, reason: messageOf(thrown) });
    }
  }
  await ports.journal.sync();
  return { restored, skipped, entry };
}

/** Null when the step may be carried out. */
async function refusalOf(
  step: Extract<RestoreStep, { kind: 'write' | 'remove' }>,
  overwrite: ReadonlySet<string>,
  ports: RestorePorts,
): Promise<string | null> {
  if (step.conflict && !overwrite.has(step.path)) {
    return step.conflict === 'changedSince'
      ? 'somebody else changed it since, so it was left as it is'
      : 'it cannot be told who changed it last, so it was left as it is';
  }
  try {
    if ((await hashNow(step.path, ports)) !== step.now) return 'it changed after the preview, so it was left as it is';
  } catch (thrown) {
    return messageOf(thrown);
  }
  return null;
}

async function carryOut(step: Extract<RestoreStep, { kind: 'write' | 'remove' }>, ports: RestorePorts): Promise<void> {
  if (step.kind === 'remove') return ports.files.remove(step.path);
  const bytes = await ports.blobs.get(step.blob);
  if (!bytes) throw new Error('what it held is no longer there');
  return ports.files.write(step.path, bytes);
}

async function hashNow(path: string, { files, crypto }: RestorePorts): Promise<string | null> {
  const bytes = await files.read(path);
  return bytes === null ? null : crypto.sha256(bytes);
}

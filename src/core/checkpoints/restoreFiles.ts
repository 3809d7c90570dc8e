/**
 * Plans what restoring the files of an earlier moment would do, and carries it out. A file that others changed since is written only when the
 * person agreed for that file. The present content of every file is journaled first, so a restore can itself be undone.
 */

import { UserFacingError, wordsOf } from '../errors.ts';
import type { Entry, FileImage, FilesEntry } from '../journal/entry.ts';
import { makeNote } from '../journal/makeNote.ts';
import { readWords, verbatim, type Words, words } from '../words.ts';
import { type CheckpointPorts, type FileVersion, inBatches } from './fileKeeper.ts';

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

// The plan, which is pure. The conversation may branch, but the disk has one history, so entries are read in file order:
// the first change of each file after the moment records its earlier content.

/** One file that was changed after the moment. */
export interface RestoreTarget {
  readonly path: string;
  /** Blob of its content at the moment; null when the file did not exist. */
  readonly target: string | null;
  readonly executable: boolean;
  /** Topmost folder that was made for it after the moment. */
  readonly newFolder: string | null;
  /** SHA-256 of the agent's last version, null when the agent deleted the file, undefined when unknown. */
  readonly left: string | null | undefined;
  /** True when `left` is only the content before the agent's last call, which may have been cut off. */
  readonly unsure: boolean;
  /** Set when the agent's last version includes changes by others, made between two of its own. */
  readonly foreign: Conflict | null;
  /** Why the file cannot be restored; null when it can. */
  readonly lost: Words | null;
}

export type RestoreStep = {
  readonly path: string;
  /** SHA-256 of the file's present content; null when it does not exist. */
  readonly now: string | null;
} & (
  | {
      readonly kind: 'write';
      readonly blob: string;
      readonly executable: boolean;
      readonly conflict: Conflict | null;
    }
  | { readonly kind: 'remove'; readonly newFolder: string | null; readonly conflict: Conflict | null }
  | { readonly kind: 'same' }
  | { readonly kind: 'lost'; readonly reason: Words }
);

/** `changedSince`: somebody else changed it after the moment. `unknown`: nobody knows who changed it. */
export type Conflict = 'changedSince' | 'unknown';

type Hash = string | null;

interface FileChain {
  readonly first: FileImage;
  last: { readonly image: FileImage; readonly entry: FilesEntry };
  /** Contents that include changes by others. */
  readonly foreign: Map<Hash, Conflict>;
}

/** Files changed by entries after `moment` (a `seq`, for a checkpoint its own), sorted by path. */
export function listTargets(entries: readonly Entry[], moment: number): RestoreTarget[] {
  const chains = new Map<string, FileChain>();
  for (const entry of entries) {
    if (entry.type !== 'files' || entry.cause === 'reviewed' || entry.seq <= moment) continue;
    for (const image of entry.files) {
      const chain = chains.get(image.path);
      if (chain) addLink(chain, image, entry);
      else chains.set(image.path, { first: image, last: { image, entry }, foreign: new Map() });
    }
  }
  return [...chains].map(([path, chain]) => targetOf(path, chain)).sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** A change that does not start from the content its predecessor left has somebody else's change in between. */
function addLink(chain: FileChain, image: FileImage, entry: FilesEntry): void {
  const { first, foreign } = chain;
  const { image: before, entry: earlier } = chain.last;
  chain.last = { image, entry };
  const sameCall = entry.toolCallId !== undefined && entry.toolCallId === earlier.toolCallId;
  if (!sameCall && !image.restorable) {
    foreign.set(image.after ?? null, 'unknown');
    return;
  }
  const left = before.after === undefined ? before.before : before.after;
  if (!sameCall && image.before !== left && image.before !== first.before)
    foreign.set(image.before, before.after === undefined ? 'unknown' : 'changedSince');
  const inherited = foreign.get(image.before);
  // A restore does not build on earlier contents, and the person already decided about those.
  if (inherited && image.after !== undefined && entry.cause !== 'restore') foreign.set(image.after, inherited);
}

function targetOf(path: string, { first, last: { image }, foreign }: FileChain): RestoreTarget {
  const unsure = image.after === undefined;
  const left = unsure && image.restorable ? image.before : image.after;
  return {
    path,
    target: first.before,
    executable: first.executable ?? false,
    newFolder: first.newFolder ?? null,
    left,
    unsure,
    foreign: left === undefined ? null : (foreign.get(left) ?? null),
    lost: first.restorable ? null : whyLost(first),
  };
}

function whyLost({ reason, reasonWords }: FileImage): Words {
  return reason === undefined ? words('its earlier contents were not kept') : readWords(reasonWords, reason);
}

export function conflictOf({ left, unsure, foreign }: RestoreTarget, present: Hash): Conflict | null {
  if (present === left) return foreign;
  return unsure ? 'unknown' : 'changedSince';
}

interface PresentFile {
  /** SHA-256 of its content. */
  readonly hash: string;
  readonly executable: boolean;
}

/** `now` holds each target's present file; `hasBlob` reports whether a before-image still exists. */
function planRestore(
  targets: readonly RestoreTarget[],
  now: ReadonlyMap<string, PresentFile | null>,
  hasBlob: (blob: string) => boolean,
): RestoreStep[] {
  return targets.map((each): RestoreStep => {
    const { path, target, executable, newFolder, lost } = each;
    const present = now.get(path) ?? null;
    const held = present?.hash ?? null;
    const facts = { path, now: held };
    if (lost) return { ...facts, kind: 'lost', reason: lost };
    if (held === target && (present?.executable ?? false) === (target !== null && executable))
      return { ...facts, kind: 'same' };
    const conflict = conflictOf(each, held);
    if (target === null) return { ...facts, kind: 'remove', newFolder, conflict };
    if (!hasBlob(target)) {
      const reason = words('its earlier contents were cleared: they were too old, or checkpoints kept too much');
      return { ...facts, kind: 'lost', reason };
    }
    return { ...facts, kind: 'write', blob: target, executable, conflict };
  });
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

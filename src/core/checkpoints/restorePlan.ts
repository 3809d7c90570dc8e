/**
 * The plan of a restore. Pure. The conversation may branch, but the disk has one history, so entries are read in file order: the
 * first change of each file after the moment records its earlier content.
 */

import type { Entry, FileImage, FilesEntry } from '../journal/entry.ts';
import { readWords, type Words, words } from '../words.ts';

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

export interface PresentFile {
  /** SHA-256 of its content. */
  readonly hash: string;
  readonly executable: boolean;
}

/** `now` holds each target's present file; `hasBlob` reports whether a before-image still exists. */
export function planRestore(
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

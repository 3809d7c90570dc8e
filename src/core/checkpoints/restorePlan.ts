/**
 * What restoring the files of an earlier moment would do. The disk has one history, whatever branches the conversation
 * has: so the entries are read in file order, and for each file the first change after the moment says what it held.
 * Pure.
 */

import type { Entry, FileImage } from '../journal/entry.ts';

/** One file that was changed after the moment. */
export interface RestoreTarget {
  readonly path: string;
  /** Blob of what it held at the moment; null when it did not exist. */
  readonly target: string | null;
  /** SHA-256 of what the agent left there last, null when it deleted it, undefined when that is not known. */
  readonly left: string | null | undefined;
  /** Why it cannot be restored; empty when it can. */
  readonly lost: string;
}

export type RestoreStep = {
  readonly path: string;
  /** SHA-256 of what the file holds now; null when it does not exist. */
  readonly now: string | null;
} & (
  | { readonly kind: 'write'; readonly blob: string; readonly conflict: Conflict | null }
  | { readonly kind: 'remove'; readonly conflict: Conflict | null }
  | { readonly kind: 'same' }
  | { readonly kind: 'lost'; readonly reason: string }
);

/** `changedSince`: somebody else changed it after the agent did. `unknown`: it cannot be told who did. */
export type Conflict = 'changedSince' | 'unknown';

/** Files changed by entries after `moment` (a `seq`, for a checkpoint its own), sorted by path. */
export function listTargets(entries: readonly Entry[], moment: number): RestoreTarget[] {
  const targets = new Map<string, { first: FileImage; last: FileImage }>();
  for (const entry of entries) {
    if (entry.type !== 'files' || entry.seq <= moment) continue;
    for (const image of entry.files) {
      const known = targets.get(image.path);
      if (known) known.last = image;
      else targets.set(image.path, { first: image, last: image });
    }
  }
  return [...targets]
    .map(([path, { first, last }]) => ({
      path,
      target: first.before,
      left: last.after,
      lost: first.restorable ? '' : (first.reason ?? 'what it held was not kept'),
    }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** `now` has the SHA-256 of each target's present content; `hasBlob` tells whether a before-image is still there. */
export function planRestore(
  targets: readonly RestoreTarget[],
  now: ReadonlyMap<string, string | null>,
  hasBlob: (blob: string) => boolean,
): RestoreStep[] {
  return targets.map(({ path, target, left, lost }): RestoreStep => {
    const held = now.get(path) ?? null;
    const facts = { path, now: held };
    if (lost) return { ...facts, kind: 'lost', reason: lost };
    if (held === target) return { ...facts, kind: 'same' };
    const conflict: Conflict | null = left === undefined ? 'unknown' : held === left ? null : 'changedSince';
    if (target === null) return { ...facts, kind: 'remove', conflict };
    if (!hasBlob(target))
      return { ...facts, kind: 'lost', reason: 'what it held was kept too long ago and has expired' };
    return { ...facts, kind: 'write', blob: target, conflict };
  });
}

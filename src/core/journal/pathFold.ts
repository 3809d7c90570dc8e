/**
 * A fold over a path that goes on from where it stood: mostly a path has only grown, and then only its new entries are read.
 * Another path, as after a revert, is read anew.
 */

import type { TreeEntry } from './entry.ts';

/** The newest entries that are read of a path of which nothing is known: a session may be of any length. */
const MOST_ENTRIES = 20_000;

export class PathFold<State extends { add(entry: TreeEntry): unknown }> {
  readonly #begin: () => State;
  /** By the newest entry that the state holds. */
  readonly #states = new WeakMap<TreeEntry, State>();

  constructor(begin: () => State) {
    this.#begin = begin;
  }

  /**
   * `newestFirst`: the entries of the path; all from `seq` `oldest` on are read in any case. The state is valid until the
   * next call for a longer path.
   */
  at(newestFirst: Iterable<TreeEntry>, oldest = Number.POSITIVE_INFINITY): State {
    const fresh: TreeEntry[] = [];
    let state: State | undefined;
    for (const entry of newestFirst) {
      state = this.#states.get(entry);
      if (state && fresh.length > 0) this.#states.delete(entry);
      if (state || (fresh.length >= MOST_ENTRIES && entry.seq < oldest)) break;
      fresh.push(entry);
    }
    state ??= this.#begin();
    const [newest] = fresh;
    for (const entry of fresh.reverse()) state.add(entry);
    if (newest) this.#states.set(newest, state);
    return state;
  }
}

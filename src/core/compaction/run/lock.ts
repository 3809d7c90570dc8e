/** Lets one compaction, preview or move run at a time, and only while every tool call has its result. */

import type { Journal } from '../../journal/journal.ts';
import { words } from '../../words.ts';
import { none } from '../signals/outcome.ts';
import { isQuiescent } from '../trigger/quiescence.ts';

export class CompactionLock {
  readonly #journal: Journal;
  readonly #onFree: () => void;
  #held = false;

  /** `onFree` is called whenever it has been released. */
  constructor(journal: Journal, onFree: () => void) {
    this.#journal = journal;
    this.#onFree = onFree;
  }

  get held(): boolean {
    return this.#held;
  }

  /** The result of `work`, or why it did not begin. */
  async hold<T>(work: () => Promise<T>): Promise<T | ReturnType<typeof none>> {
    if (this.#held) return none(words('A compaction is already running.'));
    if (!isQuiescent(this.#journal.context.conversation)) return none(words('A tool call has no result yet.'));
    this.#held = true;
    try {
      return await work();
    } finally {
      this.#held = false;
      this.#onFree();
    }
  }
}

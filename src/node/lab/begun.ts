/**
 * The strategy that each session is being replayed under, so that one that ends its worker is named and the others go on
 * without it.
 */

import type { BrokenReplay } from '../../lab/replay.ts';

/** A session for a worker. */
export interface ReplayOrder {
  /** Names of the strategies that are done with it. */
  readonly done?: readonly string[];
}

/** A worker posts this before each strategy. */
export interface Begun {
  readonly type: 'begun';
  readonly session: string;
  readonly strategy: string;
}

export class BegunReplays {
  readonly #onBroken: (broken: BrokenReplay) => void;
  /** By session, in order; the newest is under way. */
  readonly #begun = new Map<string, string[]>();

  constructor(onBroken: (broken: BrokenReplay) => void) {
    this.#onBroken = onBroken;
  }

  begin({ session, strategy }: Begun): void {
    this.#begun.set(session, [...(this.#begun.get(session) ?? []), strategy]);
  }

  report(broken: BrokenReplay): void {
    this.#onBroken(broken);
  }

  /** The worker ended. Returns the session with what is left of it; null where no strategy had begun. */
  end<Source extends ReplayOrder>(source: Source, session: string, reason: string): Source | null {
    const begun = this.#begun.get(session) ?? [];
    const strategy = begun.at(-1);
    if (strategy === undefined || source.done?.includes(strategy)) return null;
    this.#onBroken({ session, strategy, reason });
    return { ...source, done: begun };
  }
}

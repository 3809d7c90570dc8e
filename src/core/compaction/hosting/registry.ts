/**
 * The available strategies: built-in ones, those registered by other extensions, and those in a person's own files. All
 * have the same interface; only `publisher` and `file` tell them apart.
 */

import type { Disposable } from '../../../api/index.ts';
import { type Words, words } from '../../words.ts';
import { BUILT_IN_STRATEGIES } from '../strategies/builtIn.ts';
import type { ListedStrategy, StrategyEntry } from '../strategies/strategyEntry.ts';

export type Unavailable =
  /** `reason` says what is wrong and what can be done. */
  | { readonly kind: 'missing'; readonly reason: Words }
  /** The person did not agree that it may run. `now`: they were just asked, and not earlier in this window. */
  | { readonly kind: 'declined'; readonly reason: Words; readonly now: boolean };

type Resolution = { readonly kind: 'found'; readonly entry: StrategyEntry } | Unavailable;

/** Source of strategies that are not built in. */
interface StrategySource {
  readonly owns: (id: string) => boolean;
  /**
   * Makes a strategy available, and asks for consent. Called for unknown ids and before each use. Null is success.
   * `deliberate`: a person just requested it, so a consent refused before may be asked for again.
   */
  readonly activate: (id: string, deliberate: boolean, signal: AbortSignal) => Promise<Unavailable | null>;
  /** Strategies that can be chosen, even before they are available. */
  readonly declared: () => readonly ListedStrategy[];
}

export class StrategyRegistry {
  readonly #entries = new Map<string, StrategyEntry>();
  readonly #listeners = new Set<(id: string) => void>();
  readonly #sources: StrategySource[] = [];

  constructor(entries: readonly StrategyEntry[] = BUILT_IN_STRATEGIES) {
    for (const entry of entries) this.#entries.set(entry.id, entry);
  }

  get(id: string): StrategyEntry | null {
    return this.#entries.get(id) ?? null;
  }

  connect(source: StrategySource): void {
    this.#sources.push(source);
  }

  async resolve(id: string, deliberate: boolean, signal: AbortSignal): Promise<Resolution> {
    const here = this.#entries.get(id);
    if (here && here.publisher === null) return { kind: 'found', entry: here };
    const source = this.#sources.find(({ owns }) => owns(id));
    const unavailable = source ? await source.activate(id, deliberate, signal) : null;
    const entry = this.#entries.get(id);
    if (unavailable !== null) return unavailable;
    if (entry) return { kind: 'found', entry };
    return { kind: 'missing', reason: words('no installed extension registers the strategy {0}', id) };
  }

  /** All strategies that can be chosen, registered or only declared, the built-in ones first. */
  list(): readonly ListedStrategy[] {
    const declared = this.#sources.flatMap((source) => source.declared());
    const waiting = declared.filter(({ id }) => !this.#entries.has(id));
    return [...this.#entries.values(), ...waiting];
  }

  /** Throws when the id is taken. Disposing removes the strategy and notifies listeners, who end its running calls. */
  register(entry: StrategyEntry): Disposable {
    if (this.#entries.has(entry.id)) throw new Error(`The compaction strategy ${entry.id} is already registered.`);
    // A copy distinguishes this registration from a later one of the same object.
    const own = { ...entry };
    this.#entries.set(entry.id, own);
    this.#notify(entry.id);
    return {
      dispose: () => {
        if (this.#entries.get(entry.id) !== own) return;
        this.#entries.delete(entry.id);
        this.#notify(entry.id);
      },
    };
  }

  /** Calls `listener` with the id of each strategy that was added or removed. */
  onDidChange(listener: (id: string) => void): Disposable {
    this.#listeners.add(listener);
    return { dispose: () => this.#listeners.delete(listener) };
  }

  #notify(id: string): void {
    for (const listener of this.#listeners) listener(id);
  }
}

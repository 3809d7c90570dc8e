/**
 * The available strategies: built-in ones, those registered by other extensions, and those in a person's own files. All
 * have the same interface; only `publisher` and `file` tell them apart. The chooser selects the one to run.
 */

import type { Disposable } from '../../../api/index.ts';
import { makeNote } from '../../journal/makeNote.ts';
import { inEnglish, type Words, words } from '../../words.ts';
import type { CompactorPorts } from '../compactor.ts';
import type { CompactionSettings } from '../settings/compactionSettings.ts';
import { BUILT_IN_STRATEGIES, DEFAULT_STRATEGY } from '../strategies/builtIn.ts';
import { isFileId, type ListedStrategy, type StrategyEntry } from '../strategies/strategyEntry.ts';
import type { StrategyHost } from './strategyHost.ts';

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
    this.#tell(entry.id);
    return {
      dispose: () => {
        if (this.#entries.get(entry.id) !== own) return;
        this.#entries.delete(entry.id);
        this.#tell(entry.id);
      },
    };
  }

  /** Calls `listener` with the id of each strategy that was added or removed. */
  onDidChange(listener: (id: string) => void): Disposable {
    this.#listeners.add(listener);
    return { dispose: () => this.#listeners.delete(listener) };
  }

  #tell(id: string): void {
    for (const listener of this.#listeners) listener(id);
  }
}

export type ChosenStrategy =
  | { readonly kind: 'chosen'; readonly entry: StrategyEntry }
  /** `now` as in `Unavailable`; `instead` could run if the person agrees to that. */
  | { readonly kind: 'declined'; readonly now: boolean; readonly instead: StrategyEntry }
  | { readonly kind: 'stopped' };

/** A contributed strategy is disabled for the session after this many failures of its own. */
const MOST_FAILURES = 3;

/**
 * Selects the strategy to run: the chosen one, or the default when it is missing, cannot be created, or failed too often
 * in this session. A fallback is never silent: it is noted in the transcript, once for each reason. In place of a strategy
 * that the person declined nothing runs unasked.
 */
export class StrategyChooser {
  readonly #ports: CompactorPorts;
  readonly #host: StrategyHost;
  /** Strategies that cannot be created, and why. Another version of a person's file is another entry. */
  readonly #broken = new WeakMap<StrategyEntry, Words>();
  readonly #failures = new Map<string, number>();
  readonly #told = new Set<string>();

  constructor(ports: CompactorPorts, host: StrategyHost) {
    this.#ports = ports;
    this.#host = host;
  }

  async choose(
    { strategy: id, strategyFile }: Pick<CompactionSettings, 'strategy' | 'strategyFile'>,
    deliberate: boolean,
    signal: AbortSignal,
  ): Promise<ChosenStrategy> {
    const resolved = await this.#resolve(id, deliberate, signal);
    if (signal.aborted) return { kind: 'stopped' };
    if (resolved.kind === 'found') return { kind: 'chosen', entry: resolved.entry };
    const fallback = this.#ports.registry.get(DEFAULT_STRATEGY);
    if (!fallback) throw new Error(`The registry has no ${DEFAULT_STRATEGY}`);
    if (resolved.kind === 'declined') return { kind: 'declined', now: resolved.now, instead: fallback };
    const { reason: chosen } = resolved;
    await this.#tell(
      strategyFile === undefined
        ? words(
            'The compaction strategy {0} cannot be used: {1}. {2} is used instead. Choose another in the setting palimpsest.compaction.strategy.',
            id,
            chosen,
            DEFAULT_STRATEGY,
          )
        : words(
            'The compaction strategy {0} cannot be used: {1}. {2} is used instead. The agent’s file {3} names it: change its line “strategy”, or remove it.',
            id,
            chosen,
            DEFAULT_STRATEGY,
            strategyFile,
          ),
    );
    return { kind: 'chosen', entry: fallback };
  }

  async #resolve(id: string, deliberate: boolean, signal: AbortSignal): Promise<Resolution> {
    if (this.#failedTooOften(id))
      return { kind: 'missing', reason: words('it failed {0} times in this session', MOST_FAILURES) };
    const resolved = await this.#ports.registry.resolve(id, deliberate, signal);
    if (resolved.kind !== 'found') return resolved;
    const { entry } = resolved;
    const known = this.#broken.get(entry);
    if (known) return { kind: 'missing', reason: known };
    const hosted = this.#host.use(entry);
    if (hosted.kind === 'ready') return resolved;
    this.#broken.set(entry, hosted.reason);
    return { kind: 'missing', reason: hosted.reason };
  }

  /** True when it cannot be created, or failed too often in this session, so that another is used. */
  isDisabled(id: string): boolean {
    const entry = this.#ports.registry.get(id);
    return this.#failedTooOften(id) || (entry !== null && this.#broken.has(entry));
  }

  #failedTooOften(id: string): boolean {
    return (this.#failures.get(id) ?? 0) >= MOST_FAILURES && this.#ports.registry.get(id)?.publisher !== null;
  }

  /** Counts a failure of the strategy itself; an unreachable model does not count. */
  countFailure(id: string): void {
    this.#failures.set(id, (this.#failures.get(id) ?? 0) + 1);
  }

  /** Another version of a person's file begins without failures. */
  forgetFailures(id: string): void {
    if (isFileId(id)) this.#failures.delete(id);
  }

  async #tell(said: Words): Promise<void> {
    const text = inEnglish(said);
    this.#ports.log('warn', text);
    if (this.#told.has(text)) return;
    this.#told.add(text);
    await this.#ports.journal.append(makeNote('warning', said));
  }
}

/**
 * Which strategy runs: the chosen one, or the default when it is missing, was not consented to, or failed too often in
 * this session. A fallback is never silent: it is noted in the transcript, once for each reason.
 */

import type { Journal } from '../../journal/journal.ts';
import { noteOf } from '../../journal/noteOf.ts';
import type { Log } from '../../ports.ts';
import { inEnglish, type Words, words } from '../../words.ts';
import { DEFAULT_STRATEGY } from '../strategies/builtIn.ts';
import type { StrategyRegistry } from './registry.ts';
import type { StrategyEntry } from './strategyEntry.ts';
import { isFileId } from './strategyId.ts';

/** A contributed strategy is out for the session after this many failures of its own. */
const MOST_FAILURES = 3;

export class StrategyChooser {
  readonly #registry: StrategyRegistry;
  readonly #journal: Journal;
  readonly #log: Log;
  readonly #failures = new Map<string, number>();
  readonly #told = new Set<string>();

  constructor(registry: StrategyRegistry, journal: Journal, log: Log) {
    this.#registry = registry;
    this.#journal = journal;
    this.#log = log;
  }

  async choose(id: string, deliberate: boolean, signal: AbortSignal): Promise<StrategyEntry> {
    const resolved = this.isOut(id) ? null : await this.#registry.resolve(id, deliberate, signal);
    if (resolved?.kind === 'found') return resolved.entry;
    const why = resolved ? resolved.reason : words('it failed {0} times in this session', MOST_FAILURES);
    await this.#tell(
      words(
        'The compaction strategy {0} cannot be used: {1}. {2} is used instead. Choose another in the setting palimpsest.compaction.strategy.',
        id,
        why,
        DEFAULT_STRATEGY,
      ),
    );
    const fallback = this.#registry.get(DEFAULT_STRATEGY);
    if (!fallback) throw new Error(`The registry has no ${DEFAULT_STRATEGY}`);
    return fallback;
  }

  /** Whether it failed too often in this session to be used. */
  isOut(id: string): boolean {
    return (this.#failures.get(id) ?? 0) >= MOST_FAILURES && this.#registry.get(id)?.publisher !== null;
  }

  /** Counts a failure of the strategy itself; a model that could not be reached is none. */
  countFailure(id: string): void {
    this.#failures.set(id, (this.#failures.get(id) ?? 0) + 1);
  }

  /** Another version of a person's file begins without failures. */
  forgetFailures(id: string): void {
    if (isFileId(id)) this.#failures.delete(id);
  }

  async #tell(said: Words): Promise<void> {
    const text = inEnglish(said);
    this.#log('warn', text);
    if (this.#told.has(text)) return;
    this.#told.add(text);
    await this.#journal.append(noteOf('warning', said));
  }
}

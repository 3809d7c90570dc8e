/**
 * Selects the strategy to run: the chosen one, or the default when it is missing, lacks consent, cannot be created, or
 * failed too often in this session. A fallback is never silent: it is noted in the transcript, once for each reason.
 */

import { makeNote } from '../../journal/makeNote.ts';
import { inEnglish, type Words, words } from '../../words.ts';
import type { CompactorPorts } from '../compactor.ts';
import type { CompactionSettings } from '../settings.ts';
import { DEFAULT_STRATEGY } from '../strategies/builtIn.ts';
import { isFileId, type StrategyEntry } from './strategyEntry.ts';
import type { StrategyHost } from './strategyHost.ts';

/** A contributed strategy is disabled for the session after this many failures of its own. */
const MOST_FAILURES = 3;

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
  ): Promise<StrategyEntry> {
    const chosen = await this.#resolve(id, deliberate, signal);
    if ('factory' in chosen) return chosen;
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
    const fallback = this.#ports.registry.get(DEFAULT_STRATEGY);
    if (!fallback) throw new Error(`The registry has no ${DEFAULT_STRATEGY}`);
    return fallback;
  }

  /** Returns the entry, or why it is unavailable. */
  async #resolve(id: string, deliberate: boolean, signal: AbortSignal): Promise<StrategyEntry | Words> {
    if (this.#failedTooOften(id)) return words('it failed {0} times in this session', MOST_FAILURES);
    const resolved = await this.#ports.registry.resolve(id, deliberate, signal);
    if (resolved.kind === 'missing') return resolved.reason;
    const { entry } = resolved;
    const known = this.#broken.get(entry);
    if (known) return known;
    const hosted = this.#host.use(entry);
    if (hosted.kind === 'ready') return entry;
    this.#broken.set(entry, hosted.reason);
    return hosted.reason;
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

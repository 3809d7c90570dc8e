/**
 * Which strategy runs: the chosen one, or the default when it is missing, was not consented to, cannot be created, or failed
 * too often in this session. A fallback is never silent: it is noted in the transcript, once for each reason.
 */

import type { CompactionStrategy, SummaryModel } from '../../../api/index.ts';
import { ToldError } from '../../errors.ts';
import type { Journal } from '../../journal/journal.ts';
import { noteOf } from '../../journal/noteOf.ts';
import type { Log } from '../../ports.ts';
import { inEnglish, type Words, words } from '../../words.ts';
import type { CompactorPorts } from '../compactorPorts.ts';
import type { CompactionSettings } from '../settings.ts';
import { DEFAULT_STRATEGY } from '../strategies/builtIn.ts';
import type { StrategyRegistry } from './registry.ts';
import type { StrategyEntry } from './strategyEntry.ts';
import { isFileId } from './strategyEntry.ts';
import { MODEL_NOT_NEEDED, type StrategyHost } from './strategyHost.ts';
import { refusingSummariser } from './summarise.ts';

/** A contributed strategy is out for the session after this many failures of its own. */
const MOST_FAILURES = 3;

export class StrategyChooser {
  readonly #registry: StrategyRegistry;
  readonly #journal: Journal;
  readonly #log: Log;
  readonly #host: StrategyHost;
  /** Those that cannot be created, and why. Another version of a person's file is another entry. */
  readonly #broken = new WeakMap<StrategyEntry, Words>();
  readonly #failures = new Map<string, number>();
  readonly #told = new Set<string>();

  constructor({ registry, journal, log }: Pick<CompactorPorts, 'registry' | 'journal' | 'log'>, host: StrategyHost) {
    this.#registry = registry;
    this.#journal = journal;
    this.#log = log;
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
    const fallback = this.#registry.get(DEFAULT_STRATEGY);
    if (!fallback) throw new Error(`The registry has no ${DEFAULT_STRATEGY}`);
    return fallback;
  }

  /** Why not, in words. */
  async #resolve(id: string, deliberate: boolean, signal: AbortSignal): Promise<StrategyEntry | Words> {
    if (this.#failedTooOften(id)) return words('it failed {0} times in this session', MOST_FAILURES);
    const resolved = await this.#registry.resolve(id, deliberate, signal);
    if (resolved.kind === 'missing') return resolved.reason;
    const { entry } = resolved;
    const known = this.#broken.get(entry);
    if (known) return known;
    const hosted = this.#host.use(entry);
    if (hosted.kind === 'ready') return entry;
    this.#broken.set(entry, hosted.reason);
    return hosted.reason;
  }

  /** Whether it cannot be created, or failed too often in this session, so that another is used. */
  isOut(id: string): boolean {
    const entry = this.#registry.get(id);
    return this.#failedTooOften(id) || (entry !== null && this.#broken.has(entry));
  }

  #failedTooOften(id: string): boolean {
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

/** Lends a strategy for one compaction: its ports are open while the work lasts, and it may be taken away meanwhile. */
interface LentStrategy {
  readonly strategy: CompactionStrategy;
  /** Refuses when the strategy does not name it in `needs`. */
  readonly llm: SummaryModel;
  /** Aborted when the strategy's extension takes it away. */
  readonly gone: AbortSignal;
}

/** `section` holds the strategy's own settings. A strategy that cannot be created is lent as one that fails. */
export async function lendStrategy<T>(
  host: StrategyHost,
  registry: StrategyRegistry,
  entry: StrategyEntry,
  model: SummaryModel,
  section: Readonly<Record<string, unknown>>,
  work: (lent: LentStrategy) => Promise<T>,
): Promise<T> {
  const hosted = host.use(entry);
  const gone = new AbortController();
  if (hosted.kind === 'broken') {
    const strategy = { compact: () => Promise.reject(new ToldError(hosted.reason)) };
    return work({ strategy, llm: model, gone: gone.signal });
  }
  const watch = registry.onDidChange((id) => {
    if (id === entry.id && registry.get(id) !== entry) gone.abort();
  });
  const llm = hosted.usesModel ? model : refusingSummariser(MODEL_NOT_NEEDED);
  host.open(llm, section);
  try {
    return await work({ strategy: hosted.strategy, llm, gone: gone.signal });
  } finally {
    host.close();
    watch.dispose();
  }
}

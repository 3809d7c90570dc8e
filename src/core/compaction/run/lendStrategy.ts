/** Lends a strategy for one compaction: its ports are open while the work lasts, and it may be taken away meanwhile. */

import type { CompactionStrategy, SummaryModel } from '../../../api/index.ts';
import { ToldError } from '../../errors.ts';
import type { StrategyRegistry } from './registry.ts';
import type { StrategyEntry } from './strategyEntry.ts';
import { MODEL_NOT_NEEDED, type StrategyHost } from './strategyHost.ts';
import { refusingSummariser } from './summarise.ts';

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

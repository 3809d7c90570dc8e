import type { StrategyMemory } from '../../src/core/compaction/run/strategyMemory.ts';

/** What a session that has just begun has. */
export const NO_MEMORY: StrategyMemory = {
  sessionId: 'none',
  details: undefined,
  previousSummary: undefined,
  files: { read: [], changed: [] },
  past: [],
};

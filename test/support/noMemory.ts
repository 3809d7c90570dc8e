import type { StrategyMemory } from '../../src/core/compaction/hosting/strategyMemory.ts';

/** The memory of a session that has just begun. */
export const NO_MEMORY: StrategyMemory = {
  sessionId: 'none',
  details: undefined,
  previousSummary: undefined,
  files: { read: [], changed: [] },
  past: [],
};

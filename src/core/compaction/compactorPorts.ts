/** What the compactor is given: the session it works on, and the ways in which it asks and tells. */

import type { Journal } from '../journal/journal.ts';
import type { BlobStore, Clock, ConsentAnswer, ConsentQuestion, Crypto, Log, ModelChoice, Timers } from '../ports.ts';
import type { LearnedWindows } from '../tokens/learnedWindows.ts';
import type { Words } from '../words.ts';
import type { CompactionProgress, CompactionSignal } from './events.ts';
import type { StrategyRegistry } from './run/registry.ts';
import type { CompactionSettings } from './settings.ts';

export interface CompactorPorts {
  readonly journal: Journal;
  /** The model of the session's turns; null when none is set up. */
  readonly model: () => ModelChoice | null;
  /** The model for summaries; null means the session's own. */
  readonly summaryModel: () => ModelChoice | null;
  /** Why that one cannot be used, so that the session's own takes its place; null when it can, or none is set. */
  readonly summaryProblem?: () => Words | null;
  /** What is in force; with `instead`, what would be with that strategy. */
  readonly settings: (instead?: string) => CompactionSettings;
  readonly registry: StrategyRegistry;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly crypto: Crypto;
  readonly log: Log;
  readonly consent: (question: ConsentQuestion, signal: AbortSignal) => Promise<ConsentAnswer>;
  readonly blobs: BlobStore;
  readonly windows: LearnedWindows;
  readonly onProgress: (progress: CompactionProgress) => void;
  readonly onEvent: (event: CompactionSignal) => void;
}

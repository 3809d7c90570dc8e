/** What the compactor is given: the session it works on, and the ways in which it asks and tells. */

import type { Journal } from '../journal/journal.ts';
import type { BlobStore, Clock, Crypto, Log, ModelChoice } from '../ports.ts';
import type { LearnedWindows } from '../tokens/learnedWindows.ts';
import type { CompactionProgress, CompactionSignal } from './events.ts';
import type { StrategyRegistry } from './run/registry.ts';
import type { Timers } from './run/runStrategy.ts';
import type { CompactionSettings } from './settings.ts';

export type ConsentAnswer = 'compact' | 'dropOldest' | 'newSession' | 'notNow';

export interface ConsentQuestion {
  readonly strategy: string;
  readonly tokens: number;
  /** 0 when unknown. */
  readonly window: number;
}

export interface CompactorPorts {
  readonly journal: Journal;
  /** The model of the session's turns; null when none is set up. */
  readonly model: () => ModelChoice | null;
  /** The model for summaries (B11); null means the session's own. */
  readonly summaryModel: () => ModelChoice | null;
  readonly settings: () => CompactionSettings;
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

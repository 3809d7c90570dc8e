/** The ports of a compactor: those of its parts, and the callbacks that ask and inform a person. */

import type { Money } from '../money.ts';
import type { Words } from '../words.ts';
import type { SummariserPorts } from './run/openSummariser.ts';
import type { ChooserPorts } from './run/strategyChooser.ts';
import type { CompactionSettings } from './settings/compactionSettings.ts';
import type { CompactionProgress, CompactionSignal } from './signals/compactionSignal.ts';
import type { ConsentAnswer, ConsentQuestion } from './signals/consent.ts';
import type { EarlyRulePorts } from './when/earlyRule.ts';
import type { GaugePorts } from './when/gauge.ts';

export interface CompactorPorts extends GaugePorts, SummariserPorts, ChooserPorts, EarlyRulePorts {
  /**
   * Why the model for summaries cannot be used, so that the session's model replaces it; null when it can, or none is
   * configured.
   */
  readonly summaryProblem?: () => Words | null;
  /** The settings in force; with `instead`, those for that strategy. */
  readonly settings: (instead?: string) => CompactionSettings;
  readonly consent: (question: ConsentQuestion, signal: AbortSignal) => Promise<ConsentAnswer>;
  /** Whether an expense that nobody asked for, null for an unknown one, stays within the person's limits. */
  readonly mayCost: (cost: Money | null) => boolean;
  readonly onProgress: (progress: CompactionProgress) => void;
  readonly onEvent: (event: CompactionSignal) => void;
}

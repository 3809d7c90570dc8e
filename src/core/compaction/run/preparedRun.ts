/** The inputs of one compaction, collected from the journal at its start. */

import type { CompactionEntry, SummaryWriter } from '../../journal/entry.ts';
import type { Words } from '../../words.ts';
import type { Market } from '../hosting/strategyCall.ts';
import type { ProposalOutcome } from '../proposal/proposal.ts';
import type { Start } from '../proposal/start.ts';
import type { Worth } from '../proposal/worth.ts';
import type { CompactionSettings } from '../settings/compactionSettings.ts';
import type { CompactionRequest } from '../signals/outcome.ts';
import type { OpenRequest } from '../summariser/openRequest.ts';
import type { Summariser } from '../summariser/summariser.ts';

export interface RunOrder extends CompactionRequest {
  /** Strategy id, or a substitute where no strategy runs. */
  readonly strategy: string;
  readonly settings: CompactionSettings;
  /** Number of provider refusals since the last answer. */
  readonly refusals: number;
  /** The value compared when the trigger fired; null without a trigger. */
  readonly fired: number | null;
  readonly begun: number;
  readonly worth: Worth;
  /** A person has agreed to a summary of any price. */
  readonly agreed?: boolean;
  /** Only to see what it would do: no model is asked. */
  readonly dry?: boolean;
  /** For a summary prepared while the agent continues: counts its requests. */
  readonly ahead?: OpenRequest;
}

export interface PreparedRun extends Start {
  readonly order: RunOrder;
  /** `seq` of the newest entry that the strategy sees. */
  readonly base: number;
  readonly window: number;
  readonly llm: Summariser;
  readonly market: Market;
  /** The model that would write summaries; null when none can be reached. */
  readonly writer: SummaryWriter | null;
  /** Its summary was prepared while the agent continued. */
  readonly prepared?: CompactionEntry['prepared'];
  /** If set, this run asks no model for this reason, and that is not counted as a new failure. */
  readonly cooling: Words | null;
}

/** An outcome with its run; for a prepared summary, that run's costs are the summary's. */
export interface Proposed {
  readonly run: PreparedRun;
  readonly outcome: ProposalOutcome;
}

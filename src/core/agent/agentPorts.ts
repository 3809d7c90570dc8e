/** What an agent is made of, by name: its session, models, workspace, person, settings, compaction and machine. */

import type { FileHistorySource } from '../checkpoints/fileHistory.ts';
import type { CompactorPorts } from '../compaction/compactorPorts.ts';
import type { HeaderItem } from '../journal/entry.ts';
import type { Journal } from '../journal/journal.ts';
import type {
  Approver,
  BlobStore,
  Clock,
  Crypto,
  Files,
  Log,
  ModelChoice,
  ModelProblem,
  Shell,
  Timers,
} from '../ports.ts';
import { completeValues } from '../settings/readSection.ts';
import type { SectionValues } from '../settings/setting.ts';
import type { WorkspaceTrust } from '../tools/approvals.ts';
import type { Tool } from '../tools/tool.ts';
import { OUTPUT } from '../tools/toolSettings.ts';
import { AGENT } from './agentSettings.ts';
import type { TurnEvent } from './turn.ts';

/** Where the session is written. */
export interface AgentSession {
  readonly journal: Journal;
  readonly blobs: BlobStore;
}

export interface AgentModels {
  /** Name of the model of a session that has not been given one. */
  readonly initial: () => string;
  /** The client for a model's name. A summary's caller retries by itself, so for it the client does not. */
  readonly resolve: (name: string, purpose: 'turn' | 'summary') => ModelChoice | ModelProblem;
}

/** What the tools work on. */
export interface AgentWorkspace {
  readonly files: Files;
  readonly shell: Shell;
  readonly trust: () => WorkspaceTrust;
}

/** How a person is asked and told. */
export interface AgentPerson {
  readonly approver: Approver;
  readonly consent: CompactorPorts['consent'];
}

export interface AgentSettings {
  readonly agent: SectionValues<typeof AGENT>;
  /** How much of a result comes back. */
  readonly output: SectionValues<typeof OUTPUT>;
}

export const DEFAULT_AGENT_SETTINGS: AgentSettings = {
  agent: completeValues(AGENT.fields, {}),
  output: completeValues(OUTPUT.fields, {}),
};

export type AgentCompaction = Pick<CompactorPorts, 'settings' | 'registry' | 'windows'>;

/** What the machine gives. */
export interface AgentSystem {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly crypto: Crypto;
  readonly log: Log;
}

/** Told while it runs; nothing that lasts depends on them. */
export interface AgentEvents {
  readonly onTurn: (event: TurnEvent) => void;
  readonly onProgress: CompactorPorts['onProgress'];
  readonly onCompaction: CompactorPorts['onEvent'];
}

export interface AgentPorts {
  readonly session: AgentSession;
  readonly models: AgentModels;
  readonly workspace: AgentWorkspace;
  readonly person: AgentPerson;
  readonly settings: () => AgentSettings;
  readonly compaction: AgentCompaction;
  readonly system: AgentSystem;
  readonly events: AgentEvents;
  /** The tools that work on the workspace. Those that work on the session come by themselves. */
  readonly tools: readonly Tool[];
  /** What stands before the conversation; left out, the built-in system prompt alone. */
  readonly header?: () => Promise<readonly Omit<HeaderItem, 'tokens'>[]>;
  /** Keeps what files held before each change; left out, nothing is kept. */
  readonly checkpoints?: FileHistorySource;
}

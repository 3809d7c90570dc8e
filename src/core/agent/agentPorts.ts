/** The parts of an agent: its session, models, workspace, person, settings, compaction and system. */

import type { FileHistorySource } from '../checkpoints/fileHistory.ts';
import type { FileKeeper } from '../checkpoints/fileKeeper.ts';
import type { CompactorPorts } from '../compaction/compactor.ts';
import type { UserMessage } from '../context/message.ts';
import { MEMORY, type MemoryText } from '../instructions/memoryFiles.ts';
import { SKILLS, type SkillText } from '../instructions/skill.ts';
import type { HeaderItem, SessionEntry } from '../journal/entry.ts';
import type { Journal } from '../journal/journal.ts';
import type { McpServers } from '../mcp/mcpServers.ts';
import { MENTIONS, type MentionSources } from '../mentions/mention.ts';
import type {
  Approver,
  BlobStore,
  Clock,
  Crypto,
  Log,
  ModelChoice,
  ModelProblem,
  Questioner,
  Timers,
} from '../ports.ts';
import { completeValues } from '../settings/readSection.ts';
import type { SectionValues } from '../settings/setting.ts';
import type { ReportSkipped } from '../sourceFile.ts';
import type { SessionGrants, WorkspaceTrust } from '../tools/approvals.ts';
import type { PastReport, Tool, ToolPorts } from '../tools/tool.ts';
import { OUTPUT } from '../tools/toolSettings.ts';
import type { AgentFiles } from './agentFile.ts';
import { AGENT } from './agentSettings.ts';
import type { ParentBudget } from './budget.ts';
import type { Mailbox } from './dmail.ts';
import type { Secrets } from './hideSecrets.ts';
import { HOOKS, type HookRunner } from './hooks.ts';
import type { TurnEvent } from './turn.ts';

/** The session's journal and blobs. */
interface AgentSession {
  readonly journal: Journal;
  readonly blobs: BlobStore;
}

interface AgentModels {
  /** Model name for a session without its own. */
  readonly initial: () => string;
  /**
   * The client for a model's name. The compactor retries summaries itself, so a client for summaries does not retry. A
   * name without an endpoint is searched for first at the endpoint of `beside`, the session's model.
   */
  readonly resolve: (name: string, purpose: 'turn' | 'summary', beside: string) => ModelChoice | ModelProblem;
  /** False when an agent's file may not name this model: servers are asked only for listed models. Default: any. */
  readonly lists?: (name: string) => boolean;
  /** Updates what is known of a model from its server before a turn. Does not wait long, and never fails. */
  readonly refresh?: (name: string) => Promise<void>;
}

/** The environment of the tools. */
export interface AgentWorkspace
  extends Pick<
    ToolPorts,
    'files' | 'shell' | 'language' | 'git' | 'background' | 'web' | 'commandRules' | 'commandDisk'
  > {
  readonly trust: () => WorkspaceTrust;
  /** Runs the person's hooks. Default: none. */
  readonly hooks?: HookRunner;
  /** The person's own memory file, for every folder. Default: none. */
  readonly ownMemory?: (reportSkipped: ReportSkipped) => Promise<MemoryText | null>;
  /** The person's own skills, for every folder. Default: none. */
  readonly ownSkills?: (reportSkipped: ReportSkipped) => Promise<readonly SkillText[]>;
}

/** A message that the person sends while a turn runs. */
export interface SaidMeanwhile {
  readonly message: UserMessage;
  /** The person agreed to reading mentioned files that may hold secrets. */
  readonly mentionsSecrets: boolean;
}

/** Asks and informs the person. */
export interface AgentPerson {
  readonly approver: Approver;
  readonly consent: CompactorPorts['consent'];
  /** Messages since the turn's last request, for the model to read before its next one. Default: none. */
  readonly steering?: () => readonly SaidMeanwhile[];
  /** Answers the model's questions. Default: it cannot ask. */
  readonly questions?: Questioner;
}

export interface AgentSettings extends SectionValues<typeof HOOKS> {
  readonly agent: SectionValues<typeof AGENT>;
  /** Limits of a result's size. */
  readonly output: SectionValues<typeof OUTPUT>;
  /** Memory files, at the beginning of every request. */
  readonly memory: SectionValues<typeof MEMORY>;
  readonly skills: SectionValues<typeof SKILLS>;
  readonly mentions: SectionValues<typeof MENTIONS>;
}

export const DEFAULT_AGENT_SETTINGS: AgentSettings = {
  ...completeValues(HOOKS.fields, {}),
  agent: completeValues(AGENT.fields, {}),
  output: completeValues(OUTPUT.fields, {}),
  memory: completeValues(MEMORY.fields, {}),
  skills: completeValues(SKILLS.fields, {}),
  mentions: completeValues(MENTIONS.fields, {}),
};

type AgentCompaction = Pick<CompactorPorts, 'settings' | 'registry' | 'windows'>;

/** Clock, randomness and other services of the machine. */
export interface AgentSystem {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly crypto: Crypto;
  readonly log: Log;
}

/** Progress, for display only. */
export interface AgentEvents {
  readonly onTurn: (event: TurnEvent) => void;
  readonly onProgress: CompactorPorts['onProgress'];
  readonly onCompaction: CompactorPorts['onEvent'];
}

export interface SubagentSession {
  readonly id: string;
  readonly journal: Journal;
  readonly blobs: BlobStore;
}

/** Stores the sessions of subagents next to their parent's. */
export interface SubagentStore {
  create(parentEntry: NonNullable<SessionEntry['parentEntry']>): Promise<SubagentSession>;
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
  /**
   * Texts that are neither stored nor displayed if a model or a tool returns them: keys of endpoints. Default: none.
   */
  readonly secrets?: Secrets;
  /** The tools that work on the workspace; session tools are always available. */
  readonly tools: readonly Tool[];
  /** Servers whose tools are offered too, in a trusted folder. Default: none. */
  readonly mcp?: McpServers;
  /** Sources of mentions (`@file`) in addition to the ports of the tools. Omitted: mentions are plain text. */
  readonly mentions?: MentionSources;
  /** Agent files that a session may use instead of the built-in agent. Default: none. */
  readonly agents?: AgentFiles;
  /** Stores the sessions of subagents. Omitted where there are none. */
  readonly subagents?: SubagentStore;
  /** Set for a subagent only: its parent's grants, its own tools, the parent's file keeper, and the parent's orders. */
  readonly parent?: {
    readonly grants: { current: SessionGrants };
    readonly keeper: Pick<FileKeeper, 'before' | 'after'> | undefined;
    readonly journal: Journal;
    readonly budget: ParentBudget;
    readonly mayUse: (tool: string) => boolean;
    /** Throws `ToolError` with the reason when that is not allowed. */
    readonly reportToPast: (report: PastReport) => void;
  };
  /** Messages that other sessions left for this one. Default: none. */
  readonly mailbox?: Mailbox;
  /** The items before the conversation. Default: the built-in system prompt alone. */
  readonly header?: () => Promise<readonly Omit<HeaderItem, 'tokens'>[]>;
  /** Keeps the contents of files before each change. Default: nothing is kept. */
  readonly checkpoints?: FileHistorySource;
}

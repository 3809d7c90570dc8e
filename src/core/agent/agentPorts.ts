/** The parts of an agent: its session, models, workspace, person, settings, compaction and machine. */

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
import type { LeaveOut } from '../sourceFile.ts';
import type { SessionGrants, WorkspaceTrust } from '../tools/approvals.ts';
import type { PastReport, Tool, ToolPorts } from '../tools/tool.ts';
import { OUTPUT } from '../tools/toolSettings.ts';
import type { AgentFiles } from './agentFile.ts';
import { AGENT } from './agentSettings.ts';
import type { Mailbox } from './dmail.ts';
import type { Secrets } from './hideSecrets.ts';
import { HOOKS, type HookRunner } from './hooks.ts';
import type { TurnEvent } from './turn.ts';

/** The session's journal and contents. */
interface AgentSession {
  readonly journal: Journal;
  readonly blobs: BlobStore;
}

interface AgentModels {
  /** Name of the model for a session that has none of its own. */
  readonly initial: () => string;
  /**
   * The client for a model's name. Summaries have their own retries, so a client for them makes none. A name that says no
   * endpoint is looked for first where `beside`, the session's own model, is.
   */
  readonly resolve: (name: string, purpose: 'turn' | 'summary', beside: string) => ModelChoice | ModelProblem;
  /** Whether an agent's file may name this model: a server is asked only for what somebody listed. By default any. */
  readonly lists?: (name: string) => boolean;
  /** Finds out before a turn what a model's server says of it now. Does not wait long, and never fails. */
  readonly refresh?: (name: string) => Promise<void>;
}

/** The world of the tools. */
export interface AgentWorkspace
  extends Pick<ToolPorts, 'files' | 'shell' | 'language' | 'git' | 'background' | 'web' | 'commandRules'> {
  readonly trust: () => WorkspaceTrust;
  /** Runs the person's hooks. By default there are none. */
  readonly hooks?: HookRunner;
  /** The person's own memory file, for every folder. By default there is none. */
  readonly ownMemory?: (leaveOut: LeaveOut) => Promise<MemoryText | null>;
  /** The person's own skills, for every folder. By default there are none. */
  readonly ownSkills?: (leaveOut: LeaveOut) => Promise<readonly SkillText[]>;
}

/** A message of the person while a turn runs. */
export interface SaidMeanwhile {
  readonly message: UserMessage;
  /** They agreed that mentioned files which may hold secrets are read. */
  readonly mentionsSecrets: boolean;
}

/** How a person is asked and told. */
export interface AgentPerson {
  readonly approver: Approver;
  readonly consent: CompactorPorts['consent'];
  /** Messages since the turn's last request, which the model reads before its next one. By default none. */
  readonly steering?: () => readonly SaidMeanwhile[];
  /** Answers what the model asks. By default it cannot ask. */
  readonly questions?: Questioner;
}

export interface AgentSettings extends SectionValues<typeof HOOKS> {
  readonly agent: SectionValues<typeof AGENT>;
  /** How much of a result comes back. */
  readonly output: SectionValues<typeof OUTPUT>;
  /** Memory files, which begin every request. */
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

/** The machine. */
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

/** Keeps the sessions of subagents beside their parent's. */
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
  /** Texts that are neither kept nor drawn if a model or a tool returns them: keys of endpoints. By default none. */
  readonly secrets?: Secrets;
  /** The tools that work on the workspace; those that work on the session are always there. */
  readonly tools: readonly Tool[];
  /** Servers whose tools are offered too, in a trusted folder. By default none. */
  readonly mcp?: McpServers;
  /** Sources of mentions (`@file`) beside the ports of the tools. Left out, a mention is only text. */
  readonly mentions?: MentionSources;
  /** Agents in files that a session may have instead of the built-in one. By default there are none. */
  readonly agents?: AgentFiles;
  /** Keeps the sessions of agents that this one gives tasks to. Left out where there are none. */
  readonly subagents?: SubagentStore;
  /** Given to a subagent alone: what was allowed in its parent's session, which tools it has, where file contents are kept, and whose orders hold too. */
  readonly parent?: {
    readonly grants: { current: SessionGrants };
    readonly keeper: Pick<FileKeeper, 'before' | 'after'> | undefined;
    readonly journal: Journal;
    readonly mayUse: (tool: string) => boolean;
    /** Throws `ToolError` with the reason when it may not. */
    readonly reportToPast: (report: PastReport) => void;
  };
  /** Messages that other sessions left for this one. By default there are none. */
  readonly mailbox?: Mailbox;
  /** The items before the conversation. By default the built-in system prompt alone. */
  readonly header?: () => Promise<readonly Omit<HeaderItem, 'tokens'>[]>;
  /** Keeps the contents of files before each change. By default nothing is kept. */
  readonly checkpoints?: FileHistorySource;
}

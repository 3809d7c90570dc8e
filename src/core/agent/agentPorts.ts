/** The parts of an agent: its session, models, workspace, person, compaction and system, and its settings. */

import * as z from 'zod';
import type { FileHistorySource } from '../checkpoints/fileHistory.ts';
import type { FileKeeper } from '../checkpoints/fileKeeper.ts';
import type { Clock, Timers } from '../clock.ts';
import type { CompactorPorts } from '../compaction/compactorPorts.ts';
import { type CompactionSettings, readCompactionSettings } from '../compaction/settings/compactionSettings.ts';
import type { UserMessage } from '../context/message.ts';
import type { Crypto } from '../crypto.ts';
import { MEMORY, type MemoryText } from '../instructions/memoryFiles.ts';
import { SKILLS, type SkillText } from '../instructions/skill.ts';
import type { ReportSkipped } from '../instructions/sourceFile.ts';
import type { BlobStore } from '../journal/blobStore.ts';
import type { HeaderItem, SessionEntry } from '../journal/entry.ts';
import type { Journal } from '../journal/journal.ts';
import type { Log } from '../log.ts';
import type { McpServers } from '../mcp/mcpServers.ts';
import { MENTIONS, type MentionSources } from '../mentions/mention.ts';
import type { ModelChoice, ModelProblem } from '../model/modelChoice.ts';
import { choice, completeValues, count, earlier, type SectionValues, section, setting } from '../setting.ts';
import type { Approver, SessionGrants, WorkspaceTrust } from '../tools/approvals.ts';
import type { Questioner } from '../tools/question.ts';
import type { PastReport, Tool, ToolPorts } from '../tools/tool.ts';
import { OUTPUT } from '../tools/toolSettings.ts';
import { inEnglish } from '../words.ts';
import type { AgentFiles } from './agentFile.ts';
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
  /** Names of commands that a person types after a slash, in lower case. Default: none. */
  readonly commands?: ReadonlySet<string>;
}

const refuse = () => Promise.reject(new Error('There is no workspace here.'));

/** For an agent without files and shell: every use is refused. */
export const NO_WORKSPACE: Pick<AgentWorkspace, 'files' | 'shell'> = {
  files: {
    root: null,
    shownOf: async () => null,
    resolve: refuse,
    read: refuse,
    write: refuse,
    remove: refuse,
    move: refuse,
    list: refuse,
    search: refuse,
    find: refuse,
  },
  shell: { run: refuse },
};

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

export interface SubagentSession extends AgentSession {
  readonly id: string;
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

/** Limits of a turn, and whether the model knows its checkpoints. */
export const AGENT = section('agent', {
  stepLimit: setting(count(1, 1_000), 50, 'How many requests a turn may make before it pauses.', { restricted: true }),
  costLimit: setting(
    z.number().min(0).max(1_000_000),
    0,
    'How much a turn with its subagents may cost before it pauses, in the currency of the model’s price. 0 means no limit. Only models with a known price count; a turn that uses another model says so.',
    { restricted: true },
  ),
  budgets: setting(
    z.partialRecord(z.enum(['session', 'subagent', 'subagentTokens']), z.number().min(0).max(1_000_000_000)),
    {},
    'Further limits, off by default. `session`: how much a session may cost, including its subagents, before you are asked whether it may continue. `subagent`: how much one subagent may cost, and `subagentTokens`: how many tokens its requests may read and write in total, before it ends. `#palimpsest.agent.costLimit#` limits a turn with its subagents.',
    { restricted: true },
  ),
  commandVariables: setting(
    z.array(z.string().min(1).max(200)).max(200),
    ['GITHUB_TOKEN', 'GH_TOKEN'],
    'Environment variables that commands get although their names look like secrets (`…_KEY`, `…_TOKEN`, `…_SECRET`, `…_PASSWORD`). All others like them are withheld. Enter whole names; case does not matter.',
    { scope: 'application', advanced: true },
  ),
  shell: choice(
    {
      process: [
        'Child processes',
        'Without a terminal. The output is shown in the card. On Windows by the first of Git Bash, PowerShell 7, Windows PowerShell and cmd that is found; elsewhere by bash.',
      ],
      sandbox: [
        'A sandbox',
        'On Linux, WSL 2 and macOS, child processes in a sandbox of the system. There a command needs no question: it writes only in the open folders and to no guarded name, reads nothing of your home but toolchains, and has no network. If the sandbox refuses something, you are asked, and so you are for a command in the background. Where there is no sandbox, you are asked as before, with the reason.',
      ],
      sandboxAll: [
        'A sandbox, for all',
        'The same, and hooks and MCP servers that run on this machine are put into it, too. There MCP servers can read the open folders, but not write in them.',
      ],
      terminal: [
        'A terminal',
        'In a terminal named Palimpsest that you can watch, with the environment of your shell. It needs bash or zsh and the shell integration of VS Code; without them, and on Windows, commands are child processes.',
      ],
      gitBash: ['Git Bash', 'On Windows, child processes of the bash of Git for Windows, where it is found.'],
      pwsh: ['PowerShell 7', 'On Windows, child processes of PowerShell 7, where it is found.'],
      powershell: ['Windows PowerShell', 'On Windows, child processes of the PowerShell that comes with it.'],
      cmd: ['cmd', 'On Windows, child processes of cmd, which takes commands of one line only.'],
    },
    'process',
    'Where commands run, and on Windows by which shell. The model knows which. Either way a separate shell runs exactly the command that you allowed, in the folder shown in the question, without input and without variables that look like secrets. *Palimpsest: Approvals…* lists your permanent permissions.',
    { scope: 'application' },
  ),
  tellCheckpoints: setting(
    z.boolean(),
    false,
    'Tell the model the number of the checkpoint before each message, in a reminder.',
    { advanced: true },
  ),
  dmail: setting(
    z.boolean(),
    false,
    'Offer the model a tool that sends a message to its own past: the conversation returns to a checkpoint, keeps your latest request, and continues from the message. Everything left behind is kept as a branch. A subagent may send its report to the past in the same way. Also sets a checkpoint before each request and tells the model its number.',
    { scope: 'application', advanced: true },
  ),
  dmailLimit: earlier(
    count(1, 20),
    3,
    'A turn may send three messages to its own past. Use `#palimpsest.agent.stepLimit#` instead to limit a turn.',
  ),
  dmailRestoresFiles: setting(
    z.boolean(),
    false,
    'A message from the model to its own past (`#palimpsest.agent.dmail#`) also restores the files that the agent changed after the checkpoint. Files that somebody else has changed since then are not touched.',
    { scope: 'application', advanced: true },
  ),
});

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

/**
 * `values` by key below `palimpsest.compaction.`; `strategy` overrides the one they choose. `section` holds the values
 * of a contributed strategy's own section.
 */
export function givenSettings(
  values: Readonly<Record<string, unknown>>,
  strategy?: string,
  section: Readonly<Record<string, unknown>> = {},
): CompactionSettings {
  const read = (key: string) => {
    const value = values[key.replace(/^compaction\./, '')];
    return { value, explicit: value !== undefined };
  };
  const { settings, problems } = readCompactionSettings(read, () => section, strategy);
  const [problem] = problems;
  if (problem) throw new Error(inEnglish(problem.said));
  return settings;
}

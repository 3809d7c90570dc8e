/**
 * The parts shared by the turns of one session, composed once, and the model of the running turn. Everything durable
 * goes into the journal; the events of a turn are for display only.
 */

import type { FileHistory } from '../checkpoints/fileHistory.ts';
import type { FileKeeper } from '../checkpoints/fileKeeper.ts';
import type { Compactor } from '../compaction/compactor.ts';
import type { CompactionSettings } from '../compaction/settings/compactionSettings.ts';
import type { TurnCompaction } from '../compaction/trigger/trigger.ts';
import type { Viewer } from '../context/images.ts';
import type { UserMessage } from '../context/message.ts';
import { ToolError } from '../errors.ts';
import { remindOfOrders } from '../instructions/orders/remindOfOrders.ts';
import { SessionSkills } from '../instructions/sessionSkills.ts';
import type { BlobStore } from '../journal/blobStore.ts';
import type { HeaderItem } from '../journal/entry.ts';
import type { Journal } from '../journal/journal.ts';
import { makeNote } from '../journal/makeNote.ts';
import type { McpServers } from '../mcp/mcpServers.ts';
import { OfferedMcpTools } from '../mcp/mcpTools.ts';
import type { MentionSources } from '../mentions/mentionSources.ts';
import { type Mentioned, SessionMentions } from '../mentions/sessionMentions.ts';
import type { Mode } from '../mode.ts';
import type { ModelChoice } from '../model/modelChoice.ts';
import type { Secrets } from '../secrets/hideSecrets.ts';
import type { SessionGrants, WorkspaceTrust } from '../tools/approvals.ts';
import { QuestionBudget } from '../tools/builtIn/questionBudget.ts';
import { RecallBudget } from '../tools/builtIn/recallBudget.ts';
import { USE_SKILL } from '../tools/builtIn/useSkill.ts';
import type { Tool, ToolPorts, ToolSession } from '../tools/tool.ts';
import { offerTools } from '../tools/toolList.ts';
import { type Words, words } from '../words.ts';
import type { AgentEvents, TurnEvent } from './agentEvents.ts';
import type { AgentFiles } from './parts/agentFile.ts';
import type { AgentPerson } from './parts/agentPerson.ts';
import type { AgentSystem } from './parts/agentSystem.ts';
import type { AgentWorkspace } from './parts/agentWorkspace.ts';
import { Budget } from './parts/budget.ts';
import { DMAILS_PER_TURN, DMailBox } from './parts/dmail.ts';
import { composeHeader } from './parts/header.ts';
import { Hooks } from './parts/hooks.ts';
import type { LeftMail, Mailbox } from './parts/mailbox.ts';
import { ordersInForce } from './parts/ordersInForce.ts';
import { modelForServers } from './parts/sampling.ts';
import type { SessionAgent } from './parts/sessionAgent.ts';
import { type ParentSession, type SubagentStore, Subagents, type TaskGiver } from './parts/subagents.ts';
import { TurnSources } from './parts/turnSources.ts';
import type { AgentSettings } from './settings.ts';

export interface TurnPorts {
  readonly session: { readonly journal: Journal; readonly blobs: BlobStore };
  readonly workspace: AgentWorkspace;
  readonly person: AgentPerson;
  readonly settings: () => AgentSettings;
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
  /** Set for a subagent only. */
  readonly parent?: ParentSession;
  /** Messages that other sessions left for this one. Default: none. */
  readonly mailbox?: Mailbox;
  /** The items before the conversation. Default: the built-in system prompt alone. */
  readonly header?: () => Promise<readonly Omit<HeaderItem, 'tokens'>[]>;
}

/** The agent whose turns these are. */
interface TurnAgent extends TaskGiver {
  readonly compactor: Pick<Compactor, 'gauge' | 'trigger'>;
  /** Null where file contents are not kept. */
  readonly files: Pick<FileHistory, 'keeper' | 'restoreUnasked'> | null;
  compactionSettings(): CompactionSettings;
}

export class Turn {
  readonly journal: Journal;
  readonly compaction: TurnCompaction;
  readonly person: AgentPerson;
  readonly system: AgentSystem;
  readonly onEvent: (event: TurnEvent) => void;
  /** The person's grants for the rest of the session; replaced when they answer. */
  readonly grants: { current: SessionGrants };
  /** Keeps the contents of files. Called after approval, before a call runs, and again when it has ended. */
  readonly keeper: Pick<FileKeeper, 'before' | 'after'> | undefined;
  /** Never included in a result, in a question or on screen. */
  readonly secrets: Secrets;
  readonly budget: Budget;
  readonly dmail: DMailBox;
  /** The budget is renewed with each turn. */
  readonly recall: RecallBudget;
  /** The same. */
  readonly questions = new QuestionBudget();
  readonly skills: SessionSkills;
  readonly hooks: Hooks;
  readonly toolPorts: ToolPorts;
  /** A person can continue it after its window was closed; the task of a subagent ends with the call that gave it. */
  readonly canContinue: boolean;
  readonly #subagents: Subagents | undefined;
  /** The model of the running turn, or of the last one. */
  model: ModelChoice;
  readonly #agent: TurnAgent;
  readonly #ports: TurnPorts;
  readonly #sessionAgent: SessionAgent;
  readonly #sources: TurnSources;
  readonly #mcp: OfferedMcpTools;
  readonly #mentions: SessionMentions;

  constructor(agent: TurnAgent, ports: TurnPorts, sessionAgent: SessionAgent, model: ModelChoice) {
    const { workspace, person, system, parent, secrets = () => [] } = ports;
    this.#agent = agent;
    this.#ports = ports;
    this.#sessionAgent = sessionAgent;
    this.model = model;
    this.journal = agent.journal;
    this.compaction = agent.compactor.trigger;
    this.person = person;
    this.system = system;
    this.onEvent = ports.events.onTurn;
    this.grants = agent.grants;
    this.keeper = agent.files?.keeper ?? parent?.keeper;
    this.secrets = secrets;
    this.#sources = new TurnSources(system.log);
    this.#mcp = new OfferedMcpTools({
      servers: ports.mcp,
      model: modelForServers(this),
      trust: workspace.trust,
      notify: async (notice) => {
        await agent.journal.append(makeNote('warning', notice));
      },
    });
    this.budget = new Budget(this, parent?.budget);
    this.dmail = new DMailBox(agent.journal, DMAILS_PER_TURN, () => this.#restore());
    this.recall = new RecallBudget(() => agent.compactionSettings().recall.tokensPerTurn);
    this.skills = new SessionSkills(ports, () => agent.mayUse(USE_SKILL), this.#sources.reportSkipped);
    this.hooks = new Hooks(ports, secrets);
    this.#subagents = ports.subagents && new Subagents(ports.subagents, agent, this, ports.agents);
    this.toolPorts = this.#composeToolPorts();
    this.canContinue = parent === undefined;
    this.#mentions = new SessionMentions(ports, this.toolPorts, agent.compactor.gauge);
  }

  /** Call first in each turn: what it may spend, ask and begin is renewed. */
  begin(): void {
    this.compaction.beginTurn();
    this.dmail.beginTurn();
    this.recall.beginTurn();
    this.questions.beginTurn();
    this.#subagents?.beginTurn();
    this.budget.beginTurn();
  }

  trust(): WorkspaceTrust {
    return this.#ports.workspace.trust();
  }

  /** A subagent may do no more than its parent. */
  mode(): Mode {
    return (this.#ports.parent ?? this).journal.mode;
  }

  tools(): readonly Tool[] {
    const { tools, parent, settings, workspace } = this.#ports;
    const { dmail } = settings().agent;
    const offer = {
      ...this.#agent.compactionSettings(),
      dmail,
      reports: dmail && parent !== undefined,
      subagents: this.toolPorts.subagents !== undefined,
      skills: this.skills.offered,
    };
    const offered = [...offerTools(tools, workspace.trust(), offer, this.toolPorts), ...this.#mcp.tools];
    return offered.filter(({ name }) => this.#agent.mayUse(name));
  }

  /** Call before the header of a turn: brings the tools up to date. */
  async renewTools(signal: AbortSignal): Promise<void> {
    const { reportSkipped } = this.#sources;
    const read = (name: Words, renew: () => Promise<readonly Words[]>) =>
      this.#sources.read(name, renew, () => [], signal);
    const remarks = await read(words('The list of skills'), () => this.skills.renew());
    const agent = await read(words('The file of the agent'), () => this.#sessionAgent.renew(reportSkipped));
    const tools = await read(words('The list of MCP servers'), () => this.#mcp.renew(signal));
    this.#sources.report(...remarks, ...agent, ...tools);
  }

  /** News for the person about the sources of the turn, each reported once. */
  takeNotices(): readonly Words[] {
    return this.#sources.takeNotices();
  }

  header(signal: AbortSignal): Promise<readonly Omit<HeaderItem, 'tokens'>[]> {
    return composeHeader(this.#ports, this.#sessionAgent.prompt, this.#sources, signal);
  }

  /**
   * Brings the standing orders in the context up to date. `reshaped`: no request was made since the context changed its
   * shape.
   */
  async remindOfOrders(reshaped: boolean): Promise<void> {
    await remindOfOrders(this.journal, ordersInForce(this.#ports), this.#agent.compactor.gauge.window, reshaped);
  }

  settings(): AgentSettings {
    return this.#ports.settings();
  }

  compactionSettings(): Pick<CompactionSettings, 'autoContinue' | 'offload'> {
    return this.#agent.compactionSettings();
  }

  /**
   * The contents of mentioned files and other things, one message each. `secretsToo`: including files that may hold
   * secrets.
   */
  readMentions(message: UserMessage, secretsToo: boolean, signal: AbortSignal): Promise<Mentioned> {
    return this.#sources.read(
      words('The content mentioned in the message'),
      () => this.#mentions.resolve(message, secretsToo, signal),
      () => ({ messages: [], notices: [] }),
      signal,
    );
  }

  /** Messages that other sessions left for this one. */
  readMail(signal: AbortSignal): Promise<readonly LeftMail[]> {
    const { mailbox } = this.#ports;
    return this.#sources.read(
      words('The mailbox of this session'),
      async () => (await mailbox?.waiting(signal)) ?? [],
      () => [],
      signal,
    );
  }

  /** Restores the files of an entry; null leaves them unchanged. It never overwrites changes by others. */
  #restore() {
    const { files } = this.#agent;
    const { dmailRestoresFiles } = this.#ports.settings().agent;
    return files && this.mode() === 'act' && dmailRestoresFiles ? (at: number) => files.restoreUnasked(at) : null;
  }

  #composeToolPorts(): ToolPorts {
    const { workspace, session, system, parent, person } = this.#ports;
    return {
      get files() {
        return workspace.files;
      },
      get shell() {
        return workspace.shell;
      },
      get language() {
        return workspace.language;
      },
      get git() {
        return workspace.git;
      },
      blobs: session.blobs,
      clock: system.clock,
      session: this.#composeToolSession(),
      // Only the agent that talks to the person asks them.
      questions: parent ? undefined : person.questions,
      commandRules: workspace.commandRules,
      get commandDisk() {
        return workspace.commandDisk;
      },
      isGranted: (key) => this.grants.current.named.has(key),
      subagents: this.#subagents,
      background: workspace.background,
      web: workspace.web,
    };
  }

  #composeToolSession(): ToolSession {
    const { journal, recall, questions, skills, dmail } = this;
    const { parent } = this.#ports;
    const mode = () => this.mode();
    return {
      get context() {
        return journal.context;
      },
      recall,
      questions,
      skills,
      get mode() {
        return mode();
      },
      beginToAct: async () => {
        await journal.append({ type: 'mode', mode: 'act' });
      },
      get viewer() {
        return viewerOf(journal);
      },
      scheduleCompaction: (keep) => this.#agent.compactor.trigger.schedule(keep),
      scheduleDMail: (mail) => dmail.schedule(mail),
      reportToPast: (report) => {
        if (!parent) throw new ToolError('Nobody gave this session a task.');
        parent.reportToPast(report);
      },
    };
  }
}

/** From the journal, which decides which images are sent. */
function viewerOf({ context: { configured } }: Journal): Viewer {
  return { model: configured?.model ?? '', takesImages: configured?.images === true };
}

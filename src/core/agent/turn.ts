/**
 * The parts shared by the turns of one session, composed once, and the model of the running turn. Everything durable
 * goes into the journal; the events of a turn are for display only.
 */

import type { FileKeeper } from '../checkpoints/fileKeeper.ts';
import type { OffloadSettings } from '../compaction/sections/generalSettings.ts';
import type { TurnCompaction } from '../compaction/signals/turnCompaction.ts';
import type { Viewer } from '../context/images.ts';
import type { UserMessage } from '../context/message.ts';
import { type ModelError, ToolError } from '../errors.ts';
import { SessionSkills } from '../instructions/sessionSkills.ts';
import { remindOfOrders } from '../instructions/standingOrders.ts';
import type { HeaderItem } from '../journal/entry.ts';
import type { Journal } from '../journal/journal.ts';
import { makeNote } from '../journal/makeNote.ts';
import { OfferedMcpTools } from '../mcp/mcpServers.ts';
import { type Mentioned, SessionMentions } from '../mentions/sessionMentions.ts';
import type { Mode } from '../mode.ts';
import type { ModelChoice } from '../model/modelChoice.ts';
import type { SectionValues } from '../setting.ts';
import type { StopCause } from '../stop.ts';
import type { SessionGrants, WorkspaceTrust } from '../tools/approvals.ts';
import { QuestionBudget } from '../tools/builtIn/questionBudget.ts';
import { RecallBudget } from '../tools/builtIn/recallBudget.ts';
import { USE_SKILL } from '../tools/builtIn/useSkill.ts';
import type { TruncationLimits } from '../tools/text/cutText.ts';
import type { Tool, ToolPorts, ToolSession } from '../tools/tool.ts';
import { offerTools } from '../tools/toolList.ts';
import { limitsOf } from '../tools/toolSettings.ts';
import { type Words, words } from '../words.ts';
import type { Agent } from './agent.ts';
import type { SessionAgent } from './agentFile.ts';
import type { AGENT, AgentPerson, AgentPorts, AgentSystem } from './agentPorts.ts';
import { modelForServers } from './ask.ts';
import { Budget } from './budget.ts';
import { DMailBox, type LeftMail } from './dmail.ts';
import { composeHeader, ordersInForce, TurnSources } from './header.ts';
import type { Secrets } from './hideSecrets.ts';
import { Hooks } from './hooks.ts';
import { Subagents } from './subagents.ts';

export type TurnEvent =
  | { readonly type: 'answer'; readonly phase: 'begun' | 'ended' }
  | { readonly type: 'delta'; readonly text: string; readonly reasoning: string }
  | { readonly type: 'writingCall'; readonly name: string; readonly argumentsLength: number }
  | {
      readonly type: 'call';
      readonly toolCallId: string;
      readonly phase: 'preparing' | 'approval' | 'running';
      readonly title: string;
    }
  | { readonly type: 'output'; readonly toolCallId: string; readonly text: string };

export interface TurnSettings {
  /** Requests that a turn may make before it stops and asks. */
  readonly stepLimit: number;
  /** Money that a turn may cost before it stops and asks, in any one currency; 0 means no limit. */
  readonly costLimit: number;
  readonly budgets: SectionValues<typeof AGENT>['budgets'];
  /** Continue automatically after a compaction in the middle of a turn. */
  readonly autoContinue: boolean;
  /** Tell the model the number of the checkpoint before each message, in a reminder. */
  readonly tellCheckpoints: boolean;
  /** Also make a checkpoint before each request and tell it to the model, as a target for D-Mail. */
  readonly checkpointSteps: boolean;
  /** How much of a result the model sees. Without a direction, the tool's own applies. */
  readonly output: (tool: string) => Partial<TruncationLimits>;
  readonly offload: OffloadSettings;
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
  readonly #agent: Agent;
  readonly #ports: AgentPorts;
  readonly #sessionAgent: SessionAgent;
  readonly #sources: TurnSources;
  readonly #mcp: OfferedMcpTools;
  readonly #mentions: SessionMentions;

  constructor(agent: Agent, ports: AgentPorts, sessionAgent: SessionAgent, model: ModelChoice) {
    const { workspace, person, settings, system, parent, secrets = () => [] } = ports;
    this.#agent = agent;
    this.#ports = ports;
    this.#sessionAgent = sessionAgent;
    this.model = model;
    this.journal = agent.journal;
    this.compaction = agent.compactor;
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
    this.dmail = new DMailBox(
      agent.journal,
      () => settings().agent.dmailLimit,
      () => this.#restore(),
    );
    this.recall = new RecallBudget(() => agent.compactionSettings().recall.tokensPerTurn);
    this.skills = new SessionSkills(ports, () => agent.mayUse(USE_SKILL), this.#sources.reportSkipped);
    this.hooks = new Hooks(ports, secrets);
    this.#subagents = ports.subagents && new Subagents(ports.subagents, agent, this, ports);
    this.toolPorts = this.#composeToolPorts();
    this.canContinue = parent === undefined;
    this.#mentions = new SessionMentions(ports, this.toolPorts, agent.compactor);
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
    this.#sources.say(...remarks, ...agent, ...tools);
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
    await remindOfOrders(this.journal, ordersInForce(this.#ports), this.#agent.compactor.window, reshaped);
  }

  settings(): TurnSettings {
    const { autoContinue, offload } = this.#agent.compactionSettings();
    const { agent, output } = this.#ports.settings();
    return {
      stepLimit: agent.stepLimit,
      costLimit: agent.costLimit,
      budgets: agent.budgets,
      autoContinue,
      output: (tool) => limitsOf(output, tool),
      offload,
      tellCheckpoints: agent.tellCheckpoints || agent.dmail,
      checkpointSteps: agent.dmail,
    };
  }

  /**
   * The contents of mentioned files and other things, one message each. `secretsToo`: including files that may hold
   * secrets.
   */
  readMentions(message: UserMessage, secretsToo: boolean, signal: AbortSignal): Promise<Mentioned> {
    return this.#sources.read(
      words('The content mentioned in the message'),
      () => this.#mentions.resolve(message, secretsToo, signal),
      () => ({ messages: [], said: [] }),
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
      scheduleCompaction: (keep) => this.#agent.compactor.schedule(keep),
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

export type TurnOutcome =
  | { readonly kind: 'done' }
  | { readonly kind: 'stopped'; readonly by: StopCause }
  | { readonly kind: 'newSession' }
  /**
   * Waits for the person: because of the step limit, a compaction without `autoContinue`, or a context that cannot fit.
   */
  | { readonly kind: 'paused'; readonly reason: Words }
  | { readonly kind: 'failed'; readonly error: ModelError };

/**
 * The agent of one session: journal, model, header, loop, tools, compactor, D-Mail and file keeping, composed here and
 * nowhere else. The product, a program that embeds it, the lab and the tests differ only in the ports they give.
 */

import { FileHistory } from '../checkpoints/fileHistory.ts';
import { Compactor } from '../compaction/compactor.ts';
import type { CompactionSettings } from '../compaction/settings.ts';
import type { ReasoningOrigin, UserMessage } from '../context/message.ts';
import { countLeftBehind } from '../context/message.ts';
import { ToldError, ToolError } from '../errors.ts';
import { attachImages, type GivenImage, type Viewer, withImages } from '../images/attachImages.ts';
import { SessionSkills, USE_SKILL } from '../instructions/sessionSkills.ts';
import { readSkills } from '../instructions/skill.ts';
import { tellOrders } from '../instructions/standingOrders.ts';
import type { Journal } from '../journal/journal.ts';
import { noteOf } from '../journal/noteOf.ts';
import { revertBeforeMessage } from '../journal/timeTravel.ts';
import { OfferedMcpTools } from '../mcp/mcpTool.ts';
import { type Mentioned, SessionMentions } from '../mentions/sessionMentions.ts';
import type { BlobStore, ModelChoice, ModelProblem } from '../ports.ts';
import { NO_GRANTS, type SessionGrants } from '../tools/approvals.ts';
import { RecallBudget } from '../tools/recallBudget.ts';
import type { ToolSession } from '../tools/tool.ts';
import { offerTools } from '../tools/toolList.ts';
import { limitsOf } from '../tools/toolSettings.ts';
import { type Words, words } from '../words.ts';
import type { AgentFile } from './agentFile.ts';
import { SessionAgent } from './agentFile.ts';
import type { AgentPorts } from './agentPorts.ts';
import { DMailBox } from './dmail.ts';
import { composeHeader, ordersInForce, TurnSources } from './header.ts';
import { hideSecrets, type Secrets, withoutSecrets } from './hideSecrets.ts';
import { Hooks } from './hooks.ts';
import { continueTurn, runTurn } from './runTurn.ts';
import { type SubagentParent, Subagents } from './subagents.ts';
import type { TurnOutcome, TurnPorts } from './turn.ts';

/** Nothing was sent: the session's model cannot be used. */
export type NoModel = { readonly kind: 'noModel' } & ModelProblem;

export class Agent {
  readonly journal: Journal;
  readonly blobs: BlobStore;
  readonly compactor: Compactor;
  /** Null where no file contents are kept. */
  readonly files: FileHistory | null;
  /** What a person allowed for as long as this session is open, its parent's for a subagent. */
  readonly grants: { current: SessionGrants };
  readonly #ports: AgentPorts;
  readonly #turn: Omit<TurnPorts, 'model'>;
  readonly #secrets: Secrets;
  readonly #sessionAgent: SessionAgent;
  readonly #mentions: SessionMentions;
  readonly #sources: TurnSources;

  constructor(ports: AgentPorts) {
    const { session, checkpoints, system } = ports;
    this.#ports = ports;
    this.#secrets = ports.secrets ?? (() => []);
    this.grants = ports.parent?.grants ?? { current: NO_GRANTS };
    this.journal = session.journal;
    this.blobs = session.blobs;
    this.files = checkpoints ? new FileHistory(checkpoints, { ...system, journal: this.journal }) : null;
    this.#sessionAgent = new SessionAgent(this.journal, ports.agents);
    this.compactor = this.#createCompactor();
    this.#sources = new TurnSources(system.log);
    this.#turn = this.#composeTurn();
    this.#mentions = this.#createMentions();
  }

  /** The session's own model, or the one for new sessions. */
  get modelName(): string {
    return this.journal.context.configured?.model ?? this.#ports.models.initial();
  }

  /** False for a tool that its agent's file, or that of the agent that gave it its task, leaves out. */
  mayUse(tool: string): boolean {
    return this.#sessionAgent.mayUse(tool) && (this.#ports.parent?.mayUse(tool) ?? true);
  }

  get model(): ModelChoice | ModelProblem {
    return this.#resolve(this.modelName, 'turn');
  }

  /** The agent of a file that answers in this session; null for the built-in one. */
  get chosenAgent(): SessionAgent['chosen'] {
    return this.#sessionAgent.chosen;
  }

  /** Those of the session: its agent may have a strategy of its own. */
  compactionSettings(instead?: string): CompactionSettings {
    const { settings } = this.#ports.compaction;
    const agent = this.chosenAgent;
    if (instead !== undefined || !agent?.strategy) return settings(instead);
    return { ...settings(agent.strategy), strategyFile: agent.id };
  }

  /** Chooses the session's agent, with null the built-in one. It answers from the next turn on; the header says so then. */
  async chooseAgent(file: Pick<AgentFile, 'id' | 'name' | 'strategy'> | null): Promise<void> {
    const agent = file && { id: file.id, name: file.name, strategy: file.strategy };
    if (JSON.stringify(agent) === JSON.stringify(this.chosenAgent)) return;
    await this.journal.append({ type: 'agent', agent });
  }

  /** The ports of a turn that uses this model. */
  turnWith(model: ModelChoice): TurnPorts {
    return { ...this.#turn, model: () => model };
  }

  /**
   * Runs a turn to its end. With `replaces`, the message of that entry and everything after it first become a branch;
   * throws with the reason when they cannot. `mentionsSecrets`: the person agreed that mentioned files which may hold secrets
   * are read.
   */
  send(
    said: string | UserMessage,
    signal: AbortSignal,
    replaces: number | null = null,
    mentionsSecrets = false,
  ): Promise<TurnOutcome | NoModel> {
    const message = typeof said === 'string' ? ({ role: 'user', kind: 'user', text: said } as const) : said;
    return this.#withModel(async (ports) => {
      if (replaces !== null) await this.#leave(replaces);
      const mentions: TurnPorts['mentions'] = (each, stop) => this.#readMentions(each, mentionsSecrets, stop);
      return runTurn(message, this.#ports.mentions ? { ...ports, mentions } : ports, signal);
    });
  }

  /** A person's message with images. What cannot be used is named with the reason, and nothing is sent. */
  async compose(text: string, images: readonly GivenImage[]): Promise<UserMessage | { readonly refused: Words }> {
    const message: UserMessage = { role: 'user', kind: 'user', text };
    if (images.length === 0) return message;
    // Whether they can be seen may not have been asked yet.
    await this.#ports.models.refresh?.(this.modelName);
    const choice = usable(this.model);
    const viewer = { model: choice?.model ?? this.modelName, takesImages: choice?.images === true };
    const attached = await attachImages(images, viewer, this.blobs);
    const refused = attached.flatMap((each) => (each.kind === 'refused' ? [each.reason] : []));
    if (refused.length > 0) return { refused: refused.flat() };
    return { ...message, attachments: attached.flatMap((each) => (each.kind === 'attached' ? [each.attachment] : [])) };
  }

  /** Goes on from where the journal stands, without a new message. */
  continue(signal: AbortSignal): Promise<TurnOutcome | NoModel> {
    return this.#withModel((ports) => continueTurn(ports, signal));
  }

  /** Chooses the session's model. If anything changed, it is journaled together with what else is in force. */
  async configure(model: string): Promise<void> {
    const choice = usable(this.#resolve(model, 'turn'));
    const { strategy, section: parameters } = this.compactionSettings();
    const next = {
      model,
      endpoint: choice?.client.endpoint ?? '',
      window: choice?.window ?? 0,
      ...(choice?.images ? { images: true as const } : {}),
      strategy,
      parameters,
    };
    const current = this.journal.context.configured;
    const keys = ['model', 'endpoint', 'window', 'images', 'strategy', 'parameters'] as const;
    if (current && keys.every((key) => JSON.stringify(current[key]) === JSON.stringify(next[key]))) return;
    await this.journal.append({ type: 'configured', ...next });
    if (current) await this.#tellLeftBehind(current, next);
  }

  /** What one model thought is of no use to another, so it does not go there. */
  async #tellLeftBehind(from: ReasoningOrigin, to: ReasoningOrigin): Promise<void> {
    const answers = countLeftBehind(this.journal.context.conversation, from, to);
    if (answers === 0) return;
    const said = words(
      'What {0} thought is no longer sent, because only that model can use it (answers: {1}). It stays in the session, and is sent again when {0} is chosen again.',
      from.model,
      answers,
    );
    await this.journal.append(noteOf('info', said));
  }

  #resolve(model: string, purpose: 'turn' | 'summary'): ModelChoice | ModelProblem {
    const choice = this.#ports.models.resolve(model, purpose, this.modelName);
    if ('problem' in choice) return choice;
    return { ...choice, client: withImages(withoutSecrets(choice.client, this.#secrets), this.blobs) };
  }

  async #withModel(run: (ports: TurnPorts) => Promise<TurnOutcome>): Promise<TurnOutcome | NoModel> {
    if (!('problem' in this.model)) await this.#ports.models.refresh?.(this.modelName);
    const { model } = this;
    if ('problem' in model) return { kind: 'noModel', ...model };
    await this.configure(this.modelName);
    return run(this.turnWith(model));
  }

  async #leave(seq: number): Promise<void> {
    const travel = await revertBeforeMessage(this.journal, seq);
    if (travel.kind === 'refused') throw new ToldError(travel.reason);
    const said = words('The earlier version of this message, and what came after it, is kept.');
    await this.journal.append(noteOf('info', said, { action: 'showBranches' }));
  }

  /** Its strategy is disposed of. Nothing may run any more. */
  dispose(): void {
    this.compactor.dispose();
  }

  #createCompactor(): Compactor {
    const { session, person, compaction, system, events } = this.#ports;
    return new Compactor({
      ...session,
      ...compaction,
      settings: (instead) => this.compactionSettings(instead),
      ...system,
      consent: person.consent,
      onProgress: events.onProgress,
      onEvent: events.onCompaction,
      model: () => usable(this.model),
      summaryModel: () => usable(this.#resolve(this.compactionSettings().summary.model || this.modelName, 'summary')),
      summaryProblem: () => {
        const { model } = this.compactionSettings().summary;
        const choice = model ? this.#resolve(model, 'summary') : null;
        return choice && 'problem' in choice ? choice.problem : null;
      },
    });
  }

  #createSubagents(its: Pick<SubagentParent, 'grants' | 'keeper' | 'dmail'>): Subagents | undefined {
    const { subagents, ...ports } = this.#ports;
    if (!subagents) return undefined;
    return new Subagents(subagents, {
      ...{ ...its, ports, journal: this.journal },
      modelName: () => this.modelName,
      mayUse: (tool) => this.mayUse(tool),
      canUse: (model) => (this.#ports.models.lists?.(model) ?? true) && usable(this.#resolve(model, 'turn')) !== null,
      createAgent: (its) => new Agent(its),
    });
  }

  #createHooks(): Hooks {
    const { workspace, settings, parent } = this.#ports;
    return new Hooks({
      journal: this.journal,
      list: () => {
        if (!workspace.hooks || workspace.trust() !== 'trusted') return [];
        // The turn is the person's; a subagent's calls are guarded like any other.
        return settings().hooks.filter(({ on }) => !parent || on === 'beforeTool' || on === 'afterTool');
      },
      runner: () => workspace.hooks,
      folder: () => workspace.files.root,
      hide: (text) => hideSecrets(text, this.#secrets()),
    });
  }

  /** What is mentioned is read by the tools' own ports, as they are when a message is sent. */
  #createMentions(): SessionMentions {
    const { settings, mentions: sources = {} } = this.#ports;
    const { toolPorts } = this.#turn;
    return new SessionMentions({
      reader: {
        sources,
        toolPorts,
        get files() {
          return toolPorts.files;
        },
        get language() {
          return toolPorts.language;
        },
        get git() {
          return toolPorts.git;
        },
      },
      secrets: this.#secrets,
      maxTokens: () => settings().mentions.maxTokens,
      window: () => this.compactor.window,
    });
  }

  #readMentions(message: UserMessage, secretsToo: boolean, signal: AbortSignal): Promise<Mentioned> {
    return this.#sources.read(
      words('What the message mentions'),
      () => this.#mentions.resolve(message, secretsToo, signal),
      () => ({ messages: [], said: [] }),
      signal,
    );
  }

  #composeTurn(): Omit<TurnPorts, 'model'> {
    const { session, workspace, person, settings, system, events } = this.#ports;
    const { journal, compactor, files } = this;
    const recall = new RecallBudget(() => this.compactionSettings().recall.tokensPerTurn);
    const { parent } = this.#ports;
    // A subagent may do no more than its parent, and only the agent that the person talks to asks them.
    const mode = () => (parent ?? this).journal.mode;
    const questions = parent ? undefined : person.questions;
    const dmail = new DMailBox({
      journal,
      limit: () => settings().agent.dmailLimit,
      restore: () =>
        files && mode() === 'act' && settings().agent.dmailRestoresFiles
          ? (moment) => files.restoreUnasked(moment)
          : null,
    });
    const { grants } = this;
    const keeper = files?.keeper ?? this.#ports.parent?.keeper;
    const subagents = this.#createSubagents({ grants, keeper, dmail });
    const sources = this.#sources;
    const skills = new SessionSkills({
      journal,
      mayUse: () => this.mayUse(USE_SKILL),
      read: async () => {
        if (!settings().skills.enabled) return { skills: [], remarks: [] };
        const { files: inFolder, ownSkills = async () => [] } = workspace;
        return readSkills({
          files: workspace.trust() === 'trusted' ? inFolder : null,
          own: ownSkills,
          leaveOut: sources.leaveOut,
        });
      },
    });
    const mcp = new OfferedMcpTools(this.#ports.mcp, workspace.trust);
    const { mailbox } = this.#ports;
    const toolSession: ToolSession = {
      get context() {
        return journal.context;
      },
      recall,
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
      scheduleCompaction: (keep) => compactor.schedule(keep),
      scheduleDMail: (mail) => dmail.schedule(mail),
      reportToPast: (report) => {
        if (!parent) throw new ToolError('Nobody gave this session a task.');
        parent.reportToPast(report);
      },
    };
    return {
      journal,
      compaction: compactor,
      tools: () =>
        [
          ...offerTools(
            this.#ports.tools,
            workspace.trust(),
            {
              ...this.compactionSettings(),
              dmail: settings().agent.dmail,
              reports: settings().agent.dmail && parent !== undefined,
              subagents: subagents !== undefined,
              skills: skills.offered,
            },
            { language: workspace.language, git: workspace.git, web: workspace.web, questions },
          ),
          ...mcp.tools,
        ].filter(({ name }) => this.mayUse(name)),
      renewTools: async (signal) => {
        const none = (): readonly Words[] => [];
        const remarks = await sources.read(words('The list of skills'), () => skills.renew(), none, signal);
        const agent = await sources.read(
          words('The file of the agent'),
          () => this.#sessionAgent.renew(sources.leaveOut),
          none,
          signal,
        );
        const tools = await sources.read(words('The list of MCP servers'), () => mcp.renew(signal), none, signal);
        sources.say(...remarks, ...agent, ...tools);
      },
      takeSaid: () => sources.takeSaid(),
      toolPorts: {
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
        session: toolSession,
        questions,
        mcp: this.#ports.mcp,
        commandRules: workspace.commandRules,
        subagents,
        background: workspace.background,
        web: workspace.web,
      },
      trust: workspace.trust,
      mode,
      grants,
      approver: person.approver,
      secrets: this.#secrets,
      crypto: system.crypto,
      timers: system.timers,
      header: (signal) => composeHeader(this.#ports, this.#sessionAgent.prompt, sources, signal),
      tellOrders: (reshaped) => tellOrders(journal, ordersInForce(this.#ports), compactor.window, reshaped),
      settings: () => {
        const { autoContinue, offload } = this.compactionSettings();
        const { agent, output } = settings();
        return {
          stepLimit: agent.stepLimit,
          costLimit: agent.costLimit,
          autoContinue,
          output: (tool) => limitsOf(output, tool),
          offload,
          tellCheckpoints: agent.tellCheckpoints || agent.dmail,
          checkpointSteps: agent.dmail,
        };
      },
      ...(keeper ? { keeper } : {}),
      steering: () =>
        (person.steering?.() ?? []).map(({ message, mentionsSecrets }) => ({
          message,
          mentions: (stop) => this.#readMentions(message, mentionsSecrets, stop),
        })),
      ...(mailbox
        ? {
            mailbox: {
              waiting: (stop) =>
                sources.read(
                  words('What waits for this session'),
                  () => mailbox.waiting(stop),
                  () => [],
                  stop,
                ),
            },
          }
        : {}),
      dmail,
      recall,
      skills,
      hooks: this.#createHooks(),
      onEvent: events.onTurn,
    };
  }
}

/** As the journal says it, which decides what is sent. */
function viewerOf({ context: { configured } }: Journal): Viewer {
  return { model: configured?.model ?? '', takesImages: configured?.images === true };
}

function usable(model: ModelChoice | ModelProblem): ModelChoice | null {
  return 'problem' in model ? null : model;
}

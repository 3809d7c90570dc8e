/**
 * The agent of one session: its journal, model, compactor and files, and the turns that run in it. The only place where
 * these are composed: the product, embedding programs, the lab and the tests differ only in the ports they pass.
 */

import { FileHistory, type FileHistorySource } from '../checkpoints/fileHistory.ts';
import { momentOf, noteMove } from '../checkpoints/restoreFiles.ts';
import type { RestoreStep } from '../checkpoints/restorePlan.ts';
import type { CompactorPorts } from '../compaction/compactor.ts';
import { Compactor } from '../compaction/compactor.ts';
import type { CompactionSettings } from '../compaction/settings/compactionSettings.ts';
import { attachImages, type GivenImage, withImages } from '../context/images.ts';
import { countLeftBehind, type ReasoningOrigin, type UserMessage } from '../context/message.ts';
import { UserFacingError } from '../errors.ts';
import type { BlobStore } from '../journal/blobStore.ts';
import type { Journal } from '../journal/journal.ts';
import { makeNote } from '../journal/makeNote.ts';
import { revertBeforeMessage } from '../journal/timeTravel.ts';
import type { ModelChoice, ModelProblem } from '../model/modelChoice.ts';
import { withoutSecrets } from '../secrets/hideSecrets.ts';
import { NO_GRANTS, type SessionGrants } from '../tools/approvals.ts';
import { type Words, words } from '../words.ts';
import type { AgentFile } from './parts/agentFile.ts';
import { mayCost } from './parts/budget.ts';
import { SessionAgent } from './parts/sessionAgent.ts';
import type { SubagentSetup, TaskGiver } from './parts/subagents.ts';
import { continueTurn, runTurn } from './runTurn.ts';
import { Turn, type TurnPorts } from './turn.ts';
import type { NoModel, TurnOutcome } from './turnOutcome.ts';

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

export interface AgentPorts extends TurnPorts {
  readonly models: AgentModels;
  readonly compaction: Pick<CompactorPorts, 'settings' | 'registry' | 'windows'>;
  /** Keeps the contents of files before each change. Default: nothing is kept. */
  readonly checkpoints?: FileHistorySource;
}

export class Agent implements TaskGiver {
  readonly journal: Journal;
  readonly blobs: BlobStore;
  readonly compactor: Compactor;
  /** Null where file contents are not kept. */
  readonly files: FileHistory | null;
  /** The person's grants while this session is open; for a subagent, its parent's. */
  readonly grants: { current: SessionGrants };
  readonly #ports: AgentPorts;
  readonly #sessionAgent: SessionAgent;
  #turn: Turn | null = null;

  constructor(ports: AgentPorts) {
    const { session, checkpoints, system } = ports;
    this.#ports = ports;
    this.grants = ports.parent?.grants ?? { current: NO_GRANTS };
    this.journal = session.journal;
    this.blobs = session.blobs;
    this.files = checkpoints ? new FileHistory(checkpoints, { ...system, journal: this.journal }) : null;
    this.#sessionAgent = new SessionAgent(this.journal, ports.agents);
    this.compactor = this.#createCompactor();
  }

  /** The session's own model, or the one for new sessions. */
  get modelName(): string {
    return this.journal.context.configured?.model ?? this.#ports.models.initial();
  }

  /** False for tools that its agent's file, or that of the delegating agent, excludes. */
  mayUse(tool: string): boolean {
    return this.#sessionAgent.mayUse(tool) && (this.#ports.parent?.mayUse(tool) ?? true);
  }

  get model(): ModelChoice | ModelProblem {
    return this.#resolve(this.modelName, 'turn');
  }

  /** The agent file that answers in this session; null for the built-in agent. */
  get chosenAgent(): SessionAgent['chosen'] {
    return this.#sessionAgent.chosen;
  }

  /**
   * The session's settings. Of the strategy that the person chose for the session and the one that its agent's file
   * names, the newer choice counts; without one, the strategy is the setting's.
   */
  compactionSettings(instead?: string): CompactionSettings {
    const { settings } = this.#ports.compaction;
    if (instead !== undefined) return settings(instead);
    const agent = this.chosenAgent;
    const chosen = agent?.strategy || this.journal.strategyChosen?.strategy;
    if (!chosen) return settings();
    const read = settings(chosen);
    // A program that embeds the agent may insist on its own.
    if (read.strategy !== chosen) return read;
    return { ...read, chosenBy: agent?.strategy ? { by: 'agent', file: agent.id } : { by: 'session' } };
  }

  /** Chooses the session's compaction strategy, at any moment; null lets the setting decide again. */
  async chooseStrategy(strategy: string | null): Promise<void> {
    const inForce = this.journal.strategyChosen?.strategy ?? null;
    if (strategy === inForce && !this.chosenAgent?.strategy) return;
    await this.journal.append({ type: 'strategy', strategy });
  }

  /**
   * Chooses the session's agent, null for the built-in one. It answers from the next turn on, when the header changes
   * too.
   */
  async chooseAgent(file: Pick<AgentFile, 'id' | 'name' | 'strategy'> | null): Promise<void> {
    const agent = file && { id: file.id, name: file.name, strategy: file.strategy };
    if (JSON.stringify(agent) === JSON.stringify(this.chosenAgent)) return;
    await this.journal.append({ type: 'agent', agent });
  }

  /** True when this model may be given a task. */
  canUse(model: string): boolean {
    return (this.#ports.models.lists?.(model) ?? true) && usable(this.#resolve(model, 'turn')) !== null;
  }

  /** Like this agent, but for what it lacks and what `setup` says. */
  createSubagent({ session, model, person, onTurn, parent }: SubagentSetup): Agent {
    // A model's text cannot mention anything.
    const { subagents: _, checkpoints: __, mailbox: ___, mentions: ____, ...inherited } = this.#ports;
    return new Agent({
      ...inherited,
      session,
      compaction: {
        ...inherited.compaction,
        settings: (instead) =>
          instead === undefined ? this.compactionSettings() : inherited.compaction.settings(instead),
      },
      models: { ...inherited.models, initial: () => model ?? this.modelName },
      person,
      events: { ...inherited.events, onTurn, onProgress: () => undefined },
      parent,
    });
  }

  /** The session's turns; the next one uses this model. */
  turnWith(model: ModelChoice): Turn {
    this.#turn ??= new Turn(this, this.#ports, this.#sessionAgent, model);
    this.#turn.model = model;
    return this.#turn;
  }

  /**
   * Runs a turn to its end. With `replaces`, the message of that entry and everything after it first become a branch;
   * throws with the reason when they cannot. `mentionsSecrets`: the person agreed to reading mentioned files that may
   * hold secrets. `putBack`: files that become as they were before the replaced message, as the person was shown.
   */
  send(
    said: string | UserMessage,
    signal: AbortSignal,
    replaces: number | null = null,
    mentionsSecrets = false,
    putBack: readonly RestoreStep[] = [],
  ): Promise<TurnOutcome | NoModel> {
    const message = typeof said === 'string' ? ({ role: 'user', kind: 'user', text: said } as const) : said;
    return this.#withModel(async (turn) => {
      if (replaces !== null) await this.#leave(replaces, putBack);
      return runTurn(message, turn, signal, mentionsSecrets);
    });
  }

  /** A person's message with images. Sends nothing if any image is unusable, and reports each with the reason. */
  async compose(text: string, images: readonly GivenImage[]): Promise<UserMessage | { readonly refused: Words }> {
    const message: UserMessage = { role: 'user', kind: 'user', text };
    if (images.length === 0) return message;
    // The model's support for images may be unknown until now.
    await this.#ports.models.refresh?.(this.modelName);
    const choice = usable(this.model);
    const viewer = { model: choice?.model ?? this.modelName, takesImages: choice?.images === true };
    const attached = await attachImages(images, viewer, this.blobs);
    const refused = attached.flatMap((each) => (each.kind === 'refused' ? [each.reason] : []));
    if (refused.length > 0) return { refused: refused.flat() };
    return { ...message, attachments: attached.flatMap((each) => (each.kind === 'attached' ? [each.attachment] : [])) };
  }

  /** Continues from the present end of the journal, without a new message. */
  continue(signal: AbortSignal): Promise<TurnOutcome | NoModel> {
    return this.#withModel((turn) => continueTurn(turn, signal));
  }

  /** Chooses the session's model. A change is journaled with the other settings in force. */
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
    if (current) await this.#reportLeftBehind(current, next);
  }

  /** Reasoning is useless to another model, so it is not sent there. */
  async #reportLeftBehind(from: ReasoningOrigin, to: ReasoningOrigin): Promise<void> {
    const answers = countLeftBehind(this.journal.context.conversation, from, to);
    if (answers === 0) return;
    const message = words(
      'What {0} thought is no longer sent, because only that model can use it (answers: {1}). It stays in the session, and is sent again when {0} is chosen again.',
      from.model,
      answers,
    );
    await this.journal.append(makeNote('info', message));
  }

  #resolve(model: string, purpose: 'turn' | 'summary'): ModelChoice | ModelProblem {
    const choice = this.#ports.models.resolve(model, purpose, this.modelName);
    if ('problem' in choice) return choice;
    return {
      ...choice,
      client: withImages(withoutSecrets(choice.client, this.#ports.secrets ?? (() => [])), this.blobs),
    };
  }

  async #withModel(run: (turn: Turn) => Promise<TurnOutcome>): Promise<TurnOutcome | NoModel> {
    if (!('problem' in this.model)) await this.#ports.models.refresh?.(this.modelName);
    const { model } = this;
    if ('problem' in model) return { kind: 'noModel', ...model };
    await this.configure(this.modelName);
    return run(this.turnWith(model));
  }

  async #leave(seq: number, putBack: readonly RestoreStep[]): Promise<void> {
    const from = { ...momentOf(this.journal), edited: true as const };
    const travel = await revertBeforeMessage(this.journal, seq);
    if (travel.kind === 'refused') throw new UserFacingError(travel.reason);
    const message = words('The earlier version of this message, and what came after it, is kept.');
    const files = putBack.length > 0 ? await this.files?.restore(putBack) : undefined;
    await this.journal.append(noteMove(message, files ?? NO_FILES, from, 'undoRestore', 'showBranches'));
  }

  /** Disposes of its strategy. Nothing may run afterwards. */
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
      mayCost: (cost) => mayCost(cost, this.journal.spending, this.#ports.settings().agent),
      onProgress: events.onProgress,
      onEvent: events.onCompaction,
      model: () => usable(this.model),
      summaryModel: () => usable(this.#resolve(this.compactionSettings().summary.model || this.modelName, 'summary')),
      namedModel: (name) =>
        (this.#ports.models.lists?.(name) ?? true)
          ? this.#resolve(name, 'summary')
          : { problem: words('You have no model called {0}.', name.slice(0, 100)), action: 'chooseModel' },
      summaryProblem: () => {
        const { model } = this.compactionSettings().summary;
        const choice = model ? this.#resolve(model, 'summary') : null;
        return choice && 'problem' in choice ? choice.problem : null;
      },
    });
  }
}

const NO_FILES = { restored: [], skipped: [] };

function usable(model: ModelChoice | ModelProblem): ModelChoice | null {
  return 'problem' in model ? null : model;
}

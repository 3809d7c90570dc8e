/**
 * One open session with what runs in it: the turn, its live answer and calls, the questions waiting for a person. All
 * that lasts goes through the journal; what is kept here is gone with the window, and may be.
 */

import { SYSTEM_PROMPT } from '../../core/agent/header.ts';
import { continueTurn, runTurn } from '../../core/agent/runTurn.ts';
import type { TurnOutcome, TurnPorts } from '../../core/agent/turn.ts';
import type { Compactor } from '../../core/compaction/compactor.ts';
import type { CompactionProgress } from '../../core/compaction/events.ts';
import type { CompactionOutcome } from '../../core/compaction/outcome.ts';
import type { UserMessage } from '../../core/context/message.ts';
import { JournalError, messageOf } from '../../core/errors.ts';
import type { ConfiguredEntry, Entry, EntryDraft, NoteEntry } from '../../core/journal/entry.ts';
import type { Journal } from '../../core/journal/journal.ts';
import { noteOf } from '../../core/journal/noteOf.ts';
import { revertBeforeMessage, type Travel } from '../../core/journal/timeTravel.ts';
import type { BlobStore, ConsentAnswer, ConsentQuestion, Crypto, Log, ModelChoice } from '../../core/ports.ts';
import { NO_GRANTS, type WorkspaceTrust } from '../../core/tools/approvals.ts';
import type { Tool, ToolPorts } from '../../core/tools/tool.ts';
import { type Words, words } from '../../core/words.ts';
import { actionFor } from '../tell/actionFor.ts';
import { Approvals } from './approvals.ts';
import { Consent } from './consent.ts';
import type { FileHistory } from './fileHistory.ts';
import { type RunningCall, RunningTurn, type StreamingAnswer } from './runningTurn.ts';

export type Status = 'idle' | 'running' | 'compacting' | 'waiting';

export type ConversationChange =
  | { readonly kind: 'state' }
  /** The streaming answer began or ended. */
  | { readonly kind: 'answer' }
  | { readonly kind: 'delta'; readonly text: string; readonly reasoning: string }
  | { readonly kind: 'call'; readonly toolCallId: string }
  | { readonly kind: 'entry'; readonly entry: Entry };

/** What the compactor asks and tells while it works. */
export interface CompactorHooks {
  readonly consent: (question: ConsentQuestion, signal: AbortSignal) => Promise<ConsentAnswer>;
  readonly onProgress: (progress: CompactionProgress) => void;
}

export interface ConversationPorts {
  readonly id: string;
  readonly journal: Journal;
  readonly createCompactor: (hooks: CompactorHooks) => Compactor;
  /** Resolves the session's model; a sentence when there is none to be had. */
  readonly model: () => ModelChoice | { readonly problem: Words; readonly action: NonNullable<NoteEntry['action']> };
  /** What is in force with the model of that id. */
  readonly describeModel: (id: string) => Pick<ConfiguredEntry, 'endpoint' | 'window' | 'strategy' | 'parameters'>;
  readonly tools: () => readonly Tool[];
  readonly toolPorts: ToolPorts;
  readonly trust: () => WorkspaceTrust;
  readonly crypto: Crypto;
  readonly log: Log;
  /** Puts words for a person into their language. */
  readonly say: (said: Words) => string;
  readonly turnSettings: TurnPorts['settings'];
  readonly estimate: TurnPorts['estimate'];
  readonly estimateText: TurnPorts['estimateText'];
  readonly history: FileHistory;
  readonly results: NonNullable<TurnPorts['results']>;
  readonly recall: NonNullable<TurnPorts['recall']>;
  readonly dmail: NonNullable<TurnPorts['dmail']>;
  /** Token under which this window writes the session; null when it only reads. */
  readonly writer: string | null;
  /** Lets go of the session's lock. */
  readonly release: () => Promise<void>;
  readonly onChange: (change: ConversationChange) => void;
  /** The person chose a new session instead of a compaction; `message` waits to be sent there. */
  readonly onNewSession: (message: string) => void;
  /** It could not be sent, for want of a model or a disk: the text goes back to the composer. */
  readonly onUnsent: (message: string) => void;
}

export class Conversation {
  readonly approvals: Approvals;
  readonly consent: Consent;
  readonly compactor: Compactor;
  readonly #ports: ConversationPorts;
  readonly #grants = { current: NO_GRANTS };
  readonly #turn: RunningTurn;
  #running: AbortController | null = null;
  /** Resolves when nothing runs. */
  #finished: Promise<void> = Promise.resolve();
  #compacting = false;
  /** The journal says who writes it from here on; with the first write, because opening alone changes nothing. */
  #signed = false;
  #activity = '';

  constructor(ports: ConversationPorts) {
    this.#ports = ports;
    this.#turn = new RunningTurn({
      clock: ports.toolPorts.clock,
      onChange: (change) => this.#change(change),
      onActivity: (text) => this.showActivity(text),
    });
    this.approvals = new Approvals(ports.crypto, (toolCallId) => {
      this.#change({ kind: 'call', toolCallId });
      this.#change({ kind: 'state' });
    });
    this.consent = new Consent(ports.crypto, () => this.#change({ kind: 'state' }));
    this.compactor = ports.createCompactor({
      consent: (question, signal) => this.consent.ask(question, signal),
      onProgress: (progress) => this.#showCompacting(progress),
    });
    ports.journal.listen((entry) => {
      if (entry.type === 'message' && entry.message.role === 'tool') this.#turn.settle(entry.message.toolCallId);
      this.#change({ kind: 'entry', entry });
    });
  }

  get id(): string {
    return this.#ports.id;
  }

  get blobs(): BlobStore {
    return this.#ports.toolPorts.blobs;
  }

  get journal(): Journal {
    return this.#ports.journal;
  }

  get history(): FileHistory {
    return this.#ports.history;
  }

  get live(): StreamingAnswer | null {
    return this.#turn.answer;
  }

  get calls(): ReadonlyMap<string, RunningCall> {
    return this.#turn.calls;
  }

  get activity(): string {
    return this.#activity;
  }

  get status(): Status {
    if (this.approvals.pending.length || this.consent.pending) return 'waiting';
    if (this.#compacting) return 'compacting';
    return this.#running ? 'running' : 'idle';
  }

  /**
   * Sends a person's message and runs the turn to its end. Does nothing while one runs. With `replaces` the message of
   * that entry and what came after it are left behind first, as a branch.
   */
  async send(text: string, replaces: number | null = null): Promise<void> {
    const message: UserMessage = { role: 'user', kind: 'user', text };
    if (this.journal.readOnly) {
      this.#ports.onUnsent(text);
      throw this.journal.readOnly;
    }
    const begun = this.journal.nextSeq;
    let elsewhere = false;
    await this.#exclusively(async (signal) => {
      const outcome = await this.#withModel(async (ports) => {
        if (replaces !== null) await this.#leave(replaces);
        return runTurn(message, ports, signal);
      });
      elsewhere = outcome?.kind === 'newSession';
      if (elsewhere) this.#ports.onNewSession(text);
    });
    // Whatever went wrong before the message was journaled, its text is not lost.
    if (!elsewhere && !this.#holds(message, begun)) this.#ports.onUnsent(text);
  }

  /** Goes on from where the journal stands, after an error or a pause. */
  async retry(): Promise<void> {
    this.requireMovable();
    await this.#exclusively(async (signal) => {
      await this.#withModel((ports) => continueTurn(ports, signal));
    });
  }

  stop(): void {
    this.#running?.abort();
  }

  /** Resolves when nothing runs any more. */
  async close(): Promise<void> {
    this.stop();
    await this.#finished;
    try {
      await this.#ports.journal.close();
    } catch (thrown) {
      // The last that could not be written, or a lock that another window has by now: nothing here can mend it.
      this.#ports.log('error', messageOf(thrown));
    }
    await this.#ports.release();
  }

  async compact(instructions?: string): Promise<CompactionOutcome> {
    this.requireMovable();
    let outcome: CompactionOutcome = { kind: 'none', reason: words('Something else is running.') };
    await this.#exclusively(async (signal) => {
      outcome = await this.compactor.compact({ trigger: 'manual', ...(instructions ? { instructions } : {}) }, signal);
      if (outcome.kind === 'none' || outcome.kind === 'stuck')
        await this.#note('info', this.#ports.say(outcome.reason));
    });
    return outcome;
  }

  /** Runs a change of the journal that must not meet a running turn. Throws with the reason when it cannot be made. */
  async change(act: () => Promise<unknown>): Promise<void> {
    this.requireMovable();
    await this.#exclusively(async () => {
      await act();
    });
  }

  /** Throws with the reason when the session may only be read, or the agent is at work. */
  requireMovable(): void {
    if (this.journal.readOnly) throw this.journal.readOnly;
    this.#requireIdle();
  }

  #requireIdle(): void {
    if (this.#running) throw new Error(this.#ports.say(STILL_WORKING));
  }

  /** Moves through the session's history. Throws with the reason when that cannot be done now, or there. */
  async travel(act: () => Promise<Travel>): Promise<void> {
    this.requireMovable();
    let refusal = '';
    await this.#exclusively(async () => {
      const travel = await act();
      if (travel.kind === 'refused') refusal = this.#ports.say(travel.reason);
      await this.journal.sync();
    });
    if (refusal) throw new Error(refusal);
  }

  /** Runs `work` while no turn does, with the signal of *Stop*. Throws what it throws, and when something else runs. */
  async whileIdle<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    this.#requireIdle();
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    await this.#exclusively((signal) => work(signal).then(resolve, reject));
    return promise;
  }

  /** Chooses the session's model; what else is in force is journaled with it. */
  async configure(model: string): Promise<void> {
    const { journal, describeModel } = this.#ports;
    const { strategy, parameters, endpoint, window } = describeModel(model);
    const current = journal.context.configured;
    const next = { model, endpoint, window, strategy, parameters };
    if (current && Object.entries(next).every(([key, value]) => isSame(current[key as keyof typeof next], value)))
      return;
    await journal.append({ type: 'configured', ...next });
  }

  /** Told by the retry policy. */
  showActivity(text: string): void {
    if (this.#activity === text) return;
    this.#activity = text;
    this.#change({ kind: 'state' });
  }

  #showCompacting(progress: CompactionProgress): void {
    this.#compacting = progress !== null;
    this.#activity = progress?.text ?? '';
    this.#change({ kind: 'state' });
  }

  async #exclusively(act: (signal: AbortSignal) => Promise<void>): Promise<void> {
    if (this.#running) return;
    this.#running = new AbortController();
    this.#finished = this.#run(act, this.#running);
    await this.#finished;
  }

  async #run(act: (signal: AbortSignal) => Promise<void>, running: AbortController): Promise<void> {
    this.#change({ kind: 'state' });
    try {
      await this.#sign();
      await act(running.signal);
    } catch (thrown) {
      this.#ports.log('error', thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown));
      // Once the disk has room again the turn can go on from what was asked.
      const waits = thrown instanceof JournalError && !this.journal.readOnly && this.#isUnanswered();
      await this.#note('error', messageOf(thrown), waits ? 'retry' : undefined);
    } finally {
      this.#running = null;
      this.#turn.end();
      this.#compacting = false;
      this.#activity = '';
      this.#change({ kind: 'state' });
    }
  }

  #isUnanswered(): boolean {
    const newest = this.journal.context.conversation.at(-1)?.message;
    return newest !== undefined && (newest.role !== 'assistant' || (newest.toolCalls?.length ?? 0) > 0);
  }

  /** True when the message itself was journaled at `from` or later. */
  #holds(message: UserMessage, from: number): boolean {
    const { journal } = this.#ports;
    for (const entry of journal.newest(journal.nextSeq - from)) {
      if (entry.type === 'message' && entry.message === message) return true;
    }
    return false;
  }

  async #sign(): Promise<void> {
    const { writer, journal } = this.#ports;
    if (this.#signed || writer === null) return;
    this.#signed = true;
    await journal.append({ type: 'opened', writer });
  }

  async #withModel(run: (ports: TurnPorts) => Promise<TurnOutcome>): Promise<TurnOutcome | null> {
    const model = this.#ports.model();
    if ('problem' in model) {
      await this.#note('error', this.#ports.say(model.problem), model.action);
      return null;
    }
    await this.configure(this.#ports.journal.context.configured?.model ?? model.model);
    const outcome = await run(this.#turnPorts(model));
    switch (outcome.kind) {
      case 'failed':
        await this.#note('error', this.#ports.say(outcome.error.words), actionFor(outcome.error));
        break;
      case 'paused':
        await this.#note('warning', this.#ports.say(outcome.reason), 'retry');
        break;
      case 'done':
      case 'stopped':
      case 'newSession':
        break;
    }
    return outcome;
  }

  #turnPorts(model: ModelChoice): TurnPorts {
    const { journal, tools, toolPorts, trust, crypto, estimate, estimateText, history, dmail, recall, results, say } =
      this.#ports;
    return {
      journal,
      model: () => model,
      compaction: this.compactor,
      tools,
      toolPorts,
      trust,
      grants: this.#grants,
      approver: this.approvals,
      crypto,
      estimate,
      estimateText,
      header: async () => [{ kind: 'systemPrompt', origin: 'built-in', text: SYSTEM_PROMPT, cacheHint: true }],
      settings: this.#ports.turnSettings,
      keeper: history.keeper,
      dmail,
      recall,
      results,
      say,
      onEvent: (event) => this.#turn.take(event),
    };
  }

  async #leave(seq: number): Promise<void> {
    const travel = await revertBeforeMessage(this.journal, seq);
    if (travel.kind === 'refused') throw new Error(this.#ports.say(travel.reason));
    await this.#append(noteOf({ kind: 'edited' }));
  }

  #note(level: NoteEntry['level'], text: string, action?: NoteEntry['action']): Promise<void> {
    return this.#append({ type: 'note', level, text, ...(action ? { action } : {}) });
  }

  async #append(note: EntryDraft): Promise<void> {
    try {
      await this.#ports.journal.append(note);
    } catch (thrown) {
      // The journal is what failed: the note is in memory and on screen, and the log has the rest.
      this.#ports.log('error', `A note could not be stored: ${messageOf(thrown)}`);
    }
  }

  #change(change: ConversationChange): void {
    this.#ports.onChange(change);
  }
}

const STILL_WORKING = words('The agent is still working. Stop it first, or wait until it has answered.');

const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

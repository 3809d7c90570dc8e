/**
 * One open session in this window: its agent, and window state such as the lock, the questions waiting for the person
 * and the live state of the turn. Lasting state goes through the journal; state kept here may be lost.
 */

import type { Agent } from '../../core/agent/agent.ts';
import type { AgentEvents } from '../../core/agent/agentEvents.ts';
import type { AgentPerson } from '../../core/agent/parts/agentPerson.ts';
import { closeLeft, findLeft } from '../../core/agent/parts/leftCalls.ts';
import type { NoModel, TurnOutcome } from '../../core/agent/turnOutcome.ts';
import type { FileHistory } from '../../core/checkpoints/fileHistory.ts';
import type { Clock, Timers } from '../../core/clock.ts';
import type { Compactor } from '../../core/compaction/compactor.ts';
import type { ConsentAnswer, ConsentQuestion } from '../../core/compaction/signals/consent.ts';
import type { CompactionOutcome, CompactionRequest } from '../../core/compaction/signals/outcome.ts';
import { foreignIn } from '../../core/context/authorship.ts';
import { type Attachment, isCompleteAnswer, type UserMessage } from '../../core/context/message.ts';
import { isFromPerson, type Pauses, pauseBefore } from '../../core/cost/pauses.ts';
import type { Crypto } from '../../core/crypto.ts';
import { messageOf, UserFacingError, wordsOf } from '../../core/errors.ts';
import type { Entry, EntryDraft } from '../../core/journal/entry.ts';
import type { Journal } from '../../core/journal/journal.ts';
import type { Travel } from '../../core/journal/timeTravel.ts';
import type { Log } from '../../core/log.ts';
import type { Mode } from '../../core/mode.ts';
import { Stop, type StopCause } from '../../core/stop.ts';
import { estimateMessage } from '../../core/tokens/estimate.ts';
import type { Question, QuestionAnswer, Questioner } from '../../core/tools/question.ts';
import { type Words, words } from '../../core/words.ts';
import { Activity } from './activity.ts';
import { MessageQueue, type QueueFile, type SentWith, withImageNames } from './messageQueue.ts';
import { Approvals, Questions } from './questions.ts';
import { type RunningCall, RunningTurn, type StreamingAnswer, type TurnChange } from './runningTurn.ts';
import type { HeldSession } from './sessionAccess.ts';
import { TurnNotes } from './turnNotes.ts';

export type ConversationChange =
  | TurnChange
  | { readonly kind: 'entry'; readonly entry: Entry }
  /** The person chose a new session instead of a compaction; `message` is to be sent there. */
  | { readonly kind: 'newSession'; readonly message: string; readonly more: SentWith }
  /** A message could not be sent because there is no model or disk space: the text returns to the composer. */
  | { readonly kind: 'unsent'; readonly text: string; readonly attachments?: readonly Attachment[] }
  /** A message that returned to the composer is in the conversation again. */
  | { readonly kind: 'saidAgain'; readonly text: string; readonly attachments?: readonly Attachment[] };

export type Status = 'idle' | 'running' | 'compacting' | 'waiting';

/** How the agent reaches the person and the screen. */
export interface ConversationHooks extends Pick<AgentPerson, 'approver' | 'consent'> {
  readonly steering: NonNullable<AgentPerson['steering']>;
  readonly questions: Questioner;
  readonly onTurn: AgentEvents['onTurn'];
  readonly onProgress: AgentEvents['onProgress'];
  /** One line about the current activity; empty when there is none. */
  readonly onActivity: (text: string) => void;
  readonly onWait: Activity['countDown'];
}

export interface ConversationPorts {
  /** Including its lock, which the conversation releases when it closes. */
  readonly session: Pick<HeldSession, 'id' | 'writer' | 'release'>;
  readonly createAgent: (hooks: ConversationHooks) => Agent;
  /** Stores queued messages; omitted for a read-only session. */
  readonly waiting?: Pick<QueueFile, 'kept' | 'save' | 'settle'>;
  readonly clock: Clock;
  readonly crypto: Crypto;
  readonly log: Log;
  readonly timers: Timers;
  /** Learns how long the person pauses; left out where nobody asks. */
  readonly pauses?: Pick<Pauses, 'add'>;
  readonly onChange: (change: ConversationChange) => void;
}

export class Conversation {
  readonly approvals: Approvals;
  readonly consent: Questions<ConsentQuestion, ConsentAnswer>;
  readonly questions: Questions<Question, QuestionAnswer>;
  readonly queue: MessageQueue;
  readonly agent: Agent;
  readonly #ports: ConversationPorts;
  readonly #change: ConversationPorts['onChange'];
  readonly #turn: RunningTurn;
  readonly #activity: Activity;
  readonly #notes: TurnNotes;
  #running: AbortController | null = null;
  /** The running work ends for a message. */
  #yields = false;
  /** The running work goes on while another session is on screen. */
  #goesOnUnseen = false;
  /** Queued messages wait for the person: the last turn was stopped, paused or failed. */
  #paused = false;
  /** The turn is being stopped for a message, which is sent then. */
  #goesOn = false;
  /** The person stopped the wait before another attempt. */
  #endedWait = false;
  /** Messages that the running turn took from the queue. */
  readonly #steering: UserMessage[] = [];
  /** Settles when the newest message is in the queue. */
  #enqueued: Promise<unknown> = Promise.resolve();
  /** Resolves when nothing is running. */
  #finished: Promise<void> = Promise.resolve();
  /** The journal says who writes it from here on; with the first write, because opening alone changes nothing. */
  #signed = false;
  /** Sent, and not in the journal yet. */
  #sending: UserMessage | null = null;
  /** For the model, and not in the journal yet. */
  readonly #reminders: EntryDraft[] = [];
  /** Ends the wait until the provider's cache is about to go cold. */
  #endRest: () => void = () => undefined;

  constructor(ports: ConversationPorts) {
    this.#ports = ports;
    this.#change = ports.onChange;
    this.#activity = new Activity(() => this.#change({ kind: 'state' }));
    const onActivity = (text: string) => this.#activity.show(text);
    this.#turn = new RunningTurn(ports.clock, this.#change, onActivity);
    this.approvals = new Approvals(ports.crypto, (toolCallId) => {
      this.#change({ kind: 'call', toolCallId });
      this.#change({ kind: 'state' });
    });
    const onAsked = () => this.#change({ kind: 'state' });
    this.consent = new Questions<ConsentQuestion, ConsentAnswer>(ports.crypto, 'notNow', onAsked);
    this.questions = new Questions<Question, QuestionAnswer>(ports.crypto, { kind: 'refuse', reason: '' }, onAsked);
    this.queue = new MessageQueue(
      ports.crypto,
      () => {
        ports.waiting?.save(this.queue.waiting);
        this.#change({ kind: 'state' });
      },
      ports.waiting?.kept,
    );
    this.agent = ports.createAgent({
      steering: () => {
        const taken = this.queue.takeHurried();
        this.#steering.push(...taken.map(({ message }) => message));
        return taken;
      },
      approver: this.approvals,
      questions: this.questions,
      consent: (question, signal) => this.consent.ask(question, signal),
      onTurn: (event) => this.#turn.take(event),
      onProgress: (progress) => this.#activity.compact(progress),
      onActivity,
      onWait: (...wait) => this.#activity.countDown(...wait),
    });
    this.#notes = new TurnNotes(this.agent, ports.clock, ports.log);
    this.journal.listen((entry) => {
      if (entry.type === 'message') {
        this.#turn.settle(entry.message);
        if (entry.message === this.#sending) this.#sending = null;
        const paused = isFromPerson(entry) ? pauseBefore(this.journal.backward()) : null;
        if (paused !== null) ports.pauses?.add(paused);
      }
      this.#change({ kind: 'entry', entry });
    });
  }

  get id(): string {
    return this.#ports.session.id;
  }

  get journal(): Journal {
    return this.agent.journal;
  }

  get compactor(): Compactor {
    return this.agent.compactor;
  }

  get history(): FileHistory {
    const { files } = this.agent;
    if (!files) throw new Error('This session keeps no file contents.');
    return files;
  }

  get live(): StreamingAnswer | null {
    return this.#turn.answer;
  }

  get calls(): ReadonlyMap<string, RunningCall> {
    return this.#turn.calls;
  }

  /** A message waiting for its preparations; null without one. */
  get sending(): string | null {
    return this.#sending && withImageNames(this.#sending.text, this.#sending.attachments);
  }

  get activity(): string {
    return this.#activity.text;
  }

  /** Of queued messages that went back into the composer. */
  readonly #returned: string[] = [];

  get status(): Status {
    if (this.waiting.length > 0) return 'waiting';
    if (this.#activity.compacting) return 'compacting';
    return this.#running ? 'running' : 'idle';
  }

  /** Ids of the questions that wait for the person. */
  get waiting(): readonly string[] {
    return [...this.approvals.pending, this.consent.pending, this.questions.pending].flatMap((each) => each?.id ?? []);
  }

  /** A turn runs, or a compaction that the person asked for: it goes on while another session is on screen. */
  get atWork(): boolean {
    return this.#running !== null && this.#goesOnUnseen;
  }

  /** False when it is not the waiting question, or the answer is of the wrong kind. */
  answerQuestion(id: string, answer: QuestionAnswer): boolean {
    const fits = answer.kind !== (this.questions.pending?.kind === 'choice' ? 'approve' : 'answer');
    return fits && this.questions.answer(id, answer);
  }

  /**
   * Sends a person's message and runs the turn to its end. During a turn, it is queued. With `replaces`, the message of
   * that entry and everything after it first become a branch; during a turn such a message returns to the composer.
   */
  async send(
    text: string,
    replaces: number | null = null,
    { interrupts, putBack, ...more }: SentWith = {},
  ): Promise<void> {
    let message: UserMessage = { role: 'user', kind: 'user', text };
    if (this.journal.readOnly) {
      this.giveBack({ text, ...more });
      throw this.journal.readOnly;
    }
    if (this.#running && replaces === null) return this.#enqueue(text, more, interrupts === true);
    const begun = this.journal.nextSeq;
    let elsewhere = false;
    await this.#exclusively(async (signal) => {
      message = await this.#compose(text, more);
      this.#sending = message;
      this.#change({ kind: 'state' });
      const taken = this.#notes.measure();
      const outcome = await this.agent.send(message, signal, replaces, more.mentionsSecrets, putBack);
      await this.#notes.addChanges(begun, taken(), !!putBack?.length);
      await this.#noteEnd(outcome);
      elsewhere = outcome.kind === 'newSession';
      if (!elsewhere) return;
      this.#goesOnUnseen = false;
      this.#change({ kind: 'newSession', message: text, more });
    }, true);
    // If anything failed before the message was journaled, nothing of it is lost: the page still has images of its own.
    if (!elsewhere && !this.#holds(message, begun)) this.giveBack({ text, ...more });
  }

  /**
   * Sends a queued message before all that wait: during a turn as soon as its open calls have results, and if it waits
   * for that already, by stopping the turn; otherwise as a turn of its own.
   */
  async sendQueued(id: string): Promise<void> {
    const queued = this.queue.list.find((each) => each.id === id);
    if (!queued) return;
    if (this.#running && queued.now) return this.#interrupt();
    this.queue.hurry(id);
    const next = this.#running ? null : this.queue.shift();
    if (next) await this.send(next.text, null, next.more);
  }

  /** Texts in messages of this session that the person did not write: if they are sent again, they are not theirs either. */
  get foreignTexts(): readonly string[] {
    const userMessages = this.journal.context.conversation.flatMap(({ message }) =>
      message.role === 'user' ? [message] : [],
    );
    return [...userMessages.filter(({ kind }) => kind === 'user').flatMap(foreignIn), ...this.#returned];
  }

  /** Stops the turn, and sends what waits for its next step. */
  #interrupt(): void {
    this.#goesOn = true;
    this.#abort('message');
  }

  /** Puts a queued message back into the composer. */
  editQueued(id: string): void {
    const queued = this.queue.remove(id);
    if (queued) this.giveBack({ text: queued.text, ...queued.more });
  }

  /** Puts a message that is in neither queue nor conversation into the composer, before what is written there. */
  giveBack(message: Pick<UserMessage, 'text' | 'attachments' | 'parts'>): void {
    this.#returned.push(...foreignIn({ kind: 'user', ...message }));
    this.#change({ kind: 'unsent', text: message.text, ...attached(message.attachments) });
  }

  /** Takes a message that `giveBack` put into the composer out of it, unless the person has changed it there. */
  takeAgain({ text, attachments }: Pick<UserMessage, 'text' | 'attachments'>): void {
    this.#change({ kind: 'saidAgain', text, ...attached(attachments) });
  }

  /** Images are stored at once, so that the person learns immediately of an unusable one. */
  #enqueue(text: string, { images = [], ...more }: SentWith, interrupts: boolean): Promise<void> {
    const add = async () => {
      let stored = more.attachments;
      try {
        stored = (await this.#compose(text, { ...more, images })).attachments;
        this.queue.add(text, { ...more, ...attached(stored) });
      } catch (thrown) {
        this.giveBack({ text, ...more, ...attached(stored) });
        throw thrown;
      }
      if (interrupts) this.queue.hurry(this.queue.list.at(-1)?.id ?? '');
      if (!this.#running && (interrupts || !this.#paused)) this.#sendNext();
      else if (this.#running && (interrupts || this.#yields)) this.#interrupt();
    };
    // An image takes longer than the text that was written after it.
    const added = this.#enqueued.then(add);
    this.#enqueued = added.catch(() => undefined);
    return added;
  }

  async #compose(text: string, { images = [], attachments, parts }: SentWith): Promise<UserMessage> {
    const composed = await this.agent.compose(text, images);
    if ('refused' in composed) throw new UserFacingError(composed.refused);
    return { ...composed, ...attached(attachments), ...(parts ? { parts } : {}) };
  }

  /** The effect of *Try again*: nothing, ask the model again, or end the wait before the next attempt. */
  get retrying(): 'none' | 'possible' | 'waiting' {
    if (this.#activity.endWait) return 'waiting';
    return !this.#running && !this.journal.readOnly && this.#isUnanswered() ? 'possible' : 'none';
  }

  /** Continues from the end of the journal after an error or a pause; during the wait after a failure, at once. */
  async retry(): Promise<void> {
    if (this.#activity.endWait) return this.#activity.endWait();
    this.requireMovable();
    // A message that could not be sent is in the composer, and not in the journal.
    if (!this.#isUnanswered()) throw new UserFacingError(NOTHING_TO_RETRY);
    const begun = this.journal.nextSeq;
    await this.#exclusively(async (signal) => {
      const taken = this.#notes.measure();
      const outcome = await this.agent.continue(signal);
      await this.#notes.addChanges(begun, taken());
      await this.#noteEnd(outcome);
    }, true);
  }

  /** Messages that waited for the turn's next step return to the composer. */
  stop(): void {
    this.#goesOn = false;
    this.#endedWait = this.#activity.endWait !== null;
    this.#abort('person');
    for (const { id, now } of this.queue.list.toReversed()) if (now) this.editQueued(id);
  }

  #abort(by: StopCause): void {
    this.#running?.abort(new Stop(by));
    this.compactor.stop();
  }

  /** Resolves when nothing is running any more. `by`: what ends together with it. */
  async close(by: Extract<StopCause, 'window' | 'session'> = 'session'): Promise<void> {
    this.#goesOn = false;
    // A message that is still being enqueued begins no turn any more.
    this.#paused = true;
    this.#abort(by);
    await this.#finished;
    await this.#enqueued;
    this.#endRest();
    // A person's text is never lost silently: messages that cannot be stored with the session return to the composer.
    if (!(await this.#ports.waiting?.settle())) for (const { id } of this.queue.list) this.editQueued(id);
    this.agent.dispose();
    try {
      await this.journal.close();
    } catch (thrown) {
      // The last entry could not be written, or another window has the lock: nothing can be done here.
      this.#ports.log('error', messageOf(thrown));
    }
    await this.#ports.session.release();
  }

  compact(instructions?: string): Promise<CompactionOutcome> {
    return this.#compact(instructions ? { instructions } : {});
  }

  /** A session that came from elsewhere and does not fit is compacted, once the person has seen what it costs and agreed. */
  async compactToFit(): Promise<void> {
    if (!this.journal.readOnly && this.compactor.isDue) await this.#compact({ pricedFirst: true });
  }

  async #compact(more: Omit<CompactionRequest, 'trigger'>): Promise<CompactionOutcome> {
    this.requireMovable();
    let outcome: CompactionOutcome = { kind: 'none', reason: words('Something else is running.') };
    await this.#exclusively(async (signal) => {
      await closeLeft(this.journal);
      outcome = await this.compactor.compact({ trigger: 'manual', ...more }, signal);
      if (outcome.kind === 'none' || outcome.kind === 'stuck') await this.#notes.add('info', outcome.reason);
    }, true);
    return outcome;
  }

  /**
   * Tells the model about an action of the person outside the conversation, before its next message, and shows the
   * person the note. Stored at once, or as soon as nothing is running.
   */
  async remind(text: string, note: Extract<EntryDraft, { type: 'note' }>): Promise<void> {
    if (this.journal.readOnly) return;
    const message: UserMessage = { role: 'user', kind: 'reminder', text };
    this.#reminders.push({ type: 'message', message, tokens: estimateMessage(message) }, note);
    await this.#exclusively(async () => undefined);
  }

  /** Effective at once, including in the running turn. */
  async setMode(mode: Mode): Promise<void> {
    if (this.journal.readOnly) throw this.journal.readOnly;
    if (this.journal.mode === mode) return;
    await this.#sign();
    await this.journal.append({ type: 'mode', mode });
  }

  /** Effective from the next compaction on; null lets the setting decide again. */
  async setStrategy(strategy: string | null): Promise<void> {
    if (this.journal.readOnly) throw this.journal.readOnly;
    await this.#sign();
    await this.agent.chooseStrategy(strategy);
  }

  /** Runs a change of the journal that must not overlap a turn. Throws with the reason when it is impossible. */
  async change(act: () => Promise<unknown>): Promise<void> {
    this.requireMovable();
    await this.#exclusively(async () => {
      await act();
    });
  }

  /** Throws with the reason when the session is read-only, or the agent is working. */
  requireMovable(): void {
    if (this.journal.readOnly) throw this.journal.readOnly;
    this.#requireIdle();
  }

  #requireIdle(): void {
    if (this.#running) throw new UserFacingError(STILL_WORKING);
  }

  /** Moves through the session's history. Throws with the reason when that is impossible. */
  async travel(act: (signal: AbortSignal) => Promise<Travel>): Promise<void> {
    this.requireMovable();
    let refusal: Words | null = null;
    await this.#exclusively(async (signal) => {
      const travel = await act(signal);
      if (travel.kind === 'refused') refusal = travel.reason;
      await this.journal.sync();
    });
    if (refusal) throw new UserFacingError(refusal);
  }

  /**
   * Runs `work` while no turn does, with the signal of *Stop*. Rethrows its errors, and throws when something else is
   * running. With `leaving`, no queued message is sent afterwards.
   */
  async whileIdle<T>(work: (signal: AbortSignal) => Promise<T>, leaving = false): Promise<T> {
    this.#requireIdle();
    this.#paused ||= leaving;
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    await this.#exclusively((signal) => work(signal).then(resolve, reject));
    return promise;
  }

  /** The same for work that nobody waits for: a message ends it, and is sent then. */
  untilMessage<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return this.whileIdle(async (signal) => {
      this.#yields = true;
      try {
        return await work(signal);
      } finally {
        this.#yields = false;
      }
    });
  }

  async #exclusively(act: (signal: AbortSignal) => Promise<void>, goesOnUnseen = false): Promise<void> {
    if (this.#running) return;
    this.#running = new AbortController();
    this.#goesOnUnseen = goesOnUnseen;
    this.#finished = this.#run(act, this.#running);
    await this.#finished;
  }

  async #run(act: (signal: AbortSignal) => Promise<void>, running: AbortController): Promise<void> {
    this.#endRest();
    this.#endedWait = false;
    this.#change({ kind: 'state' });
    const begun = this.journal.nextSeq;
    try {
      await this.#sign();
      await this.#keepReminders();
      await act(running.signal);
      await this.#keepReminders();
    } catch (thrown) {
      this.#ports.log('error', thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown));
      // Once the disk has room again the turn can continue.
      await this.#notes.add('error', wordsOf(thrown), this.#isUnanswered() ? ['retry'] : []);
      this.#paused = true;
    } finally {
      this.#running = null;
      for (const message of this.#steering.splice(0).reverse())
        if (!this.#holds(message, begun)) this.giveBack(message);
      this.#activity.clear();
      this.#sending = null;
      this.#turn.end();
      this.#change({ kind: 'state' });
      this.#paused = (this.#paused || running.signal.aborted) && !this.#goesOn;
      this.#goesOn = false;
      if (!this.#paused) this.#sendNext();
      this.#rest();
    }
  }

  /** Compacts shortly before the provider's cache goes cold, where that is on and nothing runs until then. */
  #rest(): void {
    this.#endRest();
    if (this.#running || this.queue.list.length > 0 || this.#isUnanswered()) return;
    const ms = this.compactor.trigger.millisUntilCold;
    if (ms === null) return;
    this.#endRest = this.#ports.timers.after(ms, () => {
      // A machine that slept wakes late, and a timer may fire early.
      if (this.compactor.trigger.millisUntilCold !== 0) return this.#rest();
      void this.#exclusively(async (signal) => {
        await this.compactor.trigger.beforeCold(signal);
      });
    });
  }

  async #keepReminders(): Promise<void> {
    if (this.#reminders.length > 0) await closeLeft(this.journal);
    for (let next = this.#reminders[0]; next; next = this.#reminders[0]) {
      await this.journal.append(next);
      this.#reminders.shift();
    }
  }

  #sendNext(): void {
    const next = this.queue.shift();
    if (!next) return;
    this.send(next.text, null, next.more).catch((thrown) => this.#ports.log('error', messageOf(thrown)));
  }

  #isUnanswered(): boolean {
    const newest = this.journal.context.conversation.at(-1)?.message;
    return newest !== undefined && !isCompleteAnswer(newest);
  }

  /** True when the message itself was journaled at `from` or later. */
  #holds(message: UserMessage, from: number): boolean {
    const { journal } = this;
    for (const entry of journal.newest(journal.nextSeq - from)) {
      if (entry.type === 'message' && entry.message === message) return true;
    }
    return false;
  }

  async #sign(): Promise<void> {
    const { writer } = this.#ports.session;
    if (this.#signed || writer === null) return;
    this.#signed = true;
    await this.journal.append({ type: 'opened', writer });
  }

  /** Notes the end of a turn, where the person has to act. */
  async #noteEnd(outcome: TurnOutcome | NoModel): Promise<void> {
    this.#paused = outcome.kind !== 'done';
    if (outcome.kind !== 'stopped') return this.#notes.addEnd(outcome);
    if (this.#endedWait) return this.#notes.add('info', words('Stopped while waiting to try again.'), ['retry']);
    // The message that stopped it goes on from here.
    if (this.#goesOn || !this.#isUnanswered() || findLeft(this.journal)) return;
    return this.#notes.add('info', describeEnd(outcome.by), ['retry']);
  }
}

function describeEnd(by: StopCause): Words {
  switch (by) {
    case 'person':
      return words('You stopped the agent here.');
    case 'message':
      return words('Your message stopped the agent here.');
    case 'window':
      return words('The window was closed while the agent was working.');
    case 'session':
      return words('The session was closed while the agent was working.');
    case 'timeLimit':
      return words('A time limit stopped the agent here.');
    case 'program':
      return words('The agent was stopped here.');
  }
}

const NOTHING_TO_RETRY = words('Everything is answered already. Send your message again.');
const STILL_WORKING = words('The agent is still working. Stop it first, or wait until it has answered.');

function attached(attachments: readonly Attachment[] | undefined): Pick<SentWith, 'attachments'> {
  return attachments?.length ? { attachments } : {};
}

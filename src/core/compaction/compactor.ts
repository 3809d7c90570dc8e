/**
 * The compactor says when, and makes sure (DESIGN §5): it meters, triggers, asks, runs the strategy, checks what came
 * back and commits one `compaction` entry. Before that entry nothing has changed, so a failure needs no rollback (C6).
 */

import type { Usage } from '../context/message.ts';
import type { UsageEntry } from '../journal/entry.ts';
import type { ConsentAnswer } from '../ports.ts';
import { CalibrationFollower } from '../tokens/calibrate.ts';
import { windowOf } from '../tokens/learnedWindows.ts';
import { type MeterReading, readHalfCharacters, readMeter } from '../tokens/meter.ts';
import { verbatim, type Words, words } from '../words.ts';
import { type CommitFacts, commitProposal, describeCommit } from './commit/commit.ts';
import { type FailureFacts, recordFailure } from './commit/failure.ts';
import { describePreview, type Preview, type PreviewOutcome, type PreviewRequest } from './commit/preview.ts';
import type { CompactorPorts } from './compactorPorts.ts';
import { findExpired } from './draft/offload.ts';
import { type Proposal, type ProposalOutcome, propose, proposeDrop, proposeExpiry } from './draft/propose.ts';
import type { CompactionOutcome, CompactionRequest, TurnCompaction } from './outcome.ts';
import { type PreparedRun, prepareRun } from './prepareRun.ts';
import { HistoryView } from './run/history.ts';
import { PhaseEvents } from './run/phaseEvents.ts';
import { StrategyChooser } from './run/strategyChooser.ts';
import type { StrategyEntry } from './run/strategyEntry.ts';
import { MODEL_NOT_NEEDED, StrategyHost } from './run/strategyHost.ts';
import { refusingSummariser } from './run/summarise.ts';
import type { CompactionSettings } from './settings.ts';
import { describeFixed } from './when/fixed.ts';
import { holdsAfterUndo, isQuiescent } from './when/holds.ts';
import { answerRoom } from './when/limits.ts';
import { decideTrigger, type TriggerDecision, type TriggerMoment } from './when/triggers.ts';

/** Entries that a resumed session is calibrated from: the newest tell most, and a long session is not read for it. */
const FOLLOWED = 2_000;

const none = (reason: Words): Extract<CompactionOutcome, { kind: 'none' }> => ({ kind: 'none', reason });
const AUTO_OFF = words('Automatic compaction is off.');
const STOPPED = words('The compaction was stopped.');
const CHANGED_MEANWHILE = words('The conversation changed its shape meanwhile; nothing was compacted.');

export class Compactor implements TurnCompaction {
  readonly #ports: CompactorPorts;
  readonly #history = new HistoryView();
  readonly #follower = new CalibrationFollower();
  readonly #host: StrategyHost;
  readonly #chooser: StrategyChooser;
  readonly #stop: () => void;
  #running = false;
  /** What the agent asked for and waits until no call is unanswered. */
  #asked: CompactionRequest | null = null;
  #overflows = 0;
  /** Refusals since the last answer. */
  #refusals = 0;
  /** Automatic triggers keep still below this reading: nothing could be done, or the person said not now. */
  #heldBelow = 0;
  /** It was the person who said not now. */
  #refused = false;

  constructor(ports: CompactorPorts) {
    this.#ports = ports;
    this.#host = new StrategyHost(ports.log);
    this.#chooser = new StrategyChooser(ports.registry, ports.journal, ports.log);
    for (const entry of [...ports.journal.newest(FOLLOWED)].reverse()) this.#follower.follow(entry);
    this.#stop = ports.journal.listen((entry) => {
      this.#follower.follow(entry);
      if (entry.type === 'usage' && !entry.estimated) this.#hearOf(entry);
    });
  }

  dispose(): void {
    this.#stop();
  }

  /** How full the context is now. */
  get reading(): MeterReading {
    return readMeter(this.#ports.journal.context, this.#ports.model()?.model ?? '', this.#follower.calibration);
  }

  /** Window in tokens, as configured or as the provider corrected it; 0 when unknown. */
  get window(): number {
    const choice = this.#ports.model();
    return choice ? windowOf(choice, this.#ports.windows) : 0;
  }

  /** Somebody acted, so what came to nothing may be tried again; a "not now" holds until the context has grown. */
  beginTurn(): void {
    this.#overflows = 0;
    this.#refusals = 0;
    if (!this.#refused) this.#heldBelow = 0;
  }

  beforeMessage(tokens: number, signal: AbortSignal): Promise<CompactionOutcome> {
    return this.#check({ at: 'beforeMessage', tokens }, signal);
  }

  async beforeCall(signal: AbortSignal): Promise<CompactionOutcome> {
    const asked = this.#asked;
    this.#asked = null;
    if (!this.#ports.settings().auto) return none(AUTO_OFF);
    await this.#expire(signal);
    const made = asked && (await this.#alone((it) => this.#compact(asked, it), signal));
    return made && made.kind !== 'none' ? made : this.#check({ at: 'beforeCall' }, signal);
  }

  afterResponse(signal: AbortSignal): Promise<CompactionOutcome> {
    this.#refusals = 0;
    return this.#check({ at: 'afterResponse' }, signal);
  }

  async afterOverflow(learnedWindow: number | undefined, signal: AbortSignal): Promise<CompactionOutcome> {
    const settings = this.#ports.settings();
    const choice = this.#ports.model();
    if (choice && learnedWindow !== undefined) {
      this.#ports.windows.learn(choice.client.endpoint, choice.model, learnedWindow);
    }
    if (!settings.auto)
      return none(words('Automatic compaction is off. Run /compact, or switch it on in the settings.'));
    this.#overflows++;
    this.#refusals++;
    if (this.#overflows > settings.maxRecoveries) {
      const { tokens } = this.reading;
      return {
        kind: 'stuck',
        reason: words(
          'The model refused the request as too long {0} times: it has about {1} tokens, and the window {2}. Start a new session, or choose a model with a larger window.',
          this.#overflows,
          tokens,
          this.window || '?',
        ),
      };
    }
    return this.#alone((it) => this.#compact({ trigger: 'overflow' }, it), signal);
  }

  /** The agent asks for a compaction, which runs before its next request. Why not, in words; null when it will be made. */
  schedule(instructions?: string): string | null {
    if (!this.#ports.settings().auto) return 'Automatic compaction is switched off by the user.';
    this.#asked = { trigger: 'agent', ...(instructions ? { instructions } : {}) };
    return null;
  }

  compact(request: CompactionRequest, signal: AbortSignal): Promise<CompactionOutcome> {
    return this.#alone((it) => this.#compact(request, it), signal);
  }

  #hearOf({ model, usage }: Pick<UsageEntry, 'model' | 'usage'>): void {
    const choice = this.#ports.model();
    if (choice?.model === model) this.#ports.windows.disprove(choice.client.endpoint, model, usage.input);
  }

  /** What a compaction would do (B2): nothing is changed, nobody is asked; a summary costs what it costs. */
  preview(request: PreviewRequest, signal: AbortSignal): Promise<PreviewOutcome> {
    const begun = this.#ports.clock.now();
    return this.#exclusive(async (): Promise<PreviewOutcome> => {
      const resolved = await this.#ports.registry.resolve(
        request.strategy ?? this.#ports.settings().strategy,
        true,
        signal,
      );
      if (resolved.kind === 'missing') return none(verbatim(resolved.reason));
      const settings = request.settings ?? this.#ports.settings();
      const run = this.#prepare(resolved.entry, { trigger: 'manual', ...request }, settings, signal);
      if (!run) return none(words('There is nothing to compact.'));
      const outcome = await this.#propose(resolved.entry, run, signal);
      return describePreview(resolved.entry.id, run, outcome, this.#ports.clock.now() - begun, request.instructions);
    }, none);
  }

  /** Commits what a preview showed, when the conversation still has the shape it had then. */
  apply(preview: Preview): Promise<CompactionOutcome> {
    return this.#exclusive(() => this.#commit(preview.proposal, preview.facts), none);
  }

  /** Takes back the newest active compaction. False when there is none. */
  async undo(): Promise<boolean> {
    const { journal, onEvent } = this.#ports;
    const target = journal.context.activeCompactions.at(-1);
    if (!target || this.#running) return false;
    const tokensBefore = this.reading.tokens;
    await journal.append({ type: 'compactionUndone', target: target.seq });
    const { strategy, trigger } = target;
    onEvent({ type: 'compactionUndone', strategy, trigger, tokensBefore, tokensAfter: this.reading.tokens });
    return true;
  }

  /** Tokens the context would hold after `undo` (B1); null when there is nothing to undo. */
  sizeAfterUndo(): number | null {
    const target = this.#ports.journal.context.activeCompactions.at(-1);
    return target ? this.reading.tokens + Math.max(0, target.tokensBefore - target.tokensAfter) : null;
  }

  /** Brings back the compaction undone last. False when there is none. */
  async redo(): Promise<boolean> {
    const { journal } = this.#ports;
    const target = journal.context.undoneCompactions.at(-1);
    if (!target || this.#running) return false;
    await journal.append({ type: 'compactionRedone', target: target.seq });
    return true;
  }

  async #check(moment: TriggerMoment, signal: AbortSignal): Promise<CompactionOutcome> {
    const settings = this.#ports.settings();
    if (!settings.auto) return none(AUTO_OFF);
    const { reading, window } = this;
    const decision = this.#decide(settings, moment);
    // What the window cannot hold is compacted whatever the trigger looks at and whatever was held.
    const impossible =
      moment.at === 'beforeCall' &&
      window > 0 &&
      reading.tokens + settings.trigger.safetyMargin >= window - answerRoom(window, this.#ports.model());
    if (decision.kind === 'below' && !impossible) return none(words('The context is below its limit.'));
    const growth = Math.max(1, settings.holdGrowth * (window || reading.tokens));
    const undone = holdsAfterUndo(this.#ports.journal.backward(), growth / reading.factor);
    const held = undone || reading.tokens < this.#heldBelow;
    if (held && !impossible) return none(words('Held until the context grows or you write.'));
    const trigger = decision.kind === 'fire' ? decision.trigger : 'precheck';
    const outcome = await this.#alone((it) => this.#compact({ trigger }, it), signal);
    const stillFires = outcome.kind !== 'compacted' || this.#decide(settings, { at: 'beforeCall' }).kind === 'fire';
    this.#refused = outcome.kind === 'refused';
    this.#heldBelow = stillFires ? this.reading.tokens + growth : 0;
    return outcome;
  }

  #decide(settings: CompactionSettings, moment: TriggerMoment): TriggerDecision {
    const { reading, window } = this;
    const halfCharacters = () => readHalfCharacters(this.#ports.journal.context.conversation);
    return decideTrigger(settings.trigger, moment, { reading, halfCharacters, window });
  }

  /** Characters / 2 count a text about twice as high as tokens: limits in that unit are made comparable. */
  #scale({ trigger }: CompactionSettings): number {
    const { tokens } = this.reading;
    if (trigger.basis !== 'halfCharacters' || tokens === 0) return 1;
    return Math.max(0.1, readHalfCharacters(this.#ports.journal.context.conversation) / tokens);
  }

  /** C12: what tools no longer want goes behind stubs, as a compaction of its own. */
  async #expire(signal: AbortSignal): Promise<void> {
    const expired = findExpired(this.#ports.journal.context.conversation);
    if (expired.length === 0 || holdsAfterUndo(this.#ports.journal.backward(), Number.POSITIVE_INFINITY)) return;
    await this.#alone(async (it) => {
      const begun = this.#ports.clock.now();
      const run = this.#prepare(null, { trigger: 'ephemeral' }, this.#ports.settings(), it);
      const proposal = run && (await proposeExpiry(run, expired));
      if (!proposal) return none(words('Nothing expired.'));
      return this.#commit(proposal, this.#facts(run, 'ephemeral', { trigger: 'ephemeral' }, begun));
    }, signal);
  }

  /** One at a time, and only while no tool call is unanswered. */
  #alone(work: (signal: AbortSignal) => Promise<CompactionOutcome>, signal: AbortSignal): Promise<CompactionOutcome> {
    return this.#exclusive(() => work(signal), none);
  }

  async #exclusive<T>(work: () => Promise<T>, refuse: (reason: Words) => T): Promise<T> {
    if (this.#running) return refuse(words('A compaction is running already.'));
    if (!isQuiescent(this.#ports.journal.context.conversation))
      return refuse(words('A tool call is not answered yet.'));
    this.#running = true;
    try {
      return await work();
    } finally {
      this.#running = false;
      this.#ports.onProgress(null);
    }
  }

  async #compact(request: CompactionRequest, signal: AbortSignal): Promise<CompactionOutcome> {
    const { clock, log, onEvent, onProgress } = this.#ports;
    const begun = clock.now();
    const settings = this.#ports.settings();
    const entry = await this.#chooser.choose(settings.strategy, request.trigger === 'manual', signal);
    const answer = await this.#askConsent(entry, request, settings, signal);
    if (signal.aborted) return none(STOPPED);
    if (answer === 'newSession' || answer === 'notNow') return { kind: 'refused', choice: answer };
    const run = this.#prepare(entry, request, settings, signal);
    if (!run) return none(words('There is nothing to compact.'));
    const { reading, limits } = run;
    onProgress({ text: `Compacting with ${entry.label}`, fraction: null });
    onEvent({ type: 'preCompact', strategy: entry.id, trigger: request.trigger, tokens: reading.tokens });
    log(
      'info',
      `compaction begins: ${entry.id}, ${request.trigger}, current=${reading.tokens}, threshold=${Math.round(limits.soft)}`,
    );
    if (answer === 'dropOldest') {
      const dropped = await proposeDrop(run, limits.target);
      if (!dropped) return none(words('There is nothing that may be dropped.'));
      return this.#commit(dropped, this.#facts(run, 'drop-oldest', request, begun));
    }
    const phases = new PhaseEvents(settings.emitMetaEvents ? onEvent : null, reading.tokens);
    const outcome = await this.#propose(entry, { ...run, llm: phases.watch(run.llm) }, signal);
    phases.end(outcome.kind === 'proposal' ? outcome.proposal.tokensAfter : reading.tokens);
    const fail = (reason: string, by: 'strategy' | 'model', instead: string, usage: Usage | null = null) =>
      run.cooling && by === 'model' ? null : this.#fail(entry, request, { reason, by, instead, begun, usage });
    switch (outcome.kind) {
      case 'aborted':
        return none(STOPPED);
      case 'unchanged':
        return none(words('The strategy found nothing to compact.'));
      case 'failed':
        await fail(outcome.reason, outcome.by, '', run.llm.usage());
        return {
          kind: 'failed',
          reason: words(
            'Compaction with {0} failed: {1}. The context is unchanged.',
            entry.label,
            outcome.reason.replace(/\.$/, ''),
          ),
        };
      case 'stuck':
        if (outcome.failure) await fail(outcome.failure.reason, outcome.failure.by, '', run.llm.usage());
        return {
          kind: 'stuck',
          reason: [
            ...words(
              'The context does not fit: about {0} tokens are left after everything that may go is gone, and the limit is {1}.',
              outcome.tokens,
              Math.round(limits.hard),
            ),
            ...describeFixed(run),
            ...words('Unpin messages, start a new session, or choose a model with a larger window.'),
          ],
        };
      case 'proposal': {
        if (signal.aborted) return none(STOPPED);
        const { proposal, failure } = outcome;
        const silent = run.llm.failure();
        if (failure) await fail(failure.reason, failure.by, proposal.repairs.join(' '));
        // The strategy went on without its summary; the failure still counts (C7, C15).
        else if (silent) await fail(silent, 'model', 'The deterministic part of the strategy was used.');
        const by = proposal.by === 'strategy' && failure === null ? entry.id : 'fallback';
        return this.#commit(proposal, this.#facts(run, silent ? 'fallback' : by, request, begun));
      }
    }
  }

  async #askConsent(
    entry: StrategyEntry,
    request: CompactionRequest,
    settings: CompactionSettings,
    signal: AbortSignal,
  ): Promise<ConsentAnswer> {
    if (!settings.requireConfirmation || request.trigger === 'manual') return 'compact';
    const { tokens } = this.reading;
    try {
      return await this.#ports.consent({ strategy: entry.id, tokens, window: this.window }, signal);
    } catch (thrown) {
      // A stop ends the question too, and no answer is no consent.
      if (signal.aborted) return 'notNow';
      throw thrown;
    }
  }

  #prepare(
    entry: StrategyEntry | null,
    request: CompactionRequest,
    settings: CompactionSettings,
    signal: AbortSignal,
  ): PreparedRun | null {
    const { trigger, instructions } = request;
    const setting = {
      strategy: entry?.id ?? trigger,
      trigger,
      ...(instructions !== undefined ? { instructions } : {}),
      settings,
      reading: this.reading,
      window: this.window,
      scale: this.#scale(settings),
      overflows: trigger === 'overflow' ? this.#refusals : 0,
      calibration: this.#follower.calibration,
      history: this.#history,
    };
    return prepareRun(this.#ports, setting, signal);
  }

  async #propose(entry: StrategyEntry, run: PreparedRun, signal: AbortSignal): Promise<ProposalOutcome> {
    const { registry } = this.#ports;
    const hosted = this.#host.use(entry);
    if (hosted.kind === 'broken') return propose({ ...run, strategy: brokenStrategy(hosted.reason) }, signal);
    const gone = new AbortController();
    const watch = registry.onDidChange((id) => {
      if (id === entry.id && registry.get(id) !== entry) gone.abort();
    });
    const llm = hosted.usesModel ? run.llm : refusingSummariser(MODEL_NOT_NEEDED);
    this.#host.open(llm, run.section);
    try {
      return await propose({ ...run, llm, strategy: hosted.strategy, gone: gone.signal }, signal);
    } finally {
      this.#host.close();
      watch.dispose();
    }
  }

  #facts(run: PreparedRun, strategy: string, request: CompactionRequest, begun: number): CommitFacts {
    const { trigger, instructions } = request;
    const durationMs = this.#ports.clock.now() - begun;
    return { strategy, trigger, ...(instructions ? { instructions } : {}), base: run.base, durationMs, llm: run.llm };
  }

  async #commit(proposal: Proposal, facts: CommitFacts): Promise<CompactionOutcome> {
    const { journal, log, onEvent } = this.#ports;
    const entry = await commitProposal(journal, proposal, facts);
    if (!entry) return none(CHANGED_MEANWHILE);
    log('info', `compaction done: ${entry.strategy}, ${entry.tokensBefore} → ${entry.tokensAfter} tokens`);
    for (const event of describeCommit(entry, proposal, journal.context.conversation.length)) onEvent(event);
    return { kind: 'compacted', entry };
  }

  async #fail(entry: StrategyEntry, { trigger }: CompactionRequest, facts: FailureFacts): Promise<void> {
    if (facts.by === 'strategy') this.#chooser.countFailure(entry.id);
    await recordFailure(this.#ports, { strategy: entry.id, trigger, tokens: this.reading.tokens }, facts);
  }
}

const brokenStrategy = (reason: string) => ({ compact: () => Promise.reject(new Error(reason)) });

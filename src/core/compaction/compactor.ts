/**
 * Decides when to compact, asks for consent, runs the strategy, validates its answer and commits one `compaction`
 * entry. Nothing changes before that entry, so a failure needs no rollback.
 */

import type { Disposable } from '../../api/index.ts';
import type { CacheClock, CacheFacts } from '../cost/cacheFacts.ts';
import type { ModelError } from '../errors.ts';
import { BRANCH, COOLING, type CompactionEntry, HANDOFF } from '../journal/entry.ts';
import { makeNote } from '../journal/makeNote.ts';
import type { ExpectedPrompt } from '../model/modelClient.ts';
import { settleGuess } from '../tokens/learnedWindows.ts';
import type { MeterReading } from '../tokens/meter.ts';
import { type Words, words } from '../words.ts';
import { describeFixed } from './draft/rules.ts';
import { Ahead, type AheadOutcome, refuseOwnForm } from './ahead.ts';
import { Asking } from './asking.ts';
import { type BranchSummary, carryOver, introduceBranch, introduceSession, summariseLeft } from './branchSummary.ts';
import { ColdRule } from './coldRule.ts';
import { commit, isStillBase, originOf } from './commit.ts';
import type { CompactorPorts } from './compactorPorts.ts';
import { conclude, reportUnchanged } from './conclude.ts';
import { Draft } from './draft/draft.ts';
import { dropOldest } from './draft/dropOldest.ts';
import { expireResults } from './draft/hideResults.ts';
import type { PreparedRun } from './preparedRun.ts';
import { Preparer } from './prepareRun.ts';
import { describePreview, type Preview, type PreviewOutcome, type PreviewRequest } from './preview.ts';
import type { Proposal, ProposalOutcome } from './proposal/proposal.ts';
import { propose, proposeOwn } from './propose.ts';
import { StrategyChooser } from './run/strategyChooser.ts';
import { StrategyHost } from './run/strategyHost.ts';
import { type CompactionSettings, forModel } from './settings/compactionSettings.ts';
import type { ConsentFigures, ExpectedResult } from './signals/consent.ts';
import { type CompactionOutcome, none, STOPPED } from './signals/outcome.ts';
import { PhaseEvents } from './signals/phaseEvents.ts';
import type { CompactionRequest, TurnCompaction } from './signals/turnCompaction.ts';
import type { StrategyEntry } from './strategies/strategyEntry.ts';
import { SummaryWriterNotes } from './summaryWriterNotes.ts';
import { AutomaticTriggers } from './when/automatic.ts';
import { EarlyRule } from './when/earlyRule.ts';
import { findExpired } from './when/expiredResults.ts';
import { Gauge, type TriggerMark } from './when/gauge.ts';
import { hardLimit } from './when/limits.ts';
import { isUndone } from './when/holds.ts';
import { isWorthIt, mostFreed, notWorth, withoutFailure } from './when/judge.ts';
import { isQuiescent } from './when/quiescence.ts';
import type { TriggerMoment } from './when/triggers.ts';
import { type RunCallbacks, withStrategy } from './withStrategy.ts';

/** After this many refusals of requests as too long, a turn stops. */
const MOST_RECOVERIES = 3;
const AUTO_OFF = words('Automatic compaction is off.');
const LATER = none(words('Its summary is being prepared; there is still room in the context until it is ready.'));
const NOT_ASKED: AheadOutcome = { kind: 'no' };
const NOTHING = words('There is nothing to compact.');
const STILL_OVER = words(
  'The context is still above the size at which it is compacted, and most of the remaining messages are protected. Continue, or start a new session.',
);
const NOTHING_LEFT = words('Nothing can be compacted: every message is protected. Continue, or start a new session.');

/**
 * Whether the person who declined a strategy is asked if another may run in its place. A *Cancel* just now ends what it
 * was asked for, unless the context does not fit; what the person asks for themselves, and what happens while nobody is
 * there, is never followed by another question.
 */
const mayAskInstead = (trigger: string, now: boolean, cannotWait: boolean): boolean =>
  trigger !== 'manual' && trigger !== COOLING && (!now || cannotWait);

export class Compactor implements TurnCompaction {
  readonly #ports: CompactorPorts;
  readonly #gauge: Gauge;
  readonly #automatic: AutomaticTriggers;
  readonly #preparer: Preparer;
  readonly #host: StrategyHost;
  readonly #chooser: StrategyChooser;
  readonly #registered: Disposable;
  readonly #ahead: Ahead;
  readonly #earlyRule: EarlyRule;
  readonly #coldRule: ColdRule;
  readonly #asking: Asking;
  readonly #writers = new SummaryWriterNotes();
  #running = false;
  /** The agent's request, which waits until every call has a result. */
  #asked: CompactionRequest | null = null;

  constructor(given: CompactorPorts) {
    const ports = { ...given, settings: (instead?: string) => this.#forModel(given.settings(instead)) };
    this.#ports = ports;
    this.#gauge = new Gauge(ports);
    this.#automatic = new AutomaticTriggers(this.#gauge, ports.journal);
    this.#host = new StrategyHost(ports.log);
    this.#chooser = new StrategyChooser(ports, this.#host);
    this.#preparer = new Preparer(ports, this.#gauge);
    this.#ahead = new Ahead(ports, this.#gauge, this.#host, this.#preparer);
    this.#registered = ports.registry.onDidChange((id) => {
      this.#host.release(id);
      this.#ahead.strategyChanged(id);
      this.#chooser.forgetFailures(id);
    });
    this.#earlyRule = new EarlyRule(ports, this.#gauge, this.#host, this.#chooser);
    this.#coldRule = new ColdRule(ports, this.#gauge, this.#chooser, this.#automatic, this.#ahead);
    this.#asking = new Asking(ports, async (entry, run, signal) => {
      const ahead = await this.#ahead.check(entry, run, false, signal);
      const made = await this.#ahead.made(entry, run, ahead, signal);
      return made ?? { run, outcome: await this.#propose(entry, run, signal) };
    });
  }

  dispose(): void {
    this.#ahead.dispose();
    this.#gauge.dispose();
    this.#registered.dispose();
    this.#host.release();
  }

  settingsChanged(): void {
    this.#ahead.keepFitting(this.#ports.settings());
  }

  /** Stops the summary prepared in the background. */
  stop(): void {
    this.#ahead.stop();
  }

  get reading(): MeterReading {
    return this.#gauge.reading;
  }

  /** The reading after a move of the head. */
  readingAt(head: number | null): MeterReading {
    return this.#gauge.readingAt(head);
  }

  get expected(): ExpectedPrompt {
    return this.#gauge.expected;
  }

  /** The endpoint's reports about its cache in this session, and their consequence for the next message. */
  get cacheFacts(): CacheFacts {
    return this.#gauge.cache;
  }

  get cacheClock(): CacheClock {
    return this.#gauge.clock;
  }

  get window(): number {
    return this.#gauge.window;
  }

  /** Tokens of the window that requests leave free for an answer; 0 when the window is unknown. */
  get reserve(): number {
    const { window, answerRoom } = this.#gauge;
    return window === 0 ? 0 : window - hardLimit(window, answerRoom, this.#ports.settings().trigger);
  }

  /** Where an automatic compaction starts; null when it is off, or only the provider knows the limit. */
  get mark(): TriggerMark | null {
    const { auto, trigger } = this.#ports.settings();
    return auto ? this.#gauge.mark(trigger) : null;
  }

  beginTurn(): void {
    this.#ahead.beginTurn();
    this.#asking.forget();
    this.#automatic.beginTurn();
  }

  beforeMessage(tokens: number, signal: AbortSignal): Promise<CompactionOutcome> {
    return this.#check({ at: 'beforeMessage', tokens }, signal);
  }

  async beforeCall(signal: AbortSignal): Promise<CompactionOutcome> {
    const asked = this.#asked;
    this.#asked = null;
    if (!this.#ports.settings().auto) return none(AUTO_OFF);
    // Deferrable changes wait while a summary is prepared, because they would invalidate it.
    await this.#expire(this.#ahead.state ? 0 : this.#ports.settings().keep.outdatedTokens, signal);
    const made = asked && (await this.compact(asked, signal));
    return made && made.kind !== 'none' ? made : this.#check({ at: 'beforeCall' }, signal);
  }

  afterResponse(signal: AbortSignal): Promise<CompactionOutcome> {
    this.#asking.forget();
    this.#automatic.answered();
    return this.#check({ at: 'afterResponse' }, signal);
  }

  settle(error: ModelError): ModelError {
    const { window, answerRoom } = this.#gauge;
    return settleGuess(error, this.reading.tokens, window && window - answerRoom);
  }

  async afterOverflow(learnedWindow: number | undefined, signal: AbortSignal): Promise<CompactionOutcome> {
    const settings = this.#ports.settings();
    if (learnedWindow !== undefined) this.#gauge.learnWindow(learnedWindow);
    if (!settings.auto)
      return none(words('Automatic compaction is off. Run /compact, or switch it on in the settings.'));
    const overflows = this.#automatic.countOverflow();
    if (overflows <= MOST_RECOVERIES) return this.compact({ trigger: 'overflow' }, signal);
    return {
      kind: 'stuck',
      reason: words(
        'The model refused the request as too long {0} times: it has about {1} tokens, and the window {2}. Start a new session, or choose a model with a larger window.',
        overflows,
        this.reading.tokens,
        this.window || '?',
      ),
    };
  }

  /**
   * Handles the agent's request for a compaction, which runs before its next request. Returns why it is refused; null
   * when accepted.
   */
  schedule(instructions?: string): string | null {
    if (!this.#ports.settings().auto) return 'Automatic compaction is switched off by the user.';
    this.#asked = { trigger: 'agent', ...(instructions ? { instructions } : {}) };
    return null;
  }

  compact(request: CompactionRequest, signal: AbortSignal): Promise<CompactionOutcome> {
    return this.#alone(() => this.#compact(request, signal));
  }

  /** Previews a compaction: changes nothing and needs no consent, but a summary has its normal cost. */
  preview(request: PreviewRequest, signal: AbortSignal): Promise<PreviewOutcome> {
    const begun = this.#ports.clock.now();
    return this.#alone(async (): Promise<PreviewOutcome> => {
      const id = request.strategy ?? this.#ports.settings().strategy;
      const resolved = await this.#ports.registry.resolve(id, true, signal);
      if (resolved.kind !== 'found') return none(resolved.reason);
      const settings = request.settings ? this.#forModel(request.settings) : this.#ports.settings();
      const asked = { trigger: 'manual', instructions: request.instructions };
      const run = this.#prepare(resolved.entry.id, asked, settings, begun, signal);
      if (!run) return none(NOTHING);
      const outcome = await this.#propose(resolved.entry, run, signal);
      return describePreview(outcome, originOf(run, this.#ports.clock), run);
    });
  }

  previewAsked(): Promise<PreviewOutcome> {
    return this.#asking.preview();
  }

  /** True while the conversation has the shape that the preview was made from. */
  isCurrent({ origin }: Preview): boolean {
    return isStillBase(this.#ports.journal, origin.run.base);
  }

  /** The result of agreeing to `proposal`, in the unit of the open question. */
  expectAsked(proposal: Proposal): ExpectedResult {
    return this.#asking.expect(proposal);
  }

  /** Replaces the compaction that the person is being asked about by `changed`. False when no question is open. */
  amendAsked(shown: Preview, changed: Preview): boolean {
    return this.#asking.amend(shown.proposal, changed.proposal);
  }

  /** Commits a preview if the conversation still has the same shape. */
  apply({ proposal, origin }: Preview): Promise<CompactionOutcome> {
    this.#earlyRule.compacting();
    return this.#alone(() => commit(this.#ports, proposal, origin));
  }

  /** Summarises what a person would leave by returning to `target`. The context stays unchanged. */
  summariseBranch(target: number, signal: AbortSignal): ReturnType<typeof summariseLeft> {
    return summariseLeft(this.#ports, this.#preparer, { to: BRANCH, target }, signal);
  }

  /** Appends such a summary to the context, after the move. */
  carryOver(summary: BranchSummary, files: 'restored' | 'left'): Promise<CompactionEntry> {
    return carryOver(this.#ports, this.#gauge, BRANCH, summary, introduceBranch(files));
  }

  /** Summarises the whole conversation for another session, which continues from it. */
  summariseSession(instructions: string, signal: AbortSignal): ReturnType<typeof summariseLeft> {
    return summariseLeft(this.#ports, this.#preparer, { to: HANDOFF, instructions }, signal);
  }

  /** Begins this session with the summary of its predecessor. */
  beginWith(summary: BranchSummary, from: { readonly id: string; readonly title: string }): Promise<CompactionEntry> {
    return carryOver(this.#ports, this.#gauge, HANDOFF, summary, introduceSession(from.title, from.id));
  }

  /**
   * Milliseconds of rest after which `beforeCold` is due; null if it would do nothing. The clock runs on while a machine
   * sleeps, so ask again after a wait.
   */
  get millisUntilCold(): number | null {
    return this.#coldRule.millisUntilDue;
  }

  /** Compacts while the summary still reads from the cache: once after an answer, whatever came of it. */
  async beforeCold(signal: AbortSignal): Promise<CompactionOutcome> {
    if (this.millisUntilCold !== 0) return none(words('The cache is not about to go cold.'));
    this.#coldRule.compacting();
    const { clock } = this.#ports;
    const { usedAt, livesMs } = this.#gauge.clock;
    const early = { why: COOLING, idleMs: clock.now() - (usedAt ?? 0), livesMs: livesMs ?? 0 };
    return this.compact({ trigger: COOLING, early }, signal);
  }

  /** Undoes the newest active compaction. False when there is none. */
  async undo(): Promise<boolean> {
    const { journal, onEvent } = this.#ports;
    const target = journal.context.activeCompactions.at(-1);
    if (this.#running || !target) return false;
    const tokensBefore = this.reading.tokens;
    await journal.append({ type: 'compactionUndone', target: target.seq });
    const { strategy, trigger } = target;
    onEvent({ type: 'compactionUndone', strategy, trigger, tokensBefore, tokensAfter: this.reading.tokens });
    return true;
  }

  /** Restores the compaction undone last. False when there is none. */
  async redo(): Promise<boolean> {
    const { journal } = this.#ports;
    const target = journal.context.undoneCompactions.at(-1);
    if (this.#running || !target) return false;
    await journal.append({ type: 'compactionRedone', target: target.seq });
    return true;
  }

  async #check(moment: TriggerMoment, signal: AbortSignal): Promise<CompactionOutcome> {
    const settings = this.#ports.settings();
    if (!settings.auto) return none(AUTO_OFF);
    this.#ahead.follow(signal);
    if (!this.#running) await this.#gauge.count(settings.trigger, moment, signal);
    const read = () => this.#gauge.describe(settings.trigger, moment, this.#ports.clock.now());
    const early = this.#running ? undefined : await this.#earlyRule.ask(settings, read);
    const decide = () => this.#automatic.decide(settings, moment, early, this.#ahead.state);
    let decision = decide();
    // Outdated results go first: often that is enough.
    const expires = decision.kind === 'fire' && !this.#ahead.state;
    if (expires && (await this.#expire(null, signal))) decision = decide();
    if (decision.kind === 'full') return { kind: 'stuck', reason: this.#describeFull(signal) };
    if (decision.kind === 'still') {
      if (moment.at !== 'beforeMessage' && !this.#running && !this.#automatic.isHeld(settings))
        this.#ahead.consider(settings);
      return none(decision.reason);
    }
    const now = this.#ports.clock.now();
    const usualMs = settings.pays ? settings.pays.idleMinutes * 60_000 : undefined;
    const why = decision.early ? { early: this.#gauge.whyEarly(now, usualMs) } : {};
    const request = { trigger: decision.trigger, ...why };
    // Without a cached prefix everything is read at full price anyway: the less the better.
    const mayWait = !decision.urgent && !(decision.early && this.#gauge.isCold(now, usualMs));
    const { figures, urgent, mustFit } = decision;
    const fired = { figures, mayWait, urgent, mustFit };
    const outcome = await this.#alone(() => this.#compact(request, signal, fired));
    if (outcome === LATER) this.#automatic.postpone(decision);
    else await this.#automatic.settle(outcome, settings, decision);
    return outcome;
  }

  /** Hides results that their tools no longer want, as a compaction of its own. False when there are none. */
  async #expire(outdatedTokens: number | null, signal: AbortSignal): Promise<boolean> {
    const { journal, clock } = this.#ports;
    const expired = findExpired(journal.context.conversation, outdatedTokens);
    if (expired.length === 0 || isUndone(journal.backward())) return false;
    const outcome = await this.#alone(async () => {
      const begun = clock.now();
      const run = this.#prepare('ephemeral', { trigger: 'ephemeral' }, this.#ports.settings(), begun, signal);
      if (!run) return none(NOTHING);
      return this.#commitOwn(run, expireResults(Draft.of(run.history), expired, run.stamp), 'ephemeral');
    });
    return outcome.kind === 'compacted';
  }

  #forModel(settings: CompactionSettings): CompactionSettings {
    return forModel(settings, this.#gauge.model);
  }

  /** Runs one operation at a time, and only while every tool call has its result. */
  async #alone<T>(work: () => Promise<T>): Promise<T | ReturnType<typeof none>> {
    if (this.#running) return none(words('A compaction is already running.'));
    if (!isQuiescent(this.#ports.journal.context.conversation)) return none(words('A tool call has no result yet.'));
    this.#running = true;
    try {
      return await work();
    } finally {
      this.#running = false;
      this.#ports.onProgress(null);
    }
  }

  async #compact(
    request: CompactionRequest,
    signal: AbortSignal,
    fired?: {
      readonly figures: ConsentFigures;
      readonly mayWait: boolean;
      readonly urgent: boolean;
      readonly mustFit: boolean;
    },
  ): Promise<CompactionOutcome> {
    const { clock, log, onEvent, onProgress } = this.#ports;
    const begun = clock.now();
    const chosen = this.#ports.settings();
    const choice = await this.#chooser.choose(chosen, request.trigger === 'manual', signal);
    if (choice.kind === 'stopped') return none(STOPPED);
    const declined = choice.kind === 'declined' ? chosen.strategy : undefined;
    const cannotWait = request.trigger === 'overflow' || fired?.urgent === true;
    if (choice.kind === 'declined' && !mayAskInstead(request.trigger, choice.now, cannotWait))
      return { kind: 'refused', choice: 'notNow', declined: chosen.strategy };
    const entry = choice.kind === 'chosen' ? choice.entry : choice.instead;
    this.#earlyRule.compacting();
    // A fallback strategy runs with its own settings.
    const settings = entry.id === chosen.strategy ? chosen : this.#ports.settings(entry.id);
    const asks = declined !== undefined || (settings.requireConfirmation && request.trigger !== 'manual');
    const prepare = (from: number) => this.#prepare(entry.id, request, settings, from, signal);
    let run = prepare(begun);
    if (!run) return none(NOTHING);
    const growth = this.#automatic.growth(settings);
    const least =
      request.trigger === 'overflow' || fired?.mustFit ? 0 : request.trigger === 'manual' ? growth / 10 : growth;
    if (mostFreed(run.history, run.budget.reading) < least) return none(NOTHING);
    if (request.trigger === COOLING && run.cooling) return none(run.cooling.reason);
    // The figures that the trigger compared; without a trigger, the reading.
    const figures = fired?.figures ?? { tokens: this.reading.tokens, window: this.window, ownCount: false };
    const { answer, previewed } = asks
      ? await this.#asking.ask(
          entry,
          run,
          { ...figures, ...(declined ? { insteadOf: declined } : {}) },
          figures.ownCount ? this.#gauge.scale(settings.trigger) : 1,
          signal,
        )
      : { answer: 'compact' as const, previewed: null };
    if (signal.aborted) return none(STOPPED);
    if (answer === 'newSession' || answer === 'notNow') return { kind: 'refused', choice: answer };
    // The time a person takes to answer does not count towards the compaction.
    if (asks) run = previewed?.run ?? prepare(clock.now());
    if (!run) return none(NOTHING);
    const compacts = answer === 'compact' && !previewed;
    const ahead = compacts ? await this.#ahead.check(entry, run, !asks && fired?.mayWait === true, signal) : NOT_ASKED;
    if (ahead.kind === 'later') return LATER;
    if (signal.aborted) return none(STOPPED);
    const { reading, limits } = run.budget;
    onProgress({ text: `Compacting with ${entry.label}`, fraction: null });
    onEvent({
      type: 'preCompact',
      strategy: entry.id,
      trigger: request.trigger,
      tokens: reading.tokens,
      window: run.window,
    });
    log(
      'info',
      `compaction begins: ${entry.id}, ${request.trigger}, current=${reading.tokens}, threshold=${Math.round(limits.soft)}`,
    );
    if (answer === 'dropOldest') {
      const draft = dropOldest(Draft.of(run.history), limits.target, run.stamp.nonce);
      const made = await this.#commitOwn(run, draft, 'drop-oldest');
      if (made.kind === 'none') reportUnchanged(this.#ports, run, 'nothing');
      return made;
    }
    const phases = new PhaseEvents(onEvent, run);
    const made = previewed ?? (await this.#ahead.made(entry, run, ahead, signal));
    const proposed = made?.outcome ?? (await this.#propose(entry, run, signal, phases, least));
    run = made?.run ?? run;
    const outcome = previewed || isWorthIt(proposed, run, least) ? proposed : ({ kind: 'unchanged' } as const);
    phases.end(outcome.kind === 'proposal' ? outcome.proposal.tokensAfter : reading.tokens);
    // A person who agreed to it is told that it had no effect, and what else can be done.
    if (outcome.kind === 'unchanged' && asks)
      await this.#ports.journal.append(makeNote('info', NOTHING_LEFT, { action: 'newSession' }));
    const isStopped = signal.aborted && outcome.kind === 'proposal';
    const concluded = await conclude(this.#ports, this.#chooser, entry, run, isStopped ? { kind: 'aborted' } : outcome);
    if (concluded.kind === 'stuck' && fired && !fired.mustFit) return none(concluded.reason);
    const isStillOver = concluded.kind === 'compacted' && concluded.entry.tokensAfter >= limits.soft;
    if (isStillOver && asks) await this.#ports.journal.append(makeNote('info', STILL_OVER, { action: 'newSession' }));
    await this.#writers.note(this.#ports, run.llm);
    return concluded;
  }

  async #propose(
    entry: StrategyEntry,
    run: PreparedRun,
    signal: AbortSignal,
    phases?: PhaseEvents,
    least = 0,
  ): Promise<ProposalOutcome> {
    let refused = false;
    const report: RunCallbacks['report'] = (text, fraction) =>
      this.#ports.onProgress({ text, fraction: fraction ?? null });
    const onQuestion: RunCallbacks['onQuestion'] = (continued, tokens) => {
      if (tokens * run.budget.reading.factor < least) {
        refused = true;
        throw notWorth();
      }
      if (run.order.trigger === COOLING) refuseOwnForm(continued);
      phases?.onQuestion();
    };
    const outcome = await withStrategy(
      this.#ports,
      this.#host,
      entry,
      run,
      { ...phases, report, onQuestion },
      (strategy, own) => propose(run, strategy, own, signal),
    );
    return refused ? withoutFailure(outcome) : outcome;
  }

  #prepare(
    strategy: string,
    request: CompactionRequest,
    settings: CompactionSettings,
    begun: number,
    signal: AbortSignal,
  ): PreparedRun | null {
    const { refusals, fired } = this.#automatic;
    const gain = this.#automatic.growth(settings);
    return this.#preparer.prepare({ ...request, strategy, settings, refusals, fired, begun, gain }, signal);
  }

  #describeFull(signal: AbortSignal): Words {
    const run = this.#prepare('full', { trigger: 'precheck' }, this.#ports.settings(), this.#ports.clock.now(), signal);
    if (!run) return NOTHING;
    return [...words('The window is full, and the last compaction hardly made room.'), ...describeFixed(run.history, this.#ports.journal.context.header?.tokens ?? 0, run.budget.reading), ...words('Unpin messages, start a new session, or choose a model with a larger window.')];
  }

  async #commitOwn(run: PreparedRun, draft: Draft, strategy: string): Promise<CompactionOutcome> {
    const proposal = await proposeOwn(run, draft);
    if (!proposal) return none(words('Nothing may be dropped.'));
    return commit(this.#ports, proposal, originOf(run, this.#ports.clock, strategy));
  }
}

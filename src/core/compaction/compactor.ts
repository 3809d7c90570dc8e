/**
 * The compactor says when, and makes sure: it triggers, asks, runs the strategy, makes its answer a draft that fits, and
 * commits one `compaction` entry. Before that entry nothing has changed, so a failure needs no rollback.
 */

import type { ConsentAnswer } from '../ports.ts';
import type { MeterReading } from '../tokens/meter.ts';
import { verbatim, type Words, words } from '../words.ts';
import { commitProposal, describeCommit, type Origin } from './commit/commit.ts';
import { recordFailure } from './commit/failure.ts';
import { describePreview, type Preview, type PreviewOutcome, type PreviewRequest } from './commit/preview.ts';
import { redoNewest, sizeAfterUndo, undoNewest } from './commit/undo.ts';
import type { CompactorPorts } from './compactorPorts.ts';
import { Draft } from './draft/draft.ts';
import { dropOldest } from './draft/dropOldest.ts';
import { describeFixed } from './draft/fixed.ts';
import { expireResults, findExpired } from './draft/hideResults.ts';
import { HistoryView } from './draft/history.ts';
import type { CompactionOutcome, CompactionRequest, TurnCompaction } from './outcome.ts';
import { type PreparedRun, prepareRun, type RunOrder } from './prepareRun.ts';
import { type Proposal, type ProposalOutcome, propose, proposeOwn } from './propose.ts';
import { lendStrategy } from './run/lendStrategy.ts';
import { PhaseEvents } from './run/phaseEvents.ts';
import type { Failure } from './run/runStrategy.ts';
import { StrategyChooser } from './run/strategyChooser.ts';
import type { StrategyEntry } from './run/strategyEntry.ts';
import { StrategyHost } from './run/strategyHost.ts';
import type { CompactionSettings } from './settings.ts';
import { AutomaticTriggers } from './when/automatic.ts';
import { Gauge } from './when/gauge.ts';
import { holdsAfterUndo, isQuiescent } from './when/holds.ts';
import type { TriggerMoment } from './when/triggers.ts';

const none = (reason: Words): Extract<CompactionOutcome, { kind: 'none' }> => ({ kind: 'none', reason });
const AUTO_OFF = words('Automatic compaction is off.');
const STOPPED = words('The compaction was stopped.');
const NOTHING = words('There is nothing to compact.');

export class Compactor implements TurnCompaction {
  readonly #ports: CompactorPorts;
  readonly #gauge: Gauge;
  readonly #automatic: AutomaticTriggers;
  readonly #history = new HistoryView();
  readonly #host: StrategyHost;
  readonly #chooser: StrategyChooser;
  #running = false;
  /** What the agent asked for and waits until no call is unanswered. */
  #asked: CompactionRequest | null = null;

  constructor(ports: CompactorPorts) {
    this.#ports = ports;
    this.#gauge = new Gauge(ports);
    this.#automatic = new AutomaticTriggers(this.#gauge, ports.journal);
    this.#host = new StrategyHost(ports.log);
    this.#chooser = new StrategyChooser(ports.registry, ports.journal, ports.log);
  }

  dispose(): void {
    this.#gauge.dispose();
  }

  /** How full the context is now. */
  get reading(): MeterReading {
    return this.#gauge.reading;
  }

  /** Window in tokens, as configured or as the provider corrected it; 0 when unknown. */
  get window(): number {
    return this.#gauge.window;
  }

  beginTurn(): void {
    this.#automatic.beginTurn();
  }

  beforeMessage(tokens: number, signal: AbortSignal): Promise<CompactionOutcome> {
    return this.#check({ at: 'beforeMessage', tokens }, signal);
  }

  async beforeCall(signal: AbortSignal): Promise<CompactionOutcome> {
    const asked = this.#asked;
    this.#asked = null;
    if (!this.#ports.settings().auto) return none(AUTO_OFF);
    await this.#expire(signal);
    const made = asked && (await this.compact(asked, signal));
    return made && made.kind !== 'none' ? made : this.#check({ at: 'beforeCall' }, signal);
  }

  afterResponse(signal: AbortSignal): Promise<CompactionOutcome> {
    this.#automatic.answered();
    return this.#check({ at: 'afterResponse' }, signal);
  }

  async afterOverflow(learnedWindow: number | undefined, signal: AbortSignal): Promise<CompactionOutcome> {
    const settings = this.#ports.settings();
    if (learnedWindow !== undefined) this.#gauge.learnWindow(learnedWindow);
    if (!settings.auto)
      return none(words('Automatic compaction is off. Run /compact, or switch it on in the settings.'));
    const overflows = this.#automatic.countOverflow();
    if (overflows <= settings.maxRecoveries) return this.compact({ trigger: 'overflow' }, signal);
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

  /** The agent asks for a compaction, which runs before its next request. Why not, in words; null when it will be made. */
  schedule(instructions?: string): string | null {
    if (!this.#ports.settings().auto) return 'Automatic compaction is switched off by the user.';
    this.#asked = { trigger: 'agent', ...(instructions ? { instructions } : {}) };
    return null;
  }

  compact(request: CompactionRequest, signal: AbortSignal): Promise<CompactionOutcome> {
    return this.#alone(() => this.#compact(request, signal));
  }

  /** What a compaction would do: nothing is changed, nobody is asked; a summary costs what it costs. */
  preview(request: PreviewRequest, signal: AbortSignal): Promise<PreviewOutcome> {
    const begun = this.#ports.clock.now();
    return this.#alone(async (): Promise<PreviewOutcome> => {
      const id = request.strategy ?? this.#ports.settings().strategy;
      const resolved = await this.#ports.registry.resolve(id, true, signal);
      if (resolved.kind === 'missing') return none(verbatim(resolved.reason));
      const settings = request.settings ?? this.#ports.settings();
      const { instructions } = request;
      const asked = { trigger: 'manual', ...(instructions === undefined ? {} : { instructions }) };
      const run = this.#prepare(resolved.entry.id, asked, settings, begun, signal);
      if (!run) return none(NOTHING);
      const outcome = await this.#propose(resolved.entry, run, signal);
      return describePreview(outcome, this.#originOf(run), run.budget.limits);
    });
  }

  /** Commits what a preview showed, when the conversation still has the shape it had then. */
  apply({ proposal, origin }: Preview): Promise<CompactionOutcome> {
    return this.#alone(() => this.#commit(proposal, origin));
  }

  /** Takes back the newest active compaction. False when there is none. */
  async undo(): Promise<boolean> {
    return !this.#running && undoNewest(this.#ports.journal, this.#gauge, this.#ports.onEvent);
  }

  /** Tokens the context would hold after `undo`; null when there is nothing to undo. */
  sizeAfterUndo(): number | null {
    return sizeAfterUndo(this.#ports.journal, this.#gauge);
  }

  /** Brings back the compaction undone last. False when there is none. */
  async redo(): Promise<boolean> {
    return !this.#running && redoNewest(this.#ports.journal);
  }

  async #check(moment: TriggerMoment, signal: AbortSignal): Promise<CompactionOutcome> {
    const settings = this.#ports.settings();
    if (!settings.auto) return none(AUTO_OFF);
    const decision = this.#automatic.decide(settings, moment);
    if (decision.kind === 'still') return none(decision.reason);
    const outcome = await this.compact({ trigger: decision.trigger }, signal);
    this.#automatic.settle(outcome, settings, decision.growth);
    return outcome;
  }

  /** What tools no longer want goes behind stubs, as a compaction of its own. */
  async #expire(signal: AbortSignal): Promise<void> {
    const { journal, clock } = this.#ports;
    const expired = findExpired(journal.context.conversation);
    if (expired.length === 0 || holdsAfterUndo(journal.backward(), Number.POSITIVE_INFINITY)) return;
    await this.#alone(async () => {
      const begun = clock.now();
      const run = this.#prepare('ephemeral', { trigger: 'ephemeral' }, this.#ports.settings(), begun, signal);
      if (!run) return none(NOTHING);
      return this.#commitOwn(run, expireResults(Draft.of(run.history), expired, run.stamp), 'ephemeral');
    });
  }

  /** One at a time, and only while no tool call is unanswered. */
  async #alone<T>(work: () => Promise<T>): Promise<T | ReturnType<typeof none>> {
    if (this.#running) return none(words('A compaction is running already.'));
    if (!isQuiescent(this.#ports.journal.context.conversation)) return none(words('A tool call is not answered yet.'));
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
    const run = this.#prepare(entry.id, request, settings, begun, signal);
    if (!run) return none(NOTHING);
    const { reading, limits } = run.budget;
    onProgress({ text: `Compacting with ${entry.label}`, fraction: null });
    onEvent({ type: 'preCompact', strategy: entry.id, trigger: request.trigger, tokens: reading.tokens });
    log(
      'info',
      `compaction begins: ${entry.id}, ${request.trigger}, current=${reading.tokens}, threshold=${Math.round(limits.soft)}`,
    );
    if (answer === 'dropOldest') {
      const draft = dropOldest(Draft.of(run.history), limits.target, run.stamp.nonce);
      return this.#commitOwn(run, draft, 'drop-oldest');
    }
    const phases = new PhaseEvents(settings.emitMetaEvents ? onEvent : null, reading.tokens);
    const outcome = await this.#propose(entry, { ...run, llm: phases.watch(run.llm) }, signal);
    phases.end(outcome.kind === 'proposal' ? outcome.proposal.tokensAfter : reading.tokens);
    return signal.aborted && outcome.kind === 'proposal' ? none(STOPPED) : this.#conclude(entry, run, outcome);
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
    strategy: string,
    request: CompactionRequest,
    settings: CompactionSettings,
    begun: number,
    signal: AbortSignal,
  ): PreparedRun | null {
    const order: RunOrder = { ...request, strategy, settings, refusals: this.#automatic.refusals, begun };
    return prepareRun(this.#ports, this.#gauge, this.#history, order, signal);
  }

  #propose(entry: StrategyEntry, run: PreparedRun, signal: AbortSignal): Promise<ProposalOutcome> {
    const { registry, timers, onProgress } = this.#ports;
    const { settings, trigger, instructions } = run.order;
    const { reserve } = settings.trigger;
    return lendStrategy(this.#host, registry, entry, run.llm, settings.section, (lent) => {
      const lease = {
        ...lent,
        trigger,
        ...(instructions === undefined ? {} : { instructions }),
        window: run.window,
        reserve: reserve < run.window ? reserve : 0,
        report: (text: string, fraction?: number) => onProgress({ text, fraction: fraction ?? null }),
        deadlineMs: settings.deadline * 1_000,
        timers,
      };
      return propose(run, lease, signal);
    });
  }

  /** The one place where an outcome becomes an entry: a compaction, a failure, or both. */
  async #conclude(entry: StrategyEntry, run: PreparedRun, outcome: ProposalOutcome): Promise<CompactionOutcome> {
    const { label, id } = entry;
    switch (outcome.kind) {
      case 'aborted':
        return none(STOPPED);
      case 'unchanged':
        return none(words('The strategy found nothing to compact.'));
      case 'failed': {
        await this.#fail(run, outcome, null);
        const reason = outcome.reason.replace(/\.$/, '');
        return {
          kind: 'failed',
          reason: words('Compaction with {0} failed: {1}. The context is unchanged.', label, reason),
        };
      }
      case 'stuck':
        if (outcome.failure) await this.#fail(run, outcome.failure, null);
        return { kind: 'stuck', reason: this.#describeStuck(run, outcome.tokens) };
      case 'proposal': {
        const { proposal, failure } = outcome;
        const unheard = run.llm.failure();
        if (failure) await this.#fail(run, failure, proposal.draft.repairs.join(' '));
        // The strategy went on without its summary; the failure still counts.
        else if (unheard)
          await this.#fail(run, { reason: unheard, by: 'model' }, 'The deterministic part of the strategy was used.');
        const own = proposal.by === 'strategy' && !failure && !unheard;
        return this.#commit(proposal, this.#originOf(run, own ? id : 'fallback'));
      }
    }
  }

  #describeStuck({ history, budget: { reading, limits } }: PreparedRun, tokens: number): Words {
    const header = this.#ports.journal.context.header?.tokens ?? 0;
    return [
      ...words(
        'The context does not fit: about {0} tokens are left after everything that may go is gone, and the limit is {1}.',
        tokens,
        Math.round(limits.hard),
      ),
      ...describeFixed(history, header, reading),
      ...words('Unpin messages, start a new session, or choose a model with a larger window.'),
    ];
  }

  /** `instead` null: nothing was done instead, so the failure carries what the summariser cost. */
  async #fail(run: PreparedRun, { reason, by }: Omit<Failure, 'kind'>, instead: string | null): Promise<void> {
    if (run.cooling && by === 'model') return;
    if (by === 'strategy') this.#chooser.countFailure(run.order.strategy);
    await recordFailure(this.#ports, run, reason, instead ?? '', instead === null ? run.llm.usage() : null);
  }

  async #commitOwn(run: PreparedRun, draft: Draft, strategy: string): Promise<CompactionOutcome> {
    const proposal = await proposeOwn(run, draft);
    if (!proposal) return none(words('There is nothing that may be dropped.'));
    return this.#commit(proposal, this.#originOf(run, strategy));
  }

  #originOf({ order, base, llm }: PreparedRun, strategy = order.strategy): Origin {
    const { trigger, instructions, begun } = order;
    const durationMs = this.#ports.clock.now() - begun;
    return { strategy, trigger, ...(instructions ? { instructions } : {}), base, durationMs, llm };
  }

  async #commit(proposal: Proposal, origin: Origin): Promise<CompactionOutcome> {
    const { journal, log, onEvent } = this.#ports;
    const entry = await commitProposal(journal, proposal, origin);
    if (!entry) return none(words('The conversation changed its shape meanwhile; nothing was compacted.'));
    log('info', `compaction done: ${entry.strategy}, ${entry.tokensBefore} → ${entry.tokensAfter} tokens`);
    for (const event of describeCommit(entry, proposal.draft, journal.context.conversation.length)) onEvent(event);
    return { kind: 'compacted', entry };
  }
}

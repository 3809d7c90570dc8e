/**
 * Sequences a compaction: the strategy is chosen and its run prepared, a person asked, the proposal made, validated and
 * committed as one `compaction` entry. Nothing changes before that entry, so a failure needs no rollback.
 */

import { costOf } from '../cost/costOf.ts';
import { COOLING } from '../journal/entry.ts';
import { makeNote } from '../journal/makeNote.ts';
import { priceAt, priceFor } from '../money.ts';
import { words } from '../words.ts';
import { Ahead } from './ahead/ahead.ts';
import { Consent } from './consent/consent.ts';
import type { Preview } from './consent/preview.ts';
import { Draft } from './draft/draft.ts';
import { dropOldest } from './draft/dropOldest.ts';
import { expireResults } from './draft/hideResults.ts';
import { climbDown } from './draft/ladder.ts';
import { WRITTEN_TOKENS } from './draft/summaryLength.ts';
import { Handover } from './handover.ts';
import { Strategies } from './hosting/strategies.ts';
import type { LargeSummary } from './proposal/proposal.ts';
import { commit, commitOwn, Origin } from './run/commit.ts';
import { conclude, reportUnchanged } from './run/conclude.ts';
import { proposeOwn } from './run/finish.ts';
import { CompactionLock } from './run/lock.ts';
import { PhaseEvents } from './run/phaseEvents.ts';
import type { PreparedRun, Proposed } from './run/preparedRun.ts';
import { Runs } from './run/runs.ts';
import { type CompactionSettings, forModel } from './settings/compactionSettings.ts';
import type { ConsentFigures } from './signals/consent.ts';
import { type CompactionOutcome, type CompactionRequest, none, STOPPED } from './signals/outcome.ts';
import { SummaryWriterNotes } from './summariser/summaryWriterNotes.ts';
import { Gauge } from './trigger/gauge.ts';
import { type Fired, LATER, Trigger } from './trigger/trigger.ts';

/** The ports of its parts: of the session, the models and the person. */
export interface CompactorPorts extends Omit<Parts, 'settings'> {
  /** The settings in force; with `instead`, those for that strategy. */
  readonly settings: (instead?: string) => CompactionSettings;
}

type PortsOf<Part extends new (ports: never, ...more: never) => object> = ConstructorParameters<Part>[0];
type Parts = PortsOf<typeof Gauge> &
  PortsOf<typeof Strategies> &
  PortsOf<typeof Runs> &
  PortsOf<typeof Ahead> &
  PortsOf<typeof Consent> &
  PortsOf<typeof Trigger> &
  PortsOf<typeof Handover> &
  PortsOf<typeof SummaryWriterNotes>;

const NOTHING = words('There is nothing to compact.');
const STILL_OVER = words(
  'The context is still above the size at which it is compacted, and most of the remaining messages are protected. Continue, or start a new session.',
);
const NOTHING_LEFT = words(
  'Nothing was compacted, because hardly anything can be removed. Continue, or start a new session.',
);

/**
 * Whether the person who declined a strategy is asked if another may run in its place. A *Cancel* just now ends what it
 * was asked for, unless the context does not fit; what the person asks for themselves, and what happens while nobody is
 * there, is never followed by another question.
 */
const allowsSubstitute = (trigger: string, now: boolean, cannotWait: boolean): boolean =>
  trigger !== 'manual' && trigger !== COOLING && (!now || cannotWait);

export class Compactor {
  /** How full the context is. */
  readonly gauge: Gauge;
  /** When a compaction starts by itself: what the agent loop calls. */
  readonly trigger: Trigger;
  /** Previews, and the question before a compaction. */
  readonly consent: Consent;
  /** Summaries of what is left, carried over to where the work goes on. */
  readonly handover: Handover;
  readonly #ahead: Ahead;
  readonly #ports: CompactorPorts;
  readonly #lock: CompactionLock;
  readonly #strategies: Strategies;
  readonly #runs: Runs;
  readonly #writers: SummaryWriterNotes;

  constructor(given: CompactorPorts) {
    const ports = { ...given, settings: (instead?: string) => forModel(given.settings(instead), this.gauge.model) };
    this.#ports = ports;
    this.#lock = new CompactionLock(ports.journal, () => ports.onProgress(null));
    this.gauge = new Gauge(ports);
    this.#strategies = new Strategies(ports);
    this.#runs = new Runs(ports, this.gauge, this.#strategies.host, () => this.trigger.pressure);
    this.#ahead = new Ahead(ports, this.gauge, this.#runs);
    this.consent = new Consent(ports, this.gauge, this.#lock, this.#runs, this.#ahead);
    this.handover = new Handover(ports, this.gauge, this.#runs.summarisers);
    this.trigger = new Trigger(ports, this.gauge, this.#strategies, this.#ahead, {
      isBusy: () => this.#lock.held,
      compact: (request, signal, fired) => this.#lock.hold(() => this.#compact(request, signal, fired)),
      expire: (indices, signal) => this.#lock.hold(() => this.#expire(indices, signal)),
      renew: () => this.consent.forget(),
    });
    this.#writers = new SummaryWriterNotes(ports);
  }

  dispose(): void {
    this.#ahead.dispose();
    this.gauge.dispose();
    this.#strategies.dispose();
  }

  /** Another model, strategy or setting may be in force: a summary that was prepared for others is discarded. */
  settingsChanged(): void {
    this.#ahead.keepFitting(this.#ports.settings());
    this.trigger.settingsChanged();
  }

  /** The context is over what starts a compaction: before the next request one would run. */
  get isDue(): boolean {
    return this.gauge.decide(this.#ports.settings().trigger, { at: 'beforeCall' }).kind === 'fire';
  }

  /** Stops the summary prepared in the background. */
  stop(): void {
    this.#ahead.stop();
  }

  compact(request: CompactionRequest, signal: AbortSignal): Promise<CompactionOutcome> {
    return this.#lock.hold(() => this.#compact(request, signal));
  }

  /** Commits a preview if the conversation still has the same shape. */
  apply({ proposal, origin }: Preview): Promise<CompactionOutcome> {
    this.trigger.compacting();
    return this.#lock.hold(() => commit(this.#ports, proposal, origin));
  }

  /** Undoes the newest active compaction. False when there is none. */
  async undo(): Promise<boolean> {
    const { journal, onEvent } = this.#ports;
    const target = journal.context.activeCompactions.at(-1);
    if (this.#lock.held || !target) return false;
    const tokensBefore = this.gauge.reading.tokens;
    await journal.append({ type: 'compactionUndone', target: target.seq });
    const { strategy, trigger } = target;
    onEvent({ type: 'compactionUndone', strategy, trigger, tokensBefore, tokensAfter: this.gauge.reading.tokens });
    return true;
  }

  /** Restores the compaction undone last. False when there is none. */
  async redo(): Promise<boolean> {
    const { journal } = this.#ports;
    const target = journal.context.undoneCompactions.at(-1);
    if (this.#lock.held || !target) return false;
    await journal.append({ type: 'compactionRedone', target: target.seq });
    return true;
  }

  async #expire(indices: readonly number[], signal: AbortSignal): Promise<CompactionOutcome> {
    const { clock } = this.#ports;
    const begun = clock.now();
    const settings = this.#ports.settings();
    const run = this.#runs.prepare({ trigger: 'ephemeral', strategy: 'ephemeral', settings, begun }, signal);
    if (!run) return none(NOTHING);
    return commitOwn(this.#ports, run, expireResults(Draft.of(run.history), indices, run.stamp), 'ephemeral');
  }

  async #compact(request: CompactionRequest, signal: AbortSignal, fired?: Fired): Promise<CompactionOutcome> {
    const { clock, log, onEvent, onProgress } = this.#ports;
    const begun = clock.now();
    const chosen = this.#ports.settings();
    const choice = await this.#strategies.choose(chosen, request.trigger === 'manual', signal);
    if (choice.kind === 'stopped') return none(STOPPED);
    const declined = choice.kind === 'declined' ? chosen.strategy : undefined;
    const cannotWait = request.trigger === 'overflow' || fired?.urgent === true;
    if (choice.kind === 'declined' && !allowsSubstitute(request.trigger, choice.now, cannotWait))
      return { kind: 'refused', choice: 'notNow', declined: chosen.strategy };
    const entry = choice.kind === 'chosen' ? choice.entry : choice.instead;
    const refused = choice.kind === 'chosen' ? choice.refused : undefined;
    // A fallback strategy runs with its own settings.
    const settings = entry.id === chosen.strategy ? chosen : this.#ports.settings(entry.id);
    const byHand = request.trigger === 'manual';
    const asks = declined !== undefined || (settings.requireConfirmation && !byHand);
    const order = { ...request, strategy: entry.id, settings, mustFit: fired?.mustFit ?? false };
    const prepare = (from: number, agreed = false) => this.#runs.prepare({ ...order, begun: from, agreed }, signal);
    let run = prepare(begun);
    if (!run) return none(NOTHING, 'anytime');
    if (request.trigger === COOLING && run.cooling) return none(run.cooling);
    // A person is not asked again about what hardly made room.
    const spent = fired?.spent === true;
    if (spent && asks) return none(NOTHING);
    // The figures that the trigger compared; without a trigger, the reading.
    const figures = fired?.figures ?? { tokens: this.gauge.reading.tokens, window: this.gauge.window, ownCount: false };
    const scale = figures.ownCount ? this.gauge.scale(settings.trigger) : 1;
    const ask = (of: PreparedRun, more: Partial<ConsentFigures>, made: Proposed | null = null) =>
      this.consent.ask(entry, of, { ...figures, ...(byHand ? { byHand } : {}), ...more }, scale, signal, made);
    const { answer, previewed } = asks
      ? await ask(run, declined ? { insteadOf: declined } : {})
      : { answer: 'compact' as const, previewed: null };
    if (signal.aborted) return none(STOPPED);
    if (answer === 'newSession' || answer === 'notNow') return { kind: 'refused', choice: answer };
    // The time a person takes to answer does not count towards the compaction.
    if (asks) run = previewed?.run ?? prepare(clock.now());
    if (!run) return none(NOTHING, 'anytime');
    const compacts = answer === 'compact' && !previewed && !spent;
    const mayWait = !asks && fired?.mayWait === true;
    const ahead = compacts ? await this.#ahead.check(entry, run, mayWait, signal) : null;
    if (ahead?.kind === 'later') return LATER;
    if (signal.aborted) return none(STOPPED);
    this.trigger.compacting();
    const { reading, limits } = run.budget;
    onProgress({ text: `Compacting with ${entry.label}`, fraction: null });
    onEvent({
      type: 'preCompact',
      strategy: entry.id,
      ...(refused ? { insteadOf: { strategy: chosen.strategy, reason: refused } } : {}),
      trigger: request.trigger,
      tokens: reading.tokens,
      window: run.window,
    });
    log(
      'info',
      `compaction begins: ${entry.id}, ${request.trigger}, current=${reading.tokens}, threshold=${Math.round(limits.soft)}`,
    );
    if (answer === 'dropOldest') return this.#dropOldest(run);
    if (spent) return this.#makeRoom(run);
    const phases = new PhaseEvents(onEvent, run);
    const report = (text: string, fraction: number | null = null) => onProgress({ text, fraction });
    const made = previewed ?? (ahead && (await this.#ahead.made(entry, run, ahead, signal)));
    let outcome = made?.outcome ?? (await this.#runs.propose(entry, run, { ...phases, report }, signal));
    run = made?.run ?? run;
    if (outcome.kind === 'large') {
      const large = await ask(run, { summary: this.#priced(outcome.summary, settings) });
      const given = signal.aborted ? 'compact' : large.answer;
      if (given === 'dropOldest') return this.#dropOldest(run);
      if (given !== 'compact') {
        reportUnchanged(this.#ports, run, 'stopped');
        return { kind: 'refused', choice: given };
      }
      const again = prepare(clock.now(), true);
      if (!again) return none(NOTHING, 'anytime');
      // The model that the person agreed to, with what was paid for and what it refused before the question.
      run = { ...again, llm: run.llm, writer: run.writer };
      outcome = await this.#runs.propose(entry, run, { ...phases, report }, signal);
    }
    // No model was asked, because the question would have come before.
    else if (request.pricedFirst && outcome.kind === 'proposal') {
      const free = await ask(run, { summary: { requests: 0, tokens: 0, cost: null } }, { run, outcome });
      const given = signal.aborted ? 'notNow' : free.answer;
      if (given === 'dropOldest') return this.#dropOldest(run);
      if (given !== 'compact') {
        reportUnchanged(this.#ports, run, 'stopped');
        return { kind: 'refused', choice: given };
      }
      outcome = free.previewed?.outcome ?? outcome;
    }
    phases.end(outcome.kind === 'proposal' ? outcome.proposal.tokensAfter : reading.tokens);
    // A person who agreed to it is told that it had no effect, and what else can be done.
    if (outcome.kind === 'unchanged' && asks)
      await this.#ports.journal.append(makeNote('info', NOTHING_LEFT, { action: 'newSession' }));
    const isStopped = signal.aborted && outcome.kind === 'proposal';
    const concluded = await conclude(
      this.#ports,
      this.#strategies,
      entry,
      run,
      isStopped ? { kind: 'aborted' } : outcome,
    );
    // Its target may be above the trigger where what cannot go is.
    const stillFires = () => this.gauge.decide(settings.trigger, { at: 'beforeCall' }).kind === 'fire';
    if (asks && concluded.kind === 'compacted' && stillFires())
      await this.#ports.journal.append(makeNote('info', STILL_OVER, { action: 'newSession' }));
    await this.#writers.note(run.llm);
    // The next request still fits, so the turn goes on.
    if (concluded.kind === 'stuck' && fired && !fired.mustFit)
      return concluded.entry
        ? { kind: 'compacted', entry: concluded.entry }
        : none(concluded.reason, run.llm.usage ? undefined : 'nextTurn');
    return concluded;
  }

  async #dropOldest(run: PreparedRun): Promise<CompactionOutcome> {
    const draft = dropOldest(Draft.of(run.history), run.budget.limits.target, run.stamp);
    const made = await commitOwn(this.#ports, run, draft, 'drop-oldest');
    if (made.kind === 'none') reportUnchanged(this.#ports, run, 'nothing');
    return made;
  }

  /** Without a model: frees as much as any compaction should, or nothing. */
  async #makeRoom(run: PreparedRun): Promise<CompactionOutcome> {
    const { budget, stamp, finishing, order } = run;
    const { reading, limits } = budget;
    const drop = limits.drop - finishing.ledgerTokens * reading.factor;
    const own = { wholeRounds: 0, drops: true };
    const { protectedTools } = order.settings.keep;
    const room = { reading, limits: { ...limits, soft: Math.min(limits.soft, drop), drop } };
    const draft = climbDown(Draft.of(run.history), { stamp, protectedTools, own, budget: room });
    const proposal = await proposeOwn(run, draft);
    const freed = proposal ? proposal.tokensBefore - proposal.tokensAfter : 0;
    if (proposal && freed >= order.worth.gain && proposal.tokensAfter < limits.most)
      return commit(this.#ports, proposal, new Origin(run, this.#ports.clock, 'fallback'));
    reportUnchanged(this.#ports, run, 'nothing');
    return none(NOTHING);
  }

  /** Each request reads a part and the notes so far, and writes the notes again. */
  #priced({ requests, tokens }: LargeSummary, { summary }: CompactionSettings): NonNullable<ConsentFigures['summary']> {
    const price = this.#runs.summarisers.choice?.price;
    const written = Math.min(WRITTEN_TOKENS, summary.outputTokenMax);
    const input = tokens + (requests - 1) * written;
    const usage = { input, cached: 0, output: requests * written, reasoning: 0 };
    const now = price && priceAt(price, this.#ports.clock.now());
    return { requests, tokens: input, cost: now ? costOf(usage, priceFor(now, Math.ceil(input / requests))) : null };
  }
}

/**
 * The compactor says when, and makes sure (DESIGN §5): it meters, triggers, asks, runs the strategy, checks what came
 * back and commits one `compaction` entry. Before that entry nothing has changed, so a failure needs no rollback (C6).
 */

import type { Message, Usage } from '../context/message.ts';
import type { CompactionEntry, Trigger } from '../journal/entry.ts';
import type { Journal } from '../journal/journal.ts';
import type { BlobStore, Clock, Crypto, Log, ModelChoice } from '../ports.ts';
import { CalibrationFollower } from '../tokens/calibrate.ts';
import { type MeterReading, readHalfCharacters, readMeter, sumTokens } from '../tokens/meter.ts';
import type { CompactionProgress, CompactionSignal } from './events.ts';
import { HistoryView } from './history.ts';
import { holdsAfterUndo, isCoolingDown, isQuiescent } from './holds.ts';
import { computeLimits } from './limits.ts';
import type { CompactionOutcome, CompactionRequest, TurnCompaction } from './outcome.ts';
import { type Proposal, type ProposalFacts, propose, proposeDrop } from './propose.ts';
import { DEFAULT_STRATEGY, type StrategyEntry, type StrategyRegistry } from './registry.ts';
import type { Timers } from './runStrategy.ts';
import type { CompactionSettings } from './settings.ts';
import { StrategyHost } from './strategyHost.ts';
import { createSummariser, type Summariser } from './summarise.ts';
import { decideTrigger, type TriggerMoment } from './triggers.ts';

export type ConsentAnswer = 'compact' | 'dropOldest' | 'newSession' | 'notNow';

export interface ConsentQuestion {
  readonly strategy: string;
  readonly tokens: number;
  /** 0 when unknown. */
  readonly window: number;
}

export interface CompactorPorts {
  readonly journal: Journal;
  /** The model of the session's turns; null when none is set up. */
  readonly model: () => ModelChoice | null;
  /** The model for summaries (B11); null means the session's own. */
  readonly summaryModel: () => ModelChoice | null;
  readonly settings: () => CompactionSettings;
  readonly registry: StrategyRegistry;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly crypto: Crypto;
  readonly log: Log;
  readonly consent: (question: ConsentQuestion, signal: AbortSignal) => Promise<ConsentAnswer>;
  readonly blobs: BlobStore;
  readonly onProgress: (progress: CompactionProgress) => void;
  readonly onEvent: (event: CompactionSignal) => void;
}

/** A strategy of another extension is out for the session after so many failures of its own. */
const STRATEGY_FAILURES = 3;

/** Everything of a proposal but the strategy; `base` is the newest entry it saw. */
type Prepared = ProposalFacts & { readonly base: number };

const NONE = (reason: string): CompactionOutcome => ({ kind: 'none', reason });
const AUTOMATIC: ReadonlySet<Trigger> = new Set<Trigger>(['threshold', 'precheck', 'overflow', 'ephemeral', 'ahead']);

export class Compactor implements TurnCompaction {
  readonly #ports: CompactorPorts;
  readonly #history = new HistoryView();
  readonly #follower = new CalibrationFollower();
  readonly #host: StrategyHost;
  readonly #failures = new Map<string, number>();
  readonly #stop: () => void;
  #running = false;
  #overflows = 0;
  /** Windows that providers named in their errors, by model: never above what we were told. */
  readonly #learned = new Map<string, number>();
  /** Automatic triggers keep still below this reading: nothing could be done, or the person said not now. */
  #heldBelow = 0;

  constructor(ports: CompactorPorts) {
    this.#ports = ports;
    this.#host = new StrategyHost(ports.log, () => ports.settings().section);
    for (const entry of ports.journal.entries) this.#follower.follow(entry);
    this.#stop = ports.journal.listen((entry) => this.#follower.follow(entry));
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
    const model = this.#ports.model();
    const learned = this.#learned.get(model?.model ?? '') ?? 0;
    const told = model?.window ?? 0;
    return learned > 0 && told > 0 ? Math.min(learned, told) : learned || told;
  }

  beginTurn(): void {
    this.#overflows = 0;
  }

  beforeMessage(tokens: number, signal: AbortSignal): Promise<CompactionOutcome> {
    return this.#check({ at: 'beforeMessage', tokens }, signal);
  }

  beforeCall(signal: AbortSignal): Promise<CompactionOutcome> {
    return this.#check({ at: 'beforeCall' }, signal);
  }

  afterResponse(signal: AbortSignal): Promise<CompactionOutcome> {
    return this.#check({ at: 'afterResponse' }, signal);
  }

  async afterOverflow(learnedWindow: number | undefined, signal: AbortSignal): Promise<CompactionOutcome> {
    const settings = this.#ports.settings();
    const model = this.#ports.model()?.model ?? '';
    if (learnedWindow !== undefined && learnedWindow > 0) this.#learned.set(model, learnedWindow);
    if (!settings.auto) return NONE('Automatic compaction is off. Run /compact, or switch it on in the settings.');
    this.#overflows++;
    if (this.#overflows > settings.maxRecoveries) {
      const { tokens } = this.reading;
      return {
        kind: 'stuck',
        reason: `The model refused the request as too long ${this.#overflows} times (about ${tokens} tokens, window ${this.window || 'unknown'}). Start a new session, or choose a model with a larger window.`,
      };
    }
    return this.#run({ trigger: 'overflow' }, signal);
  }

  compact(request: CompactionRequest, signal: AbortSignal): Promise<CompactionOutcome> {
    return this.#run(request, signal);
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
    if (!settings.auto) return NONE('Automatic compaction is off.');
    const { reading, window } = this;
    const { journal } = this.#ports;
    const halfCharacters = () => readHalfCharacters(journal.context.conversation);
    const decision = decideTrigger(settings.trigger, moment, { reading, halfCharacters, window });
    if (decision.kind === 'below') return NONE('The context is below its limit.');
    const growth = Math.max(1, settings.holdGrowth * (window || decision.limit));
    const held = reading.tokens < this.#heldBelow || holdsAfterUndo(journal.path(), growth / reading.factor);
    // What no window can hold is compacted whatever was held: the request could not be made.
    if (held && (window === 0 || reading.tokens < window)) return NONE('Held until the context grows or you write.');
    const outcome = await this.#run({ trigger: decision.trigger }, signal);
    const after = this.reading.tokens;
    const still =
      outcome.kind !== 'compacted' ||
      decideTrigger(settings.trigger, { at: 'afterResponse' }, { reading: this.reading, halfCharacters, window })
        .kind === 'fire';
    this.#heldBelow = still ? after + growth : 0;
    return outcome;
  }

  async #run(request: CompactionRequest, signal: AbortSignal): Promise<CompactionOutcome> {
    if (this.#running) return NONE('A compaction is running already.');
    if (!isQuiescent(this.#ports.journal.context.conversation)) return NONE('A tool call is not answered yet.');
    this.#running = true;
    try {
      return await this.#compact(request, signal);
    } finally {
      this.#running = false;
      this.#ports.onProgress(null);
    }
  }

  async #compact(request: CompactionRequest, signal: AbortSignal): Promise<CompactionOutcome> {
    const { clock, log, onEvent } = this.#ports;
    const begun = clock.now();
    const settings = this.#ports.settings();
    const entry = this.#choose(settings.strategy);
    const refused = await this.#askConsent(entry, request, settings, signal);
    if (refused && refused !== 'dropOldest') return refused;
    const prepared = this.#prepare(entry, request, settings, signal);
    if (!prepared) return NONE('There is nothing to compact.');
    onEvent({ type: 'preCompact', strategy: entry.id, trigger: request.trigger, tokens: prepared.reading.tokens });
    log(
      'info',
      `compaction begins: ${entry.id}, ${request.trigger}, current=${prepared.reading.tokens}, target=${prepared.limits.target}`,
    );
    const base = prepared.base;
    const commit = (proposal: Proposal, by: string) =>
      this.#commit(proposal, { request, by, base, begun, llm: prepared.llm });
    if (refused === 'dropOldest') {
      const dropped = proposeDrop(prepared, prepared.limits.target);
      return dropped ? commit(dropped, 'drop-oldest') : NONE('There is nothing that may be dropped.');
    }
    const outcome = await this.#propose(entry, prepared, signal);
    switch (outcome.kind) {
      case 'aborted':
        return NONE('The compaction was stopped.');
      case 'unchanged':
        return NONE('The strategy found nothing to compact.');
      case 'failed':
        await this.#fail(entry, request, outcome.reason, outcome.by, begun, '');
        return {
          kind: 'failed',
          reason: `Compaction with ${entry.label} failed: ${outcome.reason}. The context is unchanged.`,
        };
      case 'stuck':
        if (outcome.failure) await this.#fail(entry, request, outcome.failure, 'model', begun, '');
        return {
          kind: 'stuck',
          reason: `The context does not fit: about ${outcome.tokens} tokens are left after everything that may go is gone, and the limit is ${Math.round(prepared.limits.hard)}. Unpin messages, start a new session, or choose a model with a larger window.`,
        };
      case 'proposal': {
        const { proposal, failure } = outcome;
        if (failure) await this.#fail(entry, request, failure, 'model', begun, proposal.repairs.join(' '));
        return commit(proposal, proposal.by === 'strategy' ? entry.id : 'fallback');
      }
    }
  }

  /** The chosen strategy, or the default when it is missing or was put out after failures (K3). */
  #choose(id: string): StrategyEntry {
    const { registry, log } = this.#ports;
    const chosen = registry.get(id);
    if (chosen && (chosen.publisher === null || (this.#failures.get(id) ?? 0) < STRATEGY_FAILURES)) return chosen;
    const why = chosen ? `failed ${STRATEGY_FAILURES} times in this session` : 'is not there';
    log('warn', `The strategy ${id} (palimpsest.compaction.strategy) ${why}; ${DEFAULT_STRATEGY} is used instead.`);
    const fallback = registry.get(DEFAULT_STRATEGY);
    if (!fallback) throw new Error(`The registry has no ${DEFAULT_STRATEGY}`);
    return fallback;
  }

  async #askConsent(
    entry: StrategyEntry,
    request: CompactionRequest,
    settings: CompactionSettings,
    signal: AbortSignal,
  ): Promise<Extract<CompactionOutcome, { kind: 'refused' }> | 'dropOldest' | null> {
    if (!settings.requireConfirmation || request.trigger === 'manual') return null;
    const { tokens } = this.reading;
    const answer = await this.#ports.consent({ strategy: entry.id, tokens, window: this.window }, signal);
    if (answer === 'compact') return null;
    return answer === 'dropOldest' ? answer : { kind: 'refused', choice: answer };
  }

  #prepare(
    entry: StrategyEntry,
    request: CompactionRequest,
    settings: CompactionSettings,
    signal: AbortSignal,
  ): Prepared | null {
    const { journal, clock, timers, log, onProgress } = this.#ports;
    const context = journal.context;
    const items = context.conversation;
    const base = context.head;
    if (items.length === 0 || base === null) return null;
    const { reading, window } = this;
    const header = context.header?.tokens ?? 0;
    const automatic = AUTOMATIC.has(request.trigger);
    const report = (text: string, fraction?: number) => onProgress({ text, fraction: fraction ?? null });
    const overflows = request.trigger === 'overflow' ? this.#overflows : 0;
    const { trigger, targetRatio, deadlineMs } = settings;
    const limits = computeLimits({
      reading,
      header,
      history: sumTokens(items),
      window,
      trigger,
      targetRatio,
      automatic,
      overflows,
    });
    report(`Compacting with ${entry.label}`);
    return {
      base,
      trigger: request.trigger,
      ...(request.instructions !== undefined ? { instructions: request.instructions } : {}),
      history: this.#history.of(items),
      items,
      original: (id: string): Message => {
        const slot = context.slot(id);
        if (!slot) throw new Error(`No item ${id} on this path`);
        return slot.message;
      },
      reading,
      header,
      limits,
      window,
      reserve: trigger.reserve < window ? trigger.reserve : 0,
      nonce: journal.session.nonce,
      now: clock.now(),
      llm: this.#openSummariser(entry, settings, signal),
      deadlineMs,
      timers,
      log,
      report,
    };
  }

  #openSummariser(entry: StrategyEntry, settings: CompactionSettings, signal: AbortSignal): Summariser {
    const { journal, clock, log, timers, model, summaryModel } = this.#ports;
    const choice = summaryModel() ?? model();
    const cooling = isCoolingDown(journal.entries, entry.id, settings.coolDown, clock.now());
    if (cooling) log('warn', 'compaction is cooling down after failures: no model is asked');
    return createSummariser(cooling ? null : choice, {
      ...settings.summary,
      factor: this.#follower.calibration.factor(choice?.model ?? ''),
      signal,
      log,
      wait: (ms, until) => wait(timers, ms, until),
    });
  }

  async #propose(entry: StrategyEntry, prepared: Prepared, signal: AbortSignal) {
    const hosted = this.#host.use(entry);
    if (hosted.kind === 'broken') {
      const strategy = { compact: () => Promise.reject(new Error(hosted.reason)) };
      return propose({ ...prepared, strategy }, signal);
    }
    this.#host.openModel(prepared.llm);
    try {
      return await propose({ ...prepared, strategy: hosted.strategy }, signal);
    } finally {
      this.#host.closeModel();
    }
  }

  async #fail(
    entry: StrategyEntry,
    { trigger }: CompactionRequest,
    reason: string,
    by: 'strategy' | 'model',
    begun: number,
    instead: string,
  ): Promise<void> {
    const { journal, log, clock, onEvent } = this.#ports;
    if (by === 'strategy') this.#failures.set(entry.id, (this.#failures.get(entry.id) ?? 0) + 1);
    log('warn', `compaction with ${entry.id} failed, nothing was changed by it: ${reason}`);
    const tokens = this.reading.tokens;
    onEvent({ type: 'compactionFailed', strategy: entry.id, trigger, reason, tokens, durationMs: clock.now() - begun });
    await journal.append({ type: 'compactionFailed', strategy: entry.id, trigger, reason, attempt: 1, instead });
  }

  async #commit(
    proposal: Proposal,
    facts: {
      readonly request: CompactionRequest;
      readonly by: string;
      readonly base: number;
      readonly begun: number;
      readonly llm: Summariser;
    },
  ): Promise<CompactionOutcome> {
    const { journal, clock, log } = this.#ports;
    const { request, base, llm } = facts;
    if (journal.context.reshapedAfter(base) || !journal.path().some(({ seq }) => seq === base)) {
      return NONE('The conversation changed its shape meanwhile; nothing was compacted.');
    }
    const usage: Usage | null = llm.usage();
    const entry: CompactionEntry = await journal.append({
      type: 'compaction',
      base,
      plan: proposal.plan.plan,
      strategy: facts.by,
      trigger: request.trigger,
      tokensBefore: proposal.tokensBefore,
      tokensAfter: proposal.tokensAfter,
      durationMs: clock.now() - facts.begun,
      attempt: proposal.attempt,
      ...(usage ? { usage, summaryModel: llm.model ?? '' } : {}),
      ...(request.instructions ? { instructions: request.instructions } : {}),
      ...(proposal.repairs.length ? { repairs: proposal.repairs } : {}),
    });
    log('info', `compaction done: ${entry.strategy}, ${entry.tokensBefore} → ${entry.tokensAfter} tokens`);
    this.#announce(entry, proposal);
    return { kind: 'compacted', entry };
  }

  #announce(entry: CompactionEntry, { plan, candidate }: Proposal): void {
    const { onEvent, journal } = this.#ports;
    const { strategy, trigger, tokensBefore, tokensAfter, durationMs } = entry;
    onEvent({ type: 'compactionPerformed', strategy, trigger, tokensBefore, tokensAfter, durationMs });
    onEvent({ type: 'conversationReplaced', items: journal.context.conversation.length });
    const kept = new Set(candidate.map((slot) => (slot.kind === 'insert' ? -1 : slot.message.round)));
    const rounds = new Set(plan.droppedRounds);
    onEvent({
      type: 'contextCompacted',
      entry,
      summary: candidate.flatMap((slot) => (slot.kind === 'insert' ? [slot.text] : [])).join('\n\n'),
      tokensBefore,
      tokensAfter,
      roundsCompacted: [...rounds].filter((round) => !kept.has(round)).length,
      savedRatio: tokensBefore > 0 ? (tokensBefore - tokensAfter) / tokensBefore : 0,
    });
  }
}

function wait(timers: Timers, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      cancel();
      signal.removeEventListener('abort', end);
      resolve();
    };
    const cancel = timers.after(ms, end);
    signal.addEventListener('abort', end, { once: true });
  });
}

/**
 * When to compact: the agent loop tells it the moments of a turn, and it asks for a compaction where one is due. It
 * never looks at a strategy's answer, and calls no model.
 */

import type { Usage } from '../../context/message.ts';
import type { ModelError } from '../../errors.ts';
import { COOLING } from '../../journal/entry.ts';
import type { ExpectedPrompt } from '../../model/modelClient.ts';
import type { ReportDoubt } from '../../tokens/judgeReports.ts';
import { settleGuess } from '../../tokens/learnedWindows.ts';
import { words } from '../../words.ts';
import type { Strategies } from '../hosting/strategies.ts';
import type { CompactionSettings } from '../settings/compactionSettings.ts';
import type { ConsentFigures } from '../signals/consent.ts';
import { type CompactionOutcome, type CompactionRequest, none } from '../signals/outcome.ts';
import { AutomaticTriggers } from './automatic.ts';
import { ColdRule } from './coldRule.ts';
import { EarlyRule } from './earlyRule.ts';
import { findExpired } from './expiredResults.ts';
import type { Gauge } from './gauge.ts';
import { isUndone } from './holds.ts';
import type { TriggerMoment } from './triggers.ts';

/** After this many refusals of requests as too long, a turn stops. */
const MOST_RECOVERIES = 3;
const FULL = words('The next request does not fit, and the last compaction hardly made room.');
const WAY_OUT = words('Start a new session, or choose a model with a larger window.');
const AUTO_OFF = words('Automatic compaction is off.');

/** The outcome of a compaction that waits for its summary. */
export const LATER = none(
  words('Its summary is being prepared; there is still room in the context until it is ready.'),
);

/** The reason for the compaction that it asks for. */
export interface Fired {
  readonly figures: ConsentFigures;
  /** The context has room for another request, so it may wait for its summary. */
  readonly mayWait: boolean;
  /** The next request may not fit. */
  readonly urgent: boolean;
  /** The next request does not fit. */
  readonly mustFit: boolean;
  /** The last compaction hardly made room, so that this one asks no model and frees enough, or nothing. */
  readonly spent: boolean;
}

type Ports = ConstructorParameters<typeof EarlyRule>[0] & ConstructorParameters<typeof ColdRule>[0];
type SummaryCache = ConstructorParameters<typeof ColdRule>[4];

/** The summary that is prepared while the agent continues. */
interface Preparation extends SummaryCache {
  readonly state: 'running' | 'ready' | null;
  beginTurn(): void;
  /** A stop of the turn stops this too. */
  follow(signal: AbortSignal): void;
  /** Starts a summary if the trigger is near. */
  consider(settings: CompactionSettings): void;
}

/** The compactor, as it asks it. */
interface Targets {
  /** Whether a compaction is running. */
  readonly isBusy: () => boolean;
  readonly compact: (request: CompactionRequest, signal: AbortSignal, fired?: Fired) => Promise<CompactionOutcome>;
  /** Hides the results at these indices, as a compaction of its own. */
  readonly expire: (indices: readonly number[], signal: AbortSignal) => Promise<CompactionOutcome>;
  /** The model has answered, or a turn begins: what a person answered no longer holds. */
  readonly renew: () => void;
}

/** The calls of the agent loop, at quiescent points: every tool call has its result. */
export interface TurnCompaction {
  /** The expected token count of the next request. */
  readonly expected: ExpectedPrompt;
  /** Call when a turn begins: resets the count of recoveries. */
  beginTurn(): void;
  /** Call before a message of `tokens` (uncalibrated estimate) is appended. */
  beforeMessage(tokens: number, signal: AbortSignal): Promise<CompactionOutcome>;
  /** Call before a request: checks the last usage, later messages, and a safety margin. */
  beforeCall(signal: AbortSignal): Promise<CompactionOutcome>;
  /** Call after a response whose usage was just appended. */
  afterResponse(signal: AbortSignal): Promise<CompactionOutcome>;
  /** Why what the provider reported for the request that was just answered cannot be true; null where it is believed. */
  doubt(usage: Usage): ReportDoubt | null;
  /** Interprets a refusal, given the size of the refused request. */
  settle(error: ModelError): ModelError;
  /** Call after the provider refused a request as too long; `learnedWindow` in tokens if it named one. */
  afterOverflow(learnedWindow: number | undefined, signal: AbortSignal): Promise<CompactionOutcome>;
}

export class Trigger implements TurnCompaction {
  readonly #ports: Ports;
  readonly #gauge: Gauge;
  readonly #automatic: AutomaticTriggers;
  readonly #ahead: Preparation;
  readonly #targets: Targets;
  readonly #earlyRule: EarlyRule;
  readonly #coldRule: ColdRule;
  /** The agent's request, which waits until every call has a result. */
  #asked: CompactionRequest | null = null;

  constructor(ports: Ports, gauge: Gauge, strategies: Strategies, ahead: Preparation, targets: Targets) {
    this.#ports = ports;
    this.#gauge = gauge;
    this.#automatic = new AutomaticTriggers(gauge, ports.journal);
    this.#ahead = ahead;
    this.#targets = targets;
    this.#earlyRule = new EarlyRule(ports, gauge, strategies);
    this.#coldRule = new ColdRule(ports, gauge, strategies, this.#automatic, ahead);
  }

  /** Provider refusals since the last answer, and the value compared when it fired; null while nothing runs for it. */
  get pressure(): { readonly refusals: number; readonly fired: number | null } {
    const { refusals, fired } = this.#automatic;
    return { refusals, fired };
  }

  get expected(): ExpectedPrompt {
    return this.#gauge.expected;
  }

  doubt(usage: Usage): ReportDoubt | null {
    return this.#gauge.doubt(usage);
  }

  beginTurn(): void {
    this.#ahead.beginTurn();
    this.#targets.renew();
    this.#automatic.beginTurn();
  }

  /** Call when a setting changed: another attempt may have a result. */
  settingsChanged(): void {
    this.#automatic.settingsChanged();
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
    const made = asked && (await this.#targets.compact(asked, signal));
    return made && made.kind !== 'none' ? made : this.#check({ at: 'beforeCall' }, signal);
  }

  afterResponse(signal: AbortSignal): Promise<CompactionOutcome> {
    this.#targets.renew();
    this.#automatic.answered();
    return this.#check({ at: 'afterResponse' }, signal);
  }

  settle(error: ModelError): ModelError {
    const { window, answerRoom, reading } = this.#gauge;
    return settleGuess(error, reading.tokens, window && window - answerRoom);
  }

  async afterOverflow(learnedWindow: number | undefined, signal: AbortSignal): Promise<CompactionOutcome> {
    const settings = this.#ports.settings();
    if (learnedWindow !== undefined) this.#gauge.learnWindow(learnedWindow);
    if (!settings.auto)
      return none(words('Automatic compaction is off. Run /compact, or switch it on in the settings.'));
    const overflows = this.#automatic.countOverflow();
    if (overflows <= MOST_RECOVERIES) return this.#targets.compact({ trigger: 'overflow' }, signal);
    return {
      kind: 'stuck',
      reason: words(
        'The model refused the request as too long {0} times: it has about {1} tokens, and the window {2}. Start a new session, or choose a model with a larger window.',
        overflows,
        this.#gauge.reading.tokens,
        this.#gauge.window || '?',
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
    return this.#targets.compact({ trigger: COOLING, early }, signal);
  }

  /** Call when a compaction takes place: the carried content is counted from the next request on. */
  compacting(): void {
    this.#earlyRule.compacting();
  }

  async #check(moment: TriggerMoment, signal: AbortSignal): Promise<CompactionOutcome> {
    const settings = this.#ports.settings();
    if (!settings.auto) return none(AUTO_OFF);
    this.#ahead.follow(signal);
    if (!this.#targets.isBusy()) await this.#gauge.count(settings.trigger, moment, signal);
    const read = () => this.#gauge.describe(settings.trigger, moment, this.#ports.clock.now());
    const early = this.#targets.isBusy() ? undefined : await this.#earlyRule.ask(settings, read);
    const decide = () => this.#automatic.decide(settings, moment, early, this.#ahead.state);
    let decision = decide();
    // Outdated results go first: often that is enough.
    const expires = decision.kind === 'fire' && !this.#ahead.state;
    if (expires && (await this.#expire(null, signal))) decision = decide();
    if (decision.kind === 'still') {
      if (moment.at !== 'beforeMessage' && !this.#targets.isBusy() && !this.#automatic.isHeld(settings))
        this.#ahead.consider(settings);
      return none(decision.reason);
    }
    const now = this.#ports.clock.now();
    const usualMs = settings.pays ? settings.pays.idleMinutes * 60_000 : undefined;
    const why = decision.early ? { early: this.#gauge.earlyReason(now, usualMs) } : {};
    const request = { trigger: decision.trigger, ...why };
    // Without a cached prefix everything is read at full price anyway: the less the better.
    const mayWait = !decision.urgent && !(decision.early && this.#gauge.isCold(now, usualMs));
    const { figures, urgent, mustFit, spent } = decision;
    const fired = { figures, mayWait, urgent, mustFit, spent };
    const outcome = await this.#targets.compact(request, signal, fired);
    if (outcome === LATER) this.#automatic.postpone(decision);
    else await this.#automatic.settle(outcome, settings, decision);
    return this.#stopOnlyIfKnown(outcome, spent && !signal.aborted);
  }

  /** A turn stops before a request that does not fit, but not on a mere estimate: then the model decides. */
  #stopOnlyIfKnown(outcome: CompactionOutcome, spent: boolean): CompactionOutcome {
    if (outcome.kind === 'stuck' && this.#gauge.mayFit)
      return outcome.entry ? { kind: 'compacted', entry: outcome.entry } : none(outcome.reason);
    if (outcome.kind !== 'none' || !spent || this.#gauge.mayFit) return outcome;
    const fixed = this.#gauge.fixedPart(this.#ports.settings().trigger);
    return { kind: 'stuck', reason: [...FULL, ...(fixed ?? WAY_OUT)] };
  }

  /** Hides results that their tools no longer want. False when there are none. */
  async #expire(outdatedTokens: number | null, signal: AbortSignal): Promise<boolean> {
    const { journal } = this.#ports;
    const expired = findExpired(journal.context.conversation, outdatedTokens);
    if (expired.length === 0 || isUndone(journal.backward())) return false;
    return (await this.#targets.expire(expired, signal)).kind === 'compacted';
  }
}

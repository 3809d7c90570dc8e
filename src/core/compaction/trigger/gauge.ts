/** Measures how full the context is for the present model, and learns from providers' reports and exact counts. */

import type { ContextReading } from '../../../api/index.ts';
import type { Clock } from '../../clock.ts';
import type { Context } from '../../context/item.ts';
import type { Usage } from '../../context/message.ts';
import {
  type CacheClock,
  type CacheFacts,
  CacheFollower,
  costOfInput,
  NO_CACHE_FACTS,
  readCacheClock,
} from '../../cost/cacheFacts.ts';
import type { Crypto } from '../../crypto.ts';
import type { CompactionEntry, Entry, UsageEntry } from '../../journal/entry.ts';
import type { Journal } from '../../journal/journal.ts';
import type { ModelChoice } from '../../model/modelChoice.ts';
import type { ExpectedPrompt } from '../../model/modelClient.ts';
import { type Money, type Price, priceAt } from '../../money.ts';
import { ruleFor } from '../../setting.ts';
import { type Calibration, CalibrationFollower, LOWEST_FACTOR } from '../../tokens/calibrate.ts';
import { judgeContext } from '../../tokens/contextReports.ts';
import type { JudgedBy, ReportDoubt } from '../../tokens/judgeReports.ts';
import type { LearnedWindows } from '../../tokens/learnedWindows.ts';
import { windowOf } from '../../tokens/learnedWindows.ts';
import { isOwnCount, type MeterReading, type OwnCount, readMeter, readOwnCount } from '../../tokens/meter.ts';
import type { Words } from '../../words.ts';
import type { TriggerSettings } from '../sections/generalSettings.ts';
import type { CompactionSettings } from '../settings/compactionSettings.ts';
import { ExactCount } from './exactCount.ts';
import { expectPrompt } from './expectPrompt.ts';
import { describeFixedPart } from './fixedPart.ts';
import { TriggerClauses, type TriggerMoment } from './triggers.ts';

interface TriggerMark {
  /** In tokens of the reading; null when no number is enough. */
  readonly at: number | null;
  /** The compared value where the strategy has its own count, and its limit; null when the reading is compared. */
  readonly counted: { readonly tokens: number; readonly limit: number } | null;
  /** Null when their number is irrelevant. `together`: only combined with the tokens. */
  readonly messages: { readonly now: number; readonly limit: number; readonly together: boolean } | null;
  /** The name or pattern whose thresholds apply to the model; null without one. */
  readonly rule: string | null;
}

/** Most providers drop a prompt unused for this time. */
const USUAL_CACHE_LIFE_MS = 5 * 60_000;

/** Number of newest entries that calibrate a resumed session: they tell most, and a long session is not read for it. */
const FOLLOWED = 2_000;

interface Ports {
  readonly journal: Journal;
  /** The model of the session's turns; null without one. */
  readonly model: () => ModelChoice | null;
  readonly clock: Clock;
  readonly crypto: Crypto;
  readonly windows: LearnedWindows;
  /** The settings in force. */
  readonly settings: () => Pick<CompactionSettings, 'auto' | 'trigger'>;
}

export class Gauge {
  readonly #ports: Ports;
  readonly #follower = new CalibrationFollower();
  readonly #cache: CacheFollower;
  readonly #exact: ExactCount;
  readonly #stop: () => void;
  /** When this session was opened, in milliseconds since the epoch. */
  readonly #begun: number;

  constructor(ports: Ports) {
    this.#ports = ports;
    this.#begun = ports.clock.now();
    this.#exact = new ExactCount(ports, this.calibration);
    this.#cache = new CacheFollower(ports.journal.context.configured?.endpoint ?? '');
    const follow = (entry: Entry) => {
      this.#follower.follow(entry);
      this.#cache.follow(entry);
    };
    for (const entry of [...ports.journal.newest(FOLLOWED)].reverse()) follow(entry);
    this.#stop = ports.journal.listen((entry) => {
      follow(entry);
      if (entry.type === 'usage' && !entry.estimated) this.#disprove(entry);
    });
  }

  dispose(): void {
    this.#stop();
  }

  get calibration(): Calibration {
    return this.#follower.calibration;
  }

  /** Empty without a model. */
  get model(): string {
    return this.#ports.model()?.model ?? '';
  }

  get reading(): MeterReading {
    return readMeter(this.#ports.journal.context, this.model, this.calibration, this.window);
  }

  /**
   * Another context for the present model: its calibrated tokens, what reading it without a cache costs (null where no
   * price is known), and whether it and as much growth as a compaction waits for stay below the trigger.
   */
  weigh(context: Context): { readonly tokens: number; readonly price: Money | null; readonly fits: boolean } {
    const { auto, trigger } = this.#ports.settings();
    const reading = readMeter(context, this.model, this.calibration, this.window);
    const { tokens } = reading;
    const growth = this.growth(trigger);
    const { conversation } = context;
    const counted = (by: OwnCount) => readOwnCount(conversation, by);
    const figures = { reading, counted, messages: conversation.length };
    const { kind } = this.#clauses(trigger).decide({ at: 'beforeMessage', tokens: growth }, figures);
    const { price } = this;
    return {
      tokens,
      price: price ? costOfInput(tokens, 0, price, this.cache) : null,
      fits: (!auto || kind === 'below') && tokens + growth < this.hardLimit(trigger),
    };
  }

  /** The reading after a move of the head. */
  readingAt(head: number | null): MeterReading {
    return readMeter(this.#ports.journal.contextAt(head), this.model, this.calibration, this.window);
  }

  get expected(): ExpectedPrompt {
    return expectPrompt(this.#ports.journal.context, this.model, this.calibration, this.window);
  }

  /** Window in tokens, as configured or as corrected by the provider; 0 when unknown. */
  get window(): number {
    const choice = this.#ports.model();
    return choice ? windowOf(choice, this.#ports.windows) : 0;
  }

  /**
   * Tokens of the window that the next request keeps free for its answer: many providers refuse a request whose input and
   * longest answer together exceed the window.
   */
  get answerRoom(): number {
    return Math.min(this.#ports.model()?.maxOutputTokens ?? 0, this.window >> 1);
  }

  /** Calibrated maximum of the next request, in tokens. Infinite for an unknown window. */
  hardLimit(settings: TriggerSettings): number {
    return this.#clauses(settings).hardLimit(this.answerRoom);
  }

  decide(settings: TriggerSettings, moment: TriggerMoment): ReturnType<TriggerClauses['decide']> {
    return this.#clauses(settings).decide(moment, this.#figures);
  }

  /** Lets the endpoint count the context where a decision is near and no report of the model exists yet. */
  async count(settings: TriggerSettings, moment: TriggerMoment, signal: AbortSignal): Promise<void> {
    const choice = this.#ports.model();
    if (!choice?.client.count) return;
    const mark = this.markOf(settings)?.at ?? Number.POSITIVE_INFINITY;
    const limit = Math.min(mark, this.hardLimit(settings));
    const coming = moment.at === 'beforeMessage' ? moment.tokens : 0;
    await this.#exact.ask(choice, this.reading.tokens + coming, limit, signal);
  }

  /** The trigger's unit per token of the reading: characters / 2 counts a text about twice as high. */
  scale({ basis }: TriggerSettings): number {
    const { tokens } = this.reading;
    return !isOwnCount(basis) || tokens === 0 ? 1 : Math.max(0.1, this.#count(basis) / tokens);
  }

  /** The trigger's present value; the reading while its basis has no data. */
  compare(settings: TriggerSettings): number {
    const figures = this.#figures;
    return this.#clauses(settings).measure({ at: 'beforeMessage', tokens: 0 }, figures) ?? figures.reading.tokens;
  }

  /** Tokens of the window that requests leave free for an answer; 0 when the window is unknown. */
  get reserve(): number {
    const { window } = this;
    return window === 0 ? 0 : window - this.hardLimit(this.#ports.settings().trigger);
  }

  /** Where an automatic compaction starts; null when it is off, or only the provider knows the limit. */
  get mark(): TriggerMark | null {
    const { auto, trigger } = this.#ports.settings();
    return auto ? this.markOf(trigger) : null;
  }

  /** Where the trigger fires with these settings. Null when it cannot. */
  markOf(settings: TriggerSettings): TriggerMark | null {
    const { limit } = this.#clauses(settings);
    const together = settings.require === 'all' && (settings.ratio > 0 || settings.reserve > 0);
    const byMessages = settings.messages > 0 && (limit !== null || !together);
    if (limit === null && !byMessages) return null;
    const counted = limit !== null && isOwnCount(settings.basis);
    return {
      at: limit === null ? null : Math.round(limit / this.scale(settings)),
      counted: counted ? { tokens: this.#count(settings.basis as OwnCount), limit } : null,
      messages: byMessages ? { now: this.messages, limit: settings.messages, together } : null,
      rule: ruleFor(settings.perModel, this.model)?.name ?? null,
    };
  }

  /**
   * True while the next request fits without a margin, or its size is a mere estimate for this model of which the least
   * that it can mean fits.
   */
  get mayFit(): boolean {
    const { reading, window, answerRoom, model } = this;
    const isGuess = !reading.reported && !this.calibration.knows(model);
    return window === 0 || reading.tokens * (isGuess ? LOWEST_FACTOR : 1) < window - answerRoom;
  }

  /** The part that fills the window and cannot go, with a way out; null while compactions have something to work on. */
  fixedPart(settings: TriggerSettings): Words | null {
    const { window, reading } = this;
    const hard = this.hardLimit(settings);
    const gain = this.growth(settings);
    return describeFixedPart(this.#ports.journal.context, reading, {
      window,
      trigger: this.markOf(settings)?.at ?? null,
      hard,
      gain,
    });
  }

  /** Tokens by which the context must grow before another attempt, and that one should free. */
  growth(settings: TriggerSettings): number {
    const { holdGrowth, maxContextTokens } = settings;
    const most = maxContextTokens > 0 ? maxContextTokens / this.scale(settings) : Number.POSITIVE_INFINITY;
    return Math.max(1, holdGrowth * Math.min(this.window || this.reading.tokens, most));
  }

  /** The reading for a strategy that decides whether it is time. */
  describe(settings: TriggerSettings, moment: TriggerMoment, now: number): ContextReading {
    const { tokens, reported, doubt } = this.reading;
    return {
      moment: moment.at,
      tokenCount: tokens,
      comingTokens: moment.at === 'beforeMessage' ? moment.tokens : 0,
      maxContextSize: this.window,
      triggerTokens: this.markOf(settings)?.at ?? null,
      due: this.decide(settings, moment).kind === 'fire',
      messages: this.messages,
      idleMs: this.#idle(now),
      cacheLivesMs: this.#cacheLivesMs,
      reported: reported && !doubt ? Object.freeze({ ...reported }) : null,
    };
  }

  /**
   * True when, as far as known, no cache holds the beginning of the next request any more. `usualMs` is for providers
   * with an unknown cache lifetime.
   */
  isCold(now: number, usualMs = USUAL_CACHE_LIFE_MS): boolean {
    const idleMs = this.#idle(now);
    return idleMs === null || idleMs > (this.#cacheLivesMs ?? usualMs);
  }

  /** As it is now. */
  get price(): Price | undefined {
    const price = this.#ports.model()?.price;
    return price && priceAt(price, this.#ports.clock.now());
  }

  /** Reports of the present model's endpoint about its cache in this session. */
  get cache(): CacheFacts {
    const choice = this.#ports.model();
    return choice ? this.#cache.of(choice.client.endpoint, choice.model) : NO_CACHE_FACTS;
  }

  /** Of the model in force, for a person. */
  get clock(): CacheClock {
    const { lastUsage } = this.#ports.journal.context;
    return readCacheClock({
      facts: this.cache,
      livesMs: this.#cacheLivesMs,
      tokens: this.reading.tokens,
      last: lastUsage?.model === this.model && !this.reading.doubt ? lastUsage.usage : null,
      price: this.price,
    });
  }

  /** As reported with what was written, else as documented. */
  get #cacheLivesMs(): number | null {
    return this.cache.livesMs ?? this.#ports.model()?.cacheLivesMs ?? null;
  }

  #idle(now: number): number | null {
    const { lastAnswer } = this.#ports.journal.context;
    if (!lastAnswer || lastAnswer.model !== this.model) return null;
    const answered = this.#ports.journal.entry(lastAnswer.seq);
    return answered ? Math.max(0, now - Date.parse(answered.time)) : null;
  }

  /** Why a strategy compacts before the limit is reached, as far as can be seen from outside. */
  earlyReason(now: number, usualMs?: number): NonNullable<CompactionEntry['early']> {
    if (!this.isCold(now, usualMs)) return { why: 'strategy' };
    const idleMs = this.#idle(now);
    const livesMs = this.#cacheLivesMs;
    if (idleMs !== null) {
      const why = now - idleMs < this.#begun ? 'resumed' : 'idle';
      return { why, idleMs, ...(livesMs === null ? {} : { livesMs }) };
    }
    const newest = this.#newestAnswer();
    return { why: newest !== null && newest.model !== this.model ? 'model' : 'changed' };
  }

  #newestAnswer(): UsageEntry | null {
    let left = FOLLOWED;
    for (const entry of this.#ports.journal.backward()) {
      if (entry.type === 'usage') return entry;
      if (--left === 0) break;
    }
    return null;
  }

  /** Call when the provider refused a request as longer than `window` tokens. */
  learnWindow(window: number): void {
    const choice = this.#ports.model();
    if (choice) this.#ports.windows.learn(choice, window);
  }

  #clauses(settings: TriggerSettings): TriggerClauses {
    return new TriggerClauses(settings, this.window);
  }

  get #figures() {
    const { reading } = this;
    return { reading, counted: (by: OwnCount) => this.#count(by), messages: this.messages };
  }

  get messages(): number {
    return this.#ports.journal.context.conversation.length;
  }

  #count(by: OwnCount): number {
    return readOwnCount(this.#ports.journal.context.conversation, by);
  }

  /** Why what was reported for the request that was just answered cannot be true; null where it is believed. */
  doubt(usage: Usage): ReportDoubt | null {
    const coming = { usage, model: this.model, seq: Number.MAX_SAFE_INTEGER };
    return judgeContext(this.#ports.journal.context, this.#judgedBy, coming).doubt;
  }

  get #judgedBy(): JudgedBy {
    const { calibration, model, window } = this;
    return { window, factor: calibration.factor(model), learnt: calibration.knows(model) };
  }

  /** A report that is not believed proves nothing about the window. */
  #disprove({ model, usage }: Pick<UsageEntry, 'model' | 'usage'>): void {
    const choice = this.#ports.model();
    if (choice?.model === model && !this.reading.doubt)
      this.#ports.windows.disprove(choice.client.endpoint, model, usage.input);
  }
}

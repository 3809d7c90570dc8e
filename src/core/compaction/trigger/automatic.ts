/**
 * Decides when a compaction starts automatically. An undo, a refusal or an attempt that gained little holds it back until
 * the context has grown.
 */

import type { Journal } from '../../journal/journal.ts';
import { makeNote } from '../../journal/makeNote.ts';
import { isOwnCount } from '../../tokens/meter.ts';
import { type Words, words } from '../../words.ts';
import type { CompactionSettings } from '../settings/compactionSettings.ts';
import type { ConsentFigures } from '../signals/consent.ts';
import type { CompactionOutcome } from '../signals/outcome.ts';
import type { Gauge } from './gauge.ts';
import { findHold, type Hold, isRecent } from './holds.ts';
import type { TriggerMoment } from './triggers.ts';

type Automatic =
  | { readonly kind: 'still'; readonly reason: Words }
  /** `growth`: tokens by which the context must grow before it fires again, should this have no result. */
  | {
      readonly kind: 'fire';
      readonly trigger: 'threshold' | 'precheck';
      readonly growth: number;
      /** The next request may not fit: this cannot wait. */
      readonly urgent: boolean;
      /** The next request does not fit, so that less gain is enough. */
      readonly mustFit: boolean;
      /** The last compaction hardly made room: another one of its kind would not. */
      readonly spent: boolean;
      /** The strategy asks for it before the settings would. */
      readonly early: boolean;
      readonly figures: ConsentFigures;
    };

type Fire = Extract<Automatic, { kind: 'fire' }>;

export class AutomaticTriggers {
  readonly #gauge: Gauge;
  readonly #journal: Journal;
  #overflows = 0;
  #refusals = 0;
  #fired: number | null = null;
  /** In this window nothing fires below that reading, because an attempt left nothing in the journal. */
  #resultless = { window: 0, below: 0, thisTurn: false };
  /** It fired, and waits for its summary. */
  #postponed: Fire | null = null;

  constructor(gauge: Gauge, journal: Journal) {
    this.#gauge = gauge;
    this.#journal = journal;
  }

  /** Number of provider refusals since the last answer. */
  get refusals(): number {
    return this.#refusals;
  }

  /** The value compared when it fired, including a coming message or the margin; null while nothing runs for it. */
  get fired(): number | null {
    return this.#fired;
  }

  beginTurn(): void {
    this.#overflows = 0;
    this.#refusals = 0;
    if (this.#resultless.thisTurn) this.#resultless.below = 0;
  }

  /** Call when a setting changed: another attempt may have a result. */
  settingsChanged(): void {
    this.#resultless.below = 0;
  }

  answered(): void {
    this.#refusals = 0;
  }

  /** Call when the provider refused a request as too long; returns how often in this turn. */
  countOverflow(): number {
    this.#refusals++;
    return ++this.#overflows;
  }

  /**
   * `early`: the strategy's own decision, whether or not the settings would compact; undefined where it leaves it to
   * them. `summary`: whether one is being prepared, or ready. A compaction that waited for it is then due, whatever the
   * strategy says now.
   */
  decide(
    settings: CompactionSettings,
    moment: TriggerMoment,
    early: boolean | undefined,
    summary: 'running' | 'ready' | null,
  ): Automatic {
    const decision = this.#decide(settings, moment, early);
    if (summary === null) this.#postponed = null;
    if (decision.kind === 'fire' || summary !== 'ready' || this.isHeld(settings)) return decision;
    return this.#postponed ?? decision;
  }

  #decide(settings: CompactionSettings, moment: TriggerMoment, early: boolean | undefined): Automatic {
    const { reading, window, answerRoom } = this.#gauge;
    const decision = this.#gauge.decide(settings.trigger, moment);
    const coming = moment.at === 'beforeCall' ? reading.tokens + settings.trigger.safetyMargin : 0;
    // Contexts that exceed the window are compacted whatever the trigger measures and in spite of any hold.
    const impossible = window > 0 && coming >= window - answerRoom;
    if (early === false && !impossible && coming < this.#gauge.hardLimit(settings.trigger))
      return still(words('The strategy says that it is not time yet.'));
    if (decision.kind === 'below' && !impossible && !early) return still(words('The context is below its limit.'));
    const growth = this.#gauge.growth(settings.trigger);
    const hold = this.#hold(settings);
    if (hold && (!impossible || (hold === 'resultless' && this.#gauge.mayFit))) return still(HELD[hold]);
    const path = { newestFirst: this.#journal.backward(), factor: reading.factor };
    const spent = impossible && isRecent(path, growth);
    const message = moment.at === 'beforeMessage' ? Math.round(moment.tokens * reading.factor) : 0;
    const next = reading.tokens + message + settings.trigger.safetyMargin;
    const urgent = impossible || next >= this.#gauge.hardLimit(settings.trigger);
    if (decision.kind === 'below') {
      const figures = { tokens: reading.tokens, window, ownCount: false };
      const trigger = moment.at === 'afterResponse' ? 'threshold' : 'precheck';
      return { kind: 'fire', trigger, growth, urgent, mustFit: impossible, spent, early: !impossible, figures };
    }
    this.#fired = decision.tokens;
    const ownCount = isOwnCount(settings.trigger.basis);
    // The margin and the coming message belong to the check, not to the present context.
    const tokens = settings.trigger.basis === 'estimate' ? reading.tokens : decision.tokens;
    const figures = { tokens, window: decision.maximum, ownCount };
    const messages = decision.clauses.includes('messages') ? { messages: this.#gauge.messages } : {};
    const { trigger } = decision;
    const whole = { ...figures, ...messages };
    return { kind: 'fire', trigger, growth, urgent, mustFit: impossible, spent, early: false, figures: whole };
  }

  /** True when nothing would fire now, whatever the figures. */
  isHeld(settings: CompactionSettings): boolean {
    return this.#hold(settings) !== null;
  }

  #hold(settings: CompactionSettings): Hold | 'resultless' | null {
    const { tokens, factor } = this.#gauge.reading;
    const growth = this.#gauge.growth(settings.trigger);
    const held = findHold({ newestFirst: this.#journal.backward(), tokens, factor }, growth);
    const { window, below } = this.#resultless;
    return held ?? (window === this.#gauge.window && tokens < below ? 'resultless' : null);
  }

  postpone(decision: Fire): void {
    this.#fired = null;
    this.#postponed = decision;
  }

  /**
   * Decides from the outcome whether the next trigger is held. A refusal is recorded, with the size at which the person
   * is asked again.
   */
  async settle(outcome: CompactionOutcome, settings: CompactionSettings, { growth, figures }: Fire): Promise<void> {
    this.#fired = null;
    this.#postponed = null;
    const below = Math.ceil(this.#gauge.reading.tokens + growth);
    const retry = outcome.kind === 'none' ? outcome.retry : outcome.kind === 'compacted' ? 'nextTurn' : undefined;
    if (retry !== 'anytime' && (outcome.kind !== 'compacted' || this.#fires(settings)))
      this.#resultless = {
        window: this.#gauge.window,
        below,
        // A person is not asked the same at each message.
        thisTurn: retry === 'nextTurn' && !settings.requireConfirmation,
      };
    if (outcome.kind !== 'refused' || outcome.choice !== 'notNow') return;
    // In the unit of the question, which a strategy's own estimator may have counted.
    const grown = growth * (figures.ownCount ? this.#gauge.scale(settings.trigger) : 1);
    const next = Math.ceil(figures.tokens + grown);
    const message = outcome.declined
      ? words(
          'Not compacted, because you did not allow the strategy {0}. You will be asked again at about {1} tokens.',
          outcome.declined,
          next,
        )
      : figures.ownCount
        ? words(
            'Not compacted, as you chose. You will be asked again at about {0} tokens, by this strategy’s own count.',
            next,
          )
        : words('Not compacted, as you chose. You will be asked again at about {0} tokens.', next);
    await this.#journal.append(makeNote('info', message, { heldBelow: below }));
  }

  #fires({ trigger }: CompactionSettings): boolean {
    return this.#gauge.decide(trigger, { at: 'beforeCall' }).kind === 'fire';
  }
}

const HELD: Readonly<Record<Hold | 'resultless', Words>> = {
  undone: words('Paused until the context grows or you send a message.'),
  declined: words('Paused until the context has grown, because you declined it.'),
  failed: words('Paused until the context has grown, because the last compaction failed.'),
  spent: words('Paused until the context has grown, because the last compaction freed little.'),
  resultless: words('Paused until the context has grown, because there was nothing to gain.'),
};

const still = (reason: Words): Automatic => ({ kind: 'still', reason });

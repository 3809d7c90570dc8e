/**
 * Decides from figures and settings when to compact. Each enabled clause holds or not; one is enough, or all must hold. Pure.
 */

import type { MeterReading, OwnCount } from '../../tokens/meter.ts';
import type { TriggerSettings } from '../sections/generalSettings.ts';

export type TriggerMoment =
  | { readonly at: 'beforeMessage'; readonly tokens: number }
  | { readonly at: 'beforeCall' }
  | { readonly at: 'afterResponse' };

interface TriggerFigures {
  readonly reading: MeterReading;
  /** Counts the conversation with a strategy's own estimator; called only when that is the basis. */
  readonly counted: (by: OwnCount) => number;
  /** In the context, of all roles. */
  readonly messages: number;
}

interface Clause {
  readonly name: 'ratio' | 'reserve' | 'messages';
  /** In tokens or messages; infinite for an unknown maximum. */
  readonly limit: number;
}

type TriggerDecision =
  | { readonly kind: 'below' }
  | {
      readonly kind: 'fire';
      readonly trigger: 'threshold' | 'precheck';
      readonly clauses: readonly Clause['name'][];
      /** The compared tokens; the reading where the basis has no data. */
      readonly tokens: number;
      /** The maximum that the ratio refers to; 0 when unknown. */
      readonly maximum: number;
    };

/** Omitted: one clause is enough, and the estimate is compared, without a margin. */
type Clauses = Pick<TriggerSettings, 'ratio' | 'reserve' | 'messages' | 'maxContextTokens'> &
  Partial<Pick<TriggerSettings, 'basis' | 'require' | 'safetyMargin'>>;

/** The clauses of a trigger in one window. */
export class TriggerClauses {
  readonly #settings: Clauses;
  readonly #window: number;

  /** `window`: in tokens; 0 when unknown. */
  constructor(settings: Clauses, window: number) {
    this.#settings = settings;
    this.#window = window;
  }

  decide(moment: TriggerMoment, figures: TriggerFigures): TriggerDecision {
    const tokens = this.measure(moment, figures);
    const holding = this.holding(tokens, figures.messages);
    const needed = this.#settings.require === 'all' ? Math.max(1, this.#enabled.length) : 1;
    if (holding.length < needed) return { kind: 'below' };
    return {
      kind: 'fire',
      trigger: moment.at === 'afterResponse' ? 'threshold' : 'precheck',
      clauses: holding,
      tokens: tokens ?? figures.reading.tokens,
      maximum: this.#maximum,
    };
  }

  /** The clauses that hold. `tokens`: the compared value; null without one. */
  holding(tokens: number | null, messages: number): Clause['name'][] {
    const holds = ({ name, limit }: Clause) => {
      if (name === 'messages') return messages >= limit;
      if (tokens === null) return false;
      return name === 'ratio' && this.isStrict ? tokens > limit : tokens >= limit;
    };
    return this.#enabled.filter(holds).map(({ name }) => name);
  }

  /** The value compared at `moment`; null when the basis has no data yet. */
  measure(moment: TriggerMoment, { reading, counted }: TriggerFigures): number | null {
    const { basis = 'estimate', safetyMargin = 0 } = this.#settings;
    const coming = moment.at === 'beforeMessage' ? moment.tokens : 0;
    switch (basis) {
      case 'estimate':
        // After a response the report counts; messages appended since are checked before the next call.
        if (moment.at === 'afterResponse')
          return reading.reported && !reading.doubt ? reading.tokens - reading.appended : reading.tokens;
        return reading.tokens + (moment.at === 'beforeCall' ? safetyMargin : Math.round(coming * reading.factor));
      case 'usage':
      case 'inputOutput':
        if (reading.doubt) return reading.tokens;
        return reading.reported ? reading.reported.input + reading.reported.output : null;
      case 'input':
        if (reading.doubt) return reading.tokens;
        return reading.reported ? reading.reported.input : null;
      // Before a message is added only the present context counts; the message itself is checked before the call.
      case 'halfCharacters':
      case 'mixedText':
        return counted(basis);
    }
  }

  /** Tokens at which it may fire: the first clause, or the last where all must hold. Null when no number is enough. */
  get limit(): number | null {
    const limits = this.#enabled.flatMap(({ name, limit }) => (name === 'messages' ? [] : [limit]));
    const limit = this.#settings.require === 'all' ? Math.max(...limits) : Math.min(...limits);
    return Number.isFinite(limit) ? limit : null;
  }

  /** It fires above the ratio, and not at it. */
  get isStrict(): boolean {
    const { basis } = this.#settings;
    return basis === 'input' || basis === 'inputOutput';
  }

  /** Tokens of the window that it keeps free: not most of a small one. */
  get reserve(): number {
    return capped(this.#settings.reserve, this.#window);
  }

  /**
   * Calibrated maximum of the whole request for any model call, in tokens. Infinite for an unknown window. `answer`: room
   * for the answer.
   */
  hardLimit(answer: number): number {
    return this.#window > 0 ? this.#window - Math.max(answer, this.reserve) : Number.POSITIVE_INFINITY;
  }

  /** Those that are turned on. */
  get #enabled(): Clause[] {
    const { ratio, reserve, messages } = this.#settings;
    const maximum = this.#maximum || Number.POSITIVE_INFINITY;
    const clauses: Clause[] = [];
    if (ratio > 0) clauses.push({ name: 'ratio', limit: Math.floor(maximum * ratio) });
    if (reserve > 0 && Number.isFinite(maximum))
      clauses.push({ name: 'reserve', limit: maximum - capped(reserve, maximum) });
    if (messages > 0) clauses.push({ name: 'messages', limit: messages });
    return clauses;
  }

  /** 0 when neither is known. */
  get #maximum(): number {
    const { maxContextTokens } = this.#settings;
    const window = this.#window;
    return maxContextTokens > 0 && window > 0 ? Math.min(maxContextTokens, window) : maxContextTokens || window;
  }
}

/** A reserve must not take most of a small window: at most a quarter of `maximum` tokens. */
const capped = (reserve: number, maximum: number): number => Math.min(reserve, maximum >> 2);

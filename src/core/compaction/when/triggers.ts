/**
 * When to compact: a pure decision from figures and settings. A strategy never decides it. Each clause that is on holds or
 * does not; one is enough, or all must hold.
 */

import type { CompactionStrategy, ContextReading } from '../../../api/index.ts';
import { messageOf } from '../../errors.ts';
import { noteOf } from '../../journal/noteOf.ts';
import type { Clock } from '../../ports.ts';
import type { MeterReading, OwnCount } from '../../tokens/meter.ts';
import { inEnglish, type Words, words } from '../../words.ts';
import type { CompactorPorts } from '../compactorPorts.ts';
import type { StrategyChooser } from '../run/strategyChooser.ts';
import type { StrategyEntry } from '../run/strategyEntry.ts';
import type { StrategyHost } from '../run/strategyHost.ts';
import type { CompactionSettings } from '../settings.ts';
import type { Gauge } from './gauge.ts';
import { Rent } from './rent.ts';
import type { TriggerSettings } from './triggerSettings.ts';

export type TriggerMoment =
  | { readonly at: 'beforeMessage'; readonly tokens: number }
  | { readonly at: 'beforeCall' }
  | { readonly at: 'afterResponse' };

interface TriggerFigures {
  readonly reading: MeterReading;
  /** The conversation by an estimator of a strategy's own; asked for only when that is the basis. */
  readonly counted: (by: OwnCount) => number;
  /** In the context, of all roles. */
  readonly messages: number;
  /** 0 when unknown. */
  readonly window: number;
}

interface Clause {
  readonly name: 'ratio' | 'reserve' | 'messages';
  /** In tokens or messages; infinite where nobody knows the maximum. */
  readonly limit: number;
}

export type TriggerDecision =
  | { readonly kind: 'below' }
  | {
      readonly kind: 'fire';
      readonly trigger: 'threshold' | 'precheck';
      /** Those that hold. */
      readonly clauses: readonly Clause['name'][];
      /** The tokens compared; of the reading where the basis has nothing to go by. */
      readonly tokens: number;
      /** What the ratio is a share of; 0 when unknown. */
      readonly maximum: number;
    };

export function decideTrigger(
  settings: TriggerSettings,
  moment: TriggerMoment,
  figures: TriggerFigures,
): TriggerDecision {
  const { reading, messages, window } = figures;
  const tokens = measure(settings, moment, figures);
  const clauses = clausesOf(settings, window);
  const holding = clauses.filter(({ name, limit }) => {
    if (name === 'messages') return messages >= limit;
    if (tokens === null) return false;
    return name === 'ratio' && isStrict(settings) ? tokens > limit : tokens >= limit;
  });
  if (holding.length < (settings.require === 'all' ? Math.max(1, clauses.length) : 1)) return { kind: 'below' };
  return {
    kind: 'fire',
    trigger: moment.at === 'afterResponse' ? 'threshold' : 'precheck',
    clauses: holding.map(({ name }) => name),
    tokens: tokens ?? reading.tokens,
    maximum: maximumOf(settings, window),
  };
}

/** Those that are on. */
function clausesOf(settings: TriggerSettings, window: number): Clause[] {
  const { ratio, reserve, messages } = settings;
  const maximum = maximumOf(settings, window) || Number.POSITIVE_INFINITY;
  const clauses: Clause[] = [];
  if (ratio > 0) clauses.push({ name: 'ratio', limit: Math.floor(maximum * ratio) });
  if (reserve > 0 && reserve < maximum) clauses.push({ name: 'reserve', limit: maximum - reserve });
  if (messages > 0) clauses.push({ name: 'messages', limit: messages });
  return clauses;
}

/** It fires above the ratio, and not at it. */
export function isStrict({ basis }: TriggerSettings): boolean {
  return basis === 'input' || basis === 'inputOutput';
}

/** Tokens at which it may fire: the first clause, or the last where all must hold. Null when no number of them is enough. */
export function triggerLimit(settings: TriggerSettings, window: number): number | null {
  const limits = clausesOf(settings, window).flatMap(({ name, limit }) => (name === 'messages' ? [] : [limit]));
  const limit = settings.require === 'all' ? Math.max(...limits) : Math.min(...limits);
  return Number.isFinite(limit) ? limit : null;
}

/** 0 when neither is known. */
function maximumOf({ maxContextTokens }: TriggerSettings, window: number): number {
  return maxContextTokens > 0 && window > 0 ? Math.min(maxContextTokens, window) : maxContextTokens || window;
}

/** What is compared at `moment`; null when the basis has nothing to go by yet. */
export function measure(settings: TriggerSettings, moment: TriggerMoment, figures: TriggerFigures): number | null {
  const { reading } = figures;
  const coming = moment.at === 'beforeMessage' ? moment.tokens : 0;
  switch (settings.basis) {
    case 'estimate':
      // After a response the report counts; what was appended since is checked before the next call.
      if (moment.at === 'afterResponse') return reading.reported ? reading.tokens - reading.appended : reading.tokens;
      return (
        reading.tokens + (moment.at === 'beforeCall' ? settings.safetyMargin : Math.round(coming * reading.factor))
      );
    case 'usage':
      return reading.reported ? reading.reported.input + reading.reported.output : null;
    case 'input':
      return reading.reported ? reading.reported.input : null;
    case 'inputOutput':
      return reading.reported ? reading.reported.input + reading.reported.output : null;
    // Only what is there counts before a message is added; the message itself is checked before the call.
    case 'halfCharacters':
    case 'mixedText':
      return figures.counted(settings.basis);
  }
}

/** An answer that takes longer holds up every request. */
const LONGEST_MS = 200;

type Say =
  /** Undefined leaves it to the settings. */
  | { readonly kind: 'said'; readonly compact: boolean | undefined }
  | { readonly kind: 'broken'; readonly reason: Words };

/** Asks once. Nothing can end a strategy that does not come back. */
function askWhen(strategy: CompactionStrategy, reading: ContextReading, clock: Clock): Say {
  const begun = clock.now();
  try {
    const compact: unknown = strategy.shouldCompact?.(Object.freeze(reading));
    const took = clock.now() - begun;
    if (took > LONGEST_MS)
      return { kind: 'broken', reason: words('shouldCompact took {0} ms of {1}', took, LONGEST_MS) };
    if (compact === undefined || typeof compact === 'boolean') return { kind: 'said', compact };
    return { kind: 'broken', reason: words('shouldCompact answered neither true, false nor undefined') };
  } catch (thrown) {
    return { kind: 'broken', reason: words('shouldCompact failed: {0}', messageOf(thrown).slice(0, 300)) };
  }
}

export class StrategySay {
  readonly #ports: Pick<CompactorPorts, 'registry' | 'journal' | 'clock' | 'log'>;
  readonly #host: StrategyHost;
  readonly #chooser: StrategyChooser;
  /** Those that are no longer asked. Another version of a person's file is another entry. */
  readonly #silenced = new Set<StrategyEntry>();
  readonly #gauge: Gauge;
  readonly #rent = new Rent();

  constructor(ports: CompactorPorts, gauge: Gauge, host: StrategyHost, chooser: StrategyChooser) {
    this.#ports = ports;
    this.#gauge = gauge;
    this.#host = host;
    this.#chooser = chooser;
  }

  /** A compaction takes place: what is carried on is counted from the next request on. */
  compacting(): void {
    this.#rent.reset();
  }

  /** `read` is called only where there is somebody to ask. */
  async ask(settings: CompactionSettings, read: () => ContextReading): Promise<boolean | undefined> {
    const entry = this.#ports.registry.get(settings.strategy);
    if (!entry || this.#chooser.isOut(entry.id)) return undefined;
    const say = this.#silenced.has(entry)
      ? null
      : this.#host.consult(entry, settings.section, (strategy) =>
          strategy.shouldCompact ? askWhen(strategy, read(), this.#ports.clock) : null,
        );
    if (say?.kind === 'broken') await this.#silence(entry, say.reason);
    else if (say?.compact !== undefined) return say.compact;
    return this.#pays(entry, settings, read) || undefined;
  }

  #pays(entry: StrategyEntry, settings: CompactionSettings, read: () => ContextReading): boolean {
    const { pays, section, targetRatio } = settings;
    if (!pays) return false;
    const reading = read();
    if (reading.moment !== 'beforeCall' || reading.maxContextSize === 0) return false;
    const window = reading.maxContextSize;
    const leaves = entry.leaves?.(section, window) ?? { recent: targetRatio * window, notes: 0 };
    // As the newest compaction asked a model, so will the next.
    const asks = this.#ports.journal.context.activeCompactions.at(-1)?.usage !== undefined;
    return this.#rent.isDue(reading, leaves, pays, this.#gauge.price, asks);
  }

  async #silence(entry: StrategyEntry, reason: Words): Promise<void> {
    this.#silenced.add(entry);
    const said = words(
      'The compaction strategy {0} no longer decides when to compact in this session: {1}. The settings decide.',
      entry.id,
      reason,
    );
    this.#ports.log('warn', inEnglish(said));
    await this.#ports.journal.append(noteOf('warning', said));
  }
}

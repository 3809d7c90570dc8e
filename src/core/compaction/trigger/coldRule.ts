/**
 * Decides whether to compact before the provider's cache goes cold, while the person is away: once after an answer, and only
 * where the summary reads from the cache and costs much less than reading the whole session anew.
 */

import type { Clock } from '../../clock.ts';
import { costOfInput } from '../../cost/cacheFacts.ts';
import { costOf } from '../../cost/costOf.ts';
import { sharesOf } from '../../cost/priceShares.ts';
import type { Journal } from '../../journal/journal.ts';
import { type Money, priceFor } from '../../money.ts';
import type { StrategyRegistry } from '../hosting/registry.ts';
import type { Strategies } from '../hosting/strategies.ts';
import type { CompactionSettings } from '../settings/compactionSettings.ts';
import type { StrategyEntry } from '../strategies/strategyEntry.ts';
import type { AutomaticTriggers } from './automatic.ts';
import { millisUntilDue, paysBeforeCold } from './beforeCold.ts';
import type { Gauge } from './gauge.ts';

interface Ports {
  readonly journal: Journal;
  readonly clock: Clock;
  readonly registry: StrategyRegistry;
  /** The settings in force. */
  readonly settings: () => CompactionSettings;
  /** Whether an expense that nobody asked for, null for an unknown one, stays within the person's limits. */
  readonly mayCost: (cost: Money | null) => boolean;
}

interface SummaryCache {
  /** True if a summary made now would read most of its request from the cache. */
  readsCache(entry: StrategyEntry, summary: CompactionSettings['summary']): boolean;
}

export class ColdRule {
  readonly #ports: Ports;
  readonly #gauge: Gauge;
  readonly #strategies: Strategies;
  readonly #automatic: AutomaticTriggers;
  readonly #ahead: SummaryCache;
  /** `seq` of the answer after which it compacted, or tried to, before the cache went cold. */
  #doneAfter: number | null = null;

  constructor(ports: Ports, gauge: Gauge, strategies: Strategies, automatic: AutomaticTriggers, ahead: SummaryCache) {
    this.#ports = ports;
    this.#gauge = gauge;
    this.#strategies = strategies;
    this.#automatic = automatic;
    this.#ahead = ahead;
  }

  /** Of rest, until it is time to compact; null if there is no reason to. */
  get millisUntilDue(): number | null {
    const { journal, clock, registry } = this.#ports;
    const settings = this.#ports.settings();
    const { auto, requireConfirmation, strategy, summary, trigger } = settings;
    if (!trigger.beforeCold || !auto || requireConfirmation || journal.readOnly) return null;
    const answer = journal.context.lastAnswer?.seq ?? null;
    if (answer === null || answer === this.#doneAfter) return null;
    const entry = registry.get(strategy);
    if (!entry || this.#strategies.isDisabled(strategy) || !this.#ahead.readsCache(entry, summary)) return null;
    const { reading, window, price, cache } = this.#gauge;
    const header = Math.round((journal.context.header?.tokens ?? 0) * reading.factor);
    const newest = journal.context.activeCompactions.findLast((made) => made.strategy === strategy);
    // A strategy that does not say what it leaves is judged by its newest compaction, or by the length of a summary.
    const left = newest ? Math.max(0, newest.tokensAfter - header) : summary.outputTokenMax;
    const leaves = entry.leaves?.(settings.section, window || reading.tokens) ?? { recent: left, notes: 0 };
    if (!paysBeforeCold({ tokens: reading.tokens, header }, leaves, sharesOf(price, cache))) return null;
    if (this.#automatic.isHeld(settings) || !this.#ports.mayCost(this.#costOfSummary(summary.outputTokenMax)))
      return null;
    return millisUntilDue(this.#gauge.clock, clock.now());
  }

  /** Call when it compacts: not again before the next answer, whatever comes of it. */
  compacting(): void {
    this.#doneAfter = this.#ports.journal.context.lastAnswer?.seq ?? null;
  }

  /** Of one that continues the last request, at most; null where no price is known. */
  #costOfSummary(output: number): Money | null {
    const { price, cache, clock, reading } = this.#gauge;
    if (!price) return null;
    const read = costOfInput(reading.tokens, clock.held, price, cache);
    const written = costOf({ input: 0, cached: 0, output, reasoning: 0 }, priceFor(price, reading.tokens));
    return { ...read, amount: read.amount + written.amount };
  }
}

/**
 * A strategy's decision on compacting before the limit: by its own `shouldCompact`, or because compacting pays. A
 * strategy that answers badly is not asked again.
 */

import type { ContextReading } from '../../../api/index.ts';
import type { Clock } from '../../clock.ts';
import { sharesOf } from '../../cost/priceShares.ts';
import type { Journal } from '../../journal/journal.ts';
import { makeNote } from '../../journal/makeNote.ts';
import type { Log } from '../../log.ts';
import { priceFor } from '../../money.ts';
import { inEnglish, type Words, words } from '../../words.ts';
import type { StrategyRegistry } from '../hosting/registry.ts';
import type { Strategies } from '../hosting/strategies.ts';
import type { PaysRule } from '../sections/generalSettings.ts';
import type { CompactionSettings } from '../settings/compactionSettings.ts';
import type { StrategyEntry } from '../strategies/strategyEntry.ts';
import { askWhen } from './askStrategy.ts';
import type { Gauge } from './gauge.ts';
import { Rent } from './rent.ts';

interface Ports {
  readonly journal: Journal;
  readonly registry: StrategyRegistry;
  readonly clock: Clock;
  readonly log: Log;
}

export class EarlyRule {
  readonly #ports: Ports;
  readonly #strategies: Strategies;
  /** Strategies that are no longer asked. Another version of a person's file is another entry. */
  readonly #silenced = new Set<StrategyEntry>();
  readonly #gauge: Gauge;
  readonly #rent = new Rent();

  constructor(ports: Ports, gauge: Gauge, strategies: Strategies) {
    this.#ports = ports;
    this.#gauge = gauge;
    this.#strategies = strategies;
  }

  /** Call when a compaction takes place: the carried content is counted from the next request on. */
  compacting(): void {
    this.#rent.reset();
  }

  /** `read` is called only if there is a strategy to ask. */
  async ask(settings: CompactionSettings, read: () => ContextReading): Promise<boolean | undefined> {
    const entry = this.#ports.registry.get(settings.strategy);
    if (!entry || this.#strategies.isDisabled(entry.id)) return undefined;
    let known: ContextReading | null = null;
    const reading = () => {
      known ??= read();
      return known;
    };
    // Carrying costs once for each request, however often it is asked about.
    let carried = false;
    const pays = (rule: PaysRule) => {
      const due = this.#pays(entry, settings, rule, reading(), !carried);
      carried = true;
      return due;
    };
    const answer = this.#silenced.has(entry)
      ? null
      : this.#strategies.host.consult(entry, settings.section, (strategy) =>
          strategy.shouldCompact ? askWhen(strategy, reading(), this.#ports.clock, (rule) => pays(rule)) : null,
        );
    if (answer?.kind === 'broken') await this.#silence(entry, answer.reason);
    else if (answer?.compact !== undefined) return answer.compact;
    return (settings.pays !== null && pays(settings.pays)) || undefined;
  }

  /** `carries`: this request carries the context once more. */
  #pays(
    entry: StrategyEntry,
    { section, targetRatio }: CompactionSettings,
    rule: PaysRule,
    reading: ContextReading,
    carries: boolean,
  ): boolean {
    if (reading.moment !== 'beforeCall' || reading.maxContextSize === 0) return false;
    const window = reading.maxContextSize;
    const leaves = entry.leaves?.(section, window) ?? { recent: targetRatio * window, notes: 0 };
    // The next compaction is assumed to ask a model if the newest one did.
    const asks = this.#ports.journal.context.activeCompactions.at(-1)?.usage !== undefined;
    const { price, cache } = this.#gauge;
    const shares = sharesOf(price && priceFor(price, reading.tokenCount), cache);
    if (carries) this.#rent.carry(reading, shares);
    return this.#rent.isDue(reading, leaves, rule, shares, asks);
  }

  async #silence(entry: StrategyEntry, reason: Words): Promise<void> {
    this.#silenced.add(entry);
    const message = words(
      'The compaction strategy {0} no longer decides when to compact in this session: {1}. The settings decide.',
      entry.id,
      reason,
    );
    this.#ports.log('warn', inEnglish(message));
    await this.#ports.journal.append(makeNote('warning', message));
  }
}

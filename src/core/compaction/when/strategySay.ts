/**
 * The say of the chosen strategy in when to compact. It is asked while it is registered and no compaction runs; one that
 * throws, takes too long or answers nonsense is named to the person and not asked again in the session. Where it says
 * nothing, a compaction that pays is due.
 */

import type { CompactionStrategy, ContextReading } from '../../../api/index.ts';
import { messageOf } from '../../errors.ts';
import { noteOf } from '../../journal/noteOf.ts';
import type { Clock } from '../../ports.ts';
import { inEnglish, type Words, words } from '../../words.ts';
import type { CompactorPorts } from '../compactorPorts.ts';
import type { StrategyChooser } from '../run/strategyChooser.ts';
import type { StrategyEntry } from '../run/strategyEntry.ts';
import type { StrategyHost } from '../run/strategyHost.ts';
import type { CompactionSettings } from '../settings.ts';
import type { Gauge } from './gauge.ts';
import { Rent } from './rent.ts';

/** An answer that takes longer holds up every request. */
const LONGEST_MS = 200;

type Say =
  /** Undefined leaves it to the settings. */
  | { readonly kind: 'said'; readonly compact: boolean | undefined }
  | { readonly kind: 'broken'; readonly reason: Words };

/** Asks once. Nothing can end a strategy that does not come back. */
export function askWhen(strategy: CompactionStrategy, reading: ContextReading, clock: Clock): Say {
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

/**
 * A strategy's decision on compacting before the limit: by its own `shouldCompact`, or because compacting pays.
 * Carrying removable content costs a little with each request, because even cached tokens are charged; compacting costs
 * once, because rewritten content is read again at full price. Before the provider's cache goes cold, while nobody works,
 * the summary still reads from the cache, and the next message need not read the whole session anew.
 */

import type { BuiltInTriggers, CompactionStrategy, ContextReading } from '../../../api/index.ts';
import type { Clock } from '../../clock.ts';
import { type CacheClock, type CacheFacts, priceWithCache } from '../../cost/cacheFacts.ts';
import { messageOf } from '../../errors.ts';
import { makeNote } from '../../journal/makeNote.ts';
import { type Price, priceFor } from '../../money.ts';
import { inEnglish, type Words, words } from '../../words.ts';
import type { CompactorPorts } from '../compactor.ts';
import { type PaysRule, USUALLY_PAYS } from '../sections/generalSettings.ts';
import type { StrategyChooser } from '../run/registry.ts';
import type { StrategyEntry } from '../strategies/strategyEntry.ts';
import type { StrategyHost } from '../run/strategyHost.ts';
import type { CompactionSettings } from '../settings/compactionSettings.ts';
import type { Gauge } from './gauge.ts';
import { clausesOf } from './triggers.ts';

/** A slower answer would delay every request. */
const LONGEST_MS = 200;

type Say =
  /** Undefined leaves it to the settings. */
  | { readonly kind: 'said'; readonly compact: boolean | undefined }
  | { readonly kind: 'broken'; readonly reason: Words };

/** Asks once. Nothing can end a strategy that does not return. `pays`: whether compacting costs less, by a rule. */
export function askWhen(
  strategy: CompactionStrategy,
  reading: ContextReading,
  clock: Pick<Clock, 'now'>,
  pays: (rule: PaysRule) => boolean,
): Say {
  const begun = clock.now();
  try {
    const compact: unknown = strategy.shouldCompact?.(Object.freeze(reading), triggersFor(reading, pays));
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
  readonly #ports: CompactorPorts;
  readonly #host: StrategyHost;
  readonly #chooser: StrategyChooser;
  /** Strategies that are no longer asked. Another version of a person's file is another entry. */
  readonly #silenced = new Set<StrategyEntry>();
  readonly #gauge: Gauge;
  readonly #rent = new Rent();

  constructor(ports: CompactorPorts, gauge: Gauge, host: StrategyHost, chooser: StrategyChooser) {
    this.#ports = ports;
    this.#gauge = gauge;
    this.#host = host;
    this.#chooser = chooser;
  }

  /** Call when a compaction takes place: the carried content is counted from the next request on. */
  compacting(): void {
    this.#rent.reset();
  }

  /** `read` is called only if there is a strategy to ask. */
  async ask(settings: CompactionSettings, read: () => ContextReading): Promise<boolean | undefined> {
    const entry = this.#ports.registry.get(settings.strategy);
    if (!entry || this.#chooser.isDisabled(entry.id)) return undefined;
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
    const say = this.#silenced.has(entry)
      ? null
      : this.#host.consult(entry, settings.section, (strategy) =>
          strategy.shouldCompact ? askWhen(strategy, reading(), this.#ports.clock, (rule) => pays(rule)) : null,
        );
    if (say?.kind === 'broken') await this.#silence(entry, say.reason);
    else if (say?.compact !== undefined) return say.compact;
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
    const said = words(
      'The compaction strategy {0} no longer decides when to compact in this session: {1}. The settings decide.',
      entry.id,
      reason,
    );
    this.#ports.log('warn', inEnglish(said));
    await this.#ports.journal.append(makeNote('warning', said));
  }
}

/** Prices of tokens, relative to one read without a cache. */
interface PriceShares {
  readonly cached: number;
  /** A token that is read and written to the cache. */
  readonly uncached: number;
  readonly output: number;
}

/** The size of a compaction's result, in tokens that must then be read again. */
export interface Leaves {
  readonly recent: number;
  /** Maximum size of the replacement for the rest. */
  readonly notes: number;
}

/** For an unknown price: typical of most providers. */
const USUAL: Price = { currency: 'USD', input: 1, output: 5, cacheRead: 0.1, cacheWrite: 1.25, source: 'table' };

class Rent {
  #paid = 0;
  /** Size of the first request seen, or of the first one after the newest compaction; null until it is sent. */
  #after: number | null = null;
  /** True when that request came after a compaction: then nothing in it could be removed. */
  #compacted = false;

  reset(): void {
    this.#paid = 0;
    this.#after = null;
    this.#compacted = true;
  }

  /** Call once when a request is about to be sent. */
  carry({ tokenCount }: ContextReading, { cached }: PriceShares): void {
    this.#after ??= tokenCount;
    this.#paid += cached * Math.max(0, tokenCount - this.#after);
  }

  /** True when compacting first costs less. `asks`: a model will be asked, which reads everything from its cache and writes. */
  isDue(
    { tokenCount, maxContextSize, idleMs, cacheLivesMs }: ContextReading,
    { recent, notes }: Leaves,
    { share, factor, idleMinutes }: PaysRule,
    { cached, uncached, output }: PriceShares,
    asks: boolean,
  ): boolean {
    if (tokenCount <= share * maxContextSize) return false;
    // Uncached content is read at full price in any case.
    const isCold = idleMs === null || idleMs > (cacheLivesMs ?? idleMinutes * 60_000);
    if (isCold) return tokenCount - (this.#compacted ? (this.#after ?? 0) : 0) > recent + notes;
    const written = asks ? WRITTEN_TOKENS : 0;
    const asking = asks ? cached * tokenCount + output * written : 0;
    return this.#paid > factor * (uncached * (recent + FILLED * notes + written) + asking);
  }
}

/** From the model's known price, and the cache that the endpoint reported in this session. */
export function sharesOf(price: Price | undefined, facts: CacheFacts): PriceShares {
  const usual = price && price.input > 0 ? price : USUAL;
  const { input, output, cacheRead = input, cacheWrite = input } = priceWithCache(usual, facts);
  return { cached: cacheRead / input, uncached: cacheWrite / input, output: output / input };
}

/**
 * The rules by which the built-in strategies decide when to compact, for a strategy's own `shouldCompact`. `pays`: whether
 * compacting now costs less than going on, by a rule.
 */
function triggersFor(reading: ContextReading, pays: (rule: PaysRule) => boolean): BuiltInTriggers {
  return Object.freeze<BuiltInTriggers>({
    limit: (when = {}) => {
      const { ratio = 0, reserve = 0, messages = 0, maxContextTokens = 0 } = when;
      if (Object.keys(when).length === 0) return reading.due;
      const tokens = reading.tokenCount + reading.comingTokens;
      const clauses = clausesOf({ ratio, reserve, messages, maxContextTokens }, reading.maxContextSize);
      return clauses.some(({ name, limit }) => (name === 'messages' ? reading.messages : tokens) >= limit);
    },
    pays: (rule = {}) => pays({ ...USUALLY_PAYS, ...rule }),
    cooling: () => {
      const { idleMs, cacheLivesMs: livesMs, reported } = reading;
      if (idleMs === null || !reported || reported.cached === 0) return false;
      return lookIn({ says: 'reported', usedAt: 0, livesMs, held: reported.cached }, idleMs) === 0;
    },
  });
}

/** Typical length of a summary, in tokens. */
export const WRITTEN_TOKENS = 600;
/** Typical share of their room that new notes fill. */
const FILLED = 0.7;

/** Milliseconds before the cache's end. A summary's request must arrive in time, and may be repeated once. */
const LEAD_MS = 90_000;
/** Of a lifetime, so that a short one is not cut by most of its length. */
const MOST_LEAD = 0.3;
/** A request that is sent later may find nothing. */
const LATEST_MS = 10_000;

/**
 * The milliseconds until a look is due, 0 for now. Null if there is no cache to use, if nobody documents how long it lives,
 * or if it is too late: a machine may have slept meanwhile.
 */
export function lookIn(
  { says, usedAt, livesMs, held }: Pick<CacheClock, 'says' | 'usedAt' | 'livesMs' | 'held'>,
  now: number,
): number | null {
  if (says !== 'reported' || held === 0 || usedAt === null || livesMs === null) return null;
  const end = usedAt + livesMs;
  // A clock that was set back says nothing.
  if (now < usedAt || now > end - Math.min(LATEST_MS, livesMs * 0.1)) return null;
  return Math.max(0, end - Math.min(LEAD_MS, livesMs * MOST_LEAD) - now);
}

/** Information is lost too: carrying on must cost this many times as much. */
const FACTOR = 2;

/**
 * Whether reading `tokens` anew costs so much more than compacting now and reading anew what is left. `header`: tokens that
 * no compaction removes.
 */
export function paysBeforeCold(
  { tokens, header }: { readonly tokens: number; readonly header: number },
  { recent, notes }: Leaves,
  { cached, uncached, output }: PriceShares,
): boolean {
  const left = header + recent + FILLED * notes + WRITTEN_TOKENS;
  const compacting = cached * tokens + output * WRITTEN_TOKENS;
  return uncached * tokens > FACTOR * (compacting + uncached * left);
}

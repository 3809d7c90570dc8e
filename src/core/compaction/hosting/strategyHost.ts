/**
 * Holds the strategy in use: created once for a session from its factory, with exactly the ports in its `needs`, and
 * disposed of when it is replaced or removed, and with the session. Its `llm` answers during a run and never between
 * two.
 */

import type { CompactionStrategy, StrategyPorts, SummaryModel } from '../../../api/index.ts';
import { ModelError, messageOf, UserFacingError } from '../../errors.ts';
import type { Log } from '../../log.ts';
import { countTokens } from '../../tokens/estimate.ts';
import { type Words, words } from '../../words.ts';
import { DeclaredSettings } from '../settings/declaredSettings.ts';
import type { StrategyEntry } from '../strategies/strategyEntry.ts';
import type { StrategyCall } from './strategyCall.ts';
import { StrategyRun } from './strategyRun.ts';

type Hosted =
  | { readonly kind: 'ready'; readonly strategy: CompactionStrategy; readonly usesModel: boolean }
  | { readonly kind: 'broken'; readonly reason: Words };

export class StrategyHost {
  readonly #log: Log;
  #section: Readonly<Record<string, unknown>> = {};
  #current: { readonly entry: StrategyEntry; readonly hosted: Hosted } | null = null;
  #run: StrategyRun | null = null;
  /** The strategy was released during its run. */
  #leaving = false;

  constructor(log: Log) {
    this.#log = log;
  }

  /** The strategy of `entry`, created unless it is already in use. */
  use(entry: StrategyEntry): Hosted {
    if (this.#current?.entry === entry) return this.#current.hosted;
    this.release();
    const hosted = this.#create(entry);
    this.#current = { entry, hosted };
    return hosted;
  }

  /**
   * Disposes of the strategy in use; during a run, when the run is over. With `id`, only that strategy, because it was
   * removed: its run ends.
   */
  release(id?: string): void {
    if (!this.#current || this.#current.entry.id !== (id ?? this.#current.entry.id)) return;
    if (this.#run) {
      this.#leaving = true;
      if (id !== undefined) this.#run.leave();
      return;
    }
    const { entry, hosted } = this.#current;
    this.#current = null;
    if (hosted.kind !== 'ready' || typeof hosted.strategy.dispose !== 'function') return;
    const warn = (thrown: unknown) =>
      this.#log('warn', `${entry.id}: its dispose failed: ${messageOf(thrown).slice(0, 300)}`);
    try {
      // It may return a promise, whatever its type says.
      Promise.resolve(hosted.strategy.dispose() as unknown).catch(warn);
    } catch (thrown) {
      warn(thrown);
    }
  }

  /** Lends the strategy for one compaction. A strategy that cannot be created is replaced by one that fails. */
  async run<T>(entry: StrategyEntry, call: StrategyCall, work: (run: StrategyRun) => Promise<T>): Promise<T> {
    const hosted = this.use(entry);
    const fails = (reason: Words) => ({ compact: () => Promise.reject(new UserFacingError(reason)) });
    const run =
      hosted.kind === 'ready'
        ? new StrategyRun(hosted.strategy, hosted.usesModel, call)
        : new StrategyRun(fails(hosted.reason), false, call);
    this.#run = run;
    this.#section = call.section;
    try {
      return await work(run);
    } finally {
      run.close();
      if (this.#run === run) this.#run = null;
      if (this.#leaving && !this.#run) {
        this.#leaving = false;
        this.release();
      }
    }
  }

  /** Calls the strategy between two runs, when no model answers. Null if it cannot be created. */
  consult<T>(
    entry: StrategyEntry,
    section: Readonly<Record<string, unknown>>,
    ask: (strategy: CompactionStrategy) => T,
  ): T | null {
    const hosted = this.use(entry);
    if (hosted.kind === 'broken') return null;
    this.#section = section;
    return ask(hosted.strategy);
  }

  #create(entry: StrategyEntry): Hosted {
    const { factory } = entry;
    try {
      const declared = DeclaredSettings.read(factory);
      if (!(declared instanceof DeclaredSettings)) return { kind: 'broken', reason: declared };
      const ports = this.#ports(entry, declared);
      const given: Partial<Record<keyof StrategyPorts, unknown>> = {};
      const needs: unknown = factory.needs;
      const known = Object.keys(ports).join(', ');
      if (!Array.isArray(needs))
        return { kind: 'broken', reason: words('its needs is not a list of port names ({0})', known) };
      for (const name of needs as readonly (keyof StrategyPorts)[]) {
        if (!Object.hasOwn(ports, name))
          return {
            kind: 'broken',
            reason: words('it needs {0}, which is not a port; there are {1}', showName(name), known),
          };
        given[name] = ports[name];
      }
      if (typeof factory.create !== 'function')
        return { kind: 'broken', reason: words('its factory has no create function') };
      const usesModel = 'llm' in given;
      refuseOthers(given, Object.keys(ports));
      const strategy = factory.create(Object.freeze(given) as StrategyPorts);
      if (typeof strategy?.compact !== 'function')
        return { kind: 'broken', reason: words('its factory returned no strategy with a compact function') };
      if (strategy.shouldCompact !== undefined && typeof strategy.shouldCompact !== 'function')
        return { kind: 'broken', reason: words('its shouldCompact is not a function') };
      return { kind: 'ready', strategy, usesModel };
    } catch (thrown) {
      if (thrown instanceof UserFacingError) return { kind: 'broken', reason: thrown.words };
      return { kind: 'broken', reason: words('its factory failed: {0}', messageOf(thrown).slice(0, 300)) };
    }
  }

  /** They answer only while `entry` is in use, so that a strategy that keeps them learns nothing about the next one. */
  #ports(entry: StrategyEntry, declared: DeclaredSettings): StrategyPorts {
    const inUse = () => this.#current?.entry === entry;
    const current = () => (inUse() ? this.#run : null);
    const log = this.#log;
    return {
      llm: Object.freeze({
        get maxInputTokens() {
          return current()?.call.llm.maxInputTokens ?? 0;
        },
        complete: (request: Parameters<SummaryModel['complete']>[0]) =>
          current()?.complete(request) ?? Promise.reject(new ModelError('aborted', 'No compaction is running.')),
      }),
      countTokens,
      log: (level, text) => log(toLevel(level), `${entry.id}: ${String(text).slice(0, 2_000)}`),
      settings: () => Object.freeze(inUse() ? declared.complete(this.#section) : {}),
    };
  }
}

/** Reading a port missing from `needs` throws, so that the author learns its name. */
function refuseOthers(given: object, names: readonly string[]): void {
  for (const name of names) {
    if (Object.hasOwn(given, name)) continue;
    const get = () => {
      throw new UserFacingError(words('it uses the port {0}, which its needs does not name', name));
    };
    Object.defineProperty(given, name, { get, enumerable: false });
  }
}

function showName(name: unknown): string {
  return typeof name === 'string' ? name.slice(0, 40) : typeof name;
}

/** A strategy may pass any value as a level. */
function toLevel(level: unknown): 'debug' | 'info' | 'warn' {
  return level === 'debug' || level === 'warn' ? level : 'info';
}

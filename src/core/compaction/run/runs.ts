/** The runs of a session's strategies: each is prepared, lent its strategy, and ends in a proposal. Writes nothing. */

import { ModelError } from '../../errors.ts';
import { COOLING } from '../../journal/entry.ts';
import { words } from '../../words.ts';
import type { StrategyCall } from '../hosting/strategyCall.ts';
import type { StrategyHost } from '../hosting/strategyHost.ts';
import { publicSessionId, readMemory } from '../hosting/strategyMemory.ts';
import type { StrategyRun } from '../hosting/strategyRun.ts';
import type { ProposalOutcome } from '../proposal/proposal.ts';
import type { CompactionSettings } from '../settings/compactionSettings.ts';
import type { StrategyEntry } from '../strategies/strategyEntry.ts';
import { Summarisers } from '../summariser/summarisers.ts';
import type { Gauge } from '../trigger/gauge.ts';
import { type CompactorSteps, compactorSteps } from './compactorSteps.ts';
import type { PreparedRun, RunOrder } from './preparedRun.ts';
import { Preparer } from './preparer.ts';
import { propose } from './propose.ts';

type Ports = ConstructorParameters<typeof Summarisers>[0] &
  ConstructorParameters<typeof Preparer>[0] & {
    /** The settings in force; with `instead`, those for that strategy. */
    readonly settings: (instead?: string) => CompactionSettings;
  };

/** Callbacks while a strategy works. */
interface Callbacks extends Pick<StrategyCall, 'report' | 'onReached' | 'onQuestion'> {
  /** A request of its own would be read at the full price: only one that continues the last request is answered. */
  readonly continuedOnly?: boolean;
}

/** Provider refusals since the last answer, and the value compared when the trigger fired. */
type Pressure = Pick<RunOrder, 'refusals' | 'fired'>;

export class Runs {
  readonly summarisers: Summarisers;
  readonly #ports: Ports;
  readonly #host: StrategyHost;
  readonly #pressure: () => Pressure;
  readonly #preparer: Preparer;

  constructor(ports: Ports, gauge: Gauge, host: StrategyHost, pressure: () => Pressure) {
    this.#ports = ports;
    this.#host = host;
    this.#pressure = pressure;
    this.summarisers = new Summarisers(ports, gauge);
    this.#preparer = new Preparer(ports, gauge, this.summarisers);
  }

  /** Null when there is nothing to compact. */
  prepare(order: Omit<RunOrder, keyof Pressure> & Partial<Pressure>, signal: AbortSignal): PreparedRun | null {
    return this.#preparer.prepare({ ...this.#pressure(), ...order }, signal);
  }

  propose(entry: StrategyEntry, run: PreparedRun, callbacks: Callbacks, signal: AbortSignal): Promise<ProposalOutcome> {
    const continuedOnly = run.order.trigger === COOLING;
    return this.lend(entry, run, { continuedOnly, ...callbacks }, (strategy, own) =>
      propose(run, strategy, own, signal),
    );
  }

  /** Lends the strategy of an entry for a run, with what it may see of the session. */
  async lend<T>(
    entry: StrategyEntry,
    run: PreparedRun,
    { continuedOnly = false, onQuestion, ...callbacks }: Callbacks,
    work: (strategy: StrategyRun, own: CompactorSteps) => Promise<T>,
    host = this.#host,
  ): Promise<T> {
    const { settings, trigger, instructions } = run.order;
    const { reserve } = settings.trigger;
    const { journal, timers, settings: settingsOf } = this.#ports;
    const { context, importedTo } = journal;
    const sessionId = await publicSessionId(this.#ports);
    const newest = () => journal.backward(run.base);
    const from = { context, history: run.history, nonce: run.stamp.nonce, sessionId, importedTo, newest };
    const call: StrategyCall = {
      ...callbacks,
      onQuestion: (continued) => {
        if (continuedOnly && !continued)
          throw new ModelError('notFound', words('The summary could not continue the last request.'));
        onQuestion?.(continued);
      },
      trigger,
      instructions,
      memory: readMemory(from, entry.id),
      llm: run.llm,
      market: run.market,
      stamp: run.stamp,
      protectedTools: settings.keep.protectedTools,
      section: settings.section,
      sectionOf: (id) => settingsOf(id).section,
      window: run.window,
      reserve: reserve < run.window ? reserve : 0,
      deadlineMs: settings.deadline * 1_000,
      timers,
    };
    const whole = { history: run.history.messages, maxContextSize: run.window };
    const own = compactorSteps(entry, settings, whole, run.cooling !== null);
    return host.run(entry, call, (strategy) => work(strategy, own));
  }
}

/** The runs of a session's strategies: each is prepared, lent its strategy, and ends in a proposal. Writes nothing. */

import { ModelError } from '../../errors.ts';
import { COOLING } from '../../journal/entry.ts';
import { words } from '../../words.ts';
import type { StrategyCall } from '../hosting/strategyCall.ts';
import { StrategyHost } from '../hosting/strategyHost.ts';
import { publicSessionId, readMemory } from '../hosting/strategyMemory.ts';
import type { StrategyRun } from '../hosting/strategyRun.ts';
import type { LargeSummary, ProposalOutcome } from '../proposal/proposal.ts';
import { Worth } from '../proposal/worth.ts';
import type { CompactionSettings } from '../settings/compactionSettings.ts';
import type { StrategyEntry } from '../strategies/strategyEntry.ts';
import { Summarisers } from '../summariser/summarisers.ts';
import type { Gauge } from '../trigger/gauge.ts';
import { TriggerClauses } from '../trigger/triggers.ts';
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
  /** Called where a summary takes so many requests that a person has to agree first. */
  readonly onLarge?: (summary: LargeSummary) => void;
}

/** Requests for one summary that nobody is asked about. */
const MOST_UNASKED = 4;

/** Provider refusals since the last answer, and the value compared when the trigger fired. */
type Pressure = Pick<RunOrder, 'refusals' | 'fired'>;

export class Runs {
  readonly summarisers: Summarisers;
  readonly #ports: Ports;
  readonly #gauge: Gauge;
  readonly #host: StrategyHost;
  readonly #pressure: () => Pressure;
  readonly #preparer: Preparer;

  constructor(ports: Ports, gauge: Gauge, host: StrategyHost, pressure: () => Pressure) {
    this.#ports = ports;
    this.#gauge = gauge;
    this.#host = host;
    this.#pressure = pressure;
    this.summarisers = new Summarisers(ports, gauge);
    this.#preparer = new Preparer(ports, gauge, this.summarisers);
  }

  /** Null when there is nothing to compact, or too little. `mustFit`: the next request does not fit. */
  prepare(
    { mustFit = false, ...order }: Omit<RunOrder, keyof Pressure | 'worth'> & Partial<Pressure> & { mustFit?: boolean },
    signal: AbortSignal,
  ): PreparedRun | null {
    const worth = new Worth(order.trigger, this.#gauge.growth(order.settings.trigger), mustFit);
    return this.#preparer.prepare({ ...this.#pressure(), ...order, worth }, signal);
  }

  async propose(
    entry: StrategyEntry,
    run: PreparedRun,
    callbacks: Callbacks,
    signal: AbortSignal,
  ): Promise<ProposalOutcome> {
    const continuedOnly = run.order.trigger === COOLING;
    const stopped = new AbortController();
    const large: LargeSummary[] = [];
    const onLarge = (summary: LargeSummary) => {
      large.push(summary);
      stopped.abort();
    };
    const either = AbortSignal.any([signal, stopped.signal]);
    const work = (strategy: StrategyRun, own: CompactorSteps) => propose(run, strategy, own, either);
    const lent = { continuedOnly, ...callbacks, onLarge };
    const outcome = run.order.dry
      ? await this.#lendApart(entry, run, lent, work)
      : await this.lend(entry, run, lent, work);
    const [summary] = large;
    return summary && !signal.aborted ? { kind: 'large', summary } : outcome;
  }

  /** A strategy of its own: the one in use must not remember an answer that no model gave. */
  async #lendApart<T>(...[entry, run, callbacks, work]: Parameters<typeof this.lend<T>>): Promise<T> {
    const host = new StrategyHost(this.#ports.log);
    try {
      return await this.lend(entry, run, callbacks, work, host);
    } finally {
      host.release();
    }
  }

  /** Lends the strategy of an entry for a run, with what it may see of the session. */
  async lend<T>(
    entry: StrategyEntry,
    run: PreparedRun,
    { continuedOnly = false, onQuestion, onLarge, ...callbacks }: Callbacks,
    work: (strategy: StrategyRun, own: CompactorSteps) => Promise<T>,
    host = this.#host,
  ): Promise<T> {
    const { settings, trigger, instructions, worth, agreed, pricedFirst = false } = run.order;
    const { factor } = run.budget.reading;
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
      maySummarise: (given, inOne, attempt) => {
        // An unknown stretch counts as everything, and a summary may not continue the last request after all.
        const tokens = pricedFirst ? Math.min(given, run.history.tokens) : given;
        const requests = inOne && !pricedFirst ? 1 : Math.ceil(tokens / run.llm.maxInputTokens);
        const isWorth = worth.allowsSummary(tokens * factor, settings.summary.outputTokenMax);
        const unasked = pricedFirst ? 0 : MOST_UNASKED;
        if (agreed || !isWorth || !Number.isFinite(requests) || requests <= unasked) return isWorth;
        // A question after a first attempt would throw away what that one paid for.
        if (attempt === 1 || pricedFirst) onLarge?.({ requests, tokens: Math.round(tokens * factor) });
        return false;
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
      reserve: new TriggerClauses(settings.trigger, run.window).reserve,
      deadlineMs: settings.deadline * 1_000,
      timers,
    };
    const whole = { history: run.history.messages, maxContextSize: run.window };
    const own = compactorSteps(entry, settings, whole, run.cooling !== null);
    return host.run(entry, call, (strategy) => work(strategy, own));
  }
}

/** Prepares runs of strategies and gets their proposals, for a compaction and for a preview alike. Writes nothing. */

import { COOLING } from '../journal/entry.ts';
import { refuseOwnForm } from './ahead.ts';
import type { CompactorPorts } from './compactorPorts.ts';
import type { PreparedRun } from './preparedRun.ts';
import type { Preparer } from './prepareRun.ts';
import type { LargeSummary, ProposalOutcome } from './proposal/proposal.ts';
import { worthOf } from './proposal/worth.ts';
import { propose } from './propose.ts';
import type { StrategyHost } from './run/strategyHost.ts';
import type { CompactionSettings } from './settings/compactionSettings.ts';
import type { PhaseEvents } from './signals/phaseEvents.ts';
import type { CompactionRequest } from './signals/turnCompaction.ts';
import type { StrategyEntry } from './strategies/strategyEntry.ts';
import type { AutomaticTriggers } from './when/automatic.ts';
import type { Gauge } from './when/gauge.ts';
import { type RunCallbacks, withStrategy } from './withStrategy.ts';

export class Proposer {
  readonly #ports: CompactorPorts;
  readonly #gauge: Gauge;
  readonly #preparer: Preparer;
  readonly #host: StrategyHost;
  readonly #automatic: AutomaticTriggers;

  constructor(
    ports: CompactorPorts,
    gauge: Gauge,
    preparer: Preparer,
    host: StrategyHost,
    automatic: AutomaticTriggers,
  ) {
    this.#ports = ports;
    this.#gauge = gauge;
    this.#preparer = preparer;
    this.#host = host;
    this.#automatic = automatic;
  }

  /** `strategy`: an id, or a substitute where no strategy runs. Null when there is nothing to compact. */
  prepare(
    strategy: string,
    request: CompactionRequest,
    settings: CompactionSettings,
    begun: number,
    signal: AbortSignal,
    { mustFit = false, agreed = false } = {},
  ): PreparedRun | null {
    const { refusals, fired } = this.#automatic;
    const worth = worthOf(request.trigger, this.#gauge.growth(settings.trigger), mustFit);
    return this.#preparer.prepare({ ...request, strategy, settings, refusals, fired, begun, worth, agreed }, signal);
  }

  async propose(
    entry: StrategyEntry,
    run: PreparedRun,
    signal: AbortSignal,
    phases?: PhaseEvents,
  ): Promise<ProposalOutcome> {
    const stopped = new AbortController();
    const large: LargeSummary[] = [];
    const callbacks: RunCallbacks = {
      ...phases,
      report: (text, fraction) => this.#ports.onProgress({ text, fraction: fraction ?? null }),
      onQuestion: (continued) => {
        if (run.order.trigger === COOLING) refuseOwnForm(continued);
        phases?.onQuestion();
      },
      onLarge: (summary) => {
        large.push(summary);
        stopped.abort();
      },
    };
    const either = AbortSignal.any([signal, stopped.signal]);
    const outcome = await withStrategy(this.#ports, this.#host, entry, run, callbacks, (strategy, own) =>
      propose(run, strategy, own, either),
    );
    const [summary] = large;
    return summary && !signal.aborted ? { kind: 'large', summary } : outcome;
  }
}

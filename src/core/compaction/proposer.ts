/** From a prepared run to a proposal: the strategy is lent for it, with all that it is called with. */

import type { CompactorPorts } from './compactorPorts.ts';
import { publicSessionId, readMemory } from './memory/strategyMemory.ts';
import { type OwnSteps, ownSteps } from './ownSteps.ts';
import type { PreparedRun } from './prepareRun.ts';
import { type ProposalOutcome, propose } from './propose.ts';
import { lendStrategy } from './run/lendStrategy.ts';
import type { StrategyLease } from './run/runStrategy.ts';
import type { StrategyEntry } from './run/strategyEntry.ts';
import type { StrategyHost } from './run/strategyHost.ts';

/** How what the strategy says on the way is heard. */
export interface Heard {
  readonly report: StrategyLease['report'];
  readonly reached: StrategyLease['reached'];
}

export const UNHEARD: Heard = { report: () => undefined, reached: () => undefined };

export class Proposer {
  readonly #ports: CompactorPorts;
  readonly #host: StrategyHost;
  #sessionId: string | null = null;

  constructor(ports: CompactorPorts, host: StrategyHost) {
    this.#ports = ports;
    this.#host = host;
  }

  /** Shows what the strategy reports. */
  propose(
    entry: StrategyEntry,
    run: PreparedRun,
    signal: AbortSignal,
    reached: Heard['reached'] = UNHEARD.reached,
  ): Promise<ProposalOutcome> {
    const report: Heard['report'] = (text, fraction) => this.#ports.onProgress({ text, fraction: fraction ?? null });
    return this.proposeWith(entry, run, { report, reached }, signal);
  }

  proposeWith(entry: StrategyEntry, run: PreparedRun, heard: Heard, signal: AbortSignal): Promise<ProposalOutcome> {
    return this.lend(this.#host, entry, run, heard, (lease, own) => propose(run, lease, own, signal));
  }

  async lend<T>(
    host: StrategyHost,
    entry: StrategyEntry,
    run: PreparedRun,
    { report, reached }: Heard,
    work: (lease: StrategyLease, own: OwnSteps) => Promise<T>,
  ): Promise<T> {
    const { registry, timers, journal } = this.#ports;
    const { settings, trigger, instructions } = run.order;
    const { reserve } = settings.trigger;
    const { context, importedTo } = journal;
    const newest = () => journal.backward(run.base);
    this.#sessionId ??= await publicSessionId(this.#ports);
    const sessionId = this.#sessionId;
    const from = { context, history: run.history, nonce: run.stamp.nonce, sessionId, importedTo, newest };
    const memory = readMemory(from, entry.id);
    return lendStrategy(host, registry, entry, run.llm, settings.section, (lent) => {
      const lease = {
        ...lent,
        protectedTools: settings.keep.protectedTools,
        trigger,
        instructions,
        memory,
        sectionOf: (id: string) => this.#ports.settings(id).section,
        window: run.window,
        reserve: reserve < run.window ? reserve : 0,
        report,
        reached,
        deadlineMs: settings.deadline * 1_000,
        timers,
      };
      const whole = { history: run.history.messages, maxContextSize: run.window };
      return work(lease, ownSteps(entry, settings, whole, run.cooling !== null));
    });
  }
}

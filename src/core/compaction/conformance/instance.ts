/** One instance of the strategy in a host of its own, as a session has it until it is reloaded. */

import type { CompactionContext, ContextReading } from '../../../api/index.ts';
import type { Words } from '../../words.ts';
import { StrategyHost } from '../hosting/strategyHost.ts';
import type { AttemptOutcome } from '../hosting/strategyRun.ts';
import type { AnyFactory, StrategyEntry } from '../strategies/strategyEntry.ts';
import { askWhen } from '../trigger/askStrategy.ts';
import type { Check } from './check.ts';
import { Watch } from './watch.ts';

export const ID = 'kit';

export class Instance {
  readonly watch: Watch;
  readonly #host = new StrategyHost(() => undefined);
  readonly #entry: StrategyEntry;
  readonly #check: Check;

  constructor(factory: AnyFactory, check: Check, called: (context: CompactionContext) => void) {
    this.#check = check;
    this.watch = new Watch(factory, check.machine.timers, called, check.holdings.own);
    this.#entry = { id: ID, label: 'Kit', description: '', publisher: 'kit', factory: this.watch.factory };
  }

  /** Why it cannot be created, or null. */
  create(): Words | null {
    const hosted = this.#host.use(this.#entry);
    return hosted.kind === 'ready' ? null : hosted.reason;
  }

  run(
    call: Parameters<StrategyHost['run']>[1],
    work: (run: Parameters<Parameters<StrategyHost['run']>[2]>[0]) => Promise<AttemptOutcome>,
  ): Promise<AttemptOutcome> {
    return this.#host.run(this.#entry, call, work);
  }

  /** Asked three times before its slowness counts: the machine may have been busy. */
  consult(reading: ContextReading): Words | null {
    const { machine, settings } = this.#check;
    let reason: Words | null = null;
    for (let i = 0; i < 3; i++) {
      const answer = this.#host.consult(this.#entry, settings, (strategy) =>
        strategy.shouldCompact ? askWhen(strategy, { ...reading }, machine, () => reading.due) : null,
      );
      reason = answer?.kind === 'broken' ? answer.reason : null;
      if (!reason?.[0]?.text.startsWith('shouldCompact took')) break;
    }
    return reason;
  }

  /** The error of its `dispose`, or null. A promise that never settles is not waited for. */
  dispose(): Promise<{ readonly thrown: unknown } | null> {
    this.#host.release();
    const turns = new Promise<null>((resolve) => {
      this.#check.machine.timers.after(0, () => this.#check.machine.timers.after(0, () => resolve(null)));
    });
    return Promise.race([this.watch.disposed, turns]);
  }
}

/** The state that all sessions of one check share. */

import type { Timers } from '../../clock.ts';
import type { Words } from '../../words.ts';
import { BOUNDARIES, type Boundary } from './boundaries.ts';
import type { Holdings } from './holdings.ts';
import { KitModel } from './kitModel.ts';
import type { KitOptions } from './kitOptions.ts';
import type { Called } from './watch.ts';

/** Services that the kit needs from its host. */
export interface Machine {
  readonly timers: Timers;
  /** In milliseconds from any fixed moment. */
  readonly now: () => number;
}

/** State shared by all sessions of one check. */
export class Check {
  readonly machine: Machine;
  readonly holdings: Holdings;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly deadlineMs: number;
  readonly model: KitModel;
  /** How often each boundary was met. */
  readonly met = Object.fromEntries(BOUNDARIES.map((name) => [name, 0])) as Record<Boundary, number>;
  /** Instances of the strategy that were made. */
  made = 0;
  /** Questions of `llm.continue`, and the faults of those that never could be continued. */
  readonly continued: { all: number; readonly unfit: Words[] } = { all: 0, unfit: [] };
  /** Milliseconds spent in the strategy's calls. */
  readonly time = { total: 0, longest: 0 };

  constructor({ settings = {}, answer, deadlineMs = 10_000 }: KitOptions, machine: Machine, holdings: Holdings) {
    this.machine = machine;
    this.holdings = holdings;
    this.settings = settings;
    this.deadlineMs = deadlineMs;
    this.model = new KitModel(answer);
  }

  /** Adds what one call asked in continuation of the last request. */
  weighContinued({ continued, unfit }: Pick<Called, 'continued' | 'unfit'>): void {
    this.continued.all += continued;
    // Built-in strategies that it runs ask in its name.
    if (continued > 0) this.continued.unfit.push(...unfit);
  }

  /** Records the duration of a call, in milliseconds. */
  took(ms: number): void {
    this.time.total += ms;
    this.time.longest = Math.max(this.time.longest, ms);
  }
}

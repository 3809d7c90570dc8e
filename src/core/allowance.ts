/**
 * How often something foreign (an endpoint, a server, a strategy, a page) may make the product do a thing again, and how
 * many of them may be under way at once. Invariant: what goes beyond is not done, and the words say who repeated what, how
 * often, and what can be done.
 */

import { UserFacingError } from './errors.ts';
import type { Words } from './words.ts';

interface Bounds {
  /** Uses in all, or in each period. */
  readonly most: number;
  /** Why there is no further use. */
  readonly usedUp: Words;
  /** The uses are counted anew in each period: it begins with the first use after the last one. */
  readonly period?: { readonly ms: number; readonly now: () => number };
  /** Uses under way at the same time. Default: as many as there are. */
  readonly atOnce?: { readonly most: number; readonly tooMany: Words };
}

export class Allowance {
  readonly #bounds: Bounds;
  #used = 0;
  #underWay = 0;
  #since = Number.NEGATIVE_INFINITY;

  constructor(bounds: Bounds) {
    this.#bounds = bounds;
  }

  /** Takes `amount` uses. Null, or why there are none left. */
  take(amount = 1): Words | null {
    const { most, usedUp, period } = this.#bounds;
    const now = period?.now() ?? 0;
    if (period && now - this.#since > period.ms) {
      this.#since = now;
      this.#used = 0;
    }
    this.#used = Math.min(this.#used + amount, most + 1);
    return this.#used > most ? usedUp : null;
  }

  /** One use that lasts until the work has ended. Rejects with a `UserFacingError` instead of doing it. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    const { atOnce } = this.#bounds;
    const refusal = atOnce && this.#underWay >= atOnce.most ? atOnce.tooMany : this.take();
    if (refusal) throw new UserFacingError(refusal);
    this.#underWay++;
    try {
      return await work();
    } finally {
      this.#underWay--;
    }
  }
}

/**
 * The request for a summary that is prepared while the agent goes on: it is counted once, whatever becomes of it. One that
 * was stopped on its way is paid for all the same, by nobody knows how much, and is journaled as an estimate.
 */

import type { Journal } from '../../journal/journal.ts';

export class OpenRequest {
  readonly #journal: Journal;
  /** Tokens of the context, which is about what such a request reads. */
  readonly #tokens: number;
  #model: string | null = null;

  constructor(journal: Journal, tokens: number) {
    this.#journal = journal;
    this.#tokens = tokens;
  }

  /** About what a request that is on its way reads; 0 while none is. */
  get tokens(): number {
    return this.#model === null ? 0 : this.#tokens;
  }

  sent(model: string): void {
    this.#model = model;
  }

  /** False for one that was counted already. */
  answered(): boolean {
    const isOpen = this.#model !== null;
    this.#model = null;
    return isOpen;
  }

  /** A refusal costs nothing. */
  async unanswered(stopped: boolean): Promise<void> {
    const model = this.#model;
    this.#model = null;
    if (model === null || !stopped || this.#journal.readOnly) return;
    const usage = { input: this.#tokens, cached: 0, output: 0, reasoning: 0 };
    await this.#journal.append({ type: 'summaryUsage', model, usage, estimated: true, ahead: true });
  }
}

/** The request of a prepared summary in the accounts: it is counted once, whatever its outcome. */

import type { Journal } from '../../journal/journal.ts';

/**
 * Accounting for the request of a prepared summary: it is counted once, whatever its outcome. A request stopped midway
 * is charged too, by an unknown amount, and is journaled as an estimate.
 */
export class OpenRequest {
  readonly #journal: Journal;
  /** Tokens of the context, about the size of such a request. */
  readonly #tokens: number;
  #model: string | null = null;

  constructor(journal: Journal, tokens: number) {
    this.#journal = journal;
    this.#tokens = tokens;
  }

  /** Estimated input of the running request; 0 if none is running. */
  get tokens(): number {
    return this.#model === null ? 0 : this.#tokens;
  }

  sent(model: string): void {
    this.#model = model;
  }

  /** False when it was counted already. */
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

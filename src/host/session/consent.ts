/** The question before an automatic compaction: one at a time, answered once by its id. */

import type { ConsentAnswer, ConsentQuestion, Crypto } from '../../core/ports.ts';

export interface PendingConsent extends ConsentQuestion {
  readonly id: string;
}

export class Consent {
  readonly #crypto: Crypto;
  readonly #onChange: () => void;
  #waiting: { readonly question: PendingConsent; readonly settle: (answer: ConsentAnswer) => void } | null = null;

  constructor(crypto: Crypto, onChange: () => void) {
    this.#crypto = crypto;
    this.#onChange = onChange;
  }

  get pending(): PendingConsent | null {
    return this.#waiting?.question ?? null;
  }

  /** Stopping the turn answers "not now". */
  ask(question: ConsentQuestion, signal: AbortSignal): Promise<ConsentAnswer> {
    return new Promise((resolve) => {
      const id = this.#crypto.randomHex(16);
      const stop = () => settle('notNow');
      const settle = (answer: ConsentAnswer) => {
        if (this.#waiting?.question.id !== id) return;
        this.#waiting = null;
        signal.removeEventListener('abort', stop);
        resolve(answer);
        this.#onChange();
      };
      this.#waiting = { question: { ...question, id }, settle };
      signal.addEventListener('abort', stop, { once: true });
      if (signal.aborted) stop();
      this.#onChange();
    });
  }

  answer(id: string, answer: ConsentAnswer): void {
    if (this.#waiting?.question.id === id) this.#waiting.settle(answer);
  }
}

/** One question to the person at a time, answered once, by its id. Stopping the turn answers it too. */

import type { Crypto } from '../../core/ports.ts';

export class Questions<Question extends object, Answer> {
  readonly #crypto: Crypto;
  readonly #stopped: Answer;
  readonly #onChange: () => void;
  #waiting: {
    readonly question: Question & { readonly id: string };
    readonly settle: (answer: Answer) => void;
  } | null = null;

  /** `stopped` is the answer when the turn is stopped first. */
  constructor(crypto: Crypto, stopped: Answer, onChange: () => void) {
    this.#crypto = crypto;
    this.#stopped = stopped;
    this.#onChange = onChange;
  }

  get pending(): (Question & { readonly id: string }) | null {
    return this.#waiting?.question ?? null;
  }

  ask(question: Question, signal: AbortSignal): Promise<Answer> {
    if (this.#waiting) throw new Error('A question waits already');
    return new Promise((resolve) => {
      const id = this.#crypto.randomHex(16);
      const stop = () => settle(this.#stopped);
      const settle = (answer: Answer) => {
        if (this.pending?.id !== id) return;
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

  /** Updates the details of the open question; its id stays. */
  change(id: string, change: (question: Question) => Question): void {
    if (!this.#waiting || this.#waiting.question.id !== id) return;
    this.#waiting = { ...this.#waiting, question: { ...change(this.#waiting.question), id } };
    this.#onChange();
  }

  /** False when it is not the waiting question. */
  answer(id: string, answer: Answer): boolean {
    if (this.pending?.id !== id) return false;
    this.#waiting?.settle(answer);
    return true;
  }
}

/** One question to the person at a time: answered once, by its id. Stopping the turn answers it too. */

import type { Crypto } from '../../core/ports.ts';

export class PendingQuestion<Question extends object, Answer> {
  readonly #crypto: Crypto;
  readonly #onChange: () => void;
  #waiting: {
    readonly question: Question & { readonly id: string };
    readonly settle: (answer: Answer) => void;
  } | null = null;

  constructor(crypto: Crypto, onChange: () => void) {
    this.#crypto = crypto;
    this.#onChange = onChange;
  }

  get question(): (Question & { readonly id: string }) | null {
    return this.#waiting?.question ?? null;
  }

  /** Says the open question with other details; its id stays. */
  change(id: string, change: (question: Question) => Question): void {
    if (!this.#waiting || this.#waiting.question.id !== id) return;
    this.#waiting = { ...this.#waiting, question: { ...change(this.#waiting.question), id } };
    this.#onChange();
  }

  /** `stopped` is the answer when the turn is stopped first. */
  ask(question: Question, stopped: Answer, signal: AbortSignal): Promise<Answer> {
    return new Promise((resolve) => {
      const id = this.#crypto.randomHex(16);
      const stop = () => settle(stopped);
      const settle = (answer: Answer) => {
        if (this.question?.id !== id) return;
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

  /** False when it is not the question that waits. */
  answer(id: string, answer: Answer): boolean {
    if (this.question?.id !== id) return false;
    this.#waiting?.settle(answer);
    return true;
  }
}

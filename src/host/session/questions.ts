/** One question to the person at a time, answered once, by its id; others wait. Stopping the turn answers them too. */

import type { Crypto } from '../../core/ports.ts';

interface Waiting<Question, Answer> {
  readonly question: Question & { readonly id: string };
  readonly settle: (answer: Answer) => void;
}

export class Questions<Question extends object, Answer> {
  readonly #crypto: Crypto;
  readonly #stopped: Answer;
  readonly #onChange: () => void;
  /** The first is shown. */
  readonly #waiting: Waiting<Question, Answer>[] = [];

  /** `stopped` is the answer when the turn is stopped first. */
  constructor(crypto: Crypto, stopped: Answer, onChange: () => void) {
    this.#crypto = crypto;
    this.#stopped = stopped;
    this.#onChange = onChange;
  }

  get pending(): (Question & { readonly id: string }) | null {
    return this.#waiting[0]?.question ?? null;
  }

  ask(question: Question, signal: AbortSignal): Promise<Answer> {
    return new Promise((resolve) => {
      const id = this.#crypto.randomHex(16);
      const stop = () => settle(this.#stopped);
      const settle = (answer: Answer) => {
        const at = this.#waiting.findIndex(({ question }) => question.id === id);
        if (at < 0) return;
        this.#waiting.splice(at, 1);
        signal.removeEventListener('abort', stop);
        resolve(answer);
        this.#onChange();
      };
      this.#waiting.push({ question: { ...question, id }, settle });
      signal.addEventListener('abort', stop, { once: true });
      if (signal.aborted) stop();
      this.#onChange();
    });
  }

  /** Updates the details of the open question; its id stays. */
  change(id: string, change: (question: Question) => Question): void {
    const [first] = this.#waiting;
    if (!first || first.question.id !== id) return;
    this.#waiting[0] = { ...first, question: { ...change(first.question), id } };
    this.#onChange();
  }

  /** False when it is not the waiting question. */
  answer(id: string, answer: Answer): boolean {
    if (this.pending?.id !== id) return false;
    this.#waiting[0]?.settle(answer);
    return true;
  }
}

/** What the model asks the person: one question at a time, answered once by its id. */

import type { Crypto, Question, QuestionAnswer, Questioner } from '../../core/ports.ts';

export type PendingQuestion = Question & { readonly id: string };

interface Waiting {
  readonly question: PendingQuestion;
  readonly settle: (answer: QuestionAnswer) => void;
}

export class Questions implements Questioner {
  readonly #crypto: Crypto;
  readonly #onChange: () => void;
  #waiting: Waiting | null = null;

  constructor(crypto: Crypto, onChange: () => void) {
    this.#crypto = crypto;
    this.#onChange = onChange;
  }

  get pending(): PendingQuestion | null {
    return this.#waiting?.question ?? null;
  }

  ask(question: Question, signal: AbortSignal): Promise<QuestionAnswer> {
    if (this.#waiting) throw new Error('A question waits already');
    return new Promise((resolve) => {
      const id = this.#crypto.randomHex(16);
      const stop = () => settle({ kind: 'refuse', reason: '' });
      const settle = (answer: QuestionAnswer) => {
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

  /** False when it is not the question that waits, or no answer to a question of its kind. */
  answer(id: string, answer: QuestionAnswer): boolean {
    const waiting = this.#waiting;
    if (waiting?.question.id !== id) return false;
    if (answer.kind === (waiting.question.kind === 'plan' ? 'answer' : 'approve')) return false;
    waiting.settle(answer);
    return true;
  }
}

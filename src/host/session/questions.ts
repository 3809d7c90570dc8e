/** What the model asks the person: one question at a time, answered once by its id. */

import type { Crypto, Question, QuestionAnswer, Questioner } from '../../core/ports.ts';
import { PendingQuestion } from './pendingQuestion.ts';

export class Questions implements Questioner {
  readonly #pending: PendingQuestion<Question, QuestionAnswer>;

  constructor(crypto: Crypto, onChange: () => void) {
    this.#pending = new PendingQuestion(crypto, onChange);
  }

  get pending(): (Question & { readonly id: string }) | null {
    return this.#pending.question;
  }

  ask(question: Question, signal: AbortSignal): Promise<QuestionAnswer> {
    if (this.pending) throw new Error('A question waits already');
    return this.#pending.ask(question, { kind: 'refuse', reason: '' }, signal);
  }

  /** False when it is not the question that waits, or no answer to a question of its kind. */
  answer(id: string, answer: QuestionAnswer): boolean {
    const { pending } = this;
    if (pending?.id !== id) return false;
    if (answer.kind === (pending.kind === 'plan' ? 'answer' : 'approve')) return false;
    return this.#pending.answer(id, answer);
  }
}

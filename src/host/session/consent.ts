/** The question before an automatic compaction: one at a time, answered once by its id. */

import type { ConsentAnswer, ConsentQuestion, Crypto, ExpectedResult } from '../../core/ports.ts';
import { PendingQuestion } from './pendingQuestion.ts';

export interface PendingConsent extends ConsentQuestion {
  readonly id: string;
}

export class Consent {
  readonly #pending: PendingQuestion<ConsentQuestion, ConsentAnswer>;

  constructor(crypto: Crypto, onChange: () => void) {
    this.#pending = new PendingQuestion(crypto, onChange);
  }

  get pending(): PendingConsent | null {
    return this.#pending.question;
  }

  /** Stopping the turn answers "not now". */
  ask(question: ConsentQuestion, signal: AbortSignal): Promise<ConsentAnswer> {
    return this.#pending.ask(question, 'notNow', signal);
  }

  /** What agreeing would come to now: the person changed the plan in its preview. */
  expect(id: string, compact: ExpectedResult): void {
    this.#pending.change(id, (question) => ({ ...question, outlook: { ...question.outlook, compact } }));
  }

  answer(id: string, answer: ConsentAnswer): void {
    this.#pending.answer(id, answer);
  }
}

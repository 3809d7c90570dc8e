/** What the model asks the person: one question at a time, answered once by its id. */

import type {
  ConsentAnswer,
  ConsentQuestion,
  Crypto,
  ExpectedResult,
  Question,
  QuestionAnswer,
  Questioner,
} from '../../core/ports.ts';

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

/** The question before an automatic compaction: one at a time, answered once by its id. */
interface PendingConsent extends ConsentQuestion {
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

/** One question to the person at a time: answered once, by its id. Stopping the turn answers it too. */
class PendingQuestion<Question extends object, Answer> {
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

/** The questions that the person leaves unanswered in one turn: after some of them the model is not let ask again. */

import { Allowance } from '../../allowance.ts';
import { inEnglish, verbatim } from '../../words.ts';

const MOST_UNANSWERED = 3;

export class QuestionBudget {
  #unanswered = newAllowance();
  #refusal: string | null = null;

  /** Renews it. */
  beginTurn(): void {
    this.#unanswered = newAllowance();
    this.#refusal = null;
  }

  /** Why the person is not asked again, for the model; null while they are. */
  get refusal(): string | null {
    return this.#refusal;
  }

  noteUnanswered(): void {
    const usedUp = this.#unanswered.take();
    this.#refusal = usedUp && inEnglish(usedUp);
  }
}

function newAllowance(): Allowance {
  const usedUp = verbatim(
    `The person left ${MOST_UNANSWERED} questions of this turn unanswered, so they are not asked again in it. Decide yourself, and say what you assumed.`,
  );
  return new Allowance({ most: MOST_UNANSWERED - 1, usedUp });
}

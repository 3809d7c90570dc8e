/**
 * The questions of MCP servers to the person in one turn. Invariant: a server whose questions the person keeps refusing
 * asks no more until the next turn; the rest is answered unasked, and the person is told once.
 */

import { Allowance } from '../allowance.ts';
import type { Questioner } from '../tools/question.ts';
import { showInOneLine } from '../tools/text/showHidden.ts';
import { type Words, words } from '../words.ts';

/** Questions of one server in a turn, and how many of them may be refused. */
const MOST_QUESTIONS = 20;
const MOST_REFUSALS = 3;

/** One question, and which answers refuse it; `unasked` is the answer when nobody is asked any more. */
interface Exchange<T> {
  readonly ask: (questions: Questioner) => Promise<T>;
  readonly isRefusal: (answer: T) => boolean;
  readonly unasked: T;
}

/** Asks the person on behalf of the named server. */
export type AskForServer = <T>(server: string, exchange: Exchange<T>) => Promise<T>;

interface Limits {
  readonly questions: Allowance;
  readonly refusals: Allowance;
  isOver: boolean;
}

export class ServerQuestions {
  readonly #notify: (notice: Words) => Promise<void>;
  readonly #limits = new Map<string, Limits>();

  constructor(notify: (notice: Words) => Promise<void>) {
    this.#notify = notify;
  }

  /** Call at the beginning of a turn. */
  renew(): void {
    this.#limits.clear();
  }

  through(questions: Questioner): AskForServer {
    return async (server, { ask, isRefusal, unasked }) => {
      const limits = this.#limitsOf(server);
      if (limits.isOver) return unasked;
      const tooMany = limits.questions.take();
      if (tooMany) await this.#end(limits, tooMany);
      if (tooMany) return unasked;
      const answer = await ask(questions);
      const refusedOften = isRefusal(answer) ? limits.refusals.take() : null;
      if (refusedOften) await this.#end(limits, refusedOften);
      return answer;
    };
  }

  #limitsOf(server: string): Limits {
    const known = this.#limits.get(server);
    if (known) return known;
    const name = showInOneLine(server);
    const limits = {
      questions: new Allowance({
        most: MOST_QUESTIONS,
        usedUp: words(
          'The MCP server {0} has asked you {1} times in this turn. Its further questions are declined without asking you, until your next message.',
          name,
          MOST_QUESTIONS,
        ),
      }),
      refusals: new Allowance({
        most: MOST_REFUSALS - 1,
        usedUp: words(
          'You declined {1} questions of the MCP server {0} in this turn. Its further questions are declined without asking you, until your next message. If you do not need it, switch it off in “MCP Servers…”.',
          name,
          MOST_REFUSALS,
        ),
      }),
      isOver: false,
    };
    this.#limits.set(server, limits);
    return limits;
  }

  async #end(limits: Limits, why: Words): Promise<void> {
    limits.isOver = true;
    await this.#notify(why);
  }
}

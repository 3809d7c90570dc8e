/**
 * Checks the count of each answer of one endpoint, to find out whether the server has cut the prompt: by the window that
 * it names, and by the counts before. It sends no prompt again, which would take the cache that it asks about.
 */

import type { Usage } from '../core/context/message.ts';
import type { ExpectedPrompt, ModelEvent, ModelRequest } from '../core/model/modelClient.ts';
import { type Endpoint, isOwn } from './endpoint.ts';
import { expectAdded, expectSent } from './expectPrompt.ts';
import { explainCut } from './explainCut.ts';
import { type Counted, judgeCut } from './judgeCut.ts';
import type { FactsBook } from './modelFacts.ts';

type Done = Extract<ModelEvent, { type: 'done' }>;

/** In tokens. Below it, framing and estimate differ too much to conclude anything. */
const SMALLEST = 1_000;

export class CutWatch {
  readonly #endpoint: Endpoint;
  readonly #book: FactsBook;
  /** Its newest answer, by model. */
  readonly #before = new Map<string, Counted>();
  /** Its lowest count, by model. */
  readonly #lowest = new Map<string, number>();
  /** Models whose server was asked after an answer, and did not report its window. */
  readonly #silent = new Set<string>();

  constructor(endpoint: Endpoint, book: FactsBook) {
    this.#endpoint = endpoint;
    this.#book = book;
  }

  /** The same answer, with the finding: a cut, or a count that omits a part of the prompt. */
  async judge(done: Done, request: ModelRequest, signal: AbortSignal): Promise<Done> {
    const { usage } = done;
    const { model } = request;
    if (!usage) return done;
    const expected = request.expected ?? expectSent(request);
    if (expected.tokens < SMALLEST) return done;
    const { origin } = this.#endpoint;
    const local = isOwn(this.#endpoint);
    const counted: Counted = { counted: usage.input, expected, added: expectAdded(request) };
    const lowest = this.#lowest.get(model) ?? Number.POSITIVE_INFINITY;
    const given = { ...counted, before: this.#before.get(model) ?? null, lowest, local };
    this.#before.set(model, counted);
    this.#lowest.set(model, Math.min(lowest, usage.input));
    let facts = this.#book.of(model);
    let verdict = judgeCut({ ...given, window: facts?.window ?? null });
    // By now a local server has loaded the model, and knows its window.
    const first = local && facts?.window === undefined && !this.#silent.has(model);
    if (first || verdict.kind !== 'whole') {
      facts = (await this.#book.ask(model, signal)) ?? facts;
      if (facts?.window === undefined) this.#silent.add(model);
      verdict = judgeCut({ ...given, window: facts?.window ?? null });
    }
    switch (verdict.kind) {
      case 'whole':
        return done;
      case 'fresh':
        return { ...done, usage: completeUsage(usage, expected) };
      case 'cut': {
        const { window } = verdict;
        const cut = { server: facts?.server, origin, read: usage.input, sent: expected.tokens, window };
        return { ...done, cutTo: window, notice: [...explainCut(cut), ...(done.notice ?? [])] };
      }
    }
  }
}

/**
 * Some servers report cached tokens in addition to the count. Null if these do not account for the rest; the caller
 * then estimates.
 */
function completeUsage(usage: Usage, { least, most }: ExpectedPrompt): Usage | null {
  const input = usage.input + usage.cached + (usage.written ?? 0);
  return input >= least && input <= most ? { ...usage, input } : null;
}

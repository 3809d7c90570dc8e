/**
 * Looks at the count of each answer of one endpoint, and finds out whether the server has cut the prompt: it is asked what
 * it holds, and where that does not tell, a server on this machine counts the prompt again in other forms.
 */

import type { Usage } from '../../core/context/message.ts';
import type { ExpectedPrompt, ModelEvent, ModelRequest } from '../../core/ports.ts';
import type { Endpoint } from '../endpoint.ts';
import type { FactsBook } from '../facts/factsBook.ts';
import type { ModelFacts } from '../facts/modelFacts.ts';
import { expectSent } from './expectSent.ts';
import { type CutEvidence, type CutVerdict, FRAMING, judgeCut, leastOf } from './judgeCut.ts';
import { inParts, withNewFront } from './otherForms.ts';
import { tellCut } from './tellCut.ts';

type Done = Extract<ModelEvent, { type: 'done' }>;

/** The tokens that the server counts of a prompt, with one token for the answer; null when it does not say. */
export type Recount = (request: ModelRequest, signal: AbortSignal) => Promise<number | null>;

interface CutWatchParts {
  readonly endpoint: Endpoint;
  readonly facts: FactsBook;
  readonly recount: Recount;
}

/** Tokens. Below it, framing and estimate differ too much to say anything. */
const SMALLEST = 1_000;
/** Of all its parts: what a server counts at least that reads them together. */
const READ_SHARE = 0.93;

export class CutWatch {
  readonly #parts: CutWatchParts;
  /** How models were found to be counted. */
  readonly #counts = new Map<string, 'whole' | 'fresh'>();
  /** Models whose server was asked after an answer, and did not say what it holds. */
  readonly #silent = new Set<string>();

  constructor(parts: CutWatchParts) {
    this.#parts = parts;
  }

  /** The same answer, with what was found out: a cut, or that its count leaves a part of the prompt out. */
  async judge(done: Done, request: ModelRequest, signal: AbortSignal): Promise<Done> {
    const { usage } = done;
    if (!usage) return done;
    const expected = request.expected ?? expectSent(request);
    if (expected.tokens < SMALLEST) return done;
    const { facts, verdict } = await this.#find(usage.input, expected, request, signal);
    switch (verdict.kind) {
      case 'whole':
      case 'unsure':
        return done;
      case 'fresh':
        return { ...done, usage: completeUsage(usage, expected) };
      case 'cut': {
        const { held } = verdict;
        const { origin } = this.#parts.endpoint;
        const told = { server: facts?.server, origin, read: usage.input, sent: expected.tokens, held };
        return { ...done, cutTo: held, notice: [...tellCut(told), ...(done.notice ?? [])] };
      }
    }
  }

  async #find(
    counted: number,
    expected: ExpectedPrompt,
    request: ModelRequest,
    signal: AbortSignal,
  ): Promise<{ readonly facts: ModelFacts | null; readonly verdict: CutVerdict }> {
    const { model, messages } = request;
    const { facts: book, endpoint } = this.#parts;
    const evidenceOf = (facts: ModelFacts | null): CutEvidence => ({
      counted,
      expected,
      window: facts?.window ?? null,
      counts: this.#counts.get(model) ?? null,
      local: endpoint.loopback,
      midTurn: messages.at(-1)?.role === 'tool',
    });
    let facts = book.of(model);
    let evidence = evidenceOf(facts);
    // Now the server has loaded the model, and knows with how much.
    const first = endpoint.loopback && facts?.window === undefined && !this.#silent.has(model);
    if (first || judgeCut(evidence).kind !== 'whole') {
      facts = (await book.ask(model, signal)) ?? facts;
      if (facts?.window === undefined) this.#silent.add(model);
      evidence = evidenceOf(facts);
    }
    const verdict = judgeCut(evidence);
    if (verdict.kind !== 'unsure') return { facts, verdict };
    // Elsewhere another look at a long prompt would cost money, and small counts have other reasons.
    if (!endpoint.loopback) return { facts, verdict: { kind: 'fresh' } };
    return { facts, verdict: await this.#lookAgain(evidence, request, signal) };
  }

  async #lookAgain(evidence: CutEvidence, request: ModelRequest, signal: AbortSignal): Promise<CutVerdict> {
    const { counted, expected, window } = evidence;
    const sum = window === null ? null : await this.#sumOfParts(request, window, signal);
    if (window !== null && sum !== null) {
      if (sum > window + FRAMING) return { kind: 'cut', held: window };
      if (counted >= sum * READ_SHARE) return { kind: 'whole' };
    }
    const read = await this.#parts.recount(withNewFront(request), signal);
    if (read === null) return { kind: 'unsure' };
    const whole = sum ?? (read >= leastOf(evidence) ? read : await this.#sumOfParts(request, read, signal));
    if (whole === null ? read < expected.least : read < whole * READ_SHARE) {
      this.#counts.set(request.model, 'whole');
      return { kind: 'cut', held: window ?? read };
    }
    if (counted >= read * READ_SHARE) return { kind: 'whole' };
    this.#counts.set(request.model, 'fresh');
    return { kind: 'fresh' };
  }

  /** At most what the whole prompt has. Null when it is not known. */
  async #sumOfParts(request: ModelRequest, window: number, signal: AbortSignal): Promise<number | null> {
    const parts = inParts(request, window);
    let sum = 0;
    for (const part of parts ?? []) {
      const counted = await this.#parts.recount(part, signal);
      if (counted === null) return null;
      sum += counted - FRAMING;
    }
    return parts && sum;
  }
}

/** Some report beside the count what was in the cache. Null, so that the caller estimates, where that is not the rest. */
function completeUsage(usage: Usage, { least, most }: ExpectedPrompt): Usage | null {
  const input = usage.input + usage.cached + (usage.written ?? 0);
  return input >= least && input <= most ? { ...usage, input } : null;
}

/**
 * Checks the count of each answer of one endpoint, to find out whether the server has cut the prompt: it is asked for
 * its window, and if that is inconclusive, a local server counts the prompt again in other forms.
 */

import type { Usage } from '../core/context/message.ts';
import type { ExpectedPrompt, ModelEvent, ModelRequest } from '../core/model/modelClient.ts';
import type { Endpoint } from './endpoint.ts';
import { expectAdded, expectSent } from './expectPrompt.ts';
import { explainCut, explainDoubt } from './explainCut.ts';
import { hashText } from './hashText.ts';
import { type Counted, type CutEvidence, type CutVerdict, FRAMING, isDoubtful, judgeCut, leastOf } from './judgeCut.ts';
import type { FactsBook, ModelFacts } from './modelFacts.ts';
import { inParts, withNewFront } from './recountPrompt.ts';

type Done = Extract<ModelEvent, { type: 'done' }>;

/** The server's token count of a prompt, with one token for the answer; null when it reports none. */
type Recount = (request: ModelRequest, signal: AbortSignal) => Promise<number | null>;

/** In tokens. Below it, framing and estimate differ too much to conclude anything. */
const SMALLEST = 1_000;

/** Relative to the sum of all parts: the minimum count of a server that reads them together. */
const READ_SHARE = 0.93;

/** Number of newest messages remembered, and of characters at each end that identify one. */
const REMEMBERED = 200;
const TELLING = 500;

interface Seen {
  readonly isFresh: boolean;
  readonly readUpTo: number;
  readonly before: Counted | null;
  /** The person was told that it may cut. */
  readonly facts: boolean;
}

const NOTHING_SEEN: Seen = { isFresh: false, readUpTo: 0, before: null, facts: false };

export class CutWatch {
  readonly #endpoint: Endpoint;
  readonly #book: FactsBook;
  readonly #recount: Recount;
  /** By model. */
  readonly #seen = new Map<string, Seen>();
  /** Hashes of the messages after the last answer, for requests so far. */
  readonly #sent = new Set<string>();
  /** Models whose server was asked after an answer, and did not report its window. */
  readonly #silent = new Set<string>();

  constructor(endpoint: Endpoint, book: FactsBook, recount: Recount) {
    this.#endpoint = endpoint;
    this.#book = book;
    this.#recount = recount;
  }

  /** Call before a request is sent. True if the messages after the last answer are sent for the first time. */
  sending({ model, messages }: ModelRequest): boolean {
    const at = messages.findLastIndex(({ role }) => role === 'assistant');
    const texts = messages
      .slice(at + 1)
      .map(({ text }) => `${text.length}${text.slice(0, TELLING)}${text.slice(-TELLING)}`);
    const key = hashText([model, ...texts].join('\n'));
    const isNew = !this.#sent.delete(key);
    this.#sent.add(key);
    for (const oldest of this.#sent) {
      if (this.#sent.size <= REMEMBERED) break;
      this.#sent.delete(oldest);
    }
    return isNew;
  }

  /**
   * The same answer, with the finding: a cut, or a count that omits a part of the prompt. `isNew`: the result of
   * `sending`.
   */
  async judge(done: Done, request: ModelRequest, isNew: boolean, signal: AbortSignal): Promise<Done> {
    const { usage } = done;
    if (!usage) return done;
    const expected = request.expected ?? expectSent(request);
    if (expected.tokens < SMALLEST) return done;
    const evidence = this.#evidence(usage.input, expected, request);
    const { facts, verdict } = await this.#find(evidence, request, signal);
    const seen = this.#seen.get(request.model) ?? NOTHING_SEEN;
    const { counted, added } = evidence;
    this.#note(request.model, { before: { counted, expected, added } });
    switch (verdict.kind) {
      case 'whole':
      case 'unsure':
        return done;
      case 'fresh': {
        const whole = completeUsage(usage, expected);
        const { loopback, origin } = this.#endpoint;
        const isKnown = loopback || whole !== null || facts?.window !== undefined;
        if (isKnown || seen.facts || !isDoubtful(evidence, seen.before, isNew)) return { ...done, usage: whole };
        this.#note(request.model, { facts: true });
        const notice = explainDoubt({ origin, read: counted, sent: expected.tokens });
        return { ...done, usage: whole, notice: [...notice, ...(done.notice ?? [])] };
      }
      case 'cut': {
        const { window } = verdict;
        const cut = {
          server: facts?.server,
          origin: this.#endpoint.origin,
          read: usage.input,
          sent: expected.tokens,
          window,
        };
        return { ...done, cutTo: window, notice: [...explainCut(cut), ...(done.notice ?? [])] };
      }
    }
  }

  #note(model: string, found: Partial<Seen>): void {
    this.#seen.set(model, { ...(this.#seen.get(model) ?? NOTHING_SEEN), ...found });
  }

  #evidence(counted: number, expected: ExpectedPrompt, request: ModelRequest): CutEvidence {
    const { model, messages } = request;
    const { isFresh, readUpTo } = this.#seen.get(model) ?? NOTHING_SEEN;
    return {
      counted,
      expected,
      isFresh,
      readUpTo,
      added: expectAdded(request),
      window: this.#book.of(model)?.window ?? null,
      local: this.#endpoint.loopback,
      midTurn: messages.at(-1)?.role === 'tool',
    };
  }

  async #find(
    given: CutEvidence,
    request: ModelRequest,
    signal: AbortSignal,
  ): Promise<{ readonly facts: ModelFacts | null; readonly verdict: CutVerdict }> {
    const { model } = request;
    const { loopback } = this.#endpoint;
    let evidence = given;
    let facts = this.#book.of(model);
    // By now the server has loaded the model, and knows its window.
    const first = loopback && facts?.window === undefined && !this.#silent.has(model);
    if (first || judgeCut(evidence).kind !== 'whole') {
      facts = (await this.#book.ask(model, signal)) ?? facts;
      if (facts?.window === undefined) this.#silent.add(model);
      evidence = { ...given, window: facts?.window ?? null };
    }
    const verdict = judgeCut(evidence);
    if (verdict.kind !== 'unsure') return { facts, verdict };
    // On other servers a second request with a long prompt would cost money, and small counts have other reasons.
    if (!loopback) return { facts, verdict: { kind: 'fresh' } };
    return { facts, verdict: await this.#countAgain(evidence, request, signal) };
  }

  async #countAgain(evidence: CutEvidence, request: ModelRequest, signal: AbortSignal): Promise<CutVerdict> {
    const { counted, expected, window, isFresh, readUpTo } = evidence;
    const sum = window === null ? null : await this.#sumOfParts(request, window, signal);
    if (window !== null && sum !== null) {
      if (sum > window + FRAMING) return { kind: 'cut', window };
      if (counted >= sum * READ_SHARE) return { kind: 'whole' };
    }
    const read = await this.#recount(withNewFront(request), signal);
    if (read === null) return { kind: 'unsure' };
    // Incomplete counts are also too imprecise elsewhere to estimate its prompts well.
    const isEnough = !isFresh && read >= leastOf(evidence);
    const whole = sum ?? (isEnough ? read : await this.#sumOfParts(request, read, signal));
    if (whole === null ? read < expected.least : read < whole * READ_SHARE) {
      return { kind: 'cut', window: window ?? read };
    }
    this.#note(request.model, { readUpTo: Math.max(readUpTo, expected.tokens) });
    if (counted >= read * READ_SHARE) return { kind: 'whole' };
    this.#note(request.model, { isFresh: true });
    return { kind: 'fresh' };
  }

  /** Upper bound for the whole prompt. Null when unknown. */
  async #sumOfParts(request: ModelRequest, window: number, signal: AbortSignal): Promise<number | null> {
    const parts = inParts(request, window);
    let sum = 0;
    for (const part of parts ?? []) {
      const counted = await this.#recount(part, signal);
      if (counted === null) return null;
      sum += counted - FRAMING;
    }
    return parts && sum;
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

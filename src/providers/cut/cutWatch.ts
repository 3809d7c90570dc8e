/**
 * Looks at the count of each answer of one endpoint, and finds out whether the server has cut the prompt: it is asked what
 * it holds, and where that does not tell, a server on this machine counts the prompt again in other forms.
 */

import type { Usage } from '../../core/context/message.ts';
import type { ExpectedPrompt, ModelEvent, ModelRequest } from '../../core/ports.ts';
import type { Endpoint } from '../endpoint.ts';
import type { FactsBook } from '../facts/factsBook.ts';
import type { ModelFacts } from '../facts/modelFacts.ts';
import { hashText } from '../hashText.ts';
import { expectAdded, expectSent } from './expectSent.ts';
import { type Counted, type CutEvidence, type CutVerdict, FRAMING, isDoubtful, judgeCut, leastOf } from './judgeCut.ts';
import { inParts, withNewFront } from './otherForms.ts';
import { tellCut, tellDoubt } from './tellCut.ts';

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
/** Newest messages that are remembered, and the characters at each end that tell one from another. */
const REMEMBERED = 200;
const TELLING = 500;

interface Seen {
  readonly isFresh: boolean;
  readonly readUpTo: number;
  readonly before: Counted | null;
  /** The person was told that it may cut. */
  readonly told: boolean;
}

const NOTHING_SEEN: Seen = { isFresh: false, readUpTo: 0, before: null, told: false };

export class CutWatch {
  readonly #parts: CutWatchParts;
  /** By model. */
  readonly #seen = new Map<string, Seen>();
  /** What stood behind the last answer of requests so far. */
  readonly #sent = new Set<string>();
  /** Models whose server was asked after an answer, and did not say what it holds. */
  readonly #silent = new Set<string>();

  constructor(parts: CutWatchParts) {
    this.#parts = parts;
  }

  /** Call before a request is sent. Whether what stands behind the last answer goes out for the first time. */
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
   * The same answer, with what was found out: a cut, or that its count leaves a part of the prompt out. `isNew`: what
   * `sending` said.
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
        const { loopback, origin } = this.#parts.endpoint;
        const isKnown = loopback || whole !== null || facts?.window !== undefined;
        if (isKnown || seen.told || !isDoubtful(evidence, seen.before, isNew)) return { ...done, usage: whole };
        this.#note(request.model, { told: true });
        const notice = tellDoubt({ origin, read: counted, sent: expected.tokens });
        return { ...done, usage: whole, notice: [...notice, ...(done.notice ?? [])] };
      }
      case 'cut': {
        const { held } = verdict;
        const { origin } = this.#parts.endpoint;
        const told = { server: facts?.server, origin, read: usage.input, sent: expected.tokens, held };
        return { ...done, cutTo: held, notice: [...tellCut(told), ...(done.notice ?? [])] };
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
      ...{ counted, expected, isFresh, readUpTo },
      added: expectAdded(request),
      window: this.#parts.facts.of(model)?.window ?? null,
      local: this.#parts.endpoint.loopback,
      midTurn: messages.at(-1)?.role === 'tool',
    };
  }

  async #find(
    given: CutEvidence,
    request: ModelRequest,
    signal: AbortSignal,
  ): Promise<{ readonly facts: ModelFacts | null; readonly verdict: CutVerdict }> {
    const { model } = request;
    const { facts: book, endpoint } = this.#parts;
    let evidence = given;
    let facts = book.of(model);
    // Now the server has loaded the model, and knows with how much.
    const first = endpoint.loopback && facts?.window === undefined && !this.#silent.has(model);
    if (first || judgeCut(evidence).kind !== 'whole') {
      facts = (await book.ask(model, signal)) ?? facts;
      if (facts?.window === undefined) this.#silent.add(model);
      evidence = { ...given, window: facts?.window ?? null };
    }
    const verdict = judgeCut(evidence);
    if (verdict.kind !== 'unsure') return { facts, verdict };
    // Elsewhere another look at a long prompt would cost money, and small counts have other reasons.
    if (!endpoint.loopback) return { facts, verdict: { kind: 'fresh' } };
    return { facts, verdict: await this.#lookAgain(evidence, request, signal) };
  }

  async #lookAgain(evidence: CutEvidence, request: ModelRequest, signal: AbortSignal): Promise<CutVerdict> {
    const { counted, expected, window, isFresh, readUpTo } = evidence;
    const sum = window === null ? null : await this.#sumOfParts(request, window, signal);
    if (window !== null && sum !== null) {
      if (sum > window + FRAMING) return { kind: 'cut', held: window };
      if (counted >= sum * READ_SHARE) return { kind: 'whole' };
    }
    const read = await this.#parts.recount(withNewFront(request), signal);
    if (read === null) return { kind: 'unsure' };
    // One whose counts leave a part out says too little elsewhere, too, for its prompts to be estimated well.
    const isEnough = !isFresh && read >= leastOf(evidence);
    const whole = sum ?? (isEnough ? read : await this.#sumOfParts(request, read, signal));
    if (whole === null ? read < expected.least : read < whole * READ_SHARE) {
      return { kind: 'cut', held: window ?? read };
    }
    this.#note(request.model, { readUpTo: Math.max(readUpTo, expected.tokens) });
    if (counted >= read * READ_SHARE) return { kind: 'whole' };
    this.#note(request.model, { isFresh: true });
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

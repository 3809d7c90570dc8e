/**
 * Checks the count of each answer of one endpoint, to find out whether the server has cut the prompt: it is asked for
 * its window, and if that is inconclusive, a local server counts the prompt again in other forms.
 */

import type { Usage } from '../core/context/message.ts';
import type { ChatMessage, ExpectedPrompt, ModelEvent, ModelRequest } from '../core/model/modelClient.ts';
import { HIGHEST_FACTOR, LOWEST_FACTOR } from '../core/tokens/calibrate.ts';
import { countTokens, takeTokens } from '../core/tokens/estimate.ts';
import type { Endpoint } from './endpoint.ts';
import { explainCut, explainDoubt } from './explainCut.ts';
import { hashText } from './hashText.ts';
import type { FactsBook, ModelFacts } from './modelFacts.ts';

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
  readonly told: boolean;
}

const NOTHING_SEEN: Seen = { isFresh: false, readUpTo: 0, before: null, told: false };

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
        if (isKnown || seen.told || !isDoubtful(evidence, seen.before, isNew)) return { ...done, usage: whole };
        this.#note(request.model, { told: true });
        const notice = explainDoubt({ origin, read: counted, sent: expected.tokens });
        return { ...done, usage: whole, notice: [...notice, ...(done.notice ?? [])] };
      }
      case 'cut': {
        const { held } = verdict;
        const told = {
          server: facts?.server,
          origin: this.#endpoint.origin,
          read: usage.input,
          sent: expected.tokens,
          held,
        };
        return { ...done, cutTo: held, notice: [...explainCut(told), ...(done.notice ?? [])] };
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
    return { facts, verdict: await this.#lookAgain(evidence, request, signal) };
  }

  async #lookAgain(evidence: CutEvidence, request: ModelRequest, signal: AbortSignal): Promise<CutVerdict> {
    const { counted, expected, window, isFresh, readUpTo } = evidence;
    const sum = window === null ? null : await this.#sumOfParts(request, window, signal);
    if (window !== null && sum !== null) {
      if (sum > window + FRAMING) return { kind: 'cut', held: window };
      if (counted >= sum * READ_SHARE) return { kind: 'whole' };
    }
    const read = await this.#recount(withNewFront(request), signal);
    if (read === null) return { kind: 'unsure' };
    // Incomplete counts are also too imprecise elsewhere to estimate its prompts well.
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

/** Characters that are counted: a request is examined after each answer, and the bounds are wide. */
const SAMPLE = 65_536;

export function expectSent({ messages, tools }: ModelRequest): ExpectedPrompt {
  const inMessages = estimate(messages.map(({ text }) => text));
  // Not every server counts the tools.
  const tokens = inMessages + (tools.length > 0 ? estimate([JSON.stringify(tools)]) : 0);
  return { tokens, grown: 0, least: Math.round(inMessages * LOWEST_FACTOR), most: Math.round(tokens * HIGHEST_FACTOR) };
}

/** Tokens new in this request: those after the last answer, and with that answer. */
function expectAdded({ messages }: ModelRequest): { readonly behind: number; readonly withAnswer: number } {
  const at = messages.findLastIndex(({ role }) => role === 'assistant');
  const behind = estimate(messages.slice(at + 1).map(({ text }) => text));
  const answer = messages[at];
  if (answer?.role !== 'assistant') return { behind, withAnswer: behind };
  const calls = (answer.toolCalls ?? []).map((call) => call.name + call.arguments);
  return { behind, withAnswer: behind + estimate([answer.text, answer.reasoning?.text ?? '', ...calls]) };
}

/** From the beginning of each text, in proportion to its length. */
function estimate(texts: readonly string[]): number {
  const characters = texts.reduce((sum, text) => sum + text.length, 0);
  const share = Math.min(1, SAMPLE / Math.max(1, characters));
  const counted = texts.reduce((sum, text) => sum + countTokens(text.slice(0, Math.ceil(text.length * share))), 0);
  return Math.round(counted / share);
}

/**
 * Decides whether a server that reported few tokens has silently cut the prompt, or only counts differently. Pure.
 * Invariant: a small count alone proves nothing, because some servers count only tokens outside of their cache.
 */
export interface CutEvidence {
  /** Prompt tokens reported by the server. */
  readonly counted: number;
  readonly expected: ExpectedPrompt;
  /** The window reported by the server; null where it reports none. */
  readonly window: number | null;
  /** It is known to count only tokens outside of its cache. */
  readonly isFresh: boolean;
  /** Tokens new in this request: the count of such a server while its cache holds the rest. */
  readonly added: { readonly behind: number; readonly withAnswer: number };
  /** Estimated tokens of the model's longest prompt that was certainly read whole. */
  readonly readUpTo: number;
  /** A local server: one server, one vocabulary, and asking again costs only time. */
  readonly local: boolean;
  /** Not the start of a new turn, where templates may drop earlier reasoning. */
  readonly midTurn: boolean;
}

export type CutVerdict =
  /** Everything was read and counted. */
  | { readonly kind: 'whole' }
  /** Everything was read; the count omits a part. */
  | { readonly kind: 'fresh' }
  /** `held`: the server's real window in tokens. */
  | { readonly kind: 'cut'; readonly held: number }
  /** Only another way of counting would tell. */
  | { readonly kind: 'unsure' };

/** Maximum difference between servers' counts of their own framing, in tokens. */
const FRAMING = 16;

/** A prompt shorter than the last one, from which nothing was removed, was cut. */
const GROWN_SHARE = 0.97;

/** Below this share of the server's window, nothing has to be cut. */
const NEARLY_FULL = 0.95;
const HALF_FULL = 0.5;
const FEWER = 0.85;

/** Relative to the estimate: a vocabulary may need more. */
const MOST_ADDED = 1.25;
const LOOK_AGAIN = 1.25;

/** In tokens. */
const LEAST_HELD = 1_000;

export function judgeCut(evidence: CutEvidence): CutVerdict {
  const { counted, expected, window, isFresh, local } = evidence;
  const { tokens, least, most } = expected;
  if (window === null) {
    if (isFresh && local && mayHaveGrownOver(evidence)) return { kind: 'unsure' };
    if (counted >= leastOf(evidence)) return { kind: 'whole' };
    return { kind: isFresh ? 'fresh' : 'unsure' };
  }
  if (isFilled(counted, tokens, window)) return { kind: 'cut', held: window };
  if (local && mayBeCut(counted, expected, window)) {
    return window <= least ? { kind: 'cut', held: window } : { kind: 'unsure' };
  }
  if (counted >= least) return { kind: 'whole' };
  if (window <= least) return { kind: 'cut', held: window };
  return window >= most || tokens <= window * NEARLY_FULL ? { kind: 'fresh' } : { kind: 'unsure' };
}

/**
 * True when the prompt is longer than any that was certainly read whole, and either the cache did not hold the rest, as
 * after a cut, which changes the beginning, or much was added since.
 */
function mayHaveGrownOver({ counted, added, expected, readUpTo }: CutEvidence): boolean {
  if (expected.tokens <= readUpTo) return false;
  return counted > added.withAnswer * MOST_ADDED + FRAMING || expected.tokens > readUpTo * LOOK_AGAIN;
}

/** An earlier answer of the same model. */
interface Counted {
  readonly counted: number;
  readonly expected: ExpectedPrompt;
  readonly added: CutEvidence['added'];
}

/**
 * True when a small count, reported by a server that cannot be asked, is not explained by an omitted cache: it is less
 * than the newly sent tokens, a common window size, or the same again for another prompt. `isNew`: the messages after
 * the last answer were not sent before.
 */
export function isDoubtful({ counted, expected, added }: CutEvidence, before: Counted | null, isNew: boolean): boolean {
  // No server has such a small window: it counts tokens that were neither read from its cache nor written to it.
  if (counted < LEAST_HELD) return false;
  if (isNew && counted < added.behind * LOWEST_FACTOR) return true;
  if (Number.isInteger(Math.log2(counted)) || Number.isInteger(Math.log2(counted + 1))) return true;
  return (
    before !== null &&
    Math.abs(counted - before.counted) <= 1 &&
    expected.tokens > before.expected.tokens + FRAMING &&
    Math.abs(added.withAnswer - before.added.withAnswer) > added.withAnswer * 0.1 + FRAMING
  );
}

/** True when it may have exceeded the window, and the count is too low. */
function mayBeCut(counted: number, { tokens, most }: ExpectedPrompt, window: number): boolean {
  if (counted > window || most <= window) return false;
  return tokens > window * NEARLY_FULL || (tokens > window * HALF_FULL && counted < tokens * FEWER);
}

/** The lowest possible count of a server that reads everything. */
function leastOf({ expected, local, midTurn }: CutEvidence): number {
  return Math.max(expected.least, local && midTurn ? expected.grown * GROWN_SHARE : 0);
}

/**
 * A cut leaves a prompt that fills the window exactly, or exactly half of it on servers that make room for an answer
 * (Ollama since 0.30: half of the part that it does not keep from the start).
 */
function isFilled(counted: number, tokens: number, window: number): boolean {
  if (counted > window) return false;
  if (counted >= window - 1) return true;
  if (tokens <= window) return false;
  const half = window - Math.floor(window / 2);
  return counted >= window - FRAMING || (counted >= half && counted <= half + FRAMING);
}

/** Relative to the window, in estimated tokens: a vocabulary may need twice as many. */
const PART = 0.4;
const MOST_PARTS = 8;

/** Templates put the tools or the first message first. */
function withNewFront(request: ModelRequest): ModelRequest {
  const mark = `[${crypto.randomUUID()}]`;
  const [first, ...messages] = request.messages;
  const [tool, ...tools] = request.tools;
  return {
    ...request,
    messages: first ? [{ ...first, text: `${mark} ${first.text}` }, ...messages] : [],
    tools: tool ? [{ ...tool, description: `${mark} ${tool.description}` }, ...tools] : [],
    maxOutputTokens: 1,
  };
}

/** A server with a window of `window` tokens reads each part whole. Null when there would be too many. */
function inParts({ model, messages, tools }: ModelRequest, window: number): ModelRequest[] | null {
  const size = Math.floor(window * PART);
  const parts: string[] = [];
  let open = '';
  let room = size;
  const close = () => {
    if (open) parts.push(open);
    open = '';
    room = size;
  };
  for (const message of messages) {
    for (let text = textOf(message); text; ) {
      const piece = takeTokens(text, room) || (room < size ? '' : text);
      open += piece;
      text = text.slice(piece.length);
      room -= countTokens(piece);
      if (text || room <= 0) close();
      if (parts.length > MOST_PARTS) return null;
    }
  }
  close();
  const asked = (text: string): ModelRequest => ({ model, messages: [{ role: 'user', text }], tools: [] });
  const requests = parts.map(asked);
  return [...requests, ...(tools.length > 0 ? [{ ...asked('.'), tools }] : [])].map(withNewFront);
}

/** Without its reasoning, which templates may drop. */
function textOf(message: ChatMessage): string {
  if (message.role !== 'assistant') return message.text;
  const calls = (message.toolCalls ?? []).map((call) => `${call.name} ${call.arguments}`);
  return [message.text.includes('</think>') ? '' : message.text, ...calls].join('\n');
}

/**
 * Looks at the count of each answer of one endpoint, and finds out whether the server has cut the prompt: it is asked what
 * it holds, and where that does not tell, a server on this machine counts the prompt again in other forms.
 */

import type { Usage } from '../core/context/message.ts';
import type { ChatMessage, ExpectedPrompt, ModelEvent, ModelRequest } from '../core/ports.ts';
import { HIGHEST_FACTOR, LOWEST_FACTOR } from '../core/tokens/calibrate.ts';
import { countTokens, takeTokens } from '../core/tokens/estimate.ts';
import type { Endpoint } from './endpoint.ts';
import type { FactsBook } from './facts/askFacts.ts';
import type { ModelFacts } from './facts/modelFacts.ts';
import { hashText } from './hashText.ts';
import { tellCut, tellDoubt } from './tellCut.ts';

type Done = Extract<ModelEvent, { type: 'done' }>;

/** The tokens that the server counts of a prompt, with one token for the answer; null when it does not say. */
export type Recount = (request: ModelRequest, signal: AbortSignal) => Promise<number | null>;

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
  readonly #endpoint: Endpoint;
  readonly #book: FactsBook;
  readonly #recount: Recount;
  /** By model. */
  readonly #seen = new Map<string, Seen>();
  /** Hashes of the messages behind the last answer, for requests so far. */
  readonly #sent = new Set<string>();
  /** Models whose server was asked after an answer, and did not say what it holds. */
  readonly #silent = new Set<string>();

  constructor(endpoint: Endpoint, book: FactsBook, recount: Recount) {
    this.#endpoint = endpoint;
    this.#book = book;
    this.#recount = recount;
  }

  /** Call before a request is sent. True if the messages behind the last answer go out for the first time. */
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
        const { loopback, origin } = this.#endpoint;
        const isKnown = loopback || whole !== null || facts?.window !== undefined;
        if (isKnown || seen.told || !isDoubtful(evidence, seen.before, isNew)) return { ...done, usage: whole };
        this.#note(request.model, { told: true });
        const notice = tellDoubt({ origin, read: counted, sent: expected.tokens });
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
    // Now the server has loaded the model, and knows with how much.
    const first = loopback && facts?.window === undefined && !this.#silent.has(model);
    if (first || judgeCut(evidence).kind !== 'whole') {
      facts = (await this.#book.ask(model, signal)) ?? facts;
      if (facts?.window === undefined) this.#silent.add(model);
      evidence = { ...given, window: facts?.window ?? null };
    }
    const verdict = judgeCut(evidence);
    if (verdict.kind !== 'unsure') return { facts, verdict };
    // Elsewhere another look at a long prompt would cost money, and small counts have other reasons.
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
      const counted = await this.#recount(part, signal);
      if (counted === null) return null;
      sum += counted - FRAMING;
    }
    return parts && sum;
  }
}

/** Some servers report cached tokens beside the count. Null if these are not the rest; the caller then estimates. */
function completeUsage(usage: Usage, { least, most }: ExpectedPrompt): Usage | null {
  const input = usage.input + usage.cached + (usage.written ?? 0);
  return input >= least && input <= most ? { ...usage, input } : null;
}

/** Characters that are counted: a request is looked at after each answer, and the bounds are wide. */
const SAMPLE = 65_536;

export function expectSent({ messages, tools }: ModelRequest): ExpectedPrompt {
  const inMessages = estimate(messages.map(({ text }) => text));
  // Not every server counts the tools.
  const tokens = inMessages + (tools.length > 0 ? estimate([JSON.stringify(tools)]) : 0);
  return { tokens, grown: 0, least: Math.round(inMessages * LOWEST_FACTOR), most: Math.round(tokens * HIGHEST_FACTOR) };
}

/** Tokens that no earlier request held: of the messages behind the last answer, and with that answer. */
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
 * Whether a server that reported few tokens has cut the prompt without a word, or only counts in another way. Pure.
 * Invariant: a small count alone proves nothing, because some servers count only tokens outside of their cache.
 */
export interface CutEvidence {
  /** Tokens of the prompt that the server reported. */
  readonly counted: number;
  readonly expected: ExpectedPrompt;
  /** Tokens that the server says it holds; null where it does not say. */
  readonly window: number | null;
  /** It was found to count only tokens outside of its cache. */
  readonly isFresh: boolean;
  /** Tokens that no earlier request held: what such a server counts while its cache holds the rest. */
  readonly added: { readonly behind: number; readonly withAnswer: number };
  /** Tokens of the longest prompt of the model that was found to be read whole, as they were estimated. */
  readonly readUpTo: number;
  /** On this machine: one server, one vocabulary, and asking again costs nothing but time. */
  readonly local: boolean;
  /** No new turn has begun, in which templates may leave earlier reasoning out. */
  readonly midTurn: boolean;
}

export type CutVerdict =
  /** Everything was read and counted. */
  | { readonly kind: 'whole' }
  /** Everything was read; the count leaves a part out. */
  | { readonly kind: 'fresh' }
  /** `held`: tokens that the server really holds. */
  | { readonly kind: 'cut'; readonly held: number }
  /** Only counting the prompt in another way would tell. */
  | { readonly kind: 'unsure' };

/** Tokens by which servers differ in counting their own framing. */
const FRAMING = 16;

/** A prompt that is shorter than the last one, where nothing was taken out, has lost something. */
const GROWN_SHARE = 0.97;

/** Below this share of what the server holds, nothing has to be cut. */
const NEARLY_FULL = 0.95;
const HALF_FULL = 0.5;
const FEWER = 0.85;

/** Of the estimate: a vocabulary may need more. */
const MOST_ADDED = 1.25;
const LOOK_AGAIN = 1.25;

/** Tokens. */
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
 * Longer than anything that was found to be read whole, and either the cache did not hold the rest, as after a cut, which
 * changes the beginning, or much was added since.
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
 * Whether few tokens, reported by a server that cannot be asked, are more than a cache that is left out of the count. It
 * is, where they are fewer than what was sent for the first time, just what many servers hold, or the same again for
 * another prompt. `isNew`: what stands behind the last answer was not sent before.
 */
export function isDoubtful({ counted, expected, added }: CutEvidence, before: Counted | null, isNew: boolean): boolean {
  // No server holds so little: it counts tokens that were neither read from its cache nor written to it.
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

/** It may have been longer than the window, and fewer were counted than should be. */
function mayBeCut(counted: number, { tokens, most }: ExpectedPrompt, window: number): boolean {
  if (counted > window || most <= window) return false;
  return tokens > window * NEARLY_FULL || (tokens > window * HALF_FULL && counted < tokens * FEWER);
}

/** The fewest tokens that a server counts that reads everything, as far as it can be known. */
function leastOf({ expected, local, midTurn }: CutEvidence): number {
  return Math.max(expected.least, local && midTurn ? expected.grown * GROWN_SHARE : 0);
}

/**
 * A cut leaves a prompt that fills the window to the last token, or just half of it, as servers do that make room for an
 * answer (Ollama since 0.30: half of what it does not keep from the start).
 */
function isFilled(counted: number, tokens: number, window: number): boolean {
  if (counted > window) return false;
  if (counted >= window - 1) return true;
  if (tokens <= window) return false;
  const half = window - Math.floor(window / 2);
  return counted >= window - FRAMING || (counted >= half && counted <= half + FRAMING);
}

/** Of the window, in estimated tokens: a vocabulary may need twice as many. */
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

/** Each is read whole by a server that holds `window` tokens. Null when there would be too many. */
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

/** Without its reasoning, which templates may leave out. */
function textOf(message: ChatMessage): string {
  if (message.role !== 'assistant') return message.text;
  const calls = (message.toolCalls ?? []).map((call) => `${call.name} ${call.arguments}`);
  return [message.text.includes('</think>') ? '' : message.text, ...calls].join('\n');
}

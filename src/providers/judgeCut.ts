/**
 * Decides whether a server that reported few tokens has silently cut the prompt, or only counts differently. Pure.
 * Invariant: a small count alone proves nothing, because some servers count only tokens outside of their cache.
 */

import type { ExpectedPrompt } from '../core/model/modelClient.ts';
import { LOWEST_FACTOR } from '../core/tokens/calibrate.ts';

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
  /** `window`: the server's real window in tokens. */
  | { readonly kind: 'cut'; readonly window: number }
  /** Only another way of counting would tell. */
  | { readonly kind: 'unsure' };

/** Maximum difference between servers' counts of their own framing, in tokens. */
export const FRAMING = 16;

/** A prompt shorter than the last one, from which nothing was removed, was cut. */
const GROWN_SHARE = 0.97;

/** Below this share of the server's window, nothing has to be cut. */
const NEARLY_FULL = 0.95;

const HALF_FULL = 0.5;

const FEWER = 0.85;

/** Relative to the estimate: a vocabulary may need more. */
const MOST_ADDED = 1.25;

const COUNT_AGAIN = 1.25;

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
  if (isFilled(counted, tokens, window)) return { kind: 'cut', window: window };
  if (local && mayBeCut(counted, expected, window)) {
    return window <= least ? { kind: 'cut', window: window } : { kind: 'unsure' };
  }
  if (counted >= least) return { kind: 'whole' };
  if (window <= least) return { kind: 'cut', window: window };
  return window >= most || tokens <= window * NEARLY_FULL ? { kind: 'fresh' } : { kind: 'unsure' };
}

/**
 * True when the prompt is longer than any that was certainly read whole, and either the cache did not hold the rest, as
 * after a cut, which changes the beginning, or much was added since.
 */
function mayHaveGrownOver({ counted, added, expected, readUpTo }: CutEvidence): boolean {
  if (expected.tokens <= readUpTo) return false;
  return counted > added.withAnswer * MOST_ADDED + FRAMING || expected.tokens > readUpTo * COUNT_AGAIN;
}

/** An earlier answer of the same model. */
export interface Counted {
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
export function leastOf({ expected, local, midTurn }: CutEvidence): number {
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

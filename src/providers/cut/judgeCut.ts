/**
 * Whether a server that reported few tokens has cut the prompt without a word, or only counts in another way. Pure.
 * Invariant: a small count alone proves nothing, because some servers count only what was not in their cache.
 */

import type { ExpectedPrompt } from '../../core/ports.ts';
import { LOWEST_FACTOR } from '../../core/tokens/calibrate.ts';

export interface CutEvidence {
  /** Tokens of the prompt that the server reported. */
  readonly counted: number;
  readonly expected: ExpectedPrompt;
  /** Tokens that the server says it holds; null where it does not say. */
  readonly window: number | null;
  /** It was found to count only what was not in its cache. */
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
export const FRAMING = 16;
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
export interface Counted {
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
  // No server holds so little: it counts what was neither read from its cache nor written to it.
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
export function leastOf({ expected, local, midTurn }: CutEvidence): number {
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

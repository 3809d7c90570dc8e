/**
 * Whether a server that reported few tokens has cut the prompt without a word, or only counts in another way. Pure.
 * Invariant: a small count alone proves nothing, because some servers count only what was not in their cache.
 */

import type { ExpectedPrompt } from '../../core/ports.ts';

export interface CutEvidence {
  /** Tokens of the prompt that the server reported. */
  readonly counted: number;
  readonly expected: ExpectedPrompt;
  /** Tokens that the server says it holds; null where it does not say. */
  readonly window: number | null;
  /** How it was found to count: the whole prompt, or only what was not in its cache. */
  readonly counts: 'whole' | 'fresh' | null;
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

export function judgeCut(evidence: CutEvidence): CutVerdict {
  const { counted, expected, window, counts, local } = evidence;
  const { tokens, least, most } = expected;
  if (window === null) {
    if (counted >= leastOf(evidence)) return { kind: 'whole' };
    if (counts === null) return { kind: 'unsure' };
    return counts === 'fresh' ? { kind: 'fresh' } : { kind: 'cut', held: counted };
  }
  if (isFilled(counted, tokens, window)) return { kind: 'cut', held: window };
  if (local && mayBeCut(counted, expected, window)) {
    return window <= least ? { kind: 'cut', held: window } : { kind: 'unsure' };
  }
  if (counted >= least) return { kind: 'whole' };
  if (window <= least) return { kind: 'cut', held: window };
  return window >= most || tokens <= window * NEARLY_FULL ? { kind: 'fresh' } : { kind: 'unsure' };
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

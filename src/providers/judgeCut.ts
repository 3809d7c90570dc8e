/**
 * Decides whether a server that reported few tokens has silently cut the prompt, or only counts differently. Pure.
 * Invariant: a small count alone proves nothing, because some servers count only tokens outside of their cache. What
 * proves a cut is the window that the server names, or a count that does not grow while results are appended.
 */

import type { ExpectedPrompt } from '../core/model/modelClient.ts';

export interface CutEvidence {
  /** Prompt tokens reported by the server. */
  readonly counted: number;
  readonly expected: ExpectedPrompt;
  /** The window reported by the server; null where it reports none. */
  readonly window: number | null;
  /** Estimated tokens new in this request, with the answer before them: the count of a server that omits its cache. */
  readonly added: number;
  /** The answer before this one of the same model. */
  readonly before: Counted | null;
  /** The lowest count of the same model before: one that was always the same is of no prompt. */
  readonly lowest: number;
  /** A local server: one server with one vocabulary, so that its counts follow from each other. */
  readonly local: boolean;
}

export type Counted = Pick<CutEvidence, 'counted' | 'expected' | 'added'>;

export type CutVerdict =
  /** Everything was read and counted. */
  | { readonly kind: 'whole' }
  /** The count omits a part, and nothing shows that it was not read. */
  | { readonly kind: 'fresh' }
  /** `window`: the server's real window in tokens, as it names it or as far as its counts show it. */
  | { readonly kind: 'cut'; readonly window: number };

/** Maximum difference between servers' counts of their own framing, in tokens. */
const FRAMING = 16;

/** A prompt shorter than the last one, from which nothing was removed, was cut. */
const GROWN_SHARE = 0.97;

/** Relative to the estimate: a vocabulary may need more. */
const MOST_ADDED = 2;

/** No server has such a small window: it counts tokens that were neither read from its cache nor written to it. */
const LEAST_HELD = 1_000;

/** Of the estimate: a count of fewer is doubtful. */
const HALF_READ = 0.75;

/** Of the estimate: a count of as many may be of the whole prompt. */
const WHOLE = 0.85;

/** Of the estimate: a count of more is not of a part. */
const MOST_SENT = 1.25;

/** In estimated tokens: as many must be in a count that grew. */
const TELLING = 100;

/** A window that is hardly more than the instructions ends the session, so only the server's own word is enough for it. */
const MORE_THAN_FIXED = 2;

export function judgeCut(evidence: CutEvidence): CutVerdict {
  const { counted, expected, window } = evidence;
  const { least, most } = expected;
  const unread: CutVerdict = counted >= least ? { kind: 'whole' } : { kind: 'fresh' };
  if (window === null) return fellBehind(evidence) ? { kind: 'cut', window: heldBy(evidence) } : unread;
  if (window >= most || counted > window) return unread;
  if (isFilled(evidence, window)) return { kind: 'cut', window };
  return fellBehind(evidence) || (window <= least && counted < least) ? { kind: 'cut', window } : unread;
}

/** The server read as many tokens at least. */
function heldBy({ counted, before }: CutEvidence): number {
  return Math.max(counted, before && before.counted < before.expected.most ? before.counted : 0);
}

/** True when the count is a window, stands still, or grew by less than the least of what was added. */
function fellBehind(evidence: CutEvidence): boolean {
  const { counted, expected, added, window, local } = evidence;
  const { grown, fixed = 0, tokens, estimated = tokens } = expected;
  if (counted < LEAST_HELD || (window === null && counted < fixed * MORE_THAN_FIXED)) return false;
  if (local && counted < expected.least && isUsualWindow(counted)) return true;
  if (standsStill(evidence)) return true;
  // The count before may have been the wrong one.
  if (window === null && counted > estimated * WHOLE) return false;
  if (!local || counted >= grown * GROWN_SHARE) return false;
  return isMoreThanNew(counted, added) || (window !== null && grown > window);
}

/** Servers are started with powers of two; Ollama since 0.30 leaves half of one and 2. No part of a prompt has just as many. */
const isUsualWindow = (counted: number) =>
  [counted, counted + 1, counted - 2].some((tokens) => Number.isInteger(Math.log2(tokens)));

/** One that omits its cache counts what is new. */
const isMoreThanNew = (counted: number, added: number) => counted > added * MOST_ADDED + FRAMING;

/**
 * True when as many tokens were counted as for a shorter prompt, and fewer than were sent. A server that omits its cache
 * may be sent as much each time.
 */
function standsStill({ counted, expected, added, before, lowest }: CutEvidence): boolean {
  return (
    before !== null &&
    lowest < counted - 1 &&
    counted < (expected.estimated ?? expected.tokens) * MOST_SENT &&
    Math.abs(counted - before.counted) <= 1 &&
    expected.tokens > before.expected.tokens + TELLING &&
    (isMoreThanNew(counted, added) || Math.abs(added - before.added) > added * 0.1 + FRAMING)
  );
}

/**
 * A cut leaves a prompt that fills the window exactly, or exactly half of it on servers that make room for an answer
 * (Ollama since 0.30: half of the part that it does not keep from the start).
 */
function isFilled({ counted, expected }: CutEvidence, window: number): boolean {
  const { tokens, grown } = expected;
  if (counted >= window - 1) return true;
  if (tokens <= window && counted >= Math.max(grown * GROWN_SHARE, tokens * HALF_READ)) return false;
  const half = window - Math.floor(window / 2);
  return counted >= window - FRAMING || (counted >= half && counted <= half + FRAMING);
}

/**
 * How much a summary model is asked at once, and how that shrinks: by the window that it names, or by what it refused.
 * Invariant: nothing as long as a refused request is sent again.
 */

import { ModelError } from '../../errors.ts';
import type { ModelChoice } from '../../ports.ts';
import { type Words, words } from '../../words.ts';

interface LimitOptions {
  readonly outputTokenMax: number;
  /** Reported tokens per estimated token of this model. */
  readonly factor: number;
}

const SMALLEST_INPUT = 1_000;
/** For framing, and for errors of the estimate. */
const MARGIN = 0.1;
/** Each refusal aims at this much of what was refused, this many times in a row. */
const AFTER_REFUSAL = 0.6;
const MOST_REFUSALS = 4;
/** Uncalibrated tokens: less than that holds no task and no history. */
const SMALLEST_ROOM = 300;

/** What earlier refusals left of the model's room, in uncalibrated tokens of input. */
export interface RoomMemory {
  /** Infinite before the first refusal. */
  readonly left: () => number;
  readonly lower: (tokens: number) => void;
}

export function roomMemory(): RoomMemory {
  let left = Number.POSITIVE_INFINITY;
  return {
    left: () => left,
    lower: (tokens) => {
      left = Math.min(left, tokens);
    },
  };
}

export interface Limits {
  /** Uncalibrated tokens. */
  readonly input: number;
  /** Tokens. */
  readonly output: number;
  /** How the length of an answer can be raised. */
  readonly advice: Words;
}

export function limitsOf(
  { maxOutputTokens }: ModelChoice,
  window: number,
  { outputTokenMax, factor }: LimitOptions,
): Limits {
  const output = Math.min(outputTokenMax, maxOutputTokens ?? outputTokenMax, window >> 2);
  const room = ((window - output) * (1 - MARGIN)) / factor;
  const input = Math.max(Math.min(SMALLEST_INPUT, window >> 1), Math.floor(room));
  return {
    input,
    output,
    advice: output === outputTokenMax ? RAISE_LIMIT : output === maxOutputTokens ? RAISE_MODELS_LIMIT : ANOTHER_MODEL,
  };
}

const RAISE_LIMIT = words(
  'Raise palimpsest.compaction.summary.outputTokenMax, or choose a model that thinks less in palimpsest.compaction.summary.model.',
);
const RAISE_MODELS_LIMIT = words(
  'Raise the model’s maxOutputTokens in the settings of its endpoint, or choose a model that thinks less in palimpsest.compaction.summary.model.',
);
export const ANOTHER_MODEL = words('Choose another model in palimpsest.compaction.summary.model.');

export function tooLarge(model: string, tokens: number, room: number): ModelError {
  return new ModelError('overflow', [
    ...words(
      'What is to be summarised has about {0} tokens, and the summary model {1} accepts {2}.',
      tokens,
      model,
      room,
    ),
    ...ANOTHER_MODEL,
  ]);
}

export function refusedForGood(model: string, times: number, tokens: number, said: string | undefined): ModelError {
  return new ModelError('overflow', [
    ...words(
      'The summary model {0} refused {1} requests as too long, the last of about {2} tokens.',
      model,
      times,
      tokens,
    ),
    ...words('Set its true context window, or choose another model in palimpsest.compaction.summary.model.'),
    ...(said ? words('It said: “{0}”', said) : []),
  ]);
}

/** What the next request may hold, in uncalibrated tokens. */
export function roomAfter(refusal: ModelError, sent: number, limits: Limits): number {
  const share = refusal.facts.learnedWindow === undefined ? AFTER_REFUSAL : 1 - MARGIN;
  return Math.max(SMALLEST_ROOM, Math.floor(Math.min(limits.input, sent * share)));
}

/** There is nothing smaller left to try, or it was tried often enough. */
export const isLast = (refusals: number, sent: number): boolean => refusals > MOST_REFUSALS || sent <= SMALLEST_ROOM;

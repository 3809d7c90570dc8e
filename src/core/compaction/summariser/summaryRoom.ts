/**
 * How large a request to a summary model may be, and how that shrinks: by the window that it names, or after its
 * refusals. Invariant: no request as long as a refused one is sent again.
 */

import { ModelError } from '../../errors.ts';
import type { ModelChoice } from '../../model/modelChoice.ts';
import { type Words, words } from '../../words.ts';

const SMALLEST_INPUT = 1_000;

/** For framing, and for errors of the estimate. */
const MARGIN = 0.1;

/** After each refusal, the share of the refused size to try next, and the maximum number of such steps. */
const AFTER_REFUSAL = 0.6;
const MOST_REFUSALS = 4;

/** In uncalibrated tokens: less would hold no task and no history. */
const SMALLEST_ROOM = 300;

export interface Limits {
  /** Uncalibrated tokens. */
  readonly input: number;
  /** In tokens. */
  readonly output: number;
  /** How to allow longer answers. */
  readonly advice: Words;
}

/** `factor`: reported tokens per estimated token of the model. */
export function limitsOf(
  maxOutputTokens: number | undefined,
  window: number,
  outputTokenMax: number,
  factor: number,
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

export function refusedForGood(model: string, times: number, tokens: number, reported: string | undefined): ModelError {
  return new ModelError('overflow', [
    ...words(
      'The summary model {0} refused {1} requests as too long, the last of about {2} tokens.',
      model,
      times,
      tokens,
    ),
    ...words('Set its true context window, or choose another model in palimpsest.compaction.summary.model.'),
    ...(reported ? words('It said: “{0}”', reported) : []),
  ]);
}

/** Size of the next request, in uncalibrated tokens. */
export function roomAfter(refusal: ModelError, sent: number, limits: Limits): number {
  const share = refusal.facts.learnedWindow === undefined ? AFTER_REFUSAL : 1 - MARGIN;
  return Math.max(SMALLEST_ROOM, Math.floor(Math.min(limits.input, sent * share)));
}

/** True when no smaller size is left to try, or it was tried often enough. */
export const isLast = (refusals: number, sent: number): boolean => refusals > MOST_REFUSALS || sent <= SMALLEST_ROOM;

/** A model's input room after refusals, in uncalibrated tokens. Infinite before the first. */
export interface SummaryRoom {
  left: number;
}

/** The rooms of all summary models, kept for the session. */
export class SummaryRooms {
  readonly #rooms = new Map<string, SummaryRoom>();

  /** A window corrected in the settings starts afresh, like another model. */
  of({ client, model, window }: ModelChoice): SummaryRoom {
    const key = JSON.stringify([client.endpoint, model, window]);
    const room = this.#rooms.get(key) ?? { left: Number.POSITIVE_INFINITY };
    this.#rooms.set(key, room);
    return room;
  }
}

/**
 * How large a request to a summary model may be, and how that shrinks: by the window that it names, or after its
 * refusals. Invariant: no request as long as a refused one is sent again.
 */

import { ModelError } from '../../errors.ts';
import type { ModelChoice } from '../../model/modelChoice.ts';
import { type Words, words } from '../../words.ts';

/** For an unknown window: every current model accepts as many. */
const ASSUMED_WINDOW = 32_000;

const SMALLEST_INPUT = 1_000;

/** For framing, and for errors of the estimate. */
const MARGIN = 0.1;

/** After each refusal, the share of the refused size to try next, and the maximum number of such steps. */
const AFTER_REFUSAL = 0.6;
const MOST_REFUSALS = 4;

/** In uncalibrated tokens: less would hold no task and no history. */
const SMALLEST_ROOM = 300;

const RAISE_LIMIT = words(
  'Raise palimpsest.compaction.summary.outputTokenMax, or choose a model that thinks less in palimpsest.compaction.summary.model.',
);

const RAISE_MODELS_LIMIT = words(
  'Raise the model’s maxOutputTokens in the settings of its endpoint, or choose a model that thinks less in palimpsest.compaction.summary.model.',
);

export const ANOTHER_MODEL = words('Choose another model in palimpsest.compaction.summary.model.');

interface Bounds {
  /** The setting: maximum length of a summary, in tokens. */
  readonly outputTokenMax: number;
  /** Reported tokens per estimated token of the model. Default: 1. */
  readonly factor?: number;
}

/** The input room that refusals left, in uncalibrated tokens. Infinite before the first. */
interface Left {
  tokens: number;
}

/** The room of one run's requests. */
export class SummaryRoom {
  readonly #choice: ModelChoice | null;
  readonly #bounds: Bounds;
  readonly #left: Left;
  #window: number;
  #refusals = 0;
  /** The last request refused as too long, since one was accepted. */
  #refused: { readonly sent: number; readonly reported: string | undefined } | null = null;

  /** `left`: of earlier runs, and for later ones. Default: only of this one. */
  constructor(choice: ModelChoice | null, bounds: Bounds, left: Left = { tokens: Number.POSITIVE_INFINITY }) {
    this.#choice = choice;
    this.#bounds = bounds;
    this.#left = left;
    this.#window = choice?.window || ASSUMED_WINDOW;
  }

  /** Maximum size of a request, in uncalibrated tokens; 0 without a model. */
  get input(): number {
    if (!this.#choice) return 0;
    const room = ((this.#window - this.output) * (1 - MARGIN)) / (this.#bounds.factor ?? 1);
    return Math.min(Math.max(Math.min(SMALLEST_INPUT, this.#window >> 1), Math.floor(room)), this.#left.tokens);
  }

  /** Maximum length of an answer, in tokens: less than the setting where the model or its window allows less. */
  get output(): number {
    const { outputTokenMax } = this.#bounds;
    return Math.min(outputTokenMax, this.#choice?.maxOutputTokens ?? outputTokenMax, this.#window >> 2);
  }

  /** How to allow answers longer than `limit` tokens. */
  adviceAt(limit: number): Words {
    const { output } = this;
    if (limit < output) return ANOTHER_MODEL;
    if (output === this.#bounds.outputTokenMax) return RAISE_LIMIT;
    return output === this.#choice?.maxOutputTokens ? RAISE_MODELS_LIMIT : ANOTHER_MODEL;
  }

  /** Call when a request was answered: the refusals before it are over. */
  accepted(): void {
    [this.#refusals, this.#refused] = [0, null];
  }

  /**
   * Reduces the room below the `sent` tokens that were refused. The size to try next, or the error when no smaller one
   * is left, or enough were tried.
   */
  shrink(refusal: ModelError, sent: number): number | ModelError {
    const { learnedWindow, reported } = refusal.facts;
    if (learnedWindow !== undefined) this.#window = Math.min(learnedWindow, this.#choice?.window || learnedWindow);
    const share = learnedWindow === undefined ? AFTER_REFUSAL : 1 - MARGIN;
    const next = Math.max(SMALLEST_ROOM, Math.floor(Math.min(this.input, sent * share)));
    this.#left.tokens = Math.min(this.#left.tokens, next);
    this.#refusals++;
    this.#refused = { sent, reported };
    return this.#refusals > MOST_REFUSALS || sent <= SMALLEST_ROOM ? this.#refusedForGood(sent, reported) : next;
  }

  /** For a request of `size` tokens that must not be cut, and is larger than the room. */
  tooLarge(size: number): ModelError {
    if (this.#refused) return this.#refusedForGood(this.#refused.sent, this.#refused.reported);
    return new ModelError('overflow', [
      ...words(
        'What is to be summarised has about {0} tokens, and the summary model {1} accepts {2}.',
        size,
        this.#model,
        this.input,
      ),
      ...ANOTHER_MODEL,
    ]);
  }

  get #model(): string {
    return this.#choice?.model ?? '';
  }

  #refusedForGood(sent: number, reported: string | undefined): ModelError {
    return new ModelError('overflow', [
      ...words(
        'The summary model {0} refused {1} requests as too long, the last of about {2} tokens.',
        this.#model,
        this.#refusals,
        sent,
      ),
      ...words('Set its true context window, or choose another model in palimpsest.compaction.summary.model.'),
      ...(reported ? words('It said: “{0}”', reported) : []),
    ]);
  }
}

/** The room that refusals left in all summary models, kept for the session. */
export class SummaryRooms {
  readonly #left = new Map<string, Left>();

  /** A window corrected in the settings starts afresh, like another model. */
  of({ client, model, window }: ModelChoice): Left {
    const key = JSON.stringify([client.endpoint, model, window]);
    const left = this.#left.get(key) ?? { tokens: Number.POSITIVE_INFINITY };
    this.#left.set(key, left);
    return left;
  }
}

/**
 * How large a request to a summary model may be, and how that shrinks: by the window that it names, or after its
 * refusals. Invariant: no request as long as a refused one is sent again.
 */

import type { Timers } from '../../clock.ts';
import { ModelError } from '../../errors.ts';
import type { ChatMessage, ModelEvent } from '../../model/modelClient.ts';
import { countInTurns, countTokens, takeTokens, wellFormedEnd } from '../../tokens/estimate.ts';
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

/** Size of the next request, in uncalibrated tokens. */
export function roomAfter(refusal: ModelError, sent: number, limits: Limits): number {
  const share = refusal.facts.learnedWindow === undefined ? AFTER_REFUSAL : 1 - MARGIN;
  return Math.max(SMALLEST_ROOM, Math.floor(Math.min(limits.input, sent * share)));
}

/** True when no smaller size is left to try, or it was tried often enough. */
export const isLast = (refusals: number, sent: number): boolean => refusals > MOST_REFUSALS || sent <= SMALLEST_ROOM;

/** Fits a prompt to a model's room: one request, with its middle cut out if it is too long. */
const CUT = '\n[… the middle of this text was left out because it did not fit …]\n';

/** An overlong prompt keeps its beginning, with the instructions, and its end, which is newest. */
export async function fitPrompt(
  system: string,
  prompt: string,
  maxTokens: number,
  timers: Timers,
): Promise<ChatMessage[]> {
  const room = maxTokens - countTokens(system);
  let text = prompt;
  if ((await countInTurns(prompt, timers)) > room) {
    const head = takeTokens(prompt, Math.max(0, Math.floor(room * 0.3)));
    let tail = prompt.slice(head.length);
    let length = Math.min(tail.length, room * 8);
    while (length > 0 && (await countInTurns(tail.slice(-length), timers)) > room * 0.65)
      length = Math.floor(length * 0.8);
    tail = wellFormedEnd(tail, length);
    text = `${head}${CUT}${tail}`;
  }
  const user: ChatMessage = { role: 'user', text };
  return system ? [{ role: 'system', text: system }, user] : [user];
}

/** Extracts a summary from a model's answer, or explains why it contains none and what can be done. Pure. */
type Done = Extract<ModelEvent, { type: 'done' }>;

/**
 * Some providers ignore the limit: an answer far above it is cut, so that a summary cannot outgrow the messages it
 * replaces.
 */
const OVERRUN = 1.5;

/** `advice`: how to allow longer answers. Throws `ModelError`. */
export function readSummary(
  done: Done,
  model: string,
  maxOutputTokens: number,
  advice: Words,
  tag?: string,
): { text: string; truncated: boolean } {
  if (done.finish === 'contentFilter') {
    throw new ModelError('badRequest', "The provider's content filter refused the summary.");
  }
  if (done.cutTo !== undefined) {
    const said = words('{0} read only a part of the text that it should summarise.', model);
    throw new ModelError('overflow', said, { learnedWindow: done.cutTo });
  }
  if (done.finish === 'overflow' || hadNoRoom(done))
    throw new ModelError('overflow', 'The text to summarise did not fit the summary model.');
  // A model that calls tools although none were offered has not answered; text next to the calls is used.
  const text = extract(done.text, tag).trim();
  if (text === '') throw emptyAnswer(done, model, maxOutputTokens, advice, tag);
  const inflated = countTokens(text) > maxOutputTokens * OVERRUN;
  return {
    text: (inflated ? takeTokens(text, maxOutputTokens) : text).toWellFormed(),
    truncated: inflated || done.finish === 'length',
  };
}

/** The server allowed no output tokens. */
const hadNoRoom = ({ finish, text, reasoning, usage }: Done) =>
  finish === 'length' && !text && !reasoning && usage !== null && usage.output <= 1;

function emptyAnswer(
  { finish, text, reasoning, toolCalls }: Done,
  model: string,
  limit: number,
  advice: Words,
  tag = '',
): ModelError {
  if (finish === 'length') {
    const said = reasoning
      ? words(
          'The summary model {0} used all {1} tokens of its answer for reasoning and wrote no summary.',
          model,
          limit,
        )
      : words(
          'The answer from the summary model {0} was cut off at its limit of {1} tokens before it had a summary.',
          model,
          limit,
        );
    return new ModelError('interrupted', [...said, ...advice], { retryable: false });
  }
  const said =
    text.trim() !== ''
      ? words('The summary model left its <{0}> tags empty.', tag)
      : toolCalls.length > 0
        ? words('The summary model called a tool instead of writing a summary.')
        : reasoning
          ? [...words('The summary model {0} only thought, and wrote no summary.', model), ...ANOTHER_MODEL]
          : words('The summary model gave an empty answer.');
  return new ModelError('interrupted', said, { retryable: true });
}

/**
 * The inside of `<tag>`, even with its end cut off; the whole text where the model omitted the tags. Empty when the
 * tags are empty: text around them is not a summary.
 */
function extract(text: string, tag: string | undefined): string {
  const start = tag === undefined ? -1 : text.indexOf(`<${tag}>`);
  if (tag === undefined || start < 0) return text;
  const inside = text.slice(start + tag.length + 2);
  const end = inside.lastIndexOf(`</${tag}>`);
  return end < 0 ? inside : inside.slice(0, end);
}

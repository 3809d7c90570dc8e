/** Extracts a summary from a model's answer, or explains why it contains none and what can be done. Pure. */

import { ModelError } from '../../errors.ts';
import type { ModelEvent } from '../../model/modelClient.ts';
import { countTokens, takeTokens } from '../../tokens/estimate.ts';
import { type Words, words } from '../../words.ts';
import { ANOTHER_MODEL } from './summaryRoom.ts';

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
    const reason = words('{0} read only a part of the text that it should summarise.', model);
    throw new ModelError('overflow', reason, { learnedWindow: done.cutTo });
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
    const reason = reasoning
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
    return new ModelError('interrupted', [...reason, ...advice], { retryable: false });
  }
  const reason =
    text.trim() !== ''
      ? words('The summary model left its <{0}> tags empty.', tag)
      : toolCalls.length > 0
        ? words('The summary model called a tool instead of writing a summary.')
        : reasoning
          ? [...words('The summary model {0} only thought, and wrote no summary.', model), ...ANOTHER_MODEL]
          : words('The summary model gave an empty answer.');
  return new ModelError('interrupted', reason, { retryable: true });
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

/** Extracts a summary from a model's answer, or explains why it contains none and what can be done. Pure. */

import { ModelError } from '../../errors.ts';
import { parseJson } from '../../json.ts';
import { withoutOuterFence } from '../../model/codeRanges.ts';
import type { ModelEvent } from '../../model/modelClient.ts';
import { splitThinking } from '../../model/thinking.ts';
import { countTokens, takeTokens } from '../../tokens/estimate.ts';
import { type Words, words } from '../../words.ts';
import { cutAtSentence } from '../strategies/summaryLimits.ts';
import { ANOTHER_MODEL } from './summaryRoom.ts';
import { readTag } from './tagContent.ts';

type Done = Extract<ModelEvent, { type: 'done' }>;

/**
 * `advice`: how to allow longer answers. The text has at most `maxOutputTokens`, whatever the provider made of the limit;
 * only a JSON value stays whole, because its reader measures what it makes of it. Throws `ModelError`.
 */
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
  const { answer, thinking: before } = splitThinking(withoutOuterFence(done.text));
  const tagged = tag === undefined ? null : readTag(answer, tag);
  // Some models think on between the tags.
  const { answer: notes, thinking: within } = splitThinking(tagged ?? answer);
  const thinking = before + within;
  const text = withoutOuterFence(notes).trim().toWellFormed();
  if (text.replace(EMPTY_SECTIONS, '').trim() === '') {
    throw emptyAnswer(done, thinking, tagged === null ? undefined : tag, model, maxOutputTokens, advice);
  }
  if (isRefusal(text)) {
    const reason = words('The summary model {0} refused to write the summary: “{1}”', model, text);
    throw new ModelError('interrupted', [...reason, ...ANOTHER_MODEL], { retryable: true });
  }
  const isTooLong = countTokens(text) > maxOutputTokens && !isJson(text);
  return {
    text: isTooLong ? cutAtSentence(text, takeTokens(text, maxOutputTokens).length) : text,
    truncated: isTooLong || done.finish === 'length',
  };
}

/** The server allowed no output tokens. */
const hadNoRoom = ({ finish, text, reasoning, usage }: Done) =>
  finish === 'length' && !text && !reasoning && usage !== null && usage.output <= 1;

/** Sections with nothing in them are no answer. */
const EMPTY_SECTIONS = /<\/?[a-z_][\w-]*>/gi;

const isJson = (text: string) => /^[{[]/.test(text) && parseJson(text) !== undefined;

/** In characters: a longer text says more than that the model will not write. */
const LONGEST_REFUSAL = 400;

const CANNOT = "(?:can['’]?t|cannot|can not|won['’]t|will not|(?:am|['’]m) (?:unable|not able) to|must decline to)";
const WRITE =
  '(?:help|assist|comply|do that|do this|provide|summari[sz]e|fulfil|continue|engage|create|generate|process|answer|write|share)';

const REFUSAL = new RegExp(
  [
    String.raw`^(?:(?:i['’]m|i am|we['’]re|we are) )?(?:so |very |really )?(?:sorry|afraid)\b.{0,20}\b(?:i|we)(?: ${CANNOT}|['’]m (?:unable|not able))`,
    "^(?:i[’']m |i am )?(?:very |really )?sorry[.!]?$",
    String.raw`^(?:i apologi[sz]e, but |unfortunately, |as an ai[^,.]*, )?(?:i|we) ?${CANNOT} ${WRITE}\b`,
    '^(?:很|非常)?(?:抱歉|对不起)[，,。！! ]?.{0,6}(?:无法|不能|没办法)',
    '^我(?:无法|不能|没办法)(?:提供|协助|帮助|满足|完成|总结|回答|继续)',
  ].join('|'),
  'iu',
);

/** The model says that it does not write the summary, and nothing else. */
const isRefusal = (text: string) => text.length <= LONGEST_REFUSAL && REFUSAL.test(text);

/** `tag`: the one whose content is empty. */
function emptyAnswer(
  { finish, reasoning, toolCalls }: Done,
  thinking: string,
  tag: string | undefined,
  model: string,
  limit: number,
  advice: Words,
): ModelError {
  const thought = reasoning !== undefined || thinking !== '';
  if (finish === 'length') {
    const reason = thought
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
    tag !== undefined
      ? words('The summary model left its <{0}> tags empty.', tag)
      : toolCalls.length > 0
        ? words('The summary model called a tool instead of writing a summary.')
        : thought
          ? [...words('The summary model {0} only thought, and wrote no summary.', model), ...ANOTHER_MODEL]
          : words('The summary model gave an empty answer.');
  return new ModelError('interrupted', reason, { retryable: true });
}

/** A message cut to about a quarter: beginning and end of its text, the beginning of long arguments, images by name. */

import type { ContextMessage } from '../../../api/index.ts';
import { countTokens } from '../../tokens/estimate.ts';
import { neutraliseNotes } from '../../tools/text/neutralise.ts';
import type { Change, Draft } from '../draft/draft.ts';
import type { Stamp } from '../draft/stub.ts';
import { holdsImages, takeImages } from '../images/nameImages.ts';
import { previewArguments, shortenMiddle } from '../strategies/shorten.ts';

/** Tokens below which a text is left alone, and that a shortened one keeps at least. */
export const SHORTEST = 100;
const SHARE = 1 / 4;
/** What a note of a cut costs. */
const NOTE = 20;

/** From the message as it was before any decision; null when nothing in it is long. */
export function shorten(draft: Draft, index: number, stamp: Stamp): Change | null {
  const message = draft.history.messages[index] as ContextMessage;
  const untouched = draft.decide([[index, { kind: 'undecided' }]]);
  const images = holdsImages(untouched, index) ? takeImages(untouched, index, stamp).images : undefined;
  const text = cut(message.text, (kept) => neutraliseNotes(shortenMiddle(message.text, kept, countTokens)));
  const given = message.role === 'assistant' ? message.toolCalls.map((call) => call.arguments) : [];
  const json = given.map((each) => cut(each, (kept) => previewArguments(each, kept, countTokens)) ?? each);
  const inCalls = json.some((each, i) => each !== given[i]);
  if (text === null && !inCalls && images === undefined) return null;
  return {
    kind: 'replace',
    ...(text === null ? {} : { text }),
    ...(inCalls ? { arguments: json } : {}),
    ...(images === undefined ? {} : { images }),
  };
}

function cut(text: string, make: (tokens: number) => string): string | null {
  const tokens = countTokens(text);
  if (tokens <= SHORTEST + NOTE) return null;
  const made = make(Math.max(SHORTEST, Math.round(tokens * SHARE)));
  return countTokens(made) < tokens ? made : null;
}

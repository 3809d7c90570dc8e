/** A model that only tells that it was asked, and one that is asked only as the continuation of the last request. */

import { ModelError } from '../../errors.ts';
import { continuationOf, offerContinuation } from '../continued/continuation.ts';
import type { Summariser } from '../run/summarise.ts';

/** `asked` is called with the first question, which is never answered. */
export function unaskedModel(llm: Summariser, asked: () => void): Summariser {
  const refuse = () => {
    asked();
    return Promise.reject(new ModelError('aborted', 'No model is asked here.'));
  };
  const watched: Summariser = { ...llm, maxInputTokens: llm.maxInputTokens, complete: refuse };
  return continuationOf(llm) ? offerContinuation(watched, refuse) : watched;
}

/** A question in a form of its own would be read at the full price. */
export function onlyContinued(llm: Summariser): Summariser {
  const refuse = () =>
    Promise.reject(new ModelError('notFound', 'A summary is prepared only where it continues the last request.'));
  const cheap: Summariser = { ...llm, maxInputTokens: llm.maxInputTokens, complete: refuse };
  const ask = continuationOf(llm);
  return ask ? offerContinuation(cheap, ask) : cheap;
}

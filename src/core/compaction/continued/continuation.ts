/**
 * A question to the summary model that goes on from the session's last request, so that nearly all of it is read from the
 * prompt cache. Only the product's own strategies find the way to ask so: a model asked so sees the header, too.
 */

import type { ContextMessage, SummaryModel } from '../../../api/index.ts';

export interface ContinuedQuestion {
  /** The messages that the answer will stand for, the notes that it replaces included. */
  readonly covers: readonly ContextMessage[];
  /** What is to be written about the conversation above it. */
  readonly task: string;
  readonly maxOutputTokens: number;
  /** As that of `SummaryModel.complete`. */
  readonly tag?: string;
  readonly signal: AbortSignal;
}

export type Answer = Awaited<ReturnType<SummaryModel['complete']>>;

/** Null where the question is to be asked in a form of its own. Rejects with `ModelError` as `complete` does. */
export type AskContinued = (question: ContinuedQuestion) => Promise<Answer | null>;

const offered = new WeakMap<SummaryModel, AskContinued>();

/** The same model, which can be asked so from now on. */
export function offerContinuation<M extends SummaryModel>(llm: M, ask: AskContinued): M {
  offered.set(llm, ask);
  return llm;
}

/** Null where the model cannot be asked so. */
export function continuationOf(llm: SummaryModel): AskContinued | null {
  return offered.get(llm) ?? null;
}

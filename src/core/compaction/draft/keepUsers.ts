/**
 * What a person wrote stays word for word up to a budget, whatever a strategy made of it. Newest first, each where it
 * stood; a message that does not fit is left to the summary and the ledger.
 */

import type { ContextMessage } from '../../../api/index.ts';
import { type Draft, UNDECIDED } from './draft.ts';

/** The draft with dropped user messages back in place, of at most `budget` uncalibrated tokens together. */
export function keepUsers(draft: Draft, budget: number): Draft {
  if (budget <= 0) return draft;
  const back: number[] = [];
  let left = budget;
  for (const index of draft.dropped().reverse()) {
    const message = draft.history.messages[index] as ContextMessage;
    if (message.role !== 'user' || message.kind !== 'user' || message.tokens > left) continue;
    left -= message.tokens;
    back.push(index);
  }
  return back.length ? draft.decide(back.map((index) => [index, UNDECIDED] as const)) : draft;
}

/** Keeps a person's own messages word for word, whatever a strategy dropped. */

import type { ContextMessage } from '../../../api/index.ts';
import { type Draft, UNDECIDED } from './draft.ts';
import { isPerson } from './messageKinds.ts';

/** Restores dropped user messages to the draft, up to `budget` uncalibrated tokens in total. */
export function keepUsers(draft: Draft, budget: number): Draft {
  if (budget <= 0) return draft;
  const back: number[] = [];
  let left = budget;
  for (const index of draft.dropped().reverse()) {
    const message = draft.history.messages[index] as ContextMessage;
    if (!isPerson(message) || message.tokens > left) continue;
    left -= message.tokens;
    back.push(index);
  }
  return back.length ? draft.decide(back.map((index) => [index, UNDECIDED] as const)) : draft;
}

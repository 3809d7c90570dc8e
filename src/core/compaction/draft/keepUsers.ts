/**
 * B10: what a person wrote stays word for word up to a budget, whatever a strategy made of it. Newest first, each where it
 * stood; a message that does not fit is left to the summary and the ledger.
 */

import type { ContextMessage } from '../../../api/index.ts';
import { type Candidate, CandidateBuilder, droppedIndices, rangeOf } from './candidate.ts';

/** The candidate with dropped user messages back in place, of at most `budget` uncalibrated tokens together. */
export function keepUsers(history: readonly ContextMessage[], candidate: Candidate, budget: number): Candidate {
  if (budget <= 0) return candidate;
  const gone = [...droppedIndices(candidate, history.length)].filter((index) => isPerson(history[index]));
  const back = new Set<number>();
  let left = budget;
  for (const index of gone.toReversed()) {
    const { tokens } = history[index] as ContextMessage;
    if (tokens > left) continue;
    left -= tokens;
    back.add(index);
  }
  if (back.size === 0) return candidate;
  const builder = new CandidateBuilder();
  const waiting = gone.filter((index) => back.has(index));
  const placeBefore = (end: number) => {
    while (waiting.length > 0 && (waiting[0] as number) < end) builder.keep(waiting.shift() as number);
  };
  for (const slot of candidate) {
    placeBefore(rangeOf(slot)?.[0] ?? 0);
    builder.push(slot);
  }
  placeBefore(history.length);
  return builder.build();
}

const isPerson = (message: ContextMessage | undefined) => message?.role === 'user' && message.kind === 'user';

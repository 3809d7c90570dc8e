/**
 * Some servers refuse what is too long without a word. Whether that was the reason, the status alone cannot say: the
 * size of what was refused does.
 */

import { ModelError } from '../errors.ts';
import { words } from '../words.ts';

/** Estimates are rough, and a server may count the room for the answer too. */
const NEAR = 0.7;
/** Tokens that are compared with where nobody knows the window: what every current model takes. */
const ASSUMED_WINDOW = 32_000;

/**
 * The refusal itself, unless it is an overflow by its status alone and the request of `tokens` was far from filling
 * `room` (0: unknown). Then it is a request that was refused for a reason that nobody told.
 */
export function settleGuess(error: ModelError, tokens: number, room: number): ModelError {
  if (error.kind !== 'overflow' || !error.facts.guessed || tokens >= NEAR * (room || ASSUMED_WINDOW)) return error;
  const { status = 0, said } = error.facts;
  const refused = room
    ? words(
        'The provider refused the request (status {0}). It has about {1} of {2} tokens, so it is probably not too long.',
        status,
        tokens,
        room,
      )
    : words(
        'The provider refused the request (status {0}). It has about {1} tokens, so it is probably not too long.',
        status,
        tokens,
      );
  const why = said
    ? words('It said: “{0}”', said)
    : words('It gave no reason. Look at its log or status page, or choose another model.');
  return new ModelError('badRequest', [...refused, ...why], { ...error.facts, cause: error });
}

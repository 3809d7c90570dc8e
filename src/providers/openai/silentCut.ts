/**
 * Ollama and its like cut the beginning off a request that is longer than the context they were started with, and answer
 * as if nothing had happened. The count of prompt tokens gives it away.
 */

import type { Usage } from '../../core/context/message.ts';
import type { ModelRequest } from '../../core/ports.ts';
import { countTokens } from '../../core/tokens/estimate.ts';
import { type Words, words } from '../../core/words.ts';

/** Tokens. Below it, framing and estimate differ too much to say anything. */
const SMALLEST_REQUEST = 3_000;

/** Characters that are counted of a request: it is looked at after each answer, and half of the tokens is a coarse measure. */
const SAMPLE = 65_536;

/** From the beginning of each message, in proportion to its length. */
function estimateSent({ messages }: ModelRequest): number {
  const characters = messages.reduce((sum, { text }) => sum + text.length, 0);
  const share = Math.min(1, SAMPLE / Math.max(1, characters));
  const counted = messages.reduce(
    (sum, { text }) => sum + countTokens(text.slice(0, Math.ceil(text.length * share))),
    0,
  );
  return Math.round(counted / share);
}

/** Words for a person when the server counted less than half of what was sent; null otherwise. */
export function findSilentCut(usage: Usage | null, request: ModelRequest): Words | null {
  if (!usage) return null;
  const sent = estimateSent(request);
  if (sent < SMALLEST_REQUEST || usage.input * 2 > sent) return null;
  return words(
    '{0} counted {1} tokens where about {2} were sent: its server seems to have cut off the beginning. Start it with a larger context (Ollama: num_ctx) or set a context window that fits it.',
    request.model,
    usage.input.toLocaleString('en-US'),
    sent.toLocaleString('en-US'),
  );
}

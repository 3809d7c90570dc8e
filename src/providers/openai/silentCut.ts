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

/** Words for a person when the server counted less than half of what was sent; null otherwise. */
export function findSilentCut(usage: Usage | null, request: ModelRequest): Words | null {
  if (!usage) return null;
  const sent = request.messages.reduce((sum, message) => sum + countTokens(message.text), 0);
  if (sent < SMALLEST_REQUEST || usage.input * 2 > sent) return null;
  return words(
    '{0} counted {1} tokens where about {2} were sent: its server seems to have cut off the beginning. Start it with a larger context (Ollama: num_ctx) or set a context window that fits it.',
    request.model,
    usage.input.toLocaleString('en-US'),
    sent.toLocaleString('en-US'),
  );
}

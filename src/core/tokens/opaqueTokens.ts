/**
 * Tokens of reasoning that nobody here can read. It comes as base64, of which a part is the encryption's own: as text it
 * would count several times too much. Providers put it before the model while a loop of calls is open, and no longer.
 */

import type { Context } from '../context/item.ts';
import type { Reasoning } from '../context/message.ts';
import { openLoop } from '../context/protect.ts';
import { opaqueLength, reasoningFor } from '../context/reasoning.ts';

/** What encryption adds, as far as it can be seen from outside. */
const HEADER_BYTES = 650;
const BYTES_PER_TOKEN = 4;

export function opaqueTokens(reasoning: Pick<Reasoning, 'items'>): number {
  const bytes = (opaqueLength(reasoning) * 3) / 4;
  return bytes === 0 ? 0 : Math.max(1, Math.round((bytes - HEADER_BYTES) / BYTES_PER_TOKEN));
}

/** Of the loop of calls that is still open. The estimates of the items do not hold it. */
export function opaqueTokensInLoop({ conversation, configured = null }: Context): number {
  let tokens = 0;
  for (const { message } of openLoop(conversation)) {
    const reasoning = message.role === 'assistant' ? reasoningFor(message, configured) : null;
    if (reasoning) tokens += opaqueTokens(reasoning);
  }
  return tokens;
}

/** Counts long texts in slices and lets others work between two of them: no text, however long, holds the process up. */

import type { Message } from '../context/message.ts';
import type { Timers } from '../ports.ts';
import { countTokens, estimateMessage, slicesOf } from './estimate.ts';

/** The same number as `countTokens`. */
export async function countInTurns(text: string, timers: Timers): Promise<number> {
  let tokens = 0;
  let begun = false;
  for (const slice of slicesOf(text)) {
    if (begun) await new Promise<void>((resolve) => timers.after(0, resolve));
    begun = true;
    tokens += countTokens(slice);
  }
  return tokens;
}

/** The same number as `estimateMessage`. */
export async function estimateInTurns(message: Message, timers: Timers): Promise<number> {
  const known = new Map<string, number>();
  for (const text of textsOf(message)) known.set(text, await countInTurns(text, timers));
  return estimateMessage(message, (text) => known.get(text) ?? countTokens(text));
}

/** Those that may be long. */
function textsOf(message: Message): readonly string[] {
  if (message.role !== 'assistant') return [message.text];
  const { text, reasoning, toolCalls = [] } = message;
  return [text, ...(reasoning ? [reasoning.text] : []), ...toolCalls.map((call) => call.arguments)];
}

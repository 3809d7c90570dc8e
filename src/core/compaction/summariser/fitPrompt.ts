/** Fits a prompt to a model's room: one request, with its middle cut out if it is too long. */

import type { Timers } from '../../clock.ts';
import type { ChatMessage } from '../../model/modelClient.ts';
import { countInTurns, countTokens, takeTokens, wellFormedEnd } from '../../tokens/estimate.ts';

const CUT = '\n[… the middle of this text was left out because it did not fit …]\n';

/** An overlong prompt keeps its beginning, with the instructions, and its end, which is newest. */
export async function fitPrompt(
  system: string,
  prompt: string,
  maxTokens: number,
  timers: Timers,
): Promise<ChatMessage[]> {
  const room = maxTokens - countTokens(system);
  let text = prompt;
  if ((await countInTurns(prompt, timers)) > room) {
    const head = takeTokens(prompt, Math.max(0, Math.floor(room * 0.3)));
    let tail = prompt.slice(head.length);
    let length = Math.min(tail.length, room * 8);
    while (length > 0 && (await countInTurns(tail.slice(-length), timers)) > room * 0.65)
      length = Math.floor(length * 0.8);
    tail = wellFormedEnd(tail, length);
    text = `${head}${CUT}${tail}`;
  }
  const user: ChatMessage = { role: 'user', text };
  return system ? [{ role: 'system', text: system }, user] : [user];
}

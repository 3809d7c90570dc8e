/** The usage of a request whose provider counted nothing. */

import type { Timers } from '../clock.ts';
import type { Usage } from '../context/message.ts';
import type { ModelRequest } from '../model/modelClient.ts';
import { countInTurns, countTokens } from './estimate.ts';

/** Uncalibrated. `text`: the answer. */
export async function estimateUsage(
  { messages, tools }: Pick<ModelRequest, 'messages' | 'tools'>,
  text: string,
  timers: Timers,
): Promise<Usage> {
  let input = tools.length > 0 ? await countInTurns(JSON.stringify(tools), timers) : 0;
  for (const message of messages) {
    const calls = message.role === 'assistant' ? (message.toolCalls ?? []) : [];
    for (const part of [message.text, ...calls.map((call) => call.arguments)])
      input += await countInTurns(part, timers);
  }
  return { input, cached: 0, output: countTokens(text), reasoning: 0 };
}

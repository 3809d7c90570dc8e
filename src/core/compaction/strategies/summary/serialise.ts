/**
 * A history as text for a summariser, one message after the other, and in chunks that each fit a number of tokens.
 * Nothing is left out but what cannot fit into a whole chunk.
 */

import type { ContextMessage } from '../../../../api/index.ts';
import { shortenMiddle } from '../shorten.ts';

function serialiseMessage(message: ContextMessage): string {
  switch (message.role) {
    case 'user':
      return `[${message.kind === 'user' ? 'user' : `${message.kind}, not written by the user`}]\n${message.text}`;
    case 'assistant': {
      const calls = message.toolCalls.map((call) => `[calls ${call.name} ${call.arguments}]`);
      return ['[assistant]', message.text, ...calls].filter(Boolean).join('\n');
    }
    case 'tool':
      return `[${message.isError ? 'error' : 'result'} of ${message.toolName}]\n${message.text}`;
  }
}

export interface Chunk {
  readonly text: string;
  /** How many of the messages are in this chunk and the ones before it. */
  readonly until: number;
}

/** What a label costs. */
const LABEL = 10;
const LONG = 4_000;

/** A long text was counted when it was appended. One that was shortened since has more tokens to its name than can be. */
function costOf({ tokens }: ContextMessage, text: string, count: (text: string) => number): number {
  return text.length > LONG && tokens <= text.length ? tokens + LABEL : count(text) + 2;
}

/** Texts in order, each of at most `maxTokens` as `count` sees it; a message too long for one chunk keeps head and tail. */
export function chunkMessages(
  messages: readonly ContextMessage[],
  maxTokens: number,
  count: (text: string) => number,
): Chunk[] {
  const chunks: Chunk[] = [];
  let chunk: string[] = [];
  let tokens = 0;
  for (const [i, message] of messages.entries()) {
    let text = serialiseMessage(message);
    let cost = costOf(message, text, count);
    if (cost > maxTokens) {
      text = shortenMiddle(text, maxTokens - 2, count);
      cost = count(text) + 2;
    }
    if (tokens + cost > maxTokens && chunk.length) {
      chunks.push({ text: chunk.join('\n\n'), until: i });
      chunk = [];
      tokens = 0;
    }
    chunk.push(text);
    tokens += cost;
  }
  if (chunk.length) chunks.push({ text: chunk.join('\n\n'), until: messages.length });
  return chunks;
}

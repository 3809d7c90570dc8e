/**
 * A history as text for a summariser, one message after the other, and in chunks that each fit a number of tokens.
 * Nothing is left out but the middle of results and answers that cannot fit into a whole chunk.
 */

import type { ContextMessage } from '../../../../api/index.ts';
import { shortenMiddle, startOf } from '../shorten.ts';

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

/**
 * Texts in order, each of at most `maxTokens` as `count` sees it. What is too long for one of them keeps head and tail;
 * what a person wrote is told whole, in as many chunks as it takes.
 */
export function chunkMessages(
  messages: readonly ContextMessage[],
  maxTokens: number,
  count: (text: string) => number,
): Chunk[] {
  const chunks: Chunk[] = [];
  let chunk: string[] = [];
  let tokens = 0;
  const end = (until: number) => {
    if (chunk.length > 0) chunks.push({ text: chunk.join('\n\n'), until });
    chunk = [];
    tokens = 0;
  };
  for (const [i, message] of messages.entries()) {
    const text = serialiseMessage(message);
    const cost = costOf(message, text, count);
    const parts = cost <= maxTokens ? [text] : fitMessage(message, text, maxTokens - 2, count);
    for (const [nth, part] of parts.entries()) {
      const partCost = parts.length === 1 && part === text ? cost : count(part) + 2;
      // A message of several parts is in a chunk only when its last part is.
      if (tokens + partCost > maxTokens || nth > 0) end(i);
      chunk.push(part);
      tokens += partCost;
    }
  }
  end(messages.length);
  return chunks;
}

const LONGEST_LABEL = 20;

function fitMessage(
  message: ContextMessage,
  text: string,
  maxTokens: number,
  count: (text: string) => number,
): readonly string[] {
  if (message.role !== 'user' || message.kind !== 'user') return [shortenMiddle(text, maxTokens, count)];
  const pieces: string[] = [];
  for (let rest = message.text; rest !== ''; ) {
    const most = startOf(rest, Math.max(1, maxTokens - LONGEST_LABEL), count) || rest.slice(0, 2);
    const space = most.length < rest.length ? most.search(/\s\S*$/) : -1;
    const piece = space > 0 ? most.slice(0, space + 1) : most;
    pieces.push(piece);
    rest = rest.slice(piece.length);
  }
  return pieces.map((piece, i) => `[user, part ${i + 1} of ${pieces.length}]\n${piece}`);
}

/**
 * Writes a history as text for a summariser, message by message, in chunks that each fit a number of tokens. Only the
 * middle of results and answers too long for a whole chunk is left out.
 */

import type { ContextMessage } from '../../../api/index.ts';
import { isPerson } from '../draft/messageKinds.ts';
import { shortenMiddle, startOf } from '../draft/shortTexts.ts';

function serialiseMessage(message: ContextMessage): string {
  switch (message.role) {
    case 'user':
      return `[${isPerson(message) ? 'user' : `${message.kind}, not written by the user`}]\n${message.text}`;
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
  /** Number of messages in this chunk and the previous ones. */
  readonly until: number;
}

const LABEL = 10;

const LONG = 4_000;

/** A long text was counted when it was appended. A message shortened since then has a higher count than possible. */
function costOf({ tokens }: ContextMessage, text: string, count: (text: string) => number): number {
  return text.length > LONG && tokens <= text.length ? tokens + LABEL : count(text) + 2;
}

/**
 * Texts in order, each of at most `maxTokens` as counted by `count`. A text too long for a chunk keeps head and tail; a
 * person's text is included in full, in as many chunks as needed.
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
      // A message of several parts is complete only in the chunk with its last part.
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
  if (!isPerson(message)) return [shortenMiddle(text, maxTokens, count)];
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

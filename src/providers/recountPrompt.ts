/** Requests by which a local server counts a prompt again: under a new beginning, which no cache holds, or part by part. */

import type { ChatMessage, ModelRequest } from '../core/model/modelClient.ts';
import { countTokens, takeTokens } from '../core/tokens/estimate.ts';

/** Relative to the window, in estimated tokens: a vocabulary may need twice as many. */
const PART = 0.4;

const MOST_PARTS = 8;

/** Templates put the tools or the first message first. */
export function withNewFront(request: ModelRequest): ModelRequest {
  const mark = `[${crypto.randomUUID()}]`;
  const [first, ...messages] = request.messages;
  const [tool, ...tools] = request.tools;
  return {
    ...request,
    messages: first ? [{ ...first, text: `${mark} ${first.text}` }, ...messages] : [],
    tools: tool ? [{ ...tool, description: `${mark} ${tool.description}` }, ...tools] : [],
    maxOutputTokens: 1,
  };
}

/** A server with a window of `window` tokens reads each part whole. Null when there would be too many. */
export function inParts({ model, messages, tools }: ModelRequest, window: number): ModelRequest[] | null {
  const size = Math.floor(window * PART);
  const parts: string[] = [];
  let open = '';
  let room = size;
  const close = () => {
    if (open) parts.push(open);
    open = '';
    room = size;
  };
  for (const message of messages) {
    for (let text = textOf(message); text; ) {
      const piece = takeTokens(text, room) || (room < size ? '' : text);
      open += piece;
      text = text.slice(piece.length);
      room -= countTokens(piece);
      if (text || room <= 0) close();
      if (parts.length > MOST_PARTS) return null;
    }
  }
  close();
  const asked = (text: string): ModelRequest => ({ model, messages: [{ role: 'user', text }], tools: [] });
  const requests = parts.map(asked);
  return [...requests, ...(tools.length > 0 ? [{ ...asked('.'), tools }] : [])].map(withNewFront);
}

/** Without its reasoning, which templates may drop. */
function textOf(message: ChatMessage): string {
  if (message.role !== 'assistant') return message.text;
  const calls = (message.toolCalls ?? []).map((call) => `${call.name} ${call.arguments}`);
  return [message.text.includes('</think>') ? '' : message.text, ...calls].join('\n');
}

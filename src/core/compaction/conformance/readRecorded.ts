/**
 * A recorded conversation in the common form (one OpenAI-style message a line) as messages for the conformance kit. What
 * is not a conversation message is left out; orphaned results are too, because no provider would take them.
 */

import type { Message, ToolCall } from '../../context/message.ts';

/** Throws `SyntaxError` naming the line when one is not JSON. */
export function readRecorded(jsonLines: string): Message[] {
  const messages: Message[] = [];
  const open = new Map<string, string>();
  for (const [i, line] of jsonLines.split('\n').entries()) {
    if (line.trim() === '') continue;
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      throw new SyntaxError(`Line ${i + 1} of the recorded conversation is not JSON.`);
    }
    const message = readMessage(value as Record<string, unknown>, open);
    if (message) messages.push(message);
  }
  return messages;
}

function readMessage(given: Record<string, unknown>, open: Map<string, string>): Message | null {
  const text = typeof given.content === 'string' ? given.content.toWellFormed() : '';
  switch (given.role) {
    case 'user':
      return { role: 'user', kind: 'user', text };
    case 'assistant': {
      open.clear();
      const toolCalls = readCalls(given.tool_calls);
      for (const { id, name } of toolCalls) open.set(id, name);
      return { role: 'assistant', text, ...(toolCalls.length ? { toolCalls } : {}) };
    }
    case 'tool': {
      const id = String(given.tool_call_id);
      const toolName = open.get(id);
      if (toolName === undefined) return null;
      open.delete(id);
      return { role: 'tool', toolCallId: id, toolName, text };
    }
    default:
      return null;
  }
}

function readCalls(given: unknown): ToolCall[] {
  if (!Array.isArray(given)) return [];
  return given.flatMap((call: { id?: unknown; function?: { name?: unknown; arguments?: unknown } }) => {
    const { name, arguments: json } = call.function ?? {};
    if (typeof call.id !== 'string' || typeof name !== 'string') return [];
    return [{ id: call.id, name, arguments: typeof json === 'string' ? json : JSON.stringify(json ?? {}) }];
  });
}

/** When the context may change its shape: no tool call waits for its result. */

import type { ContextItem } from '../../context/item.ts';

/** True when every call of the newest answer has its result: only then may the context change its shape. */
export function isQuiescent(conversation: readonly ContextItem[]): boolean {
  const at = conversation.findLastIndex(({ message }) => message.role === 'assistant');
  const answer = conversation[at]?.message;
  if (answer?.role !== 'assistant' || answer.interrupted || !answer.toolCalls?.length) return true;
  const answered = new Set<string>();
  for (const { message } of conversation.slice(at + 1)) if (message.role === 'tool') answered.add(message.toolCallId);
  // A later user message closes abandoned calls: lowering answers them.
  if (conversation.slice(at + 1).some(({ message }) => message.role === 'user')) return true;
  return answer.toolCalls.every((call) => answered.has(call.id));
}

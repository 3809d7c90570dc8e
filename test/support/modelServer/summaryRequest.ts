/** How test servers know a request for a summary, and what a script reads of it. */

import { asText, type Json, listOf, objectOf } from '../../../src/core/json.ts';
import type { ChatMessage } from '../../../src/core/model/modelClient.ts';
import { renderConversation, writeScriptedSummary } from '../../../src/providers/demo/demoHistory.ts';

/** It has no tools, or may call none of them. */
export const isSummaryRequest = ({ tools, tool_choice: choice }: Json): boolean =>
  tools === undefined || choice === 'none';

/** By a script that lists what the conversation names. */
export function answerSummary(body: Json): string {
  const messages = listOf(body.messages).map((message) => toChatMessage(objectOf(message)));
  const task = messages.at(-1)?.text ?? '';
  const told = body.tools === undefined ? '' : renderConversation(messages.slice(0, -1));
  return writeScriptedSummary([task, told].filter(Boolean).join('\n\n'), 'Scripted model');
}

export function textOfContent(content: unknown): string {
  if (!Array.isArray(content)) return asText(content);
  return content.map((part) => asText(objectOf(part).text)).join('');
}

function toChatMessage({ role, content, tool_calls: calls, tool_call_id: id }: Json): ChatMessage {
  const text = textOfContent(content);
  if (role === 'tool') return { role, text, toolCallId: asText(id) };
  if (role !== 'assistant') return { role: role === 'system' ? 'system' : 'user', text };
  const toolCalls = listOf(calls).map((call) => {
    const { name, arguments: given } = objectOf(objectOf(call).function);
    return { id: asText(objectOf(call).id), name: asText(name), arguments: asText(given) };
  });
  return { role, text, toolCalls };
}

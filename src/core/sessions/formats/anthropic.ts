/**
 * Reads messages in the form of Anthropic's API, as Claude Code, Cline and Roo record them, and in the form of the SDK
 * that Roo's second version uses, whose parts have other names.
 */

import type { ToolCall } from '../../context/message.ts';
import { asText, type Json, listOf, objectOf } from '../../json.ts';
import type { RecordedAnswer, RecordedMessage } from '../recorded.ts';
import { answerOf, callOf, contentOf, messagesIn, resultOf } from './json.ts';

/** Converts one recorded message: results first, then the person's text next to them. */
export function readAnthropicMessage(role: unknown, content: unknown): RecordedMessage[] {
  if (role === 'assistant') return [readAssistant(content)];
  if (role !== 'user' && role !== 'tool') return [];
  if (typeof content === 'string') return [{ role: 'user', text: content }];
  const results: RecordedMessage[] = [];
  const chat: Json[] = [];
  for (const block of listOf(content).map(objectOf)) {
    if (block.type === 'tool-result') {
      const text = contentOf(objectOf(block.output).value ?? block.output ?? '');
      results.push(resultOf(block.toolCallId, text, text.trimStart().startsWith('[ERROR]')));
    } else if (block.type === 'tool_result') {
      results.push(resultOf(block.tool_use_id, contentOf(block.content ?? ''), block.is_error === true));
    } else chat.push(block);
  }
  return chat.length > 0 ? [...results, ...messagesIn(chat)] : results;
}

function readAssistant(content: unknown): RecordedAnswer {
  if (typeof content === 'string') return { role: 'assistant', text: content };
  const texts: string[] = [];
  const reasoning: string[] = [];
  const toolCalls: ToolCall[] = [];
  for (const block of listOf(content).map(objectOf)) {
    if (block.type === 'tool_use' || block.type === 'tool-call') {
      const [id, name] = [block.id ?? block.toolCallId, block.name ?? block.toolName];
      toolCalls.push(callOf(id, name, block.input));
    } else if (block.type === 'thinking' || block.type === 'reasoning') {
      reasoning.push(asText(block.thinking) || asText(block.text));
    } else if (typeof block.text === 'string') texts.push(block.text);
  }
  return answerOf(texts.join('\n\n'), reasoning.filter(Boolean).join('\n\n'), toolCalls);
}

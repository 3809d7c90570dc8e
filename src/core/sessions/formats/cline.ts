/**
 * Cline's and Roo's `api_conversation_history.json`: a list of messages in Anthropic's form, bare or under `messages`.
 * Older tasks write tool calls as tags into the answer's text and results as `[tool for …] Result:`; these become calls
 * and results.
 */

import type { ToolCall } from '../../context/message.ts';
import { asText, type Json } from '../../json.ts';
import type { RecordedMessage } from '../recorded.ts';
import { readAnthropicMessage } from './anthropic.ts';

const RESULT = /^\[([a-z][a-z_]*)(?: for [^\n]*?)?\] Result:\n?/;
const ENVIRONMENT = /\n*<environment_details>[\s\S]*?<\/environment_details>\n*/g;

export function readCline(entries: readonly Json[]): RecordedMessage[] {
  const messages: RecordedMessage[] = [];
  for (const { role, content, isSummary } of entries) {
    for (const message of readAnthropicMessage(role, content)) {
      if (isSummary === true) messages.push({ role: 'user', kind: 'summary', text: message.text });
      else if (message.role === 'user') messages.push(...readUser(message.text, messages));
      else messages.push(message);
    }
  }
  return messages;
}

/** A result in the text answers the tags of the answer before it; the environment is a reminder. */
function readUser(text: string, messages: RecordedMessage[]): RecordedMessage[] {
  const environment = text.match(ENVIRONMENT)?.map((each) => each.trim()) ?? [];
  const rest = text.replace(ENVIRONMENT, '').trim();
  const read: RecordedMessage[] = [];
  const result = RESULT.exec(rest);
  const at = messages.length - 1;
  const answer = messages[at];
  const call =
    result && answer?.role === 'assistant' && !answer.toolCalls && findTags(answer.text, result[1] ?? '', at);
  if (result && answer?.role === 'assistant' && call) {
    messages[at] = { ...answer, text: answer.text.replace(call.tags, '').trim(), toolCalls: [call.call] };
    read.push({ role: 'tool', toolCallId: call.call.id, text: rest.slice(result[0].length).trim() });
  } else if (rest) {
    read.push({ role: 'user', text: unwrap(rest) });
  }
  return [...read, ...environment.map((each): RecordedMessage => ({ role: 'user', kind: 'reminder', text: each }))];
}

/** What a person wrote stands in tags that say so. */
function unwrap(text: string): string {
  return /^<(task|feedback|user_message|answer)>\s*([\s\S]*?)\s*<\/\1>$/.exec(text)?.[2] ?? text;
}

function findTags(text: string, name: string, place: number): { call: ToolCall; tags: string } | null {
  const start = text.indexOf(`<${name}>`);
  const end = text.lastIndexOf(`</${name}>`);
  if (start < 0 || end < start) return null;
  const tags = text.slice(start, end + name.length + 3);
  const inner = text.slice(start + name.length + 2, end);
  const parameters: Record<string, string> = {};
  for (const [, key = '', value] of inner.matchAll(/<([a-z][a-z_]*)>([\s\S]*?)<\/\1>/g))
    parameters[key] = asText(value).trim();
  return { call: { id: `recorded-${place}`, name, arguments: JSON.stringify(parameters) }, tags };
}

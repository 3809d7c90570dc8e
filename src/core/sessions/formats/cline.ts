/**
 * Cline's and Roo's `api_conversation_history.json`: a list of messages in Anthropic's form, bare or under `messages`.
 * Older tasks write tool calls as tags into the answer's text and results as `[tool for …] Result:`; these become calls
 * and results.
 */

import type { ToolCall } from '../../context/message.ts';
import type { Json } from '../../json.ts';
import type { RecordedMessage } from '../recorded.ts';
import { readAnthropicMessage } from './anthropic.ts';

const RESULT = /^\[([a-z][a-z_]*)(?: for [^\n]*?)?\] Result:\n?/;
const ENVIRONMENT = '<environment_details>';
const ENVIRONMENT_END = '</environment_details>';

export function readCline(entries: readonly Json[]): RecordedMessage[] {
  const messages: RecordedMessage[] = [];
  for (const { role, content, isSummary, isTruncationMarker } of entries) {
    for (const message of readAnthropicMessage(role, content)) {
      if (isSummary === true) messages.push({ role: 'user', kind: 'summary', text: message.text });
      else if (isTruncationMarker === true) messages.push({ role: 'user', kind: 'reminder', text: message.text });
      else if (message.role === 'user') messages.push(...readUser(message.text, messages));
      else messages.push(message);
    }
  }
  return messages;
}

/** A result in the text answers the tags of the answer before it; the environment is a reminder. */
function readUser(text: string, messages: RecordedMessage[]): RecordedMessage[] {
  const { rest, environment } = takeEnvironment(text);
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

/** Parts the blocks that tell the environment, and the empty lines around them, from the rest of the text. */
function takeEnvironment(text: string): { readonly rest: string; readonly environment: readonly string[] } {
  const environment: string[] = [];
  let rest = '';
  let at = 0;
  for (let start = text.indexOf(ENVIRONMENT); start !== -1; start = text.indexOf(ENVIRONMENT, at)) {
    const end = text.indexOf(ENVIRONMENT_END, start);
    if (end === -1) break;
    rest += trimLines(text, at, start);
    at = end + ENVIRONMENT_END.length;
    environment.push(text.slice(start, at));
  }
  return { rest: (rest + trimLines(text, at, text.length)).trim(), environment };
}

function trimLines(text: string, from: number, to: number): string {
  let start = from;
  let end = to;
  while (start < end && text[start] === '\n') start++;
  while (end > start && text[end - 1] === '\n') end--;
  return text.slice(start, end);
}

/** What a person wrote stands in tags that say so. */
function unwrap(text: string): string {
  const tag = /^<(task|feedback|user_message|answer)>/.exec(text)?.[1];
  return tag && text.endsWith(`</${tag}>`) ? text.slice(tag.length + 2, -(tag.length + 3)).trim() : text;
}

function findTags(text: string, name: string, place: number): { call: ToolCall; tags: string } | null {
  const start = text.indexOf(`<${name}>`);
  const end = text.lastIndexOf(`</${name}>`);
  if (start < 0 || end < start) return null;
  const tags = text.slice(start, end + name.length + 3);
  const inner = text.slice(start + name.length + 2, end);
  const parameters: Record<string, string> = {};
  for (const [key, value] of readTags(inner)) parameters[key] = value.trim();
  return { call: { id: `recorded-${place}`, name, arguments: JSON.stringify(parameters) }, tags };
}

/** Each `<name>value</name>`, one after the other. A name that is not closed later is not looked for. */
function* readTags(text: string): Generator<[name: string, value: string]> {
  const closedLast = new Map([...text.matchAll(/<\/([a-z][a-z_]*)>/g)].map(({ 1: name = '', index }) => [name, index]));
  const opening = /<([a-z][a-z_]*)>/g;
  for (let tag = opening.exec(text); tag; tag = opening.exec(text)) {
    const [whole, name = ''] = tag;
    const start = tag.index + whole.length;
    if ((closedLast.get(name) ?? -1) < start) continue;
    const end = text.indexOf(`</${name}>`, start);
    yield [name, text.slice(start, end)];
    opening.lastIndex = end + name.length + 3;
  }
}

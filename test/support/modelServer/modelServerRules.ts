/**
 * The protocol rules of a chat completions request, as strict providers enforce them. Pure: a request's body goes in,
 * the broken rules come out.
 */

import { asRecord, asText, isWholeObject, type Json, objectOf } from '../../../src/core/json.ts';
import { findBrokenTexts, findSchemaViolations } from './toolSchemaRules.ts';

const NAME = /^[a-zA-Z0-9_-]{1,64}$/;
const LONGEST_ID = 40;

/** Empty when the request is valid. */
export function findViolations(body: unknown): string[] {
  const request = asRecord(body);
  if (!request) return ['the body is no JSON object'];
  const found: string[] = [];
  if (!asText(request.model)) found.push('model is missing');
  if (request.stream !== true) found.push('stream is not true');
  checkTools(request.tools, found);
  found.push(...findBrokenTexts(request));
  if (!Array.isArray(request.messages) || request.messages.length === 0) return [...found, 'messages are missing'];
  checkMessages(
    request.messages.map((message) => objectOf(message)),
    found,
  );
  return found;
}

function checkTools(tools: unknown, found: string[]): void {
  if (tools === undefined) return;
  if (!Array.isArray(tools) || tools.length === 0) {
    found.push('tools is given, but no list with something in it');
    return;
  }
  const names = tools.map((tool) => asText(asRecord(asRecord(tool)?.function)?.name));
  for (const name of names) if (!NAME.test(name)) found.push(`tool name '${name}' is not allowed`);
  for (const tool of tools)
    for (const broken of findSchemaViolations(objectOf(objectOf(tool).function).parameters))
      found.push(`Invalid schema for function: ${broken}`);
  if (new Set(names).size !== names.length) found.push('two tools have the same name');
}

function checkMessages(messages: readonly Json[], found: string[]): void {
  const seen = new Set<string>();
  let open = new Set<string>();
  for (const [position, message] of messages.entries()) {
    const at = `messages[${position}]`;
    if (message.role !== 'tool' && open.size > 0) {
      found.push(`${at}: calls ${[...open].join(', ')} are not answered`);
      open = new Set();
    }
    checkText(message.content, at, found);
    switch (message.role) {
      case 'system':
        if (position !== 0) found.push(`${at}: a system message that is not the first`);
        break;
      case 'user':
        if (message.content === '' || message.content === undefined) found.push(`${at}: an empty user message`);
        break;
      case 'assistant':
        open = checkAssistant(message, at, seen, found);
        break;
      case 'tool': {
        const id = asText(message.tool_call_id);
        if (!open.delete(id)) found.push(`${at}: a result for '${id}', which no call before it waits for`);
        if (!hasText(message.content)) found.push(`${at}: a result without text`);
        break;
      }
      default:
        found.push(`${at}: unknown role '${String(message.role)}'`);
    }
  }
  if (open.size > 0) found.push(`calls ${[...open].join(', ')} are not answered at the end`);
  const last = messages.at(-1)?.role;
  if (last !== 'user' && last !== 'tool') found.push(`the last message has the role '${String(last)}'`);
}

function checkAssistant(message: Json, at: string, seen: Set<string>, found: string[]): Set<string> {
  const open = new Set<string>();
  const calls = message.tool_calls;
  if (calls === undefined) {
    if (!message.content) found.push(`${at}: an assistant message without content and calls`);
    return open;
  }
  if (!Array.isArray(calls) || calls.length === 0) {
    found.push(`${at}: tool_calls is no list with something in it`);
    return open;
  }
  if (message.content === '') found.push(`${at}: empty text beside calls`);
  for (const raw of calls) {
    const call = objectOf(raw);
    const body = objectOf(call.function);
    const id = asText(call.id);
    if (id === '' || id.length > LONGEST_ID) found.push(`${at}: id '${id}' is empty or over ${LONGEST_ID} characters`);
    if (seen.has(id)) found.push(`${at}: id '${id}' is used twice`);
    if (!NAME.test(asText(body.name))) found.push(`${at}: function name '${asText(body.name)}' is not allowed`);
    if (!isWholeObject(asText(body.arguments))) found.push(`${at}: arguments of '${id}' are no JSON object`);
    seen.add(id);
    open.add(id);
  }
  return open;
}

/** A text, or one in a list, as it carries a mark for the cache. */
function hasText(content: unknown): boolean {
  return (
    typeof content === 'string' || (Array.isArray(content) && content.every((part) => asText(asRecord(part)?.text)))
  );
}

function checkText(content: unknown, at: string, found: string[]): void {
  if (typeof content === 'string' && !content.isWellFormed()) found.push(`${at}: text with half a surrogate pair`);
}

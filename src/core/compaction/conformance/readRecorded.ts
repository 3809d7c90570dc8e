/**
 * A recorded conversation as messages for the conformance kit: chat-completions messages, one a line or in one list, and
 * what *Export Session* writes. The result is a history that a provider would take: ids are unique, every call has its
 * one result, text is well-formed.
 */

import type { Message, ToolCall } from '../../context/message.ts';
import { isObject, type Json, listOf, parseJson } from '../../json.ts';
import { argumentsOf, contentOf } from '../../sessions/formats/json.ts';
import { MISSING_RESULT } from '../../sessions/recordEntries.ts';
import { injectedKind } from '../../sessions/recorded.ts';

interface OpenCall {
  readonly recordedId: string;
  readonly call: ToolCall;
}

const NO_MESSAGE =
  'The recorded conversation holds no message with the role user, assistant or tool. Export the session as chat messages or as JSON.';

/** What is no message is left out. Throws `SyntaxError` when a line is not JSON, or when nothing is a message. */
export function readRecorded(text: string): Message[] {
  const messages: Message[] = [];
  const used = new Set<string>();
  let open: OpenCall[] = [];
  const answer = ({ call }: OpenCall, result: string, isError: boolean) => {
    const { id, name } = call;
    messages.push({ role: 'tool', toolCallId: id, toolName: name, text: result, ...(isError ? { isError } : {}) });
  };
  const close = () => {
    for (const each of open) answer(each, MISSING_RESULT, true);
    open = [];
  };
  for (const given of listRecorded(text)) {
    const body = contentOf(given.content ?? given.text).toWellFormed();
    switch (given.role) {
      case 'user':
        close();
        messages.push({ role: 'user', kind: injectedKind(body), text: body });
        break;
      case 'assistant': {
        close();
        open = readCalls(given.tool_calls, used);
        const toolCalls = open.map(({ call }) => call);
        const reasoning = readReasoning(given);
        messages.push({
          role: 'assistant',
          text: body,
          ...(reasoning ? { reasoning } : {}),
          ...(toolCalls.length ? { toolCalls } : {}),
        });
        break;
      }
      case 'tool': {
        const at = open.findIndex(({ recordedId }) => recordedId === given.tool_call_id);
        // A result without its call is left out: no provider would take it.
        for (const call of at < 0 ? [] : open.splice(at, 1)) answer(call, body, given.is_error === true);
        break;
      }
    }
  }
  close();
  if (messages.length === 0 && text.trim() !== '') throw new SyntaxError(NO_MESSAGE);
  return messages;
}

/** The messages in any of the forms; system prompts and other records among them. */
function listRecorded(text: string): Json[] {
  const whole = parseJson(text);
  if (Array.isArray(whole)) return whole.filter(isObject);
  if (isObject(whole) && Array.isArray(whole.messages)) return whole.messages.filter(isObject);
  if (isObject(whole) && whole.format === 'palimpsest-session') return listOf(whole.entries).flatMap(toChat);
  return text.split('\n').flatMap((line, i) => {
    if (line.trim() === '') return [];
    const value = parseJson(line);
    if (value === undefined) throw new SyntaxError(`Line ${i + 1} of the recorded conversation is not JSON.`);
    return isObject(value) ? [value] : [];
  });
}

/** An entry of our own export, if it is a message: its form with the names of chat completions. */
function toChat(entry: unknown): Json[] {
  const { type, message } = isObject(entry) ? entry : {};
  if (type !== 'message' || !isObject(message)) return [];
  const { toolCalls, toolCallId, isError, interrupted, ...same } = message;
  // The calls of an interrupted answer were never run.
  const calls = interrupted === true ? [] : listOf(toolCalls).map((call) => ({ ...(call as Json), function: call }));
  return [{ ...same, tool_calls: calls, tool_call_id: toolCallId, is_error: isError }];
}

function readCalls(given: unknown, used: Set<string>): OpenCall[] {
  return listOf(given).flatMap((each) => {
    const { id, function: called } = isObject(each) ? each : {};
    if (typeof id !== 'string' || !isObject(called) || typeof called.name !== 'string') return [];
    const json = argumentsOf(called.arguments).toWellFormed();
    return [{ recordedId: id, call: { id: unique(id, used), name: called.name.toWellFormed(), arguments: json } }];
  });
}

/** Some programs count the calls of each answer from 0. */
function unique(id: string, used: Set<string>): string {
  let free = id;
  for (let i = 2; used.has(free); i++) free = `${id}~${i}`;
  used.add(free);
  return free;
}

const REASONING_FIELDS = ['reasoning_content', 'reasoning', 'reasoning_text'] as const;

function readReasoning(given: Json): { readonly field: string; readonly text: string } | null {
  for (const field of REASONING_FIELDS) {
    const value = given[field];
    const text = isObject(value) ? value.text : value;
    if (typeof text === 'string' && text !== '') return { field, text: text.toWellFormed() };
  }
  return null;
}

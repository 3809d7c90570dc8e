/**
 * Reads a recorded conversation as messages for the conformance kit: chat-completions messages, one a line or in one
 * list, the output of *Export Session*, and other programs' recordings. The result is a history that a provider would
 * accept: ids are unique, every call has its one result, text is well-formed.
 */

import { isOutcome } from '../../calls/outcome.ts';
import { injectedKind } from '../../context/attribute.ts';
import type { Message, ToolCall, UserKind } from '../../context/message.ts';
import { isObject, type Json, listOf, parseJson } from '../../json.ts';
import { argumentsOf, contentOf } from '../../sessions/formats/json.ts';
import { CallIds, MISSING_RESULT, OpenCalls, readForeign } from '../../sessions/importRecorded.ts';
import { recognise } from '../../sessions/recognise.ts';
import { newImportReport, type RecordedMessage } from '../../sessions/recorded.ts';

/** A message in chat-completions form. */
interface Given {
  readonly message: Json;
  /** Recorded by some programs. */
  readonly kind?: UserKind;
}

const NO_MESSAGE =
  'The recorded conversation holds no message with the role user, assistant or tool. Export the session as chat messages or as JSON.';

/**
 * Anything other than a message is skipped. Throws `SyntaxError` when a line is not JSON, or when there are no
 * messages.
 */
export function readRecorded(text: string): Message[] {
  const messages: Message[] = [];
  const ids = new CallIds('~');
  let open = new OpenCalls([]);
  const answer = ({ id, name }: ToolCall, result: string, isError: boolean, outcome?: unknown) => {
    const recorded = { ...(isError ? { isError } : {}), ...(isOutcome(outcome) ? { outcome } : {}) };
    messages.push({ role: 'tool', toolCallId: id, toolName: name, text: result, ...recorded });
  };
  const close = () => {
    for (const each of open.left) answer(each, MISSING_RESULT, true);
    open = new OpenCalls([]);
  };
  for (const { message: given, kind } of listRecorded(text.replace(/^\uFEFF/, ''))) {
    const body = contentOf(given.content ?? given.text).toWellFormed();
    switch (given.role) {
      case 'user':
        close();
        messages.push({ role: 'user', kind: kind ?? injectedKind(body), text: body });
        break;
      case 'assistant': {
        close();
        const calls = readCalls(given.tool_calls, ids);
        open = new OpenCalls(calls);
        const toolCalls = calls.map(({ call }) => call);
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
        const call = open.answer(given.tool_call_id);
        // A result without its call is skipped: no provider would accept it.
        if (call) answer(call, body, given.is_error === true, given.outcome);
        break;
      }
    }
  }
  close();
  if (messages.length === 0 && text.trim() !== '') throw new SyntaxError(NO_MESSAGE);
  return messages;
}

/** The messages in any of the forms, mixed with system prompts and other records. */
function listRecorded(text: string): Given[] {
  const format = recognise(text)?.format ?? 'normal';
  if (format === 'normal' || format === 'normalList' || format === 'palimpsest')
    return listChat(text).map((message) => ({ message }));
  return readForeign(format, text.split('\n'), newImportReport()).flatMap((recorded) =>
    recorded.role === 'compaction' ? [] : [fromForeign(recorded)],
  );
}

function fromForeign(recorded: RecordedMessage): Given {
  const { role, text: content } = recorded;
  switch (recorded.role) {
    case 'system':
      return { message: { role, content } };
    case 'user':
      return { message: { role, content }, ...(recorded.kind ? { kind: recorded.kind } : {}) };
    case 'assistant': {
      const { reasoning, toolCalls = [], interrupted } = recorded;
      // Calls of an interrupted answer never ran.
      const calls = interrupted ? [] : toolCalls.map((call) => ({ id: call.id, function: call }));
      return { message: { role, content, reasoning, tool_calls: calls } };
    }
    case 'tool':
      return {
        message: {
          role,
          content,
          tool_call_id: recorded.toolCallId,
          is_error: recorded.isError,
          outcome: recorded.outcome,
        },
      };
  }
}

function listChat(text: string): Json[] {
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

/** Converts an entry of the product's own export to chat-completions form, if it is a message. */
function toChat(entry: unknown): Json[] {
  const { type, message } = isObject(entry) ? entry : {};
  if (type !== 'message' || !isObject(message)) return [];
  const { toolCalls, toolCallId, isError, interrupted, ...same } = message;
  // Calls of an interrupted answer never ran.
  const calls = interrupted === true ? [] : listOf(toolCalls).map((call) => ({ ...(call as Json), function: call }));
  return [{ ...same, tool_calls: calls, tool_call_id: toolCallId, is_error: isError }];
}

function readCalls(given: unknown, ids: CallIds) {
  return listOf(given).flatMap((each) => {
    const { id, function: called } = isObject(each) ? each : {};
    if (typeof id !== 'string' || !isObject(called) || typeof called.name !== 'string') return [];
    const json = argumentsOf(called.arguments).toWellFormed();
    return [{ recordedId: id, call: { id: ids.take(id), name: called.name.toWellFormed(), arguments: json } }];
  });
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

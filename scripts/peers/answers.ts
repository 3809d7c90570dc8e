/** Writes an answer of the scripted model as Chat Completions or Responses send it, whole or streamed. */

import type { ServerResponse } from 'node:http';
import type { Json } from '../../src/core/json.ts';
import type { ScriptedCall } from './callTool.ts';
import type { Dialect } from './modelRequest.ts';

export interface ScriptedAnswer {
  /** Of the request in its run, from 1; ids are made of it. */
  readonly number: number;
  readonly text: string;
  readonly call: ScriptedCall | null;
  readonly usage: { readonly input: number; readonly cached: number; readonly output: number };
}

export const MODEL = 'scripted';

export function sendAnswer(
  response: ServerResponse,
  answer: ScriptedAnswer,
  { dialect, stream }: { dialect: Dialect; stream: boolean },
): void {
  const events = dialect === 'chat' ? chatEvents(answer) : responsesEvents(answer);
  if (!stream) {
    sendJson(response, 200, dialect === 'chat' ? chatCompletion(answer) : responseOf(answer, 'completed'));
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const event of events) {
    if (dialect === 'responses') response.write(`event: ${event.type}\n`);
    response.write(`data: ${JSON.stringify(event)}\n\n`);
  }
  response.end(dialect === 'chat' ? 'data: [DONE]\n\n' : '');
}

export function sendJson(response: ServerResponse, status: number, body: Json): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** As providers answer a request that is longer than the window. */
export function sendTooLong(response: ServerResponse, tokens: number, window: number): void {
  const message = `This model's maximum context length is ${window} tokens. However, your messages resulted in ${tokens} tokens. Please reduce the length of the messages.`;
  sendJson(response, 400, {
    error: { message, type: 'invalid_request_error', param: 'messages', code: 'context_length_exceeded' },
  });
}

const callId = ({ number }: ScriptedAnswer): string => `call_${number}`;
const inputText = ({ input }: ScriptedCall): string => (typeof input === 'string' ? input : JSON.stringify(input));

function chatCalls(answer: ScriptedAnswer): Json[] {
  const { call } = answer;
  if (!call) return [];
  return [
    { index: 0, id: callId(answer), type: 'function', function: { name: call.tool, arguments: inputText(call) } },
  ];
}

const finishReason = ({ call }: ScriptedAnswer): string => (call ? 'tool_calls' : 'stop');

function chatUsage({ usage: { input, cached, output } }: ScriptedAnswer): Json {
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cached },
  };
}

function chatCompletion(answer: ScriptedAnswer): Json {
  const calls = chatCalls(answer);
  const message = { role: 'assistant', content: answer.text, ...(calls.length > 0 ? { tool_calls: calls } : {}) };
  const choices = [{ index: 0, message, finish_reason: finishReason(answer) }];
  return {
    id: `c${answer.number}`,
    object: 'chat.completion',
    created: 1,
    model: MODEL,
    choices,
    usage: chatUsage(answer),
  };
}

function chatEvents(answer: ScriptedAnswer): Json[] {
  const chunk = (choices: readonly Json[], more: Json = {}): Json => ({
    id: `c${answer.number}`,
    object: 'chat.completion.chunk',
    created: 1,
    model: MODEL,
    choices,
    ...more,
  });
  const delta = (given: Json, reason: string | null = null) =>
    chunk([{ index: 0, delta: given, finish_reason: reason }]);
  return [
    delta({ role: 'assistant', content: answer.text }),
    ...chatCalls(answer).map((call) => delta({ tool_calls: [call] })),
    delta({}, finishReason(answer)),
    chunk([], { usage: chatUsage(answer) }),
  ];
}

function outputItems(answer: ScriptedAnswer): Json[] {
  const { number, text, call } = answer;
  const content = [{ type: 'output_text', text, annotations: [] }];
  const message = { type: 'message', id: `m${number}`, role: 'assistant', status: 'completed', content };
  if (!call) return [message];
  const common = { id: `f${number}`, call_id: callId(answer), name: call.tool, status: 'completed' };
  return [
    message,
    typeof call.input === 'string'
      ? { type: 'custom_tool_call', input: call.input, ...common }
      : { type: 'function_call', arguments: inputText(call), ...common },
  ];
}

function responseOf(answer: ScriptedAnswer, status: 'in_progress' | 'completed'): Json {
  const response = { id: `r${answer.number}`, object: 'response', created_at: 1, model: MODEL, status };
  if (status === 'in_progress') return { ...response, output: [] };
  const { input, cached, output } = answer.usage;
  const usage = {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cached },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input + output,
  };
  return { ...response, output: outputItems(answer), usage };
}

function responsesEvents(answer: ScriptedAnswer): Json[] {
  return [
    { type: 'response.created', response: responseOf(answer, 'in_progress') },
    ...outputItems(answer).flatMap((item, index) => [
      { type: 'response.output_item.added', output_index: index, item },
      { type: 'response.output_item.done', output_index: index, item },
    ]),
    { type: 'response.completed', response: responseOf(answer, 'completed') },
  ];
}

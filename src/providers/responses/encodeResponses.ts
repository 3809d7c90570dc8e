/**
 * Lowered messages become the body of a responses request. Pure, and each message's items depend only on itself and those
 * before it, so that an earlier request's input stays a byte-exact prefix of a later one's (epoch rule).
 */

import { asText, type Json } from '../../core/json.ts';
import type { ChatMessage, ContentPart, ModelRequest } from '../../core/ports.ts';
import { encodeArguments, encodeId, encodeName, NOTHING, OF_RESULTS, textOfPart } from '../openai/encodeRequest.ts';
import { SUMMARY } from '../openai/reasoningFields.ts';
import type { ResponsesNarrowing } from './responsesNarrowing.ts';

type AssistantMessage = Extract<ChatMessage, { role: 'assistant' }>;

/** The smallest limit that the form takes. */
const LEAST_OUTPUT = 16;

export function encodeResponses(request: ModelRequest, narrowing: ResponsesNarrowing): Json {
  const [first, ...rest] = request.messages;
  const instructions = first?.role === 'system' && narrowing.instructions ? first.text.toWellFormed() : null;
  const { effort, toolChoice, tools, maxOutputTokens, temperature, cacheKey } = request;
  const reasoning = {
    ...(effort && narrowing.effort ? { effort } : {}),
    ...(narrowing.summary && effort !== 'none' ? { summary: 'auto' } : {}),
  };
  return {
    model: request.model,
    ...(instructions === null ? {} : { instructions }),
    input: encodeInput(instructions === null ? request.messages : rest, narrowing),
    ...(tools.length > 0 ? { tools: tools.map(encodeTool) } : {}),
    ...(toolChoice && narrowing.toolChoice && tools.length > 0 ? { tool_choice: toolChoice } : {}),
    ...(Object.keys(reasoning).length > 0 ? { reasoning } : {}),
    ...(maxOutputTokens === undefined || !narrowing.outputLimit
      ? {}
      : { max_output_tokens: Math.max(LEAST_OUTPUT, maxOutputTokens) }),
    ...(temperature === undefined || !narrowing.temperature ? {} : { temperature }),
    ...(cacheKey && narrowing.cacheKey ? { prompt_cache_key: cacheKey } : {}),
    ...(narrowing.encrypted ? { include: ['reasoning.encrypted_content'] } : {}),
    store: false,
    stream: true,
  };
}

/** Not strict: a strict schema must name every field as required, and a tool's own schema need not. */
function encodeTool(tool: ModelRequest['tools'][number]): Json {
  return {
    type: 'function',
    name: encodeName(tool.name),
    description: tool.description,
    parameters: tool.parameters,
    strict: false,
  };
}

function encodeInput(messages: readonly ChatMessage[], narrowing: ResponsesNarrowing): readonly Json[] {
  const input: Json[] = [];
  const used = new Set<string>();
  /** Original id to the id that was sent, for the calls of the newest assistant message. */
  let open = new Map<string, string>();
  /** Of results, where these take text alone. */
  let images: ContentPart[] = [];
  const showImages = () => {
    if (images.length > 0) input.push(said('user', encodeContent(OF_RESULTS, images)));
    images = [];
  };
  for (const message of messages) {
    if (message.role !== 'tool') showImages();
    switch (message.role) {
      case 'system':
        input.push(said('developer', [{ type: 'input_text', text: message.text.toWellFormed() }]));
        break;
      case 'user':
        input.push(said('user', encodeContent(message.text, message.parts)));
        break;
      case 'assistant': {
        open = new Map();
        for (const { id } of message.toolCalls ?? []) {
          const sent = encodeId(id, 'short', used);
          used.add(sent);
          open.set(id, sent);
        }
        input.push(...encodeAssistant(message, open, narrowing));
        break;
      }
      case 'tool': {
        const { parts = [] } = message;
        const within = parts.length > 0 && narrowing.resultParts;
        if (!within) images.push(...parts);
        input.push({
          type: 'function_call_output',
          call_id: open.get(message.toolCallId) ?? message.toolCallId,
          output: within ? encodeContent(message.text, parts) : message.text.toWellFormed() || NOTHING,
        });
      }
    }
  }
  showImages();
  return input;
}

function said(role: string, content: readonly Json[], more: Json = {}): Json {
  return { type: 'message', role, content, ...more };
}

function encodeContent(text: string, parts: readonly ContentPart[] | undefined): readonly Json[] {
  const wellFormed = text.toWellFormed();
  const words = wellFormed || parts?.length ? wellFormed : NOTHING;
  return [...(words ? [{ type: 'input_text', text: words }] : []), ...(parts ?? []).map(encodePart)];
}

function encodePart(part: ContentPart): Json {
  return part.type === 'image'
    ? { type: 'input_image', image_url: `data:${part.mime};base64,${part.base64}`, detail: 'auto' }
    : { type: 'input_text', text: textOfPart(part) };
}

/** Reasoning, text and calls in the order in which they came; what no mark names follows in the usual order. */
function encodeAssistant(
  { text, toolCalls = [], reasoning }: AssistantMessage,
  ids: ReadonlyMap<string, string>,
  { items: allowed }: ResponsesNarrowing,
): readonly Json[] {
  const items = reasoning?.field === SUMMARY && allowed !== 'none' ? (reasoning.items ?? []) : [];
  const encoded: Json[] = [];
  const calls = new Map(toolCalls.map((call) => [call.id, call]));
  const texts = splitText(text, items);
  const say = (part: string, { phase }: Json = {}) => {
    const content = [{ type: 'output_text', text: part.toWellFormed() }];
    if (part) encoded.push(said('assistant', content, phase ? { phase } : {}));
  };
  const callTool = (id: string) => {
    const call = calls.get(id);
    if (!call) return;
    calls.delete(id);
    const name = encodeName(call.name);
    encoded.push({
      type: 'function_call',
      call_id: ids.get(id) ?? id,
      name,
      arguments: encodeArguments(call.arguments),
    });
  };
  const isMarked = items.some((item) => item.type === 'message');
  const sayRest = () => {
    for (const rest of texts.splice(0)) say(rest);
  };
  for (const item of items) {
    if (item.type === 'reasoning') encoded.push(allowed === 'withoutIds' ? withoutId(item) : item);
    else if (item.type === 'message') say(texts.shift() ?? '', item);
    else if (item.type === 'function_call') {
      if (!isMarked) sayRest();
      callTool(asText(item.call_id));
    }
  }
  sayRest();
  for (const id of [...calls.keys()]) callTool(id);
  return withoutTrailingReasoning(encoded);
}

/**
 * One part of the text for each mark of a message, by the lengths that the marks hold. When they do not fit, because the
 * text was changed since, the first mark gets all of it.
 */
function splitText(text: string, items: readonly Json[]): string[] {
  const lengths = items.flatMap((item) => (item.type === 'message' ? [Number(item.length)] : []));
  if (lengths.reduce((sum, length) => sum + length, 0) !== text.length)
    return [text, ...lengths.slice(1).map(() => '')];
  const parts: string[] = [];
  let from = 0;
  for (const length of lengths) {
    parts.push(text.slice(from, from + length));
    from += length;
  }
  return parts;
}

function withoutId({ id, ...item }: Json): Json {
  return item;
}

/** Reasoning is taken only together with what it led to. */
function withoutTrailingReasoning(encoded: readonly Json[]): readonly Json[] {
  return encoded.slice(0, encoded.findLastIndex((item) => item.type !== 'reasoning') + 1);
}

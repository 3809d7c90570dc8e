/**
 * Encodes lowered messages as the body of a chat completions request. Pure, and each message's form depends only on
 * itself and earlier ones, so that an earlier request's messages stay a byte-exact prefix of a later one's (epoch
 * rule). Only the cache breakpoints move from request to request.
 */

import { asRecord, asText, type Json } from '../../core/json.ts';
import type { ChatMessage, ContentPart, ModelRequest } from '../../core/ports.ts';
import {
  encodeArguments,
  encodeName,
  NOTHING,
  OF_RESULTS,
  SentIds,
  SUMMARY,
  THINKING,
  textOfPart,
} from '../encodeParts.ts';
import { isReplayedField } from './answerAssembler.ts';
import type { ChatNarrowing } from './chatDialect.ts';

type AssistantMessage = Extract<ChatMessage, { role: 'assistant' }>;

/** Filler that keeps the order of turns a provider requires; it cannot be mistaken for an answer or an order. */
const NO_ANSWER = { role: 'assistant', content: '[no answer]' };
const NO_QUESTION = { role: 'user', content: '[continued]' };

export function encodeRequest(request: ModelRequest, narrowing: ChatNarrowing): Json {
  const messages = encodeMessages(request.messages, narrowing);
  // A request with a marked header belongs to a continuing session, unless it may call no tool.
  const isCached = narrowing.cacheMarkers && request.messages[0]?.cache === true;
  const forbidsTools = request.toolChoice === 'none';
  return {
    model: request.model,
    messages: isCached ? placeBreakpoints(messages, forbidsTools) : messages,
    ...(request.tools.length > 0 ? { tools: request.tools.map(encodeTool) } : {}),
    ...(forbidsTools && narrowing.toolChoice && request.tools.length > 0 ? { tool_choice: 'none' } : {}),
    ...(request.maxOutputTokens === undefined || narrowing.outputLimit === null
      ? {}
      : { [narrowing.outputLimit]: request.maxOutputTokens }),
    ...(request.temperature === undefined || !narrowing.temperature ? {} : { temperature: request.temperature }),
    ...(request.cacheKey && narrowing.cacheKey ? { prompt_cache_key: request.cacheKey } : {}),
    ...encodeEffort(request, narrowing),
    stream: true,
    ...(narrowing.usageOption ? { stream_options: { include_usage: true } } : {}),
  };
}

function encodeEffort({ effort }: ModelRequest, narrowing: ChatNarrowing): Json {
  if (!effort || !narrowing.effort) return {};
  return narrowing.effort === 'reasoning' ? { reasoning: { effort } } : { reasoning_effort: effort };
}

function encodeTool(tool: ModelRequest['tools'][number]): Json {
  return {
    type: 'function',
    function: { name: encodeName(tool.name), description: tool.description, parameters: tool.parameters },
  };
}

export function encodeMessages(messages: readonly ChatMessage[], narrowing: ChatNarrowing): readonly Json[] {
  const encoded: Json[] = [];
  const ids = new SentIds(narrowing.ids);
  /**
   * Images of results: result messages accept only text, so the images follow once the answer has all of its results.
   */
  let images: ContentPart[] = [];
  const fill = (next: ChatMessage['role']) => {
    const filler = fillerBetween(encoded.at(-1)?.role, next, narrowing.turns);
    if (filler) encoded.push(filler);
  };
  const showImages = () => {
    if (images.length === 0) return;
    fill('user');
    encoded.push({ role: 'user', content: encodeUserContent(OF_RESULTS, images) });
    images = [];
  };
  for (const message of messages) {
    if (message.role === 'assistant' && !message.text && !message.toolCalls?.length) continue;
    if (message.role !== 'tool') showImages();
    fill(message.role);
    switch (message.role) {
      case 'system':
        encoded.push({ role: 'system', content: message.text.toWellFormed() });
        break;
      case 'user':
        encoded.push({ role: 'user', content: encodeUserContent(message.text, message.parts) });
        break;
      case 'assistant':
        ids.open(message.toolCalls);
        encoded.push(encodeAssistant(message, narrowing, ids));
        break;
      case 'tool':
        encoded.push({
          role: 'tool',
          tool_call_id: ids.of(message.toolCallId),
          content: message.text.toWellFormed() || NOTHING,
        });
        images.push(...(message.parts ?? []));
    }
  }
  showImages();
  return encoded;
}

function fillerBetween(before: unknown, next: ChatMessage['role'], turns: ChatNarrowing['turns']): Json | null {
  switch (next) {
    case 'user':
      return turns === 'alternate' && (before === 'user' || before === 'tool') ? NO_ANSWER : null;
    case 'assistant':
      return turns !== 'free' && before !== 'user' && before !== 'tool' ? NO_QUESTION : null;
    case 'system':
    case 'tool':
      return null;
  }
}

function encodeAssistant(message: AssistantMessage, narrowing: ChatNarrowing, ids: SentIds): Json {
  const { toolCalls = [] } = message;
  return {
    role: 'assistant',
    content: message.text ? message.text.toWellFormed() : narrowing.emptyContent,
    ...encodeReasoning(message, narrowing),
    ...(toolCalls.length === 0
      ? {}
      : {
          tool_calls: toolCalls.map((call) => ({
            id: ids.of(call.id),
            type: 'function',
            function: { name: encodeName(call.name), arguments: encodeArguments(call.arguments) },
            ...(call.extra && narrowing.replayExtras ? { extra_content: call.extra } : {}),
          })),
        }),
  };
}

/** Details contain the whole text, and more. Items of the responses dialect are useless here. */
function encodeReasoning({ reasoning, toolCalls }: AssistantMessage, narrowing: ChatNarrowing): Json {
  if (reasoning?.items && reasoning.field !== SUMMARY && reasoning.field !== THINKING && narrowing.replayDetails) {
    return { reasoning_details: reasoning.items };
  }
  if (!toolCalls?.length) return {};
  if (reasoning?.text && narrowing.replayReasoning && isReplayedField(reasoning.field)) {
    return { [reasoning.field]: reasoning.text.toWellFormed() };
  }
  return narrowing.emptyReasoning ? { reasoning_content: NOTHING } : {};
}

function encodeUserContent(text: string, parts: readonly ContentPart[] | undefined): unknown {
  if (!parts?.length) return text.toWellFormed() || NOTHING;
  // Some providers refuse an empty text.
  return [...(text ? [{ type: 'text', text: text.toWellFormed() }] : []), ...parts.map(encodePart)];
}

function encodePart(part: ContentPart): Json {
  return part.type === 'image'
    ? { type: 'image_url', image_url: { url: `data:${part.mime};base64,${part.base64}` } }
    : { type: 'text', text: textOfPart(part) };
}

const MARK = { cache_control: { type: 'ephemeral' } };

/**
 * Sets the cache breakpoints: the header, the end of the previous request, and the end of this one, so that each
 * request reads the cache that the previous one wrote. Providers look for a cached prefix only at a breakpoint and a
 * limited number of blocks before it (Anthropic: 20), so the middle one is exact, however many calls an answer made.
 * Pure.
 *
 * The first message is the system message. With `last` no later request continues this one, so its end is not marked.
 */
export function placeBreakpoints(messages: readonly Json[], last: boolean): readonly Json[] {
  const newestAnswer = messages.findLastIndex(({ role }) => role === 'assistant');
  // Each request ended before its answer.
  const ends = [newestAnswer - 1, ...(last ? [] : [messages.length - 1])];
  const marked = new Map<number, Json>();
  const system = messages[0]?.role === 'system' ? mark(messages[0]) : null;
  if (system) marked.set(0, system);
  for (const end of ends) {
    for (let at = end; at > 0 && !marked.has(at); at--) {
      const message = mark(messages[at] ?? {});
      if (message) marked.set(at, message);
      if (message) break;
    }
  }
  return messages.map((message, at) => marked.get(at) ?? message);
}

/** Null for a message that cannot carry the mark: no provider accepts it on an empty text. */
function mark(message: Json): Json | null {
  const { content } = message;
  if (!Array.isArray(content)) {
    const text = asText(content);
    return text.trim() ? { ...message, content: [{ type: 'text', text, ...MARK }] } : null;
  }
  const at = content.findLastIndex((part) => asRecord(part)?.type !== 'text' || asText(asRecord(part)?.text).trim());
  if (at < 0) return null;
  return { ...message, content: content.map((part, i) => (i === at ? { ...asRecord(part), ...MARK } : part)) };
}

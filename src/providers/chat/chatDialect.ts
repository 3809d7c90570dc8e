/**
 * OpenAI's chat completions, which most endpoints speak, and the features that one model at one endpoint accepts. They
 * start from the tables of endpoints and models and are narrowed when a refusal names a parameter, for the client's
 * lifetime.
 */

import type OpenAI from 'openai';
import type { Refused } from '../../core/errors.ts';
import { asRecord, asText, type Json } from '../../core/json.ts';
import type { ChatMessage, ContentPart, ModelRequest } from '../../core/model/modelClient.ts';
import { IN_TEXT } from '../../core/model/thinking.ts';
import { words } from '../../core/words.ts';
import { type Dialect, explainOmitted, type NarrowingSteps, openaiSdk, takeStep } from '../dialect.ts';
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
import type { Endpoint } from '../endpoint.ts';
import { familyOf } from '../knownModels.ts';
import { nearestEffort, withoutRefused } from '../narrowing.ts';
import { presetOf } from '../presets.ts';
import { createAnswerAssembler, isReplayedField } from './answerAssembler.ts';
import { CHAT_FIELDS, type ChatNarrowing } from './chatNarrowing.ts';

const COMMON: ChatNarrowing = {
  usageOption: true,
  outputLimit: 'max_tokens',
  otherLimit: true,
  mostOutput: null,
  temperature: true,
  effort: 'reasoning_effort',
  efforts: null,
  replayReasoning: true,
  replayInText: false,
  replayDetails: true,
  emptyReasoning: false,
  replayExtras: false,
  cacheMarkers: false,
  cacheKey: false,
  toolChoice: true,
  turns: 'free',
  emptyContent: null,
  ids: 'short',
};

function begin(endpoint: Endpoint, model: string): ChatNarrowing {
  const preset = presetOf(endpoint);
  const { chat, cacheControl } = familyOf(endpoint, model);
  const takesCacheControl = preset?.takesCacheControl ?? cacheControl === 'anywhere';
  return { ...COMMON, ...preset?.chat, ...chat, cacheMarkers: cacheControl !== undefined && takesCacheControl };
}

/** By name, or because a text with it is a list. */
const REFUSED_MARK = /cache_control|content\b[^.]{0,60}(must be a string|expected (a )?string|a valid string)/i;
const MISSING_REASONING = /reasoning_content\b.{0,60}(must be passed back|is missing)|missing .?reasoning_content/i;
const REFUSED_ORDER = /roles must alternate|unexpected role '?user'? after role|must alternate between/i;
const REFUSED_NULL =
  /content['"]?\]?:?[^.]{0,60}(must be a string|should be a valid string|none is not|null(?![\s"]*[,}\]])|cannot be empty|input should be)/i;

const STEPS: NarrowingSteps<ChatNarrowing> = [
  [({ cacheMarkers }, refusal) => cacheMarkers && REFUSED_MARK.test(refusal), { cacheMarkers: false }],
  [
    ({ replayReasoning, emptyReasoning }, refusal) =>
      replayReasoning && !emptyReasoning && MISSING_REASONING.test(refusal),
    { emptyReasoning: true },
  ],
  [({ turns }, refusal) => turns !== 'alternate' && REFUSED_ORDER.test(refusal), { turns: 'alternate' }],
  [({ emptyContent }, refusal) => emptyContent === null && REFUSED_NULL.test(refusal), { emptyContent: '' }],
];

function narrow(narrowing: ChatNarrowing, refused: Refused, request: ModelRequest): ChatNarrowing | null {
  // A request that only the other dialect accepts is not reduced silently.
  if (WANTS_RESPONSES.test(refused.text)) return null;
  return takeStep(STEPS, narrowing, refused.text) ?? withoutRefused(CHAT_FIELDS, narrowing, refused, request);
}

const WANTS_RESPONSES = /\bv1\/responses\b/i;

/** OpenAI's newer models accept tools together with reasoning, or any request, only in the other dialect. */
const ADVICE = words(
  'Set "dialect": "responses" for this endpoint in the setting palimpsest.endpoints, then send the message again.',
);

export const CHAT: Dialect<ChatNarrowing> = {
  path: 'chat/completions',
  begin,
  narrow,
  withoutToolChoice: (narrowing) => (narrowing.toolChoice ? { ...narrowing, toolChoice: false } : null),
  encode: encodeRequest,
  send: async (body, sending) => {
    const { signal } = sending;
    // Wider than the client's type: other providers' fields (reasoning, cache markers) travel in the same body.
    const parameters = body as unknown as OpenAI.ChatCompletionCreateParamsStreaming;
    const client = await openaiSdk(sending);
    return client.chat.completions.create(parameters, { signal, maxRetries: 0 }).asResponse();
  },
  assemble: createAnswerAssembler,
  explainOmissions: (request, { effort, efforts }) =>
    explainOmitted(request, { effort: !effort, efforts, reasoning: false }),
  advise: ({ message }) => (WANTS_RESPONSES.test(message) ? ADVICE : null),
};

type AssistantMessage = Extract<ChatMessage, { role: 'assistant' }>;

/** Filler that keeps the order of turns a provider requires; it cannot be mistaken for an answer or an order. */
const NO_ANSWER = { role: 'assistant', content: '[no answer]' };
const NO_QUESTION = { role: 'user', content: '[continued]' };

/**
 * Encodes lowered messages as the body of a request. Pure, and each message's form depends only on itself and earlier
 * ones, so that an earlier request's messages stay a byte-exact prefix of a later one's (epoch rule). Only the cache
 * breakpoints move from request to request.
 */
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
      : {
          [narrowing.outputLimit]: Math.min(request.maxOutputTokens, narrowing.mostOutput ?? request.maxOutputTokens),
        }),
    ...(request.temperature === undefined || !narrowing.temperature ? {} : { temperature: request.temperature }),
    ...(request.cacheKey && narrowing.cacheKey ? { prompt_cache_key: request.cacheKey } : {}),
    ...encodeEffort(request, narrowing),
    stream: true,
    ...(narrowing.usageOption ? { stream_options: { include_usage: true } } : {}),
  };
}

function encodeEffort({ effort }: ModelRequest, narrowing: ChatNarrowing): Json {
  if (!effort || !narrowing.effort) return {};
  const sent = nearestEffort(effort, narrowing.efforts);
  return narrowing.effort === 'reasoning' ? { reasoning: { effort: sent } } : { reasoning_effort: sent };
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
    content: encodeAnswer(message, narrowing) || narrowing.emptyContent,
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

function encodeAnswer({ text, reasoning, toolCalls }: AssistantMessage, { replayInText }: ChatNarrowing): string {
  const isReturned = replayInText && toolCalls?.length && reasoning?.field === IN_TEXT && reasoning.text !== '';
  return (isReturned ? `<think>\n${reasoning.text}\n</think>\n\n${text}` : text).toWellFormed();
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

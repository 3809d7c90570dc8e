/**
 * OpenAI's responses: encodes lowered messages as the body of a request. Pure, and each message's items depend only on
 * itself and earlier ones, so that an earlier request's input stays a byte-exact prefix of a later one's (epoch rule).
 */

import type OpenAI from 'openai';
import type { ModelError } from '../../core/errors.ts';
import { asText, type Json } from '../../core/json.ts';
import type { ChatMessage, ContentPart, Effort, ModelRequest } from '../../core/model/modelClient.ts';
import { type Words, words } from '../../core/words.ts';
import { type Dialect, explainOmitted, type NarrowingSteps, openaiSdk, takeStep } from '../dialect.ts';
import {
  encodeArguments,
  encodeName,
  NOTHING,
  OF_RESULTS,
  SentIds,
  SUMMARY,
  splitText,
  textOfPart,
} from '../encodeParts.ts';
import { isOutputLimit } from '../errors/overflowDialects.ts';
import { mayThink } from '../knownModels.ts';
import {
  namedLimit,
  nearestEffort,
  type OptionalField,
  otherEfforts,
  REFUSED_CHOICE,
  REFUSED_EFFORT,
  withoutRefused,
} from '../narrowing.ts';
import { createResponseAssembler } from './responseAssembler.ts';

/** The features of the responses dialect that one model accepts: all of them, until a refusal names a parameter. */
interface ResponsesNarrowing {
  /** The system prompt is sent as `instructions`, else as the first message (required by xAI). */
  readonly instructions: boolean;
  readonly effort: boolean;
  /** The efforts that it accepts; null when all. */
  readonly efforts: readonly Effort[] | null;
  /** Request a readable summary of the reasoning. */
  readonly summary: boolean;
  /** Request encrypted reasoning. */
  readonly encrypted: boolean;
  /** How reasoning is returned. Without ids: some servers look an id up, although nothing is stored. */
  readonly items: 'whole' | 'withoutIds' | 'none';
  readonly outputLimit: boolean;
  /** The greatest limit that the model accepts, in tokens; null when it has refused none. */
  readonly mostOutput: number | null;
  /** `store: false` is sent. */
  readonly store: boolean;
  /** `strict: false` is sent with each tool. */
  readonly strict: boolean;
  /** `detail` is sent with each image. */
  readonly detail: boolean;
  /** The phase of an earlier message is returned. */
  readonly phase: boolean;
  readonly temperature: boolean;
  readonly cacheKey: boolean;
  /** `tool_choice` is sent. Otherwise the request's own text forbids the tools. */
  readonly toolChoice: boolean;
  /** A result may contain images. Otherwise they follow in a message. */
  readonly resultParts: boolean;
}

function begin(model: string): ResponsesNarrowing {
  const thinks = mayThink(model);
  return {
    instructions: true,
    effort: thinks,
    efforts: null,
    summary: thinks,
    encrypted: thinks,
    items: 'whole',
    outputLimit: true,
    mostOutput: null,
    store: true,
    strict: true,
    detail: true,
    phase: true,
    temperature: true,
    cacheKey: true,
    toolChoice: true,
    resultParts: true,
  };
}

const LOST_ID = /\bItem\b.{0,20}\bid\b.{0,120}\bnot found\b/i;

/** Another key, another organisation, or a server without support: the items are useless there. */
const REFUSED_ITEMS =
  /encrypted.content.{0,120}(could not be (verified|decrypted|parsed)|invalid)|invalid_encrypted_content|(reasoning|Item '?rs_).{0,160}without its required|\bItem\b.{0,20}\bid\b.{0,120}\bnot found\b/i;

/** A server that accepts only text as the result of a call. */
const REFUSED_PARTS = /input\[?\.?\d+\]?\.(function_call_output\.)?output\b|function_call_output.{0,120}(string|type)/i;
const REFUSED_INCLUDE = /encrypted content is not supported|reasoning\.encrypted_content/i;
const UNVERIFIED = /verified to (generate|use) reasoning summar/i;

/** The type of an input item, and not the effort or the summary that is asked for. */
const REASONING_ITEM =
  /\bitems?\b[^.\n]{0,40}\breasoning\b|\breasoning\b['"`]?[^.\n]{0,10}\b(?:input |output )?items?\b|\b(?:input|message) type\b[^.\n]{0,20}\breasoning\b/i;
const NOT_TAKEN =
  /\bnot (?:be |currently |yet )*(?:supported|allowed|accepted|permitted|valid|recogni[sz]ed|implemented|known)|n['’]t (?:support|accept|allow|take)|unsupported|unknown|unrecogni[sz]ed|unexpected|invalid|can ?not/i;

function refusesReasoning(whole: string): boolean {
  const text = whole.slice(0, 4_000);
  return REASONING_ITEM.test(text) && NOT_TAKEN.test(text);
}

/** Null when no item of reasoning was sent. */
function withoutItems(narrowing: ResponsesNarrowing, { messages }: ModelRequest): ResponsesNarrowing | null {
  const areSent = messages.some(
    (message) =>
      message.role === 'assistant' && message.reasoning?.field === SUMMARY && message.reasoning.items?.length,
  );
  return areSent && narrowing.items !== 'none' ? { ...narrowing, items: 'none' } : null;
}

const STEPS: NarrowingSteps<ResponsesNarrowing> = [
  [({ items }, refusal) => items === 'whole' && LOST_ID.test(refusal), { items: 'withoutIds' }],
  [({ items }, refusal) => items !== 'none' && REFUSED_ITEMS.test(refusal), { items: 'none' }],
  [({ resultParts }, refusal) => resultParts && REFUSED_PARTS.test(refusal), { resultParts: false }],
];

/** The most specific first. */
const FIELDS: readonly OptionalField<ResponsesNarrowing>[] = [
  {
    names: ['include'],
    words: (text) => REFUSED_INCLUDE.test(text),
    isSent: ({ encrypted }) => encrypted,
    change: { encrypted: false },
  },
  { names: ['instructions'], isSent: ({ instructions }) => instructions, change: { instructions: false } },
  {
    names: ['reasoning.summary', 'summary', 'reasoning.generate_summary', 'generate_summary'],
    words: (text) => UNVERIFIED.test(text),
    isSent: ({ summary }, { effort }) => summary && effort !== 'none',
    change: { summary: false },
  },
  {
    names: ['reasoning.effort', 'reasoning_effort', 'effort'],
    words: (text) => REFUSED_EFFORT.test(text),
    isSent: ({ effort }, request) => effort && request.effort !== undefined,
    change: ({ efforts }, refused, request) => {
      const others = efforts === null ? otherEfforts(refused, request) : null;
      return others ? { efforts: others } : { effort: false };
    },
  },
  {
    names: ['reasoning'],
    isSent: ({ effort, summary }) => effort || summary,
    change: { effort: false, summary: false },
  },
  {
    names: ['temperature'],
    isSent: ({ temperature }, request) => temperature && request.temperature !== undefined,
    change: { temperature: false },
  },
  {
    names: ['max_output_tokens', 'max_tokens', 'max_completion_tokens'],
    words: isOutputLimit,
    isSent: ({ outputLimit }, { maxOutputTokens }) => outputLimit && maxOutputTokens !== undefined,
    change: ({ mostOutput }, refused, { maxOutputTokens }) => {
      const most = namedLimit(refused, Math.min(maxOutputTokens ?? 0, mostOutput ?? Number.POSITIVE_INFINITY));
      return most === undefined ? { outputLimit: false } : { mostOutput: most };
    },
  },
  {
    names: ['tool_choice'],
    words: (text) => REFUSED_CHOICE.test(text),
    isSent: ({ toolChoice }, request) => toolChoice && request.toolChoice !== undefined,
    change: { toolChoice: false },
  },
  { names: ['prompt_cache_key'], isSent: ({ cacheKey }) => cacheKey, change: { cacheKey: false } },
  { names: ['store'], isSent: ({ store }) => store, change: { store: false } },
  { names: ['strict', 'function.strict'], inMessages: true, isSent: ({ strict }) => strict, change: { strict: false } },
  {
    names: ['detail', 'image_url.detail'],
    inMessages: true,
    isSent: ({ detail }) => detail,
    change: { detail: false },
  },
  { names: ['phase'], inMessages: true, isSent: ({ phase }) => phase, change: { phase: false } },
  {
    names: ['encrypted_content', 'summary', 'reasoning'],
    inMessages: true,
    isSent: ({ items }) => items !== 'none',
    change: { items: 'none' },
  },
];

type AssistantMessage = Extract<ChatMessage, { role: 'assistant' }>;

/** The API's minimum limit. */
const LEAST_OUTPUT = 16;

function encodeRequest(request: ModelRequest, narrowing: ResponsesNarrowing): Json {
  const [first, ...rest] = request.messages;
  const instructions = first?.role === 'system' && narrowing.instructions ? first.text.toWellFormed() : null;
  const { effort, toolChoice, tools, maxOutputTokens, temperature, cacheKey } = request;
  const reasoning = {
    ...(effort && narrowing.effort ? { effort: nearestEffort(effort, narrowing.efforts) } : {}),
    ...(narrowing.summary && effort !== 'none' ? { summary: 'auto' } : {}),
  };
  return {
    model: request.model,
    ...(instructions === null ? {} : { instructions }),
    input: encodeInput(instructions === null ? request.messages : rest, narrowing),
    ...(tools.length > 0 ? { tools: tools.map((tool) => encodeTool(tool, narrowing)) } : {}),
    ...(toolChoice && narrowing.toolChoice && tools.length > 0 ? { tool_choice: toolChoice } : {}),
    ...(Object.keys(reasoning).length > 0 ? { reasoning } : {}),
    ...(maxOutputTokens === undefined || !narrowing.outputLimit
      ? {}
      : {
          max_output_tokens: Math.max(LEAST_OUTPUT, Math.min(maxOutputTokens, narrowing.mostOutput ?? maxOutputTokens)),
        }),
    ...(temperature === undefined || !narrowing.temperature ? {} : { temperature }),
    ...(cacheKey && narrowing.cacheKey ? { prompt_cache_key: cacheKey } : {}),
    ...(narrowing.encrypted ? { include: ['reasoning.encrypted_content'] } : {}),
    ...(narrowing.store ? { store: false } : {}),
    stream: true,
  };
}

/** Not strict: a strict schema must require every field, and a tool's own schema need not. */
function encodeTool(tool: ModelRequest['tools'][number], { strict }: ResponsesNarrowing): Json {
  return {
    type: 'function',
    name: encodeName(tool.name),
    description: tool.description,
    parameters: tool.parameters,
    ...(strict ? { strict: false } : {}),
  };
}

function encodeInput(messages: readonly ChatMessage[], narrowing: ResponsesNarrowing): readonly Json[] {
  const input: Json[] = [];
  const ids = new SentIds('short');
  /** Images of results, where these accept only text. */
  let images: ContentPart[] = [];
  const showImages = () => {
    if (images.length > 0) input.push(said('user', encodeContent(OF_RESULTS, images, narrowing)));
    images = [];
  };
  for (const message of messages) {
    if (message.role !== 'tool') showImages();
    switch (message.role) {
      case 'system':
        input.push(said('developer', [{ type: 'input_text', text: message.text.toWellFormed() }]));
        break;
      case 'user':
        input.push(said('user', encodeContent(message.text, message.parts, narrowing)));
        break;
      case 'assistant':
        ids.open(message.toolCalls);
        input.push(...encodeAssistant(message, ids, narrowing));
        break;
      case 'tool': {
        const { parts = [] } = message;
        const within = parts.length > 0 && narrowing.resultParts;
        if (!within) images.push(...parts);
        input.push({
          type: 'function_call_output',
          call_id: ids.of(message.toolCallId),
          output: within ? encodeContent(message.text, parts, narrowing) : message.text.toWellFormed() || NOTHING,
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

function encodeContent(
  text: string,
  parts: readonly ContentPart[] | undefined,
  { detail }: ResponsesNarrowing,
): readonly Json[] {
  const wellFormed = text.toWellFormed();
  const words = wellFormed || parts?.length ? wellFormed : NOTHING;
  return [
    ...(words ? [{ type: 'input_text', text: words }] : []),
    ...(parts ?? []).map((part) => encodePart(part, detail)),
  ];
}

function encodePart(part: ContentPart, detail: boolean): Json {
  return part.type === 'image'
    ? {
        type: 'input_image',
        image_url: `data:${part.mime};base64,${part.base64}`,
        ...(detail ? { detail: 'auto' } : {}),
      }
    : { type: 'input_text', text: textOfPart(part) };
}

/** Reasoning, text and calls in their original order; parts without a mark follow in the usual order. */
function encodeAssistant(
  { text, toolCalls = [], reasoning }: AssistantMessage,
  ids: SentIds,
  { items: allowed, phase: withPhase }: ResponsesNarrowing,
): readonly Json[] {
  const items = reasoning?.field === SUMMARY && allowed !== 'none' ? (reasoning.items ?? []) : [];
  const encoded: Json[] = [];
  const calls = new Map(toolCalls.map((call) => [call.id, call]));
  const texts = splitText(text, items, 'message');
  const addText = (part: string, { phase }: Json = {}) => {
    const content = [{ type: 'output_text', text: part.toWellFormed() }];
    if (part) encoded.push(said('assistant', content, phase && withPhase ? { phase } : {}));
  };
  const callTool = (id: string) => {
    const call = calls.get(id);
    if (!call) return;
    calls.delete(id);
    const [name, given] = [encodeName(call.name), encodeArguments(call.arguments)];
    encoded.push({ type: 'function_call', call_id: ids.of(id), name, arguments: given });
  };
  const isMarked = items.some((item) => item.type === 'message');
  const describeRest = () => {
    for (const rest of texts.splice(0)) addText(rest);
  };
  for (const item of items) {
    if (item.type === 'reasoning') encoded.push(allowed === 'withoutIds' ? withoutId(item) : item);
    else if (item.type === 'message') addText(texts.shift() ?? '', item);
    else if (item.type === 'function_call') {
      if (!isMarked) describeRest();
      callTool(asText(item.call_id));
    }
  }
  describeRest();
  for (const id of [...calls.keys()]) callTool(id);
  return withoutTrailingReasoning(encoded);
}

function withoutId({ id, ...item }: Json): Json {
  return item;
}

/** Reasoning is accepted only together with the item it led to. */
function withoutTrailingReasoning(encoded: readonly Json[]): readonly Json[] {
  return encoded.slice(0, encoded.findLastIndex((item) => item.type !== 'reasoning') + 1);
}

/** Stateless: the provider stores nothing, and every request is complete. */
export const RESPONSES: Dialect<ResponsesNarrowing> = {
  path: 'responses',
  begin: (_, model) => begin(model),
  narrow: (narrowing, refused, request) =>
    takeStep(STEPS, narrowing, refused.text) ??
    (refusesReasoning(refused.text)
      ? withoutItems(narrowing, request)
      : withoutRefused(FIELDS, narrowing, refused, request)),
  withoutToolChoice: (narrowing) => (narrowing.toolChoice ? { ...narrowing, toolChoice: false } : null),
  encode: encodeRequest,
  send: async (body, sending) => {
    const parameters = body as unknown as OpenAI.Responses.ResponseCreateParamsStreaming;
    const client = await openaiSdk(sending);
    return client.responses.create(parameters, { signal: sending.signal, maxRetries: 0 }).asResponse();
  },
  assemble: createResponseAssembler,
  explainOmissions: (request, { effort, efforts, items }) =>
    explainOmitted(request, { effort: !effort, efforts, reasoning: items === 'none' }),
  advise,
};

const ADVICE = words(
  'Perhaps this address has no Responses API: set "dialect": "chat" for this endpoint in the setting palimpsest.endpoints, then send the message again.',
);

/** The address does not exist, or does not support the model. A missing model is another error. */
function advise({ kind, message }: ModelError): Words | null {
  const refusal = /: “(.*)”/s.exec(message)?.[1] ?? '';
  const isWrongAddress = kind === 'notFound' && !/\bmodel\b/i.test(refusal);
  return isWrongAddress || /\bv1\/chat\/completions\b/i.test(refusal) ? ADVICE : null;
}

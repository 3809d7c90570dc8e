/** Anthropic's messages, as spoken by its own endpoint and many gateways. */

import type Anthropic from '@anthropic-ai/sdk';
import { wrapUserText } from '../../core/context/frames.ts';
import { type CacheLifetime, type CacheLifetimes, SHORT } from '../../core/cost/pauses.ts';
import type { ModelError, Refused } from '../../core/errors.ts';
import { asText, type Json, parseObject } from '../../core/json.ts';
import type { ChatMessage, ContentPart, Effort, ModelRequest } from '../../core/model/modelClient.ts';
import { type Words, words } from '../../core/words.ts';
import { type Dialect, explainOmitted, type NarrowingSteps, type Sending, sdkOptions, takeStep } from '../dialect.ts';
import {
  encodeArguments,
  encodeName,
  NOTHING,
  SentIds,
  splitExactly,
  splitText,
  THINKING,
  textOfPart,
} from '../encodeParts.ts';
import { isOutputLimit } from '../errors/overflowDialects.ts';
import {
  namedLimit,
  nearestEffort,
  type OptionalField,
  otherEfforts,
  REFUSED_EFFORT,
  withoutRefused,
} from '../narrowing.ts';
import { createMessageAssembler } from './messageAssembler.ts';

/** Models that think within a budget or not at all, and their longest answers. The first match counts. */
const OLDER: readonly (readonly [RegExp, Partial<MessagesNarrowing>])[] = [
  [/claude-3-7/, { thinking: 'budget', effort: false, mostOutput: 64_000 }],
  [/claude-3-5/, { thinking: 'none', effort: false, mostOutput: 8_192 }],
  [/claude-(3|2|instant)/, { thinking: 'none', effort: false, mostOutput: 4_096 }],
  [/claude-opus-4(-[01])?(-\d{8})?$/, { thinking: 'budget', effort: false, mostOutput: 32_000 }],
  [/claude-(opus|sonnet|haiku)-4(-[015])?(-\d{8})?$/, { thinking: 'budget', effort: false }],
];

/** Enough for any file, and accepted by every newer model. */
const MOST_OUTPUT = 64_000;

function begin(model: string): MessagesNarrowing {
  const older = OLDER.find(([names]) => names.test(model))?.[1];
  return {
    thinking: 'adaptive',
    display: true,
    effort: true,
    efforts: null,
    errorMarks: true,
    temperature: true,
    replay: true,
    cacheMarks: true,
    longMarks: true,
    mostOutput: MOST_OUTPUT,
    ...older,
  };
}

const STEPS: NarrowingSteps<MessagesNarrowing> = [
  [
    ({ replay }, refusal) => replay && /\bsignature\b|thinking.{0,80}(cannot be modified|must remain)/is.test(refusal),
    { replay: false },
  ],
];

/** The most specific first. */
const FIELDS: readonly OptionalField<MessagesNarrowing>[] = [
  { names: ['thinking.display', 'display'], isSent: ({ display }) => display, change: { display: false } },
  {
    names: ['output_config', 'output_config.effort', 'effort'],
    isSent: ({ effort }, request) => effort && request.effort !== undefined,
    change: ({ efforts }, refused, request) => {
      const others = efforts === null ? otherEfforts(refused, request) : null;
      return others ? { efforts: others } : { effort: false };
    },
  },
  {
    names: ['thinking', 'thinking.adaptive', 'adaptive', 'thinking.type', 'thinking.budget_tokens', 'budget_tokens'],
    words: (text) => REFUSED_EFFORT.test(text),
    isSent: ({ thinking }, request) => thinking !== 'none' && request.effort !== undefined,
    change: ({ thinking }, { text }) =>
      thinking === 'adaptive' && /\badaptive\b/i.test(text)
        ? { thinking: 'budget', effort: false }
        : { thinking: 'none' },
  },
  {
    names: ['temperature'],
    isSent: (narrowing, request) =>
      narrowing.temperature && request.temperature !== undefined && !thinkingOf(request, narrowing).sent.thinking,
    change: { temperature: false },
  },
  {
    // Required by the API: it can only be lowered.
    names: ['max_tokens'],
    words: isOutputLimit,
    isSent: ({ mostOutput }) => mostOutput > LEAST_OUTPUT,
    change: (narrowing, refused, request) => {
      const sent = maxTokens(request, narrowing, 0);
      return { mostOutput: namedLimit(refused, sent) ?? Math.max(LEAST_OUTPUT, Math.floor(sent / 2)) };
    },
  },
  {
    names: ['ttl', 'cache_control.ttl', 'cache_control.ephemeral.ttl'],
    inMessages: true,
    isSent: ({ longMarks, cacheMarks }) => longMarks && cacheMarks,
    change: { longMarks: false },
  },
  {
    names: ['cache_control'],
    inMessages: true,
    isSent: ({ cacheMarks }) => cacheMarks,
    change: { cacheMarks: false },
  },
  {
    names: ['is_error'],
    inMessages: true,
    isSent: ({ errorMarks }) => errorMarks,
    change: { errorMarks: false },
  },
  {
    names: ['thinking', 'redacted_thinking', 'signature'],
    inMessages: true,
    isSent: ({ replay }) => replay,
    change: { replay: false },
  },
];

/** Tokens: a model that cannot say more is of no use. */
const LEAST_OUTPUT = 1_024;

const narrow = (narrowing: MessagesNarrowing, refused: Refused, request: ModelRequest): MessagesNarrowing | null =>
  takeStep(STEPS, narrowing, refused.text) ?? withoutRefused(FIELDS, narrowing, refused, request);

const ADVICE = words(
  'Perhaps this address does not speak Anthropic’s messages: set "dialect": "chat" for this endpoint in the setting palimpsest.endpoints, then send the message again.',
);

/** The address does not exist. A missing model is reported differently. */
function advise({ kind, message }: ModelError): Words | null {
  const content = /: “(.*)”/s.exec(message)?.[1] ?? '';
  return kind === 'notFound' && !/\bmodel\b/i.test(content) ? ADVICE : null;
}

export const messagesDialect = (lifetimes: () => CacheLifetimes): Dialect<MessagesNarrowing> => ({
  path: 'messages',
  begin: (_, model) => begin(model),
  narrow,
  withoutToolChoice: () => null,
  encode: (request, narrowing) => encodeRequest(request, narrowing, lifetimes()),
  send: async (body, sending) => {
    const parameters = body as unknown as Anthropic.MessageCreateParamsStreaming;
    const client = await anthropicSdk(sending);
    return client.messages.create(parameters, { signal: sending.signal, maxRetries: 0 }).asResponse();
  },
  count: async (body, sending) => {
    // Only this belongs to the prompt, and the endpoint refuses anything else.
    const { model, system, messages, tools, thinking, output_config } = body;
    const prompt = { model, system, messages, tools, thinking, output_config } as unknown;
    const parameters = prompt as Anthropic.MessageCountTokensParams;
    const client = await anthropicSdk(sending);
    const counted = await client.messages.countTokens(parameters, { signal: sending.signal, maxRetries: 0 });
    return counted.input_tokens;
  },
  assemble: createMessageAssembler,
  explainOmissions: (request, { thinking, replay, efforts }) =>
    explainOmitted(request, { effort: request.effort !== 'none' && thinking === 'none', efforts, reasoning: !replay }),
  advise,
});

/**
 * Anthropic's own client, loaded with the first request. Every option is set, because the client fills gaps from environment variables. It
 * does not get the key.
 */
async function anthropicSdk({ endpoint, fetch }: Sending): Promise<Anthropic> {
  const { Anthropic: Client } = await import('@anthropic-ai/sdk');
  return new Client({
    ...sdkOptions(fetch),
    authToken: null,
    credentials: null,
    config: null,
    profile: null,
    webhookKey: null,
    // The client adds `/v1/messages` to it.
    baseURL: endpoint.baseUrl.replace(/\/v1\/?$/, ''),
    middleware: [],
  });
}

/** The features that one model at one endpoint accepts. A refusal can only narrow them. */
interface MessagesNarrowing {
  /** How thinking is requested: the model decides how much, within a budget of tokens, or not at all. */
  readonly thinking: 'adaptive' | 'budget' | 'none';
  /** Request a readable summary of the thinking. */
  readonly display: boolean;
  /** `output_config.effort` is sent. */
  readonly effort: boolean;
  /** The efforts that it accepts; null when all. */
  readonly efforts: readonly Effort[] | null;
  /** A failed result carries `is_error`. */
  readonly errorMarks: boolean;
  readonly temperature: boolean;
  /** Return earlier thinking. */
  readonly replay: boolean;
  readonly cacheMarks: boolean;
  /** A mark may ask for an hour. */
  readonly longMarks: boolean;
  /** The longest answer in tokens that the model accepts. */
  readonly mostOutput: number;
}

type AssistantMessage = Extract<ChatMessage, { role: 'assistant' }>;

/** Thinking tokens for a model without adaptive thinking, by effort. */
const BUDGETS: Readonly<Record<Exclude<Effort, 'none'>, number>> = {
  minimal: 1_024,
  low: 2_048,
  medium: 8_192,
  high: 16_384,
  xhigh: 32_000,
};
/** The API's minimum. */
const LEAST_BUDGET = 1_024;
/** Tokens left for the answer itself when the model thinks within a budget. */
const LEAST_ANSWER = 4_096;

/** The opening of a compaction's notes. */
const NOTES = wrapUserText('summary', '').split('\n', 1)[0] ?? '';

/** Precedes an answer without a question, which the API refuses. */
const NO_QUESTION = '[continued]';

/**
 * Encodes lowered messages as the body of a request. Pure, and each block depends only on itself and earlier ones, so
 * that an earlier request's blocks stay a byte-exact prefix of a later one's (epoch rule). Only the cache breakpoints
 * move from request to request. `wanted`: how long a marked prompt stays in the cache after its last use.
 */
function encodeRequest(request: ModelRequest, narrowing: MessagesNarrowing, wanted: CacheLifetimes): Json {
  const [first, ...rest] = request.messages;
  const system = first?.role === 'system' ? first.text.toWellFormed() : '';
  const thinks = thinkingOf(request, narrowing);
  const messages = encodeMessages(system ? rest : request.messages, narrowing);
  // A request with a marked header belongs to a continuing session, unless it may call no tool.
  const isCached = narrowing.cacheMarks && first?.role === 'system' && first.cache === true;
  const lifetimes = narrowing.longMarks ? wanted : SHORT;
  const { tools, temperature } = request;
  return {
    model: request.model,
    max_tokens: maxTokens(request, narrowing, thinks.budget),
    ...(system
      ? { system: [{ type: 'text', text: system, ...(isCached ? { cache_control: markOf(lifetimes.start) } : {}) }] }
      : {}),
    messages: isCached ? markPlaces(messages, request.toolChoice === 'none', lifetimes) : messages,
    ...(tools.length > 0 ? { tools: tools.map(encodeTool) } : {}),
    ...(temperature === undefined || !narrowing.temperature || thinks.sent.thinking ? {} : { temperature }),
    ...thinks.sent,
    stream: true,
  };
}

/** `tool_choice` is never sent: the message cache is valid for one value of it only, so text forbids the tools. */
function encodeTool(tool: ModelRequest['tools'][number]): Json {
  return { name: encodeName(tool.name), description: tool.description, input_schema: tool.parameters };
}

function maxTokens({ maxOutputTokens }: ModelRequest, { mostOutput }: MessagesNarrowing, budget: number): number {
  return Math.min(Math.max(maxOutputTokens ?? mostOutput, budget > 0 ? budget + LEAST_ANSWER : 1), mostOutput);
}

function thinkingOf(request: ModelRequest, narrowing: MessagesNarrowing): { sent: Json; budget: number } {
  const { effort } = request;
  const nothing = { sent: {}, budget: 0 };
  if (!effort || narrowing.thinking === 'none') return nothing;
  if (effort === 'none') return { sent: { thinking: { type: 'disabled' } }, budget: 0 };
  const display = narrowing.display ? { display: 'summarized' } : {};
  if (narrowing.thinking === 'adaptive') {
    const config = narrowing.effort
      ? { output_config: { effort: nearestEffort(effort === 'minimal' ? 'low' : effort, narrowing.efforts) } }
      : {};
    return { sent: { thinking: { type: 'adaptive', ...display }, ...config }, budget: 0 };
  }
  // Within a tool loop every answer must begin with its thinking, which another model's answers lack.
  const budget = Math.min(BUDGETS[effort], narrowing.mostOutput - LEAST_ANSWER);
  if (budget < LEAST_BUDGET || isLoopWithoutThinking(request.messages)) return nothing;
  return { sent: { thinking: { type: 'enabled', budget_tokens: budget } }, budget };
}

function isLoopWithoutThinking(messages: readonly ChatMessage[]): boolean {
  const question = messages.findLastIndex(({ role }) => role === 'user');
  const loop = messages.slice(question + 1).filter((message) => message.role === 'assistant');
  return loop.some(({ reasoning }) => !reasoning?.items?.length);
}

/** Turns alternate: neighbouring messages of one role become one message of several blocks, results first. */
function encodeMessages(messages: readonly ChatMessage[], narrowing: MessagesNarrowing): readonly Json[] {
  const turns: { role: 'user' | 'assistant'; content: Json[] }[] = [];
  const ids = new SentIds('word');
  const add = (role: 'user' | 'assistant', blocks: readonly Json[]) => {
    const last = turns.at(-1);
    if (last?.role === role) last.content.push(...blocks);
    else turns.push({ role, content: [...blocks] });
  };
  for (const message of messages) {
    switch (message.role) {
      case 'system':
      case 'user':
        add('user', encodeContent(message.text, 'parts' in message ? message.parts : undefined));
        break;
      case 'assistant': {
        ids.open(message.toolCalls);
        const blocks = encodeAssistant(message, ids, narrowing);
        if (blocks.length === 0) break;
        if (turns.length === 0) add('user', [{ type: 'text', text: NO_QUESTION }]);
        add('assistant', blocks);
        break;
      }
      case 'tool': {
        const content = encodeContent(message.text, message.parts);
        // The API refuses an error result with anything but text.
        const failed =
          message.isError && narrowing.errorMarks && content.every(({ type }) => type === 'text')
            ? { is_error: true }
            : {};
        add('user', [{ type: 'tool_result', tool_use_id: ids.of(message.toolCallId), content, ...failed }]);
      }
    }
  }
  return turns;
}

function encodeContent(text: string, parts: readonly ContentPart[] = []): readonly Json[] {
  const content = text.trim() ? text.toWellFormed() : parts.length > 0 ? '' : NOTHING;
  return [...(content ? [{ type: 'text', text: content }] : []), ...parts.map(encodePart)];
}

function encodePart(part: ContentPart): Json {
  return part.type === 'image'
    ? { type: 'image', source: { type: 'base64', media_type: part.mime, data: part.base64 } }
    : { type: 'text', text: textOfPart(part) };
}

/** Thinking, texts and calls in their original order; a text or call without a mark follows. */
function encodeAssistant(message: AssistantMessage, ids: SentIds, { replay }: MessagesNarrowing): readonly Json[] {
  const { text, toolCalls = [], reasoning } = message;
  const items = reasoning?.field === THINKING && replay ? (reasoning.items ?? []) : [];
  const calls = new Map(toolCalls.map((call) => [call.id, call]));
  const texts = splitText(text, items, 'text');
  // A signature covers its exact text: thinking that has changed since is not returned.
  const thoughts = splitExactly(reasoning?.text ?? '', items, 'thinking');
  const blocks: Json[] = [];
  const addText = (piece: string) => {
    if (piece.trim()) blocks.push({ type: 'text', text: piece.toWellFormed() });
  };
  const callTool = (id: string) => {
    const call = calls.get(id);
    if (!call) return;
    calls.delete(id);
    const input = parseObject(encodeArguments(call.arguments)) ?? {};
    blocks.push({ type: 'tool_use', id: ids.of(id), name: encodeName(call.name), input });
  };
  for (const item of items) {
    switch (item.type) {
      case 'thinking':
        if (thoughts) blocks.push({ type: 'thinking', thinking: thoughts.shift() ?? '', signature: item.signature });
        break;
      case 'redacted_thinking':
        blocks.push({ type: 'redacted_thinking', data: item.data });
        break;
      case 'text':
        addText(texts.shift() ?? '');
        break;
      case 'tool_use':
        callTool(asText(item.id));
    }
  }
  for (const rest of texts.splice(0)) addText(rest);
  for (const id of [...calls.keys()]) callTool(id);
  return blocks.some(({ type }) => type === 'text' || type === 'tool_use') ? blocks : [];
}

const markOf = (lifetime: CacheLifetime): Json => ({
  type: 'ephemeral',
  ...(lifetime === '5m' ? {} : { ttl: lifetime }),
});

/**
 * Sets the cache breakpoints: after the system prompt (which covers the tools before it), after the newest summary,
 * which stays until the next compaction, at the end of the previous request, and at the end of this one. A cached
 * prefix is looked for at a breakpoint and in the 20 blocks before it, so the third one is exact however many calls an
 * answer made. With `last` no later request continues this one, so its end is not marked. A breakpoint for an hour may
 * not follow one for five minutes.
 */
function markPlaces(turns: readonly Json[], last: boolean, { start, rest }: CacheLifetimes): readonly Json[] {
  const blocks = turns.flatMap(({ content }, turn) => (content as readonly Json[]).map((block) => ({ block, turn })));
  const newestAnswer = turns.findLastIndex(({ role }) => role === 'assistant');
  const notes = blocks.findLastIndex(
    ({ block, turn }) => turns[turn]?.role === 'user' && asText(block.text).startsWith(NOTES),
  );
  const before = blocks.findLastIndex(({ turn }) => turn < newestAnswer);
  const lifetimes = new Map<number, CacheLifetime>([[notes, before < 0 || notes < before ? start : rest]]);
  for (const place of last ? [before] : [before, blocks.length - 1]) lifetimes.set(place, rest);
  let at = 0;
  return turns.map(({ role, content }) => ({
    role,
    content: (content as readonly Json[]).map((block) => {
      const lifetime = lifetimes.get(at++);
      return lifetime ? { ...block, cache_control: markOf(lifetime) } : block;
    }),
  }));
}

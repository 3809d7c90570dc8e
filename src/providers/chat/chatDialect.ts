/**
 * OpenAI's chat completions, which most endpoints speak, and the features that one model at one endpoint accepts. They
 * start from the tables of endpoints and models and are narrowed when a refusal names a parameter, for the client's
 * lifetime.
 */

import type OpenAI from 'openai';
import { words } from '../../core/words.ts';
import {
  type Dialect,
  explainEffort,
  isRefusedChoice,
  isUnknownParameter,
  type NarrowingSteps,
  refusesEffort,
  takeStep,
} from '../dialect.ts';
import type { Endpoint } from '../endpoint.ts';
import { familyOf } from '../knownModels.ts';
import { openaiSdk } from '../openaiSdk.ts';
import { presetOf } from '../presets.ts';
import { createAnswerAssembler } from './answerAssembler.ts';
import { encodeRequest } from './encodeRequest.ts';

export interface ChatNarrowing {
  /** `stream_options: {include_usage: true}` is sent. */
  readonly usageOption: boolean;
  /** The parameter's name; null when the endpoint has refused both. */
  readonly outputLimit: 'max_tokens' | 'max_completion_tokens' | null;
  readonly temperature: boolean;
  /** The field for the effort; null when the model has refused it. */
  readonly effort: 'reasoning_effort' | 'reasoning' | null;
  /** Reasoning is returned under the provider's own field name (required by DeepSeek). */
  readonly replayReasoning: boolean;
  /** `reasoning_details` are returned unchanged, instead of the text (required by OpenRouter). */
  readonly replayDetails: boolean;
  /** Calls made without reasoning, or with another model's, carry a constant `reasoning_content`. */
  readonly emptyReasoning: boolean;
  /** Extra content of a call is returned with it (Gemini's thought signatures). */
  readonly replayExtras: boolean;
  /** Cache breakpoints of a prompt carry `cache_control`. */
  readonly cacheMarkers: boolean;
  /** `prompt_cache_key` is sent. */
  readonly cacheKey: boolean;
  /** `tool_choice` is sent. Otherwise the request's own text forbids the tools. */
  readonly toolChoice: boolean;
  /**
   * Allowed orders of turns. `afterUser`: an answer directly follows a user's or a tool's turn, and none comes first
   * (Gemini, Anthropic); `alternate`: user and assistant strictly alternate (templates). Constant filler ensures it.
   */
  readonly turns: 'free' | 'afterUser' | 'alternate';
  /** Content of an assistant message with calls and without text. */
  readonly emptyContent: null | '';
  /** Allowed ids of tool calls: 40 visible ASCII characters; Anthropic's pattern; exactly 9 alphanumerics. */
  readonly ids: 'short' | 'word' | 'nine';
}

const COMMON: ChatNarrowing = {
  usageOption: true,
  outputLimit: 'max_tokens',
  temperature: true,
  effort: 'reasoning_effort',
  replayReasoning: true,
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
  /content['"]?\]?:?[^.]{0,60}(must be a string|should be a valid string|none is not|null|cannot be empty|input should be)/i;

/** From the most to the least specific: `reasoning` is a setting in one place and a message's field in another. */
const STEPS: NarrowingSteps<ChatNarrowing> = [
  [({ usageOption }, said) => usageOption && /stream_options|include_usage/i.test(said), { usageOption: false }],
  [
    ({ outputLimit }, said) => outputLimit === 'max_tokens' && /max_completion_tokens/i.test(said),
    { outputLimit: 'max_completion_tokens' },
  ],
  [
    ({ outputLimit }, said) =>
      outputLimit === 'max_completion_tokens' && isUnknownParameter(said, 'max_completion_tokens'),
    { outputLimit: null },
  ],
  [({ cacheMarkers }, said) => cacheMarkers && REFUSED_MARK.test(said), { cacheMarkers: false }],
  [({ cacheKey }, said) => cacheKey && isUnknownParameter(said, 'prompt_cache_key'), { cacheKey: false }],
  [({ toolChoice }, said) => toolChoice && isRefusedChoice(said), { toolChoice: false }],
  [({ temperature }, said) => temperature && isUnknownParameter(said, 'temperature'), { temperature: false }],
  [
    ({ replayReasoning, emptyReasoning }, said) => replayReasoning && !emptyReasoning && MISSING_REASONING.test(said),
    { emptyReasoning: true },
  ],
  [
    ({ effort }, said) => effort !== null && (refusesEffort(said) || isUnknownParameter(said, effort)),
    { effort: null },
  ],
  [
    ({ replayDetails }, said) => replayDetails && isUnknownParameter(said, 'reasoning_details'),
    { replayDetails: false },
  ],
  [
    ({ replayReasoning }, said) => replayReasoning && isUnknownParameter(said, 'reasoning(_content|_text)?'),
    { replayReasoning: false, emptyReasoning: false },
  ],
  [({ turns }, said) => turns !== 'alternate' && REFUSED_ORDER.test(said), { turns: 'alternate' }],
  [({ emptyContent }, said) => emptyContent === null && REFUSED_NULL.test(said), { emptyContent: '' }],
];

const WANTS_RESPONSES = /\bv1\/responses\b/i;

/** OpenAI's newer models accept tools together with reasoning, or any request, only in the other dialect. */
const ADVICE = words(
  'Set "dialect": "responses" for this endpoint in the setting palimpsest.endpoints, then send the message again.',
);

export const CHAT: Dialect<ChatNarrowing> = {
  path: 'chat/completions',
  begin,
  // A request that only the other dialect accepts is not reduced silently.
  narrow: (narrowing, refusal) => (WANTS_RESPONSES.test(refusal) ? null : takeStep(STEPS, narrowing, refusal)),
  withoutToolChoice: (narrowing) => (narrowing.toolChoice ? { ...narrowing, toolChoice: false } : null),
  encode: encodeRequest,
  send: async (body, sending) => {
    const { signal } = sending;
    // Wider than the client's type: other providers' fields (reasoning, cache markers) travel in the same body.
    const parameters = body as unknown as OpenAI.ChatCompletionCreateParamsStreaming;
    return (await openaiSdk(sending)).chat.completions.create(parameters, { signal, maxRetries: 0 });
  },
  assemble: createAnswerAssembler,
  explainOmissions: ({ model, effort }, narrowing) =>
    effort && !narrowing.effort ? explainEffort(model, effort) : null,
  advise: ({ message }) => (WANTS_RESPONSES.test(message) ? ADVICE : null),
};

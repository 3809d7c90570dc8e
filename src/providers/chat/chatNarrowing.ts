/**
 * Features of chat completions that not every model at every endpoint accepts, and how a request does without each field
 * that an endpoint refuses.
 */

import type { Effort } from '../../core/model/modelClient.ts';
import { isOutputLimit } from '../errors/overflowDialects.ts';
import { namedLimit, type OptionalField, otherEfforts, REFUSED_CHOICE, REFUSED_EFFORT } from '../narrowing.ts';

export interface ChatNarrowing {
  /** `stream_options: {include_usage: true}` is sent. */
  readonly usageOption: boolean;
  /** The parameter's name; null when the endpoint has refused both. */
  readonly outputLimit: 'max_tokens' | 'max_completion_tokens' | null;
  /** The other name has not been refused. */
  readonly otherLimit: boolean;
  /** The greatest limit that the model accepts, in tokens; null when it has refused none. */
  readonly mostOutput: number | null;
  readonly temperature: boolean;
  /** The field for the effort; null when the model has refused it. */
  readonly effort: 'reasoning_effort' | 'reasoning' | null;
  /** The efforts that it accepts; null when all. */
  readonly efforts: readonly Effort[] | null;
  /** Reasoning is returned under the provider's own field name (required by DeepSeek). */
  readonly replayReasoning: boolean;
  /** Thinking that came in the text of an answer goes back there, with the calls that it led to (MiniMax M2). */
  readonly replayInText: boolean;
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

/** By the name of the field in a request. */
export const CHAT_FIELDS: readonly OptionalField<ChatNarrowing>[] = [
  {
    names: ['stream_options', 'stream_options.include_usage', 'include_usage', 'streamOptions', 'stream options'],
    isSent: ({ usageOption }) => usageOption,
    change: { usageOption: false },
  },
  {
    names: [
      'max_tokens',
      'max_completion_tokens',
      'maxTokens',
      'maxOutputTokens',
      'max_output_tokens',
      'max_new_tokens',
      'tokens_to_generate',
    ],
    words: isOutputLimit,
    isSent: ({ outputLimit }, { maxOutputTokens }) => outputLimit !== null && maxOutputTokens !== undefined,
    change: ({ outputLimit, otherLimit, mostOutput }, refused, { maxOutputTokens }) => {
      const most = namedLimit(refused, Math.min(maxOutputTokens ?? 0, mostOutput ?? Number.POSITIVE_INFINITY));
      const other = outputLimit === 'max_tokens' ? 'max_completion_tokens' : 'max_tokens';
      const isRenamed = otherLimit && new RegExp(`\\b${other}\\b`).test(refused.text);
      if (most === undefined && isRenamed) return { outputLimit: other, otherLimit: false };
      return most === undefined ? { outputLimit: null } : { mostOutput: most };
    },
  },
  {
    names: ['temperature'],
    isSent: ({ temperature }, request) => temperature && request.temperature !== undefined,
    change: { temperature: false },
  },
  {
    names: ['reasoning_effort', 'reasoning.effort', 'reasoningEffort', 'reasoning', 'effort', 'thinking'],
    words: (text) => REFUSED_EFFORT.test(text),
    isSent: ({ effort }, request) => effort !== null && request.effort !== undefined,
    change: ({ efforts }, refused, request) => {
      const others = efforts === null ? otherEfforts(refused, request) : null;
      return others ? { efforts: others } : { effort: null };
    },
  },
  { names: ['prompt_cache_key'], isSent: ({ cacheKey }) => cacheKey, change: { cacheKey: false } },
  {
    names: ['tool_choice', 'toolChoice'],
    words: (text) => REFUSED_CHOICE.test(text),
    isSent: ({ toolChoice }, request) => toolChoice && request.toolChoice !== undefined,
    change: { toolChoice: false },
  },
  {
    names: ['cache_control'],
    inMessages: true,
    isSent: ({ cacheMarkers }) => cacheMarkers,
    change: { cacheMarkers: false },
  },
  {
    names: ['reasoning_details'],
    inMessages: true,
    isSent: ({ replayDetails }) => replayDetails,
    change: { replayDetails: false },
  },
  {
    names: ['reasoning_content', 'reasoning_text', 'reasoning', 'thinking', 'thought'],
    inMessages: true,
    isSent: ({ replayReasoning }) => replayReasoning,
    change: { replayReasoning: false, emptyReasoning: false },
  },
  {
    names: ['extra_content', 'thought_signature'],
    inMessages: true,
    isSent: ({ replayExtras }) => replayExtras,
    change: { replayExtras: false },
  },
];

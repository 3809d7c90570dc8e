/**
 * What one model at one endpoint accepts beyond the common form. It starts from what is publicly known and is narrowed
 * when a refusal names a parameter, for the client's life. Pure; it only ever narrows, so adapting comes to an end.
 */

import type { Effort } from '../../core/ports.ts';
import { type Words, words } from '../../core/words.ts';
import type { Endpoint } from '../endpoint.ts';
import { presetOf } from '../presets.ts';

export interface Dialect {
  /** `stream_options: {include_usage: true}` is sent. */
  readonly usageOption: boolean;
  /** The parameter's name; null when the endpoint has refused both. */
  readonly outputLimit: 'max_tokens' | 'max_completion_tokens' | null;
  readonly temperature: boolean;
  /** The field that says how much to think; null when the model has refused it. */
  readonly effort: 'reasoning_effort' | 'reasoning' | null;
  /** Reasoning goes back under the provider's own field name (DeepSeek asks for it). */
  readonly replayReasoning: boolean;
  /** `reasoning_details` go back as they came, instead of the text (OpenRouter asks for it). */
  readonly replayDetails: boolean;
  /** Calls made without reasoning, or whose reasoning was another model's, carry a constant `reasoning_content`. */
  readonly emptyReasoning: boolean;
  /** What came with a call goes back with it (Gemini's thought signatures). */
  readonly replayExtras: boolean;
  /** The places up to which a prompt may be cached carry `cache_control`. */
  readonly cacheMarkers: boolean;
  /** `prompt_cache_key` is sent. */
  readonly cacheKey: boolean;
  /** `tool_choice` is sent. Where it is not, the request's own words forbid the tools. */
  readonly toolChoice: boolean;
  /**
   * Which turns may follow each other. `afterUser`: an answer directly follows a user's or a tool's turn, and none comes
   * first (Gemini, Anthropic); `alternate`: user and assistant strictly take turns (templates). Constant filler keeps it.
   */
  readonly turns: 'free' | 'afterUser' | 'alternate';
  /** What an assistant message with calls and without text has as its content. */
  readonly emptyContent: null | '';
  /** Allowed ids of tool calls: 40 visible ASCII characters; those of Anthropic's pattern; exactly 9 alphanumerics. */
  readonly ids: 'short' | 'word' | 'nine';
}

export function dialectFor(endpoint: Endpoint, model: string): Dialect {
  const isMistral = /mistral|mixtral|codestral|devstral|ministral|magistral/i.test(`${endpoint.origin}/${model}`);
  const isClaude = /claude|anthropic/i.test(`${endpoint.origin}/${model}`);
  const isGemini = /gemini|generativelanguage/i.test(`${endpoint.origin}/${model}`);
  const preset = presetOf(endpoint);
  const known = preset?.id;
  return {
    usageOption: true,
    outputLimit: known === 'openai' ? 'max_completion_tokens' : 'max_tokens',
    temperature: true,
    effort: known === 'openrouter' ? 'reasoning' : 'reasoning_effort',
    replayReasoning: known !== 'openai' && !isMistral && !isGemini,
    replayDetails: true,
    emptyReasoning: false,
    replayExtras: isGemini,
    cacheMarkers: (isClaude || /qwen|qwq/i.test(model)) && (preset?.takesCacheControl ?? isClaude),
    cacheKey: preset?.takesCacheKey ?? false,
    // Anthropic's cache of the messages holds for one value of it only.
    toolChoice: !isClaude,
    turns: isMistral ? 'alternate' : isGemini || isClaude ? 'afterUser' : 'free',
    emptyContent: null,
    ids: isMistral ? 'nine' : isClaude ? 'word' : 'short',
  };
}

/** The narrower dialect that answers a refusal (its whole text), or null when the refusal is about something else. */
export function adaptDialect(dialect: Dialect, refusal: string): Dialect | null {
  if (dialect.usageOption && /stream_options|include_usage/i.test(refusal)) return { ...dialect, usageOption: false };
  if (dialect.outputLimit === 'max_tokens' && /max_completion_tokens/i.test(refusal)) {
    return { ...dialect, outputLimit: 'max_completion_tokens' };
  }
  if (dialect.outputLimit === 'max_completion_tokens' && isUnknownParameter(refusal, 'max_completion_tokens')) {
    return { ...dialect, outputLimit: null };
  }
  if (dialect.cacheMarkers && REFUSED_MARK.test(refusal)) return { ...dialect, cacheMarkers: false };
  if (dialect.cacheKey && isUnknownParameter(refusal, 'prompt_cache_key')) return { ...dialect, cacheKey: false };
  if (dialect.toolChoice && isRefusedChoice(refusal)) return { ...dialect, toolChoice: false };
  if (dialect.temperature && isUnknownParameter(refusal, 'temperature')) return { ...dialect, temperature: false };
  const reasoning = narrowReasoning(dialect, refusal);
  if (reasoning) return reasoning;
  if (
    dialect.turns !== 'alternate' &&
    /roles must alternate|unexpected role '?user'? after role|must alternate between/i.test(refusal)
  ) {
    return { ...dialect, turns: 'alternate' };
  }
  if (
    dialect.emptyContent === null &&
    /content['"]?\]?:?[^.]{0,60}(must be a string|should be a valid string|none is not|null|cannot be empty|input should be)/i.test(
      refusal,
    )
  ) {
    return { ...dialect, emptyContent: '' };
  }
  return null;
}

/** By its name, or because a text that carries it is a list. */
const REFUSED_MARK = /cache_control|content\b[^.]{0,60}(must be a string|expected (a )?string|a valid string)/i;

/** Servers refuse the parameter, or the one value of it that is ever sent. */
export function isRefusedChoice(refusal: string): boolean {
  return (
    isUnknownParameter(refusal, 'tool_choice') ||
    /\btool_choice\b[^.]{0,80}(must be|should be|invalid|one of)|no endpoints found[^.]{0,80}\btool_choice\b/i.test(
      refusal,
    )
  );
}

const MISSING = /reasoning_content\b.{0,60}(must be passed back|is missing)|missing .?reasoning_content/i;

/** The order goes from what names itself to what only may be meant: `reasoning` is a setting here and a message's field there. */
function narrowReasoning(dialect: Dialect, refusal: string): Dialect | null {
  if (dialect.replayReasoning && !dialect.emptyReasoning && MISSING.test(refusal)) {
    return { ...dialect, emptyReasoning: true };
  }
  if (dialect.effort && (refusesEffort(refusal) || isUnknownParameter(refusal, dialect.effort))) {
    return { ...dialect, effort: null };
  }
  if (dialect.replayDetails && isUnknownParameter(refusal, 'reasoning_details')) {
    return { ...dialect, replayDetails: false };
  }
  return dialect.replayReasoning && isUnknownParameter(refusal, 'reasoning(_content|_text)?')
    ? { ...dialect, replayReasoning: false, emptyReasoning: false }
    : null;
}

export function refusesEffort(refusal: string): boolean {
  const names = 'reasoning_effort|reasoning\\.effort|reasoning\\[effort\\]';
  return isUnknownParameter(refusal, names) || /does not support (thinking|reasoning)\b/i.test(refusal);
}

export function isUnknownParameter(refusal: string, name: string): boolean {
  const words =
    'unsupported|not supported|does not support|unknown|unrecognized|unexpected|not permitted|extra inputs|not allowed|deprecated';
  return (
    new RegExp(`\\b(?:${name})\\b[^.]{0,80}(${words})`, 'i').test(refusal) ||
    new RegExp(`(${words})[^.]{0,80}\\b(?:${name})\\b`, 'i').test(refusal)
  );
}

/** Says that a model does not take the reasoning effort that was chosen for it. */
export function tellEffort(model: string, effort: Effort): Words {
  return words(
    '{0} does not take the reasoning effort “{1}”: requests go out without it. Choose another in the setting palimpsest.effort.',
    model,
    effort,
  );
}

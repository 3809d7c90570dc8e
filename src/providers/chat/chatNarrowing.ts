/** Features of chat completions that not every model at every endpoint accepts. */

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

/**
 * Converts every provider's token counts to `Usage`; the only place that does. Invariant: `input` includes tokens read
 * from and written to the prompt cache, `output` includes reasoning; a count of zero input is a missing count, so null.
 * Written tokens are omitted where the provider does not report them: that is not zero.
 */

import type { Usage } from '../core/context/message.ts';
import { asRecord, type Json, objectOf } from '../core/json.ts';
import type { ModelRequest } from '../core/model/modelClient.ts';
import { type Money, readMoney } from '../core/money.ts';

/**
 * The cost of a request, as OpenRouter and similar gateways report it in US dollars; undefined if unreported. With the
 * person's own key for the underlying provider, `cost` is only the gateway's fee.
 */
export function reportedCost(raw: unknown): Money | undefined {
  const { cost, is_byok, cost_details } = objectOf(raw);
  const { upstream_inference_cost: upstream } = objectOf(cost_details);
  const all = is_byok === true && typeof upstream === 'number' ? Number(cost) + upstream : cost;
  return readMoney({ amount: all, currency: 'USD' }) ?? undefined;
}

/** Cache reads and cache writes may each be rounded up. */
const ROUNDING = 1.02;

export function normalizeUsage(raw: unknown): Usage | null {
  const usage = asRecord(raw);
  if (!usage) return null;
  const promptDetails = asRecord(usage.prompt_tokens_details) ?? objectOf(usage.input_tokens_details);
  const outputDetails = asRecord(usage.completion_tokens_details) ?? objectOf(usage.output_tokens_details);
  const cached = firstCount(
    promptDetails.cached_tokens,
    usage.prompt_cache_hit_tokens,
    usage.cache_read_input_tokens,
    usage.cached_tokens,
    usage.cachedContentTokenCount,
    promptDetails.cache_read_tokens,
    promptDetails.cache_read_input_tokens,
  );
  const written = writtenOf(usage, promptDetails);
  const reasoning = firstCount(
    outputDetails.reasoning_tokens,
    outputDetails.thinking_tokens,
    usage.reasoning_tokens,
    usage.thoughtsTokenCount,
    usage.reasoning_output_tokens,
  );
  const input = inputOf(usage, cached, written?.all ?? 0);
  if (input === 0) return null;
  const read = Math.min(cached, input);
  return {
    input,
    cached: read,
    ...(written === null ? {} : { written: Math.min(written.all, input - read) }),
    ...(written?.long === undefined ? {} : { writtenLong: Math.min(written.long, written.all, input - read) }),
    output: outputOf(usage, input, reasoning),
    reasoning,
  };
}

/**
 * OpenAI, OpenRouter: `cache_write_tokens`; LiteLLM, Qwen and gateways: another name next to it; Anthropic:
 * `cache_creation_input_tokens`, with its parts by lifetime. Null if unreported.
 */
function writtenOf(usage: Json, promptDetails: Json): { readonly all: number; readonly long?: number } | null {
  const reported = [
    promptDetails.cache_write_tokens,
    promptDetails.cached_write_tokens,
    promptDetails.cache_creation_input_tokens,
    promptDetails.cache_creation_tokens,
    usage.cache_creation_input_tokens,
    usage.cache_write_input_tokens,
  ].filter((value) => typeof value === 'number');
  const byLife = [usage.cache_creation, promptDetails.cache_creation].flatMap((each) => {
    const { ephemeral_5m_input_tokens: short, ephemeral_1h_input_tokens: long } = objectOf(each);
    return typeof short === 'number' || typeof long === 'number' ? [{ short: count(short), long: count(long) }] : [];
  });
  if (reported.length + byLife.length === 0) return null;
  const all = firstCount(...reported, ...byLife.map(({ short, long }) => short + long));
  const [writes] = byLife;
  return { all, ...(writes && { long: writes.long }) };
}

function inputOf(usage: Json, cached: number, written: number): number {
  const prompt = firstCount(usage.prompt_tokens, usage.promptTokenCount);
  // Inclusive by OpenAI's rule; with a gateway that passed on an exclusive count, the cached tokens exceed the prompt.
  if (prompt > 0) return prompt >= cached && prompt * ROUNDING >= cached + written ? prompt : prompt + cached + written;
  const hitAndMiss = count(usage.prompt_cache_hit_tokens) + count(usage.prompt_cache_miss_tokens);
  if (hitAndMiss > 0) return hitAndMiss;
  const input = count(usage.input_tokens);
  const inclusive = asRecord(usage.input_tokens_details) !== null;
  return inclusive ? input : input + count(usage.cache_read_input_tokens) + written;
}

function outputOf(usage: Json, input: number, reasoning: number): number {
  const output = firstCount(usage.completion_tokens, usage.output_tokens);
  if (output === 0 && usage.candidatesTokenCount !== undefined) return count(usage.candidatesTokenCount) + reasoning;
  // Some providers exclude reasoning from the completion count; their own total reveals it.
  const total = firstCount(usage.total_tokens, usage.totalTokenCount);
  return reasoning > 0 && total === input + output + reasoning ? output + reasoning : output;
}

/** The first positive count, else 0. */
function firstCount(...values: readonly unknown[]): number {
  for (const value of values) {
    const counted = count(value);
    if (counted > 0) return counted;
  }
  return 0;
}

function count(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? Math.round(value) : 0;
}

/** In tokens. A smaller loss may have other reasons. */
const TELLING = 2_048;

/**
 * Cached tokens read by the requests of each session, to detect a server whose cache is invalid for a request that
 * forbids tools: some then omit the tools from the prompt, so everything after them is read again.
 */
export class CacheReads {
  /** Cached tokens read by the newest request with allowed tools, by session and model. */
  readonly #read = new Map<string, number>();

  /** True when this request should have hit the same cache as the previous one, and missed it because of its tools. */
  isLost({ model, cacheKey, tools, toolChoice }: ModelRequest, usage: Usage | null): boolean {
    if (!usage || tools.length === 0) return false;
    const session = `${model} ${cacheKey}`;
    if (toolChoice === undefined) this.#read.set(session, usage.cached);
    const before = this.#read.get(session) ?? 0;
    return toolChoice === 'none' && before >= TELLING && usage.cached < before / 2;
  }
}

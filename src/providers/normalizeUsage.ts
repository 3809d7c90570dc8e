/**
 * Every provider's token counts become one `Usage`, here and nowhere else. Invariant: `input` includes what was read
 * from the prompt cache and what was written to it, `output` includes reasoning; a count of zero input is a missing count,
 * so null. What was written is left out where the provider does not say: that is not zero.
 */

import type { Usage } from '../core/context/message.ts';
import { type Money, readMoney } from '../core/cost/money.ts';
import { asRecord, type Json, objectOf } from '../core/json.ts';
import type { ModelRequest } from '../core/ports.ts';

/**
 * What a request cost, as OpenRouter and gateways after its form say it in US dollars; undefined where nothing is said. With
 * a key of one's own for the provider behind it, `cost` is the gateway's fee alone.
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
 * OpenAI, OpenRouter: `cache_write_tokens`; LiteLLM, Qwen and gateways: a name of their own beside it; Anthropic:
 * `cache_creation_input_tokens`, and what it consists of by how long it lives. Null where nothing is said.
 */
function writtenOf(usage: Json, promptDetails: Json): { readonly all: number; readonly long?: number } | null {
  const said = [
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
  if (said.length + byLife.length === 0) return null;
  const all = firstCount(...said, ...byLife.map(({ short, long }) => short + long));
  const [told] = byLife;
  return { all, ...(told && { long: told.long }) };
}

function inputOf(usage: Json, cached: number, written: number): number {
  const prompt = firstCount(usage.prompt_tokens, usage.promptTokenCount);
  // Inclusive by OpenAI's rule; a gateway that passed on an exclusive count shows as more in the cache than in the prompt.
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
  // Some providers leave reasoning out of the completion count; their own total gives it away.
  const total = firstCount(usage.total_tokens, usage.totalTokenCount);
  return reasoning > 0 && total === input + output + reasoning ? output + reasoning : output;
}

/** The first that is a positive count, else 0. */
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

/** Tokens. Less may be missed for other reasons. */
const TELLING = 2_048;

/**
 * Tokens that the requests of each session read from the prompt cache, to notice a server whose cache does not hold for a
 * request that forbids tools: some leave the tools out of the prompt then, and all that follows them is read again.
 */
export class CacheReads {
  /** Tokens that the newest request read whose tools were not forbidden, by session and model. */
  readonly #read = new Map<string, number>();

  /** Whether this request should have found what the one before it found, and did not, for want of its tools. */
  isLost({ model, cacheKey, tools, toolChoice }: ModelRequest, usage: Usage | null): boolean {
    if (!usage || tools.length === 0) return false;
    const session = `${model} ${cacheKey}`;
    if (toolChoice === undefined) this.#read.set(session, usage.cached);
    const before = this.#read.get(session) ?? 0;
    return toolChoice === 'none' && before >= TELLING && usage.cached < before / 2;
  }
}

/**
 * Every provider's token counts become one `Usage`, here and nowhere else. Invariant: `input` includes what was read
 * from the prompt cache, `output` includes reasoning; a count of zero input is a missing count, so null.
 */

import type { Usage } from '../../core/context/message.ts';
import { asRecord, type Json, objectOf } from '../../core/json.ts';

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
  );
  const reasoning = firstCount(
    outputDetails.reasoning_tokens,
    usage.reasoning_tokens,
    usage.thoughtsTokenCount,
    usage.reasoning_output_tokens,
  );
  const input = inputOf(usage, cached);
  if (input === 0) return null;
  return { input, cached: Math.min(cached, input), output: outputOf(usage, input, reasoning), reasoning };
}

function inputOf(usage: Json, cached: number): number {
  const prompt = firstCount(usage.prompt_tokens, usage.promptTokenCount);
  if (prompt > 0) {
    // Inclusive by OpenAI's rule; a gateway that passed on an exclusive count shows as more cached than prompt.
    return prompt >= cached ? prompt : prompt + cached + count(usage.cache_creation_input_tokens);
  }
  const hitAndMiss = count(usage.prompt_cache_hit_tokens) + count(usage.prompt_cache_miss_tokens);
  if (hitAndMiss > 0) return hitAndMiss;
  const input = count(usage.input_tokens);
  const inclusive = asRecord(usage.input_tokens_details) !== null;
  return inclusive ? input : input + count(usage.cache_read_input_tokens) + count(usage.cache_creation_input_tokens);
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

/** What reads like an overflow and is none. Bodies follow the providers' public wording. */

import { describe, expect, test } from 'vitest';
import type { ModelErrorKind } from '../../../../src/core/errors.ts';
import { classify, says } from './classify.ts';

type NearMiss = readonly [kind: ModelErrorKind, name: string, status: number | undefined, body: unknown];

const NEAR_MISSES: readonly NearMiss[] = [
  [
    'badRequest',
    'an output limit above the model’s',
    400,
    says('Requested max_tokens 9000 exceeds the maximum output limit of 8192'),
  ],
  [
    'badRequest',
    'an output limit out of range',
    400,
    says('`max_completion_tokens` 65536 exceeds the maximum allowed value of 32768 for this model'),
  ],
  ['rateLimit', 'long context costs extra', 429, says('Extra usage is required for long context requests.')],
  ['badRequest', 'a schema over its limit', 400, says('schema exceeds the limit of 5000 properties')],
  ['rateLimit', 'too many tokens for now', 429, says('Too many tokens, please wait before trying again.')],
  [
    'rateLimit',
    'Groq 413 for tokens per minute',
    413,
    says(
      'Request too large for model `m` in organization `o` service tier `on_demand` on tokens per minute (TPM): Limit 6000, Requested 8000, please reduce your message size and try again.',
      { type: 'tokens', code: 'rate_limit_exceeded' },
    ),
  ],
  [
    'rateLimit',
    'OpenAI 429 for tokens per minute',
    429,
    says(
      'Request too large for gpt-4o in organization o on tokens per min (TPM): Limit 30000, Requested 50000. The input or output tokens must be reduced in order to run successfully.',
      { type: 'tokens', code: 'rate_limit_exceeded' },
    ),
  ],
  [
    'rateLimit',
    'OpenAI 429 for requests',
    429,
    says('Rate limit reached for requests', { code: 'rate_limit_exceeded' }),
  ],
  [
    'rateLimit',
    'tokens per day',
    429,
    says('Rate limit reached on tokens per day (TPD): Limit 100000, Used 99000, Requested 3000.'),
  ],
  ['rateLimit', 'Bedrock throttling', 429, says('Too many tokens, please wait before trying again.')],
  [
    'rateLimit',
    'Anthropic rate limit',
    429,
    says('This request would exceed your organization’s rate limit of 30,000 input tokens per minute.', {
      type: 'rate_limit_error',
    }),
  ],
  ['rateLimit', 'concurrency', 429, says('maximum number of concurrent requests exceeded: 3')],
  [
    'rateLimit',
    'Gemini quota per minute',
    429,
    [
      {
        error: {
          code: 429,
          message: 'Quota exceeded for metric: generate_content_free_tier_input_token_count, limit: 250000',
          status: 'RESOURCE_EXHAUSTED',
        },
      },
    ],
  ],
  ['rateLimit', 'Cloud with 403', 403, says('Rate limit exceeded: token rate limit')],
  ['rateLimit', 'inside a stream', undefined, says('Rate limit exceeded: limit_rpm', { code: 429 })],
  [
    'rateLimit',
    'Groq 413 for tokens per day',
    413,
    says('Request too large for model `m` on tokens per day (TPD): Limit 100000, Requested 120000.'),
  ],
  [
    'rateLimit',
    'Azure pricing tier',
    429,
    says(
      'Your requests have exceeded the token rate limit of your current pricing tier. Please retry after 20 seconds.',
      { code: '429' },
    ),
  ],
  [
    'rateLimit',
    'a proxy that speaks of context and rate in one breath',
    429,
    says('Rate limit: requests near the maximum context length of 128000 tokens are limited per minute.'),
  ],
  ['badRequest', '413 for an image', 413, says('The image exceeds the maximum size of 20 MB')],
  [
    'network',
    'context canceled behind a maximum',
    500,
    says('upstream: context canceled after the maximum context length check'),
  ],
  [
    'billing',
    'OpenAI quota',
    429,
    says('You exceeded your current quota, please check your plan and billing details.', {
      code: 'insufficient_quota',
    }),
  ],
  [
    'billing',
    'Moonshot 403',
    403,
    says('Your account is suspended, please check your plan', { type: 'exceeded_current_quota_error' }),
  ],
  ['billing', 'DeepSeek 402', 402, says('Insufficient Balance')],
  [
    'billing',
    'OpenRouter, fewer tokens affordable',
    402,
    says(
      'This request requires more credits, or fewer max_tokens. You requested up to 64000 tokens, but can only afford 1200.',
    ),
  ],
  ['billing', 'Anthropic credit', 400, says('Your credit balance is too low to access the API.')],
  [
    'badRequest',
    'OpenAI max_tokens too large',
    400,
    says(
      'max_tokens is too large: 100000. This model supports at most 16384 completion tokens, whereas you provided 100000.',
      { param: 'max_tokens', code: 'invalid_value' },
    ),
  ],
  [
    'badRequest',
    'Anthropic output limit',
    400,
    says('max_tokens: 100000 > 64000, which is the maximum allowed number of output tokens for claude'),
  ],
  ['badRequest', 'thinking budget', 400, says('`max_tokens` must be greater than `thinking.budget_tokens`.')],
  [
    'badRequest',
    'id too long',
    400,
    says(
      "Invalid 'messages[3].tool_calls[0].id': string too long. Expected a string with maximum length 40, but got a string with length 52 instead.",
      { code: 'string_above_max_length' },
    ),
  ],
  [
    'badRequest',
    'too many tools',
    400,
    says(
      "Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length 130 instead.",
      { code: 'array_above_max_length' },
    ),
  ],
  ['badRequest', 'tool name too long', 400, says('tools.0.function.name: String is too long: at most 64 characters')],
  [
    'badRequest',
    'image too large',
    400,
    says('messages.0.content.1.image: image exceeds 5 MB maximum: 6291456 bytes > 5242880 bytes'),
  ],
  [
    'badRequest',
    'image dimensions',
    400,
    says('At least one of the image dimensions exceed max allowed size: 8000 pixels'),
  ],
  [
    'badRequest',
    'cache key too long',
    400,
    says("Invalid 'prompt_cache_key': string too long. Expected a string with maximum length 64."),
  ],
  ['badRequest', 'stop sequences', 400, says('stop sequences are too long')],
  ['badRequest', 'file too large', 400, says('The file is too large for this endpoint.')],
  [
    'badRequest',
    'unanswered calls',
    400,
    says("An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'."),
  ],
  ['badRequest', 'alternation', 400, says('Conversation roles must alternate user/assistant/user/assistant/...')],
  ['badRequest', 'template failure as 500', 500, says('Jinja Exception: Cannot pass both content and tool calls')],
  [
    'badRequest',
    'unknown parameter',
    400,
    says("Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.", {
      code: 'unsupported_parameter',
    }),
  ],
  [
    'badRequest',
    'validation list',
    422,
    { detail: [{ loc: ['body', 'messages'], msg: 'field required', type: 'value_error.missing' }] },
  ],
  [
    'badRequest',
    'context parameter of a gateway',
    400,
    says('context_management is not supported for this model’s requests'),
  ],
  ['network', 'Go deadline', 504, says('context deadline exceeded')],
  ['network', 'Go deadline as 500', 500, says('rpc error: context deadline exceeded while awaiting headers')],
  ['network', 'request timed out', 408, says('Request timed out after the maximum time allowed.')],
  ['network', 'bad gateway page', 502, '<html><body><h1>502 Bad Gateway</h1></body></html>'],
  ['network', 'Anthropic overloaded', 529, says('Overloaded', { type: 'overloaded_error' })],
  ['network', 'conflict', 409, says('The resource is locked; too large a number of writers')],
  [
    'notFound',
    'model without access',
    404,
    says('The model `some-model` does not exist or you do not have access to it.', { code: 'model_not_found' }),
  ],
  ['notFound', 'Ollama model', 404, { error: { message: "model 'some-model' not found, try pulling it first" } }],
  ['notFound', 'wrong path', 404, '404 page not found'],
  ['notFound', 'FastAPI wrong path', 404, { detail: 'Not Found' }],
  ['notFound', 'OpenRouter model id', 400, says('some-model is not a valid model ID', { code: 400 })],
  ['notFound', 'wrong method', 405, { detail: 'Method Not Allowed' }],
  ['auth', 'OpenAI key', 401, says('Incorrect API key provided: sk-abcd****wxyz.', { code: 'invalid_api_key' })],
  [
    'auth',
    'Gemini key as 400',
    400,
    [{ error: { code: 400, message: 'API key not valid. Please pass a valid API key.', status: 'INVALID_ARGUMENT' } }],
  ],
  ['auth', 'OpenRouter without key', 401, says('No auth credentials found', { code: 401 })],
  ['auth', 'forbidden country', 403, says('Country, region, or territory not supported')],
  ['auth', 'bare 401', 401, ''],
  ['interrupted', 'unknown fault inside a stream', undefined, says('Internal worker died')],
  ['network', 'overloaded inside a stream', undefined, says('The server is busy, please try again later')],
];

describe('near-misses are no overflow', () => {
  test.each<NearMiss>(NEAR_MISSES)('%s: %s', (kind, _name, status, body) => {
    const error = classify(status, body);
    expect({ kind: error.kind, window: error.facts.learnedWindow }).toEqual({ kind, window: undefined });
  });
});

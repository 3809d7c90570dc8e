/** What providers write when they refuse, and what it must be taken for. Bodies follow the providers' public wording. */

import { describe, expect, test } from 'vitest';
import type { ModelErrorKind } from '../../../src/core/errors.ts';
import { classifyError } from '../../../src/providers/errors/classifyError.ts';

const NOW = Date.parse('2026-01-01T00:00:00Z');
const PLACE = { url: 'https://host.example/v1/chat/completions', model: 'some-model', now: NOW };

function classify(status: number | undefined, body: unknown, headers: Record<string, string> = {}) {
  const refusal = { headers: new Headers(headers), body: typeof body === 'string' ? body : JSON.stringify(body) };
  return classifyError(status === undefined ? refusal : { ...refusal, status }, PLACE);
}

const says = (message: string, more: object = {}) => ({ error: { message, ...more } });

type OverflowCase = readonly [name: string, status: number | undefined, body: unknown, window?: number];

const OVERFLOWS: readonly OverflowCase[] = [
  [
    'OpenAI, code and text',
    400,
    says(
      "This model's maximum context length is 128000 tokens. However, your messages resulted in 130212 tokens. Please reduce the length of the messages.",
      { type: 'invalid_request_error', param: 'messages', code: 'context_length_exceeded' },
    ),
    128_000,
  ],
  [
    'OpenAI, newer text',
    400,
    says('Your input exceeds the context window of this model. Please adjust your input and try again.', {
      code: 'context_length_exceeded',
    }),
  ],
  [
    'OpenAI with completion in the sum',
    400,
    says(
      "This model's maximum context length is 8192 tokens. However, you requested 9100 tokens (8076 in the messages, 1024 in the completion).",
    ),
    8192,
  ],
  [
    'OpenAI, one message longer than a string may be',
    400,
    says(
      "Invalid 'messages[1].content': string too long. Expected a string with maximum length 10485760, but got a string with length 11485760 instead.",
      { code: 'string_above_max_length' },
    ),
  ],
  [
    'Azure',
    400,
    says(
      'Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 300001 tokens. Please reduce the length of the messages.',
      { code: 'context_length_exceeded' },
    ),
    272_000,
  ],
  [
    'vLLM, number as code',
    400,
    says(
      "This model's maximum context length is 32768 tokens. However, you requested 33000 tokens (32000 in the messages, 1000 in the completion). Please reduce the length of the messages or completion.",
      { type: 'BadRequestError', param: null, code: 400 },
    ),
    32_768,
  ],
  [
    'vLLM, older top level',
    400,
    {
      object: 'error',
      message: "This model's maximum context length is 4096 tokens. However, your request has 5000 input tokens.",
      type: 'BadRequestError',
      code: 400,
    },
    4096,
  ],
  [
    'vLLM, passed input tokens',
    400,
    says(
      'You passed 40961 input tokens and requested 1 output tokens. However, the model’s context length is only 40960 tokens.',
    ),
    40_960,
  ],
  ['vLLM, window minus prompt gone negative', 400, says('max_tokens must be at least 1, got -512.', { code: 400 })],
  [
    'vLLM, longer than the model length',
    400,
    says('The prompt (total length 20000) is too long: it is longer than the maximum model length of 16384.'),
    16_384,
  ],
  [
    'llama.cpp, with n_ctx',
    400,
    {
      error: {
        code: 400,
        message: 'the request exceeds the available context size, try increasing it',
        type: 'exceed_context_size_error',
        n_prompt_tokens: 9000,
        n_ctx: 4096,
      },
    },
    4096,
  ],
  [
    'llama.cpp, older with status 500',
    500,
    says('the request exceeds the available context size. try increasing the context size or enable context shift', {
      code: 500,
      type: 'server_error',
    }),
  ],
  [
    'llama.cpp, numbers in the text',
    400,
    says('request (9000 tokens) exceeds the available context size (8192 tokens), try increasing it', {
      type: 'exceed_context_size_error',
    }),
    8192,
  ],
  ['Ollama cloud', 400, { error: 'prompt too long; exceeded max context length by 4 tokens' }],
  [
    'LM Studio, error as a string',
    400,
    {
      error:
        'The number of tokens to keep from the initial prompt is greater than the context length. Try to load the model with a larger context length, or provide a shorter input',
    },
  ],
  [
    'LM Studio, overflow of the kept tokens',
    200,
    {
      error:
        'Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough.',
    },
    4096,
  ],
  [
    'OpenRouter',
    400,
    says(
      "This endpoint's maximum context length is 163840 tokens. However, you requested about 200000 tokens (190000 of text input, 10000 in the output). Please reduce the length of either one.",
      { code: 400, metadata: { provider_name: null } },
    ),
    163_840,
  ],
  [
    'OpenRouter, the truth in metadata.raw',
    400,
    says('Provider returned error', {
      code: 400,
      metadata: {
        raw: '{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}',
        provider_name: 'Upstream',
      },
    }),
    200_000,
  ],
  [
    'OpenRouter, inside a stream',
    undefined,
    says("This endpoint's maximum context length is 131072 tokens.", { code: 400 }),
    131_072,
  ],
  [
    'DeepSeek',
    400,
    says(
      "This model's maximum context length is 65536 tokens. However, you requested 70000 tokens (62000 in the messages, 8000 in the completion).",
      { type: 'invalid_request_error', code: 'invalid_request_error' },
    ),
    65_536,
  ],
  [
    'Moonshot',
    400,
    says('Invalid request: Your request exceeded model token limit: 262144 (requested: 300000)', {
      type: 'invalid_request_error',
    }),
    262_144,
  ],
  [
    'Anthropic-compatible, prompt',
    400,
    {
      type: 'error',
      error: { type: 'invalid_request_error', message: 'prompt is too long: 213462 tokens > 200000 maximum' },
    },
    200_000,
  ],
  [
    'Anthropic-compatible, with max_tokens',
    400,
    says(
      'input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length or `max_tokens` and try again',
    ),
    200_000,
  ],
  [
    'Anthropic-compatible 413',
    413,
    { type: 'error', error: { type: 'request_too_large', message: 'Request exceeds the maximum size' } },
  ],
  [
    'Gemini, in an array',
    400,
    [
      {
        error: {
          code: 400,
          message: 'The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).',
          status: 'INVALID_ARGUMENT',
        },
      },
    ],
    1_048_575,
  ],
  [
    'xAI',
    400,
    {
      code: 'Client specified an invalid argument',
      error: "This model's maximum prompt length is 131072 but the request contains 150000 tokens.",
    },
    131_072,
  ],
  ['Groq', 400, says('Please reduce the length of the messages or completion.', { code: 'context_length_exceeded' })],
  ['Bedrock gateway', 400, says('Input is too long for requested model.')],
  [
    'text-generation-inference',
    422,
    {
      error:
        'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens and 512 `max_new_tokens`',
      error_type: 'validation',
    },
    4096,
  ],
  ['DashScope', 400, says('Range of input length should be [1, 129024]', { code: 'invalid_parameter_error' }), 129_024],
  [
    'Copilot-style gateway',
    400,
    says('prompt token count of 130000 exceeds the limit: the model’s context length was exceeded', {
      code: 'model_max_prompt_tokens_exceeded',
    }),
  ],
  ['z.ai in a body', 400, says('context window exceeded', { code: 'model_context_window_exceeded' })],
  [
    'vLLM, the sum of input and output',
    400,
    says(
      "'max_tokens' or 'max_completion_tokens' is too large: 4096. This model's maximum context length is 8192 tokens and your request has 6000 input tokens (4096 > 8192 - 6000). None",
      { code: 400 },
    ),
    8192,
  ],
  [
    'SGLang',
    400,
    { object: 'error', message: "The input (9000 tokens) is longer than the model's context length (8192 tokens)." },
    8192,
  ],
  [
    'Cohere',
    400,
    {
      message:
        'too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 5000. Try using a shorter prompt, or enable prompt truncation.',
    },
    4081,
  ],
  [
    'Cerebras, with numbers',
    400,
    says('Please reduce the length of the messages or completion. Current length is 8531 while limit is 8192', {
      code: 'context_length_exceeded',
    }),
    8192,
  ],
  [
    'Mistral, with numbers',
    400,
    {
      object: 'error',
      message: 'Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
    },
    32_768,
  ],
  ['z.ai, 1261', 400, says('Prompt exceeds max length', { code: '1261' })],
  ['MiniMax', 400, says('invalid params, context window exceeds limit (2013)')],
  [
    'SiliconFlow',
    400,
    { code: 20015, message: 'length of prompt_tokens (40000) must be less than max_seq_len (32768).', data: null },
    32_768,
  ],
  ['Volcengine', 400, says('Total tokens of image and text exceed max message tokens. Request id: 1')],
  ['Qianfan', 400, says('Prompt tokens too long')],
  [
    'Copilot',
    400,
    says('prompt token count of 130000 exceeds the limit of 128000', { code: 'model_max_prompt_tokens_exceeded' }),
    128_000,
  ],
  [
    'watsonx',
    400,
    {
      errors: [{ message: 'the number of input tokens 9000 cannot exceed the total tokens limit 8192 for this model' }],
    },
    8192,
  ],
  ['Novita', 400, { code: 400, message: 'prompt tokens + max_tokens > context window (32768)' }, 32_768],
  ['Cerebras, bare 400', 400, ''],
  ['Mistral, bare 413', 413, ''],
  [
    'nginx in front, 413',
    413,
    '<html><head><title>413 Request Entity Too Large</title></head><body><center>nginx</center></body></html>',
  ],
  ['FastAPI detail', 400, { detail: "This model's maximum context length is 16,384 tokens." }, 16_384],
];

describe('overflow dialects', () => {
  test.each(OVERFLOWS.map((overflow) => ({ name: overflow[0], overflow })))(
    '$name',
    ({ overflow: [, status, body, window] }) => {
      const error = classify(status, body);
      expect({ kind: error.kind, window: error.facts.learnedWindow, retryable: error.facts.retryable }).toEqual({
        kind: 'overflow',
        window,
        retryable: false,
      });
    },
  );
});

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

describe('facts', () => {
  test.each<readonly [string, Record<string, string>, number | undefined]>([
    ['seconds', { 'retry-after': '7' }, 7000],
    ['fraction of a second', { 'retry-after': '0.5' }, 500],
    ['HTTP date', { 'retry-after': 'Thu, 01 Jan 2026 00:00:30 GMT' }, 30_000],
    ['date in the past', { 'retry-after': 'Wed, 31 Dec 2025 23:00:00 GMT' }, 0],
    ['milliseconds', { 'retry-after-ms': '250', 'retry-after': '1' }, 250],
    ['nonsense', { 'retry-after': 'soon' }, undefined],
    ['nothing', {}, undefined],
  ])('Retry-After as %s', (_name, headers, expected) => {
    expect(classify(429, says('slow down'), headers).facts.retryAfterMs).toBe(expected);
  });

  test.each<readonly [number, boolean]>([
    [400, false],
    [401, false],
    [402, false],
    [403, false],
    [404, false],
    [408, true],
    [409, true],
    [422, false],
    [429, true],
    [500, true],
    [502, true],
    [503, true],
    [529, true],
  ])('status %i is retryable: %s', (status, retryable) => {
    expect(classify(status, says('something')).facts).toEqual({ status, retryable });
  });

  test('a single request over the whole allowance is not worth a retry', () => {
    const body = says('Request too large for gpt on tokens per min (TPM): Limit 30000, Requested 50000.');
    expect(classify(429, body).facts.retryable).toBe(false);
  });
});

describe('the form of the history', () => {
  test.each([
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'.",
    'messages.3: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1.',
    'messages.1.content.0: unexpected `tool_use_id` found in `tool_result` blocks: toolu_1.',
    'No tool output found for function call call_1.',
    "Invalid parameter: messages with role 'tool' must be a response to a preceding message with 'tool_calls'.",
    'Please ensure that function response turn comes immediately after a function call turn.',
    'Function call is missing a thought_signature in functionCall parts.',
    'Missing `reasoning_content` field in the assistant message at message index 3.',
    'invalid params, invalid function arguments json string, tool_call_id: call_1',
    'Expected `thinking`, but found `text`: a final assistant message must start with thinking blocks in this mode.',
  ])('is what is refused: %s', (text) => {
    expect(classify(400, says(text))).toMatchObject({ kind: 'badRequest', facts: { malformedHistory: true } });
  });

  test.each([
    "Invalid schema for function 'read_file': 'path' is not of type 'object'.",
    'tools.0.function.name: String is too long: at most 64 characters',
    "Invalid 'tools': array too long. Expected an array with maximum length 128.",
    'This model does not support tools.',
    'invalid parameter: temperature must be >= 0',
  ])('is not: %s', (text) => {
    expect(classify(400, says(text)).facts.malformedHistory).toBeUndefined();
  });
});

describe('sentences', () => {
  test('overflow names model, numbers and what to do', () => {
    const body = says(
      "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
    );
    expect(classify(400, body).message).toBe(
      "The request (9,000 tokens) is longer than the context window of some-model, which is 8,192 tokens. Compact the conversation or choose a model with a larger window. It said: “This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.”",
    );
  });

  test.each([
    [{}, 'Wait, or'],
    [{ 'retry-after': '20' }, 'Wait 20 s, or'],
    [{ 'retry-after': '3600' }, 'Wait 60 min, or'],
  ])('a rate limit says how long to wait: %o', (headers, words) => {
    expect(classify(429, says('slow down'), headers).message).toContain(words);
  });

  test('a web page becomes its text, at most 300 characters', () => {
    const { message } = classify(
      502,
      `<html><head><title>x</title></head><body><h1>Bad</h1>${'gateway '.repeat(100)}</body></html>`,
    );
    expect(message).toContain('It said: “x Bad gateway gateway');
    expect(/“(.*)”$/.exec(message.slice(message.indexOf('It said')))?.[1]?.length).toBe(300);
  });

  test.each([
    'Incorrect API key provided: sk-proj-abcdefghijklmnop.',
    'Incorrect API key provided: sk-abcd****wxyz.',
    'token hunter2hunter2 is unknown',
    'Authorization: Bearer abc.def.ghi was refused',
    'key AIzaSyA1234567890abcdefg is blocked',
  ])('no key is repeated: %s', (text) => {
    const error = classifyError({ status: 401, body: text }, { ...PLACE, secret: 'hunter2hunter2' });
    expect(error.message).toContain('[key]');
    expect(error.message).not.toMatch(/abcd|hunter2|abc\.def|AIza/);
  });

  test('what reorders or hides text is spelled out', () => {
    expect(classify(400, says('safe\u202Eetadpu\u200B')).message).toContain('“safe⟨U+202E⟩etadpu⟨U+200B⟩”');
  });

  test('control characters do not reach the sentence', () => {
    expect(classify(400, says('bad\u001b[31m thing\u0000\r\nhere')).message).toContain('“bad [31m thing here”');
  });
});

describe('large refusals', () => {
  const MUCH = 4 * 1024 * 1024;
  const repeat = (text: string) => text.repeat(MUCH / text.length);

  // Patterns or a search for an end that begin again at each place would take hours.
  test.each([
    ['the beginning of an overflow', repeat('passed 1000 input tokens ')],
    ['the beginning of a near-miss', `max_tokens${repeat(' ')}`],
    ['another near-miss', repeat('file ')],
    ['pages of unclosed scripts', `<html>${repeat('<script>')}`],
    ['pages of unclosed titles', `<html><head>${repeat('<title ')}</head>`],
    ['pages of unclosed tags', `<html>${repeat('<')}`],
    ['digits', repeat('9')],
    ['the beginning of a key', `sk-${repeat('a')}`],
  ])('are read once: %s', (_, text) => {
    expect(classify(undefined, text).kind).toBe('interrupted');
    expect(classify(undefined, says(text)).kind).toBe('interrupted');
  });

  test.each([
    ['before', `prompt is too long: 9000 tokens > 8192. ${repeat('You sent: ')}`],
    ['after', `${repeat('You sent: ')} prompt is too long: 9000 tokens > 8192`],
  ])('what was refused stands %s the request that is quoted', (_, text) => {
    const error = classify(400, says(text));
    expect(error).toMatchObject({ kind: 'overflow', facts: { learnedWindow: 8192 } });
    expect(error.message.length).toBeLessThan(800);
    expect(error.message).toMatch(/ … \(\d{7} characters\)”$/);
  });
});

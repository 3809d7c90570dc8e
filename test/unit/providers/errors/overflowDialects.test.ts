/** What providers write when a request is too long, and the window that they name. Bodies follow their public wording. */

import { describe, expect, test } from 'vitest';
import { classify, says } from './classify.ts';

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

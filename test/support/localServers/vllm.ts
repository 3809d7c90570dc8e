/** vLLM. Its list says with which length a model was started, and it refuses what is longer. */

import { LOCAL_MODEL, type LocalDialect, refused } from './localServer.ts';

export function vllm(): LocalDialect {
  return {
    routes: ({ method, path }, { holds }) =>
      method === 'GET' && path === '/v1/models'
        ? {
            object: 'list',
            data: [
              {
                id: LOCAL_MODEL,
                object: 'model',
                owned_by: 'vllm',
                root: LOCAL_MODEL,
                parent: null,
                max_model_len: holds,
              },
            ],
          }
        : null,
    take: (prompt, holds, count) => {
      const tokens = count(prompt);
      if (tokens <= holds) return { kind: 'taken', messages: prompt.messages, tokens };
      return refused(400, {
        error: {
          message: `This model's maximum context length is ${holds} tokens. However, your request has ${tokens} input tokens. Please reduce the length of the input messages.`,
          type: 'BadRequestError',
          param: 'input_tokens',
          code: 400,
        },
      });
    },
    usage: (tokens, _fresh, output) => ({
      prompt_tokens: tokens,
      completion_tokens: output,
      total_tokens: tokens + output,
      prompt_tokens_details: null,
    }),
  };
}

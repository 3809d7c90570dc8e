/** A router of the kind of OpenRouter: its list says everything, and with its compression on it cuts the middle out. */

import { LOCAL_MODEL, type LocalDialect, refused } from './localServer.ts';

export function openRouter({ compresses = false }: { readonly compresses?: boolean } = {}): LocalDialect {
  return {
    routes: ({ method, path }, { holds, largest }) =>
      method === 'GET' && path === '/v1/models'
        ? {
            data: [
              {
                id: LOCAL_MODEL,
                name: 'Coder 7B',
                context_length: largest,
                architecture: { modality: 'text+image->text', input_modalities: ['text', 'image'], tokenizer: 'Qwen' },
                pricing: { prompt: '0.00000015', completion: '0.0000006', input_cache_read: '0.000000015' },
                top_provider: { context_length: holds, max_completion_tokens: 16_384, is_moderated: false },
                supported_parameters: ['max_tokens', 'tools', 'tool_choice', 'reasoning', 'include_reasoning'],
              },
            ],
          }
        : null,
    take: (prompt, holds, count) => {
      const tokens = count(prompt);
      if (tokens <= holds) return { kind: 'taken', messages: prompt.messages, tokens };
      if (compresses) {
        const messages = [...prompt.messages.slice(0, 1), ...prompt.messages.slice(-1)];
        return { kind: 'taken', messages, tokens: Math.min(holds, count({ ...prompt, messages })), cut: true };
      }
      return refused(400, {
        error: {
          message: `This endpoint's maximum context length is ${holds} tokens. However, you requested about ${tokens} tokens (${tokens} of text input). Please reduce the length of either one, or use the context-compression plugin to compress your prompt automatically.`,
          code: 400,
        },
      });
    },
    usage: (tokens, fresh, output) => ({
      prompt_tokens: tokens,
      completion_tokens: output,
      total_tokens: tokens + output,
      cost: 0.0001,
      prompt_tokens_details: { cached_tokens: tokens - fresh },
    }),
  };
}

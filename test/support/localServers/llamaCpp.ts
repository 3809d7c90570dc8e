/** llama.cpp's `llama-server`. It refuses what is too long; builds before late 2025 cut it instead. */

import { LOCAL_MODEL, type LocalDialect, refused } from './localServer.ts';

export interface LlamaCppOptions {
  readonly cuts?: boolean;
  /** False: a front end before it passes on nothing but models and completions. */
  readonly saysProps?: boolean;
}

export function llamaCpp({ cuts = false, saysProps = true }: LlamaCppOptions = {}): LocalDialect {
  return {
    routes: ({ method, path }, { holds, largest }) => {
      if (method !== 'GET') return null;
      if (path === '/v1/models') {
        const meta = { vocab_type: 2, n_vocab: 152_064, n_ctx_train: largest, n_embd: 3_584, size: 1 };
        return { object: 'list', data: [{ id: LOCAL_MODEL, object: 'model', owned_by: 'llamacpp', meta }] };
      }
      if (!path.startsWith('/props') || !saysProps) return null;
      return {
        default_generation_settings: {
          id: 0,
          id_task: -1,
          n_ctx: holds,
          speculative: false,
          params: { n_predict: -1 },
        },
        total_slots: 4,
        model_path: '/models/coder.gguf',
        chat_template: '…',
        chat_template_caps: { supports_tools: true },
        modalities: { vision: false, audio: false },
        build_info: 'b8681',
      };
    },
    take: (prompt, holds, count) => {
      const tokens = count(prompt);
      if (tokens < holds) return { kind: 'taken', messages: prompt.messages, tokens };
      if (cuts) {
        // Half of what is over the kept start is erased, as often as it takes.
        const block = Math.floor(holds / 2);
        const erased = Math.ceil((tokens - holds + 1) / block) * block;
        return { kind: 'taken', messages: prompt.messages.slice(-1), tokens: tokens - erased, cut: true };
      }
      return refused(400, {
        error: {
          code: 400,
          message: 'the request exceeds the available context size, try increasing it',
          type: 'exceed_context_size_error',
          n_prompt_tokens: tokens,
          n_ctx: holds,
        },
      });
    },
    usage: (tokens, fresh, output) => ({
      prompt_tokens: tokens,
      completion_tokens: output,
      total_tokens: tokens + output,
      prompt_tokens_details: { cached_tokens: tokens - fresh },
    }),
  };
}

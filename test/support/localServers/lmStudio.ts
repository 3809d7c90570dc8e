/** LM Studio. With its rolling window the front of a longer prompt is gone without a word; else it refuses. */

import { LOCAL_MODEL, type LocalDialect, refused } from './localServer.ts';

export interface LmStudioOptions {
  readonly overflow?: 'rollingWindow' | 'stopAtLimit';
  /** Versions before 0.3.16 say only what the model was made for. */
  readonly saysLoaded?: boolean;
}

export function lmStudio({ overflow = 'rollingWindow', saysLoaded = true }: LmStudioOptions = {}): LocalDialect {
  return {
    routes: ({ method, path }, { holds, largest }) => {
      if (method !== 'GET') return null;
      if (path === '/v1/models') {
        return { object: 'list', data: [{ id: LOCAL_MODEL, object: 'model', owned_by: 'organization_owner' }] };
      }
      if (path !== '/api/v0/models') return { error: `Unexpected endpoint or method. (GET ${path})` };
      const entry = {
        id: LOCAL_MODEL,
        object: 'model',
        type: 'llm',
        publisher: 'lmstudio-community',
        arch: 'qwen2',
        compatibility_type: 'gguf',
        quantization: 'Q4_K_M',
        state: holds > 0 ? 'loaded' : 'not-loaded',
        max_context_length: largest,
        ...(holds > 0 && saysLoaded ? { loaded_context_length: holds } : {}),
        capabilities: ['tool_use'],
      };
      return { object: 'list', data: [entry] };
    },
    take: (prompt, holds, count) => {
      const tokens = count(prompt);
      if (tokens <= holds) return { kind: 'taken', messages: prompt.messages, tokens };
      if (overflow === 'stopAtLimit') {
        return refused(400, {
          error:
            'Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough.'
              .replace('5000', `${tokens}`)
              .replace('4096', `${holds}`),
        });
      }
      return { kind: 'taken', messages: prompt.messages.slice(-1), tokens: holds, cut: true };
    },
    usage: (tokens, _fresh, output) => ({
      prompt_tokens: tokens,
      completion_tokens: output,
      total_tokens: tokens + output,
    }),
  };
}

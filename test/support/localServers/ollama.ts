/**
 * Ollama. A prompt that is too long loses its oldest messages but for system prompts and the last one; what is still too
 * long loses its front: all but the window before version 0.30, all but half of it since then. Nothing says so.
 */

import { asText } from '../../../src/core/json.ts';
import { LOCAL_MODEL, type LocalDialect, type Prompt } from './localServer.ts';

export interface OllamaOptions {
  /** The rest of a cut prompt: half of the window since 0.30.x, the whole window before. */
  readonly cuts?: 'half' | 'window';
  /** Versions that counted only what was not in their cache: some of 2024, and 0.30.0. */
  readonly countsFresh?: boolean;
  /** `num_ctx` in the model's own parameters. */
  readonly numCtx?: number;
  /** Before 0.9 nothing said with which context a model runs. */
  readonly saysContext?: boolean;
}

export function ollama(options: OllamaOptions = {}): LocalDialect {
  const { cuts = 'half', countsFresh = false, numCtx, saysContext = true } = options;
  return {
    routes: ({ method, path, body }, { holds, largest }) => {
      if (method === 'GET' && path === '/v1/models') {
        return { object: 'list', data: [{ id: LOCAL_MODEL, object: 'model', created: 0, owned_by: 'library' }] };
      }
      if (method === 'GET' && path === '/api/ps') {
        const running = {
          name: LOCAL_MODEL,
          model: LOCAL_MODEL,
          size: 1,
          ...(saysContext ? { context_length: holds } : {}),
        };
        return { models: holds > 0 ? [running] : [] };
      }
      if (method === 'POST' && path === '/api/show' && asText(body.model) === LOCAL_MODEL) {
        return {
          parameters: [
            'stop                           "<|im_end|>"',
            ...(numCtx ? [`num_ctx                        ${numCtx}`] : []),
          ].join('\n'),
          details: { family: 'qwen2', parameter_size: '7.6B' },
          model_info: {
            'general.architecture': 'qwen2',
            'qwen2.context_length': largest,
            'qwen2.embedding_length': 3_584,
          },
          capabilities: ['completion', 'tools'],
        };
      }
      return null;
    },
    take: (prompt, holds, count) => {
      const messages = dropOldest(prompt, holds, count);
      const tokens = count({ ...prompt, messages });
      if (tokens < holds) return { kind: 'taken', messages, tokens };
      const left = cuts === 'half' ? holds - Math.floor((holds - 4) / 2) : holds;
      return { kind: 'taken', messages: messages.slice(-1), tokens: Math.min(left, tokens), cut: true };
    },
    usage: (tokens, fresh, output) => {
      const counted = countsFresh ? fresh : tokens;
      return { prompt_tokens: counted, completion_tokens: output, total_tokens: counted + output };
    },
  };
}

function dropOldest(prompt: Prompt, holds: number, count: (prompt: Prompt) => number): Prompt['messages'] {
  const { messages, tools } = prompt;
  const last = messages.length - 1;
  const from = (start: number) => [
    ...messages.slice(0, start).filter(({ role }) => role === 'system'),
    ...messages.slice(start),
  ];
  let start = 0;
  while (start < last && count({ messages: from(start), tools }) > holds) start++;
  return from(start);
}

/**
 * Facts about well-known endpoints, known before anything is sent to them: one row each. Everything that depends on the
 * provider uses this table, so that no other code compares host names.
 */

import type { ChatNarrowing } from './chat/chatNarrowing.ts';
import type { Endpoint } from './endpoint.ts';

export const ENDPOINT_DIALECTS = ['chat', 'responses', 'messages'] as const;
/**
 * `chat`: OpenAI's chat completions, which most others imitate. `responses`: OpenAI's Responses API. `messages`:
 * Anthropic's Messages API.
 */
export type EndpointDialect = (typeof ENDPOINT_DIALECTS)[number];

export interface Preset {
  /** Also the default id of such an endpoint. */
  readonly id: string;
  /** A proper name, the same in every language. */
  readonly label: string;
  readonly baseUrl: string;
  /** The page where a person creates a key; null for a local server. */
  readonly keyPage: string | null;
  readonly dialect: EndpointDialect;
  /** How its chat completions differ from the common form. */
  readonly chat: Partial<ChatNarrowing>;
  /** Minimum milliseconds that a prompt stays in its cache after its last use; null where undocumented. */
  readonly cacheLivesMs: number | null;
  /** Messages may carry `cache_control`, for models that accept it. */
  readonly takesCacheControl: boolean;
  /** It runs locally, by default at the port of `baseUrl`. */
  readonly local: boolean;
}

const MINUTE = 60_000;

const USUAL = { dialect: 'chat', chat: {}, cacheLivesMs: null, takesCacheControl: false, local: false } as const;

const ROWS: readonly (Omit<Preset, keyof typeof USUAL> & Partial<Preset>)[] = [
  {
    id: 'openai',
    label: 'OpenAI',
    baseUrl: 'https://api.openai.com/v1',
    dialect: 'responses',
    keyPage: 'https://platform.openai.com/api-keys',
    cacheLivesMs: 5 * MINUTE,
    chat: { outputLimit: 'max_completion_tokens', replayReasoning: false, cacheKey: true },
  },
  {
    id: 'anthropic',
    label: 'Anthropic',
    baseUrl: 'https://api.anthropic.com/v1',
    dialect: 'messages',
    keyPage: 'https://console.anthropic.com/settings/keys',
    cacheLivesMs: 5 * MINUTE,
  },
  {
    id: 'gemini',
    label: 'Google Gemini',
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta/openai',
    keyPage: 'https://aistudio.google.com/apikey',
  },
  {
    id: 'openrouter',
    label: 'OpenRouter',
    baseUrl: 'https://openrouter.ai/api/v1',
    keyPage: 'https://openrouter.ai/settings/keys',
    cacheLivesMs: 5 * MINUTE,
    takesCacheControl: true,
    chat: { effort: 'reasoning' },
  },
  {
    id: 'deepseek',
    label: 'DeepSeek',
    baseUrl: 'https://api.deepseek.com/v1',
    keyPage: 'https://platform.deepseek.com/api_keys',
  },
  {
    id: 'mistral',
    label: 'Mistral AI',
    baseUrl: 'https://api.mistral.ai/v1',
    keyPage: 'https://console.mistral.ai/api-keys',
    // It refuses unknown fields, and reports usage without being asked.
    chat: { usageOption: false },
  },
  { id: 'xai', label: 'xAI', baseUrl: 'https://api.x.ai/v1', keyPage: 'https://console.x.ai' },
  {
    id: 'groq',
    label: 'Groq',
    baseUrl: 'https://api.groq.com/openai/v1',
    keyPage: 'https://console.groq.com/keys',
    cacheLivesMs: 120 * MINUTE,
  },
  {
    id: 'moonshot',
    label: 'Moonshot AI (Kimi)',
    baseUrl: 'https://api.moonshot.ai/v1',
    keyPage: 'https://platform.moonshot.ai/console/api-keys',
    chat: { cacheKey: true },
  },
  {
    id: 'moonshot-cn',
    label: '月之暗面 (Kimi)',
    baseUrl: 'https://api.moonshot.cn/v1',
    keyPage: 'https://platform.moonshot.cn/console/api-keys',
    chat: { cacheKey: true },
  },
  {
    id: 'zai',
    label: 'Z.ai (GLM)',
    baseUrl: 'https://api.z.ai/api/paas/v4',
    keyPage: 'https://z.ai/manage-apikey/apikey-list',
  },
  {
    id: 'bigmodel',
    label: '智谱 (GLM)',
    baseUrl: 'https://open.bigmodel.cn/api/paas/v4',
    keyPage: 'https://open.bigmodel.cn/usercenter/apikeys',
  },
  {
    id: 'dashscope',
    label: 'Alibaba Cloud (Qwen)',
    baseUrl: 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1',
    keyPage: 'https://bailian.console.alibabacloud.com/?tab=model#/api-key',
    cacheLivesMs: 5 * MINUTE,
    takesCacheControl: true,
  },
  {
    id: 'dashscope-cn',
    label: '阿里云百炼 (Qwen)',
    baseUrl: 'https://dashscope.aliyuncs.com/compatible-mode/v1',
    keyPage: 'https://bailian.console.aliyun.com/?tab=model#/api-key',
    cacheLivesMs: 5 * MINUTE,
    takesCacheControl: true,
  },
  {
    id: 'together',
    label: 'Together AI',
    baseUrl: 'https://api.together.xyz/v1',
    keyPage: 'https://api.together.ai/settings/api-keys',
  },
  {
    id: 'fireworks',
    label: 'Fireworks AI',
    baseUrl: 'https://api.fireworks.ai/inference/v1',
    keyPage: 'https://app.fireworks.ai/settings/users/api-keys',
  },
  { id: 'cerebras', label: 'Cerebras', baseUrl: 'https://api.cerebras.ai/v1', keyPage: 'https://cloud.cerebras.ai' },
  {
    id: 'huggingface',
    label: 'Hugging Face',
    baseUrl: 'https://router.huggingface.co/v1',
    keyPage: 'https://huggingface.co/settings/tokens',
  },
  { id: 'ollama', label: 'Ollama', baseUrl: 'http://127.0.0.1:11434/v1', keyPage: null, local: true },
  { id: 'lmstudio', label: 'LM Studio', baseUrl: 'http://127.0.0.1:1234/v1', keyPage: null, local: true },
  { id: 'llamacpp', label: 'llama.cpp', baseUrl: 'http://127.0.0.1:8080/v1', keyPage: null, local: true },
  { id: 'vllm', label: 'vLLM', baseUrl: 'http://127.0.0.1:8000/v1', keyPage: null, local: true },
];

/** In the order in which they are offered. */
export const PRESETS: readonly Preset[] = ROWS.map((row) => ({ ...USUAL, ...row }));

/** Local servers, by their default ports. */
export const LOCAL_PRESETS: readonly Preset[] = PRESETS.filter(({ local }) => local);

/** The row of an endpoint, by its host, or by its port on this machine; null for an unknown one. */
export function presetOf({ origin, loopback }: Endpoint): Preset | null {
  const url = new URL(origin);
  const fits = ({ baseUrl, local }: Preset) => {
    const own = new URL(baseUrl);
    // Providers prefix the general host with a region, such as eu.api.openai.com.
    return local
      ? loopback && own.port === url.port
      : !loopback && (url.hostname === own.hostname || url.hostname.endsWith(`.${own.hostname}`));
  };
  return PRESETS.find(fits) ?? null;
}

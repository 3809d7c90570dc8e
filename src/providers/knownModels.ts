/**
 * Facts about models by their names, for endpoints that do not report them: their chat completions, whether they see
 * images or think, and their prices.
 */

import type { Price } from '../core/cost/money.ts';
import type { ChatNarrowing } from './chat/chatDialect.ts';
import type { Endpoint } from './endpoint.ts';
import type { CacheLifetime } from './messages/encodeRequest.ts';
import { presetOf } from './presets.ts';

interface Family {
  /** How its chat completions differ from the common form, at any endpoint. */
  readonly chat: Partial<ChatNarrowing>;
  /** It takes `cache_control` wherever nothing else is known, or only at endpoints that are known to. */
  readonly cacheControl?: 'anywhere' | 'known';
}

/** Gateways often name the model in their address. Of several that fit, the later counts. */
const FAMILIES: readonly (Family & { readonly names: RegExp })[] = [
  { names: /qwen|qwq/i, chat: {}, cacheControl: 'known' },
  { names: /gemini|generativelanguage/i, chat: { turns: 'afterUser', replayReasoning: false, replayExtras: true } },
  // Anthropic's cache of the messages holds for one value of `tool_choice` only.
  {
    names: /claude|anthropic/i,
    chat: { turns: 'afterUser', ids: 'word', toolChoice: false },
    cacheControl: 'anywhere',
  },
  {
    names: /mistral|mixtral|codestral|devstral|ministral|magistral/i,
    chat: { turns: 'alternate', ids: 'nine', replayReasoning: false },
  },
];

export function familyOf({ origin }: Endpoint, model: string): Family {
  const fits = FAMILIES.filter(({ names }) => names.test(`${origin}/${model}`));
  return fits.reduce<Family>(
    (all, { chat, cacheControl = all.cacheControl }) => {
      return { chat: { ...all.chat, ...chat }, ...(cacheControl && { cacheControl }) };
    },
    { chat: {} },
  );
}

/** OpenAI's models before reasoning refuse to be asked for any. */
export const mayThink = (model: string) => !/(^|\/)(gpt-(3|4)|chatgpt-)/i.test(model);

/** A model that is not known here is taken to read text alone: naming an image does less harm than a refused request. */
const SEE: readonly RegExp[] = [
  /(^|\/)(gpt-4o|gpt-4\.\d|gpt-4-turbo|chatgpt-4o|gpt-[5-9]|o1(?!-(mini|preview))|o3(?!-mini)|o4)/i,
  /claude-(3|(opus|sonnet|haiku)-\d|[4-9])/i,
  /gemini-(1\.5|[2-9])/i,
  /gemma-?3(?!-?(270m|1b))|gemma-?3n/i,
  /llama-?(3\.2-?(11b|90b)|4)|llama-?3\.2-vision/i,
  /grok-(4|2-vision|vision)/i,
  /pixtral|mistral-(small-(3\.[1-9]|2503|2506|latest)|medium-(3|2505|2508|latest)|large-(3|2512))|magistral-(small|medium)-(1\.2|2509)/i,
  /glm-4(\.\d)?v|kimi-(vl|k2\.5)|llava|minicpm-v|moondream|internvl|phi-(3\.5-vision|4-multimodal)|nova-(lite|pro|premier)/i,
  // Names that say it.
  /(^|[-_.:/])(vl|vision|multimodal|omni)([-_.:\d]|$)|qwen[\d.]*-?vl/i,
];

/** Members of those families that do not see. */
const BLIND = /embed|whisper|tts|audio|realtime|transcribe|moderation|image-1|gpt-oss|codex-mini|search-preview/i;

export function isKnownToSee(model: string): boolean {
  return !BLIND.test(model) && SEE.some((names) => names.test(model));
}

/** The day on which the providers' own pages of prices were read. */
const AS_OF = '2026-11-22';

/**
 * In US dollars for a million tokens: fresh, read from the cache, written to it (null: as fresh), answered. Prices that
 * depend on the hour or on the length of the prompt are left out.
 */
type PriceRow = readonly [input: number, cacheRead: number, cacheWrite: number | null, output: number];

/** By preset and model: the same name at another endpoint, or on one's own machine, has no price here. */
const PRICES: Readonly<Record<string, Readonly<Record<string, PriceRow>>>> = {
  // https://developers.openai.com/api/docs/pricing
  openai: {
    'gpt-5.4-mini': [0.75, 0.075, null, 4.5],
    'gpt-5.2': [1.75, 0.175, null, 14],
    'gpt-5': [1.25, 0.125, null, 10],
    'gpt-5-mini': [0.25, 0.025, null, 2],
    'gpt-4.1': [2, 0.5, null, 8],
  },
  // https://platform.claude.com/docs/en/about-claude/pricing, with writes for five minutes
  anthropic: {
    'claude-opus-5-5': [4, 0.2, 5, 20],
    'claude-opus-5': [5, 0.5, 6.25, 25],
    'claude-opus-4-8': [5, 0.5, 6.25, 25],
    'claude-sonnet-5': [2, 0.2, 2.5, 10],
    'claude-sonnet-4-6': [3, 0.3, 3.75, 15],
    'claude-haiku-4-5': [1, 0.1, 1.25, 5],
  },
};

/** A model of a certain day, such as `gpt-5-2025-08-07`, costs what the model does. */
const SNAPSHOT = /-(\d{4}-\d{2}-\d{2}|20\d{6})$/;

/**
 * Undefined where the table does not know the endpoint or the model. A prompt that is cached for an hour costs twice the
 * price of its input to write.
 */
export function tablePrice(endpoint: Endpoint, model: string, lifetime: CacheLifetime = '5m'): Price | undefined {
  const provider = presetOf(endpoint)?.id ?? '';
  const models = Object.hasOwn(PRICES, provider) ? PRICES[provider] : undefined;
  const name = model.replace(SNAPSHOT, '');
  const row = models && Object.hasOwn(models, name) ? models[name] : undefined;
  if (!row) return undefined;
  const [input, cacheRead, cacheWrite, output] = row;
  const written = cacheWrite === null ? {} : { cacheWrite: lifetime === '1h' ? 2 * input : cacheWrite };
  return { currency: 'USD', input, output, cacheRead, ...written, source: 'table', asOf: AS_OF };
}

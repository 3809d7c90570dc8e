/**
 * Facts about models by name, for endpoints that do not report them: their chat completions, whether they see images or
 * think, their prices and their windows.
 */

import type { Price, Rates } from '../core/money.ts';
import type { ChatNarrowing } from './chat/chatNarrowing.ts';
import type { Endpoint } from './endpoint.ts';
import { presetOf } from './presets.ts';

interface Family {
  /** How its chat completions differ from the common form, at any endpoint. */
  readonly chat: Partial<ChatNarrowing>;
  /** It accepts `cache_control` at unknown endpoints too, or only at endpoints known to. */
  readonly cacheControl?: 'anywhere' | 'known';
}

/** Gateways often put the model into their address. Of several matches, the later counts. */
const FAMILIES: readonly (Family & { readonly names: RegExp })[] = [
  { names: /qwen|qwq/i, chat: {}, cacheControl: 'known' },
  // https://huggingface.co/MiniMaxAI/MiniMax-M2: the thinking that led to calls must not be taken out of the history.
  { names: /minimax-?m2/i, chat: { replayInText: true } },
  { names: /gemini|generativelanguage/i, chat: { turns: 'afterUser', replayReasoning: false, replayExtras: true } },
  // Anthropic's message cache is valid for one value of `tool_choice` only.
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

/** OpenAI's models before reasoning reject an effort. */
export const mayThink = (model: string) => !/(^|\/)(gpt-(3|4)|chatgpt-)/i.test(model);

const SEE: readonly RegExp[] = [
  /(^|\/)(gpt-4o|gpt-4\.\d|gpt-4-turbo|chatgpt-4o|gpt-[5-9]|o1(?!-(mini|preview))|o3(?!-mini)|o4)/i,
  /claude-(3|(opus|sonnet|haiku)-\d|[4-9])/i,
  /gemini-(1\.5|[2-9])/i,
  /gemma-?3(?!-?(270m|1b))|gemma-?3n/i,
  /llama-?(3\.2-?(11b|90b)|4)|llama-?3\.2-vision/i,
  /grok-(4|2-vision|vision)/i,
  /pixtral|mistral-(small-(3\.[1-9]|2503|2506|latest)|medium-(3|2505|2508|latest)|large-(3|2512))|magistral-(small|medium)-(1\.2|2509)/i,
  /glm-4(\.\d)?v|kimi-(vl|k2\.5)|llava|minicpm-v|moondream|internvl|phi-(3\.5-vision|4-multimodal)|nova-(lite|pro|premier)/i,
  // Telling names.
  /(^|[-_.:/])(vl|vision|multimodal|omni)([-_.:\d]|$)|qwen[\d.]*-?vl/i,
];

/** Members of those families without vision. */
const BLIND = /embed|whisper|tts|audio|realtime|transcribe|moderation|image-1|gpt-oss|codex-mini|search-preview/i;

/** Undefined for an unknown model: naming an image does less harm than a refused request. */
export function isKnownToSee(model: string): boolean | undefined {
  if (BLIND.test(model)) return false;
  return SEE.some((names) => names.test(model)) || undefined;
}

/**
 * In US dollars per million tokens: fresh, read from the cache, written to it (null: as fresh), output. Anthropic
 * charges twice the fresh price for an hour's cache.
 */
type RateRow = readonly [input: number, cacheRead: number, cacheWrite: number | null, output: number];

interface ModelRow {
  readonly rates: RateRow;
  /** Number of input tokens above which a whole request has other rates, and those rates. */
  readonly longer?: readonly [above: number, rates: RateRow];
  /** Times of day in UTC with other rates. */
  readonly hours?: readonly (readonly [from: string, to: string, rates: RateRow])[];
  /** The longest prompt in tokens, where its endpoint does not report it. */
  readonly window?: number;
}

interface ProviderRows {
  /** The date of the price page. */
  readonly asOf: string;
  readonly models: Readonly<Record<string, ModelRow>>;
}

/** Twice the usual price, in two periods of the working day in Beijing. */
const DEEPSEEK_PEAK = [
  ['01:00', '04:00', [0.87, 0.00725, null, 1.74]],
  ['06:00', '10:00', [0.87, 0.00725, null, 1.74]],
] as const;

/** By preset and model: the same name at another endpoint, or a local one, is unknown here. */
const TABLE: Readonly<Record<string, ProviderRows>> = {
  // https://developers.openai.com/api/docs/pricing. Windows without the room for answers.
  openai: {
    asOf: '2026-11-22',
    models: {
      'gpt-5.4': {
        rates: [2.5, 0.25, null, 15],
        longer: [272_000, [5, 0.5, null, 22.5]],
        window: 922_000,
      },
      'gpt-5.4-mini': { rates: [0.75, 0.075, null, 4.5], window: 272_000 },
      'gpt-5.2': { rates: [1.75, 0.175, null, 14], window: 272_000 },
      'gpt-5': { rates: [1.25, 0.125, null, 10], window: 272_000 },
      'gpt-5-mini': { rates: [0.25, 0.025, null, 2], window: 272_000 },
      'gpt-4.1': { rates: [2, 0.5, null, 8], window: 1_047_576 },
    },
  },
  // https://platform.claude.com/docs/en/about-claude/pricing. The endpoint reports windows.
  anthropic: {
    asOf: '2026-11-22',
    models: {
      'claude-opus-5-5': { rates: [4, 0.2, 5, 20] },
      'claude-opus-5': { rates: [5, 0.5, 6.25, 25] },
      'claude-opus-4-8': { rates: [5, 0.5, 6.25, 25] },
      'claude-sonnet-5': { rates: [2, 0.2, 2.5, 10] },
      'claude-sonnet-4-6': { rates: [3, 0.3, 3.75, 15] },
      'claude-haiku-4-5': { rates: [1, 0.1, 1.25, 5], window: 200_000 },
    },
  },
  // https://ai.google.dev/gemini-api/docs/pricing
  gemini: {
    asOf: '2026-03-01',
    models: {
      'gemini-2.5-pro': {
        rates: [1.25, 0.125, null, 10],
        longer: [200_000, [2.5, 0.25, null, 15]],
        window: 1_048_576,
      },
      'gemini-2.5-flash': { rates: [0.3, 0.03, null, 2.5], window: 1_048_576 },
      'gemini-2.5-flash-lite': { rates: [0.1, 0.01, null, 0.4], window: 1_048_576 },
    },
  },
  // https://api-docs.deepseek.com/quick_start/pricing
  deepseek: {
    asOf: '2026-07-15',
    models: {
      'deepseek-v4-pro': { rates: [0.435, 0.003625, null, 0.87], hours: DEEPSEEK_PEAK, window: 1_000_000 },
    },
  },
};

/** A dated model, such as `gpt-5-2025-08-07`, has the model's price. Gemini's may have a path before it. */
export const knownName = (model: string): string =>
  model.replace(/^models\//, '').replace(/-(\d{4}-\d{2}-\d{2}|20\d{6})$/, '');

/** Undefined for an unknown endpoint or model. */
function rowOf(endpoint: Endpoint, model: string): (ModelRow & Pick<ProviderRows, 'asOf'>) | undefined {
  const provider = presetOf(endpoint)?.id ?? '';
  const { asOf = '', models = {} } = Object.hasOwn(TABLE, provider) ? (TABLE[provider] ?? {}) : {};
  const name = knownName(model);
  const row = Object.hasOwn(models, name) ? models[name] : undefined;
  return row && { ...row, asOf };
}

function ratesOf([input, cacheRead, cacheWrite, output]: RateRow): Rates {
  const written = cacheWrite === null ? {} : { cacheWrite, cacheWriteLong: 2 * input };
  return { input, output, cacheRead, ...written };
}

export function tablePrice(endpoint: Endpoint, model: string): Price | undefined {
  const row = rowOf(endpoint, model);
  if (!row) return undefined;
  const { rates, longer, hours, asOf } = row;
  return {
    currency: 'USD',
    ...ratesOf(rates),
    ...(longer && { longer: [{ above: longer[0], ...ratesOf(longer[1]) }] }),
    ...(hours && { hours: hours.map(([from, to, then]) => ({ from, to, ...ratesOf(then) })) }),
    source: 'table',
    asOf,
  };
}

export const tableWindow = (endpoint: Endpoint, model: string): number | undefined => rowOf(endpoint, model)?.window;

/**
 * Models and endpoints as a person configures them, and the list of usable endpoints, in the order of the setting
 * `endpoints`. Ids are unique in the list.
 */

import * as z from 'zod';
import { CACHE_LIFETIMES } from '../../core/cost/pauses.ts';
import { asText, objectOf } from '../../core/json.ts';
import { EFFORTS, type Effort } from '../../core/model/modelClient.ts';
import type { Price } from '../../core/money.ts';
import { type Choices, choice, count, section, setting } from '../../core/setting.ts';
import { hideInAddresses } from '../../core/urls.ts';
import { words } from '../../core/words.ts';
import { type Endpoint, parseEndpoint } from '../../providers/endpoint.ts';
import { KEY_HEADERS } from '../../providers/endpointFetch.ts';
import { ENDPOINT_DIALECTS, presetOf } from '../../providers/presets.ts';
import { priceSchema, readPrice, tokens } from './price.ts';

const modelName = z.string().min(1).max(200);

const modelSchema = z.strictObject({
  name: modelName.describe('Name of the model as the endpoint knows it.'),
  contextWindow: tokens
    .optional()
    .describe('Context window of the model, in tokens. It takes precedence over `#palimpsest.contextWindow#`.'),
  maxOutputTokens: tokens
    .optional()
    .describe('Maximum length of an answer, in tokens. If not given, the provider decides.'),
  effort: z.enum(EFFORTS).optional().describe('How much the model thinks, if it takes a reasoning effort.'),
  images: z
    .boolean()
    .optional()
    .describe(
      'Whether the model accepts images. If not given: as reported by the server, or else known for models of that name.',
    ),
  price: priceSchema
    .optional()
    .describe('What the model costs. It takes precedence over the prices of the endpoint and of the product.'),
});

/** Kinds of models, and suffixes after an `@` in some models' names. */
const TAKEN_IDS: readonly string[] = ['demo', 'vscode', 'default', 'latest'];

/** Dates are excluded as well, by requiring a letter first, and quantisation formats: `q4_k_m`, `iq3_xs`, `f16`. */
const QUANTISED = /^(i?q|b?f|fp|int)\d/i;
const ENDPOINT_ID = /^[A-Za-z][\w.-]{0,39}$/;

export const isEndpointId = (text: string): boolean => ENDPOINT_ID.test(text) && !isTaken(text);

const isTaken = (id: string): boolean => TAKEN_IDS.includes(id) || QUANTISED.test(id);

export const idleSeconds = count(5, 86_400);

const endpointSchema = z.strictObject({
  id: z
    .string()
    .regex(ENDPOINT_ID)
    .describe('Short name of the endpoint. `MODEL@ID` names one of its models in other settings.'),
  baseUrl: z
    .url({ protocol: /^https?$/ })
    .describe('Base URL of an OpenAI-compatible endpoint, for example `https://api.openai.com/v1`.'),
  dialect: z
    .enum(ENDPOINT_DIALECTS)
    .optional()
    .describe(
      '`chat` for chat completions, `responses` for OpenAI’s Responses API, `messages` for Anthropic’s Messages API. If not given: the dialect of the known provider, else `chat`.',
    ),
  keyHeader: z
    .enum(KEY_HEADERS)
    .optional()
    .describe(
      'Header that carries the API key: `authorization` (as a bearer token) or `x-api-key`. If not given: `x-api-key` for the dialect `messages`, else `authorization`.',
    ),
  plainHttp: z
    .boolean()
    .optional()
    .describe(
      'Allows plain http to this address of a private network: other people in that network can read your code and the key. *Palimpsest: Set Up Model Endpoint* sets this after asking.',
    ),
  cacheLifetime: z
    .enum([...CACHE_LIFETIMES, 'auto'])
    .optional()
    .describe(
      'How long the dialect `messages` keeps a prompt in the cache after its last use: `5m`, or `1h`, which costs more to write and pays if you often pause for longer than five minutes. `auto`, the default, depends on your last 20 pauses before a message: if at least one in ten lasted between five minutes and an hour, everything is kept for an hour; if fewer did, only the parts that never change.',
    ),
  models: z
    .array(z.union([modelName, modelSchema]))
    .describe('Models to offer: names, or objects that say more of a model.'),
  firstByteTimeout: idleSeconds
    .optional()
    .describe(
      'Seconds to wait for the first byte of an answer before the request is cancelled and retried; 120 if not given. Raise it for a server that loads large models.',
    ),
  silenceTimeout: idleSeconds
    .optional()
    .describe(
      'Seconds of silence in the middle of an answer before it counts as broken off; 90 if not given. Keep-alive comments count as bytes.',
    ),
});

/** One element of the setting `endpoints`. */
export type EndpointConfig = z.infer<typeof endpointSchema>;

export const endpointsSchema = z.array(endpointSchema).superRefine((endpoints, context) => {
  const seen = new Set<string>();
  for (const { id } of endpoints) {
    const reason = isTaken(id)
      ? words('The id {0} is reserved. Choose another.', id)
      : seen.has(id)
        ? words('The id {0} is given twice.', id)
        : null;
    if (reason) context.addIssue({ code: 'custom', params: { reason } });
    seen.add(id);
  }
});

export interface EndpointModel {
  readonly name: string;
  /** In tokens. */
  readonly contextWindow?: number;
  readonly maxOutputTokens?: number;
  readonly effort?: Effort;
  readonly images?: boolean;
  readonly price?: Price;
}

/** A usable endpoint. */
export interface ConfiguredEndpoint extends Readonly<Omit<EndpointConfig, 'models'>> {
  readonly models: readonly EndpointModel[];
}

interface EndpointSettings {
  readonly endpoints: readonly EndpointConfig[];
}

export function listEndpoints({ endpoints }: EndpointSettings): readonly ConfiguredEndpoint[] {
  return endpoints.map((endpoint) => ({ ...endpoint, models: endpoint.models.map(readModel) }));
}

/** The provider's id where known, else a word of the host; with a number when that is taken. */
export function freeId(endpoints: readonly unknown[], endpoint: Endpoint | null): string {
  const taken = new Set(endpoints.map((entry) => asText(objectOf(entry).id)));
  const hostname = endpoint ? new URL(endpoint.origin).hostname : '';
  const parts = hostname.split('.').filter((part) => !/^(api|www|com|org|net|io|ai)$/.test(part));
  const named = endpoint?.loopback ? 'local' : parts.find((part) => isEndpointId(part));
  const base = ((endpoint && presetOf(endpoint)?.id) ?? named ?? 'endpoint').slice(0, 30);
  for (let n = 1; ; n++) {
    const id = n === 1 ? base : `${base}-${n}`;
    if (!taken.has(id)) return id;
  }
}

function readModel(model: EndpointConfig['models'][number]): EndpointModel {
  if (typeof model === 'string') return { name: model };
  const { name, contextWindow, maxOutputTokens, effort, images, price } = model;
  return {
    name,
    ...(contextWindow && { contextWindow }),
    ...(maxOutputTokens && { maxOutputTokens }),
    ...(effort && { effort }),
    ...(images !== undefined && { images }),
    ...(price && { price: readPrice(price) }),
  };
}

/** The provider's own name where the endpoint is called after it, else the person's. */
export function labelOf({ id, baseUrl }: ConfiguredEndpoint): string {
  const endpoint = usable(baseUrl);
  const preset = endpoint && presetOf(endpoint);
  return id === preset?.id ? preset.label : id;
}

/** The heading over its models: its label, and its location. */
export function headingOf(endpoint: ConfiguredEndpoint): string {
  const [label, host] = [labelOf(endpoint), hostOf(endpoint.baseUrl)];
  return label === host ? host : `${label} · ${host}`;
}

/** `host:port`, or the showable part of an unusable address. */
export function hostOf(baseUrl: string): string {
  const endpoint = usable(baseUrl);
  return endpoint ? new URL(endpoint.origin).host : showAddress(baseUrl);
}

/** Without credentials. */
export const showAddress = (baseUrl: string): string => hideInAddresses(baseUrl).replace(/[?#].*/s, '');

/** Null for an unusable address; choosing one of its models gives the reason. */
export function usable(baseUrl: string): Endpoint | null {
  try {
    return parseEndpoint(baseUrl);
  } catch {
    return null;
  }
}

/**
 * The name of an endpoint's model in settings, journals and the chooser: `NAME@ENDPOINT`, or the bare `NAME`, which is
 * searched for in the endpoints' lists and otherwise belongs to the first. A name may itself contain `@`.
 */
export type FoundModel =
  | { readonly kind: 'found'; readonly endpoint: ConfiguredEndpoint; readonly model: EndpointModel }
  /** It names an endpoint that is not configured. */
  | { readonly kind: 'gone'; readonly name: string; readonly endpoint: string }
  /** No name, or no endpoint at all. */
  | { readonly kind: 'none' };

/** The id by which a model is chosen and remembered. */
export function referTo(name: string, endpoint: string): string {
  return `${name}@${endpoint}`;
}

/** `beside`: the endpoint to try first for a bare name. */
export function findModel(
  reference: string,
  endpoints: readonly ConfiguredEndpoint[],
  beside?: ConfiguredEndpoint,
): FoundModel {
  if (!reference) return { kind: 'none' };
  const at = reference.lastIndexOf('@');
  const name = reference.slice(0, at);
  const id = reference.slice(at + 1);
  const named = at > 0 ? endpoints.find((endpoint) => endpoint.id === id) : undefined;
  if (named) return { kind: 'found', endpoint: named, model: listed(name, named) ?? { name } };

  const order = beside ? [beside, ...endpoints.filter(({ id }) => id !== beside.id)] : endpoints;
  for (const endpoint of order) {
    const model = listed(reference, endpoint);
    if (model) return { kind: 'found', endpoint, model };
  }
  // A request never goes to an endpoint other than the chosen one.
  if (at > 0 && isEndpointId(id)) return { kind: 'gone', name, endpoint: id };
  const [first] = order;
  return first ? { kind: 'found', endpoint: first, model: { name: reference } } : { kind: 'none' };
}

const listed = (name: string, { models }: ConfiguredEndpoint) => models.find((model) => model.name === name);

const USUAL_EFFORTS: Choices<'default' | Effort> = {
  default: ['Default', 'The provider decides.'],
  none: ['None', 'The model does not think, if it can do without.'],
  minimal: ['Minimal', 'The least that the model can think.'],
  low: ['Low', 'For simple tasks and quick answers.'],
  medium: ['Medium', 'Between speed and thoroughness.'],
  high: ['High', 'For difficult tasks.'],
  xhigh: ['Very high', 'The most, where the model takes it.'],
};

/** Settings of models and of the endpoints that serve them. A workspace never chooses an endpoint. */
export const MODEL = section('', {
  model: setting(
    z.string(),
    '',
    'Model for new sessions: `demo` for the scripted demo, which needs no key and no network, or `MODEL@ENDPOINT`, such as `gpt-5@openai`, with the id of an endpoint, or `VENDOR/MODEL@vscode` for a model of another extension. Without an endpoint: the first that lists the model. A session keeps the model it was given in the panel.',
    { restricted: true },
  ),
  endpoints: setting(
    endpointsSchema,
    [],
    'OpenAI-compatible endpoints, each with its models and with a key of its own in the secret storage, one for each origin. *Palimpsest: Set Up Model Endpoint* fills this in. A workspace cannot change this.',
    { scope: 'application', ofThisMachine: true, inner: 'models', keywords: ['API key', 'provider', 'Ollama'] },
  ),
  contextWindow: setting(
    count(),
    128_000,
    "Context window of the endpoints' models, in tokens, where a model has none of its own in `#palimpsest.endpoints#`. If unset, the size reported by the server is used. 0 means unknown: only an overflow reported by the provider then starts a compaction.",
    { restricted: true },
  ),
  effort: choice(
    USUAL_EFFORTS,
    'default',
    'How much a model thinks before it answers, if it takes a reasoning effort and has none of its own in `#palimpsest.endpoints#`. More thinking costs more tokens and time.',
    { restricted: true },
  ),
});

/**
 * Facts that an endpoint reports about one of its models, and how it is asked. Its list of models comes first, which every
 * endpoint has; local servers are then asked in their own way, the likeliest first. A query carries the endpoint's key
 * through the watched fetch, takes a few seconds at most, and reads a few megabytes at most.
 */

import { ModelError } from '../core/errors.ts';
import { asRecord, asText, type Json, listOf, objectOf, parseJson } from '../core/json.ts';
import type { Price } from '../core/money.ts';
import { below, type Endpoint, isOwn, parseEndpoint } from './endpoint.ts';
import { type EndpointAccess, watchFetch } from './endpointFetch.ts';
import { readModelList } from './modelList.ts';
import { systemTimers } from './timers.ts';

export const SERVERS = ['ollama', 'lmStudio', 'llamaCpp', 'vllm', 'openRouter'] as const;

/** A kind of server with its own form of model facts, recognised by its answers. */
export type ServerKind = (typeof SERVERS)[number];

/** Unreported facts are omitted. */
export interface ModelFacts {
  readonly model: string;
  readonly server?: ServerKind;
  /**
   * The server's present context window in tokens: for a local server, the size with which it was started or loaded.
   */
  readonly window?: number;
  /** Tokens that the model could accept if its server were started with more. */
  readonly largestWindow?: number;
  readonly maxOutputTokens?: number;
  readonly price?: Price;
  readonly images?: boolean;
  readonly tools?: boolean;
  readonly reasoning?: boolean;
}

/** Null when nobody answered, or the model is not mentioned. Waits a few seconds at most. */
export function askFacts(access: EndpointAccess, model: string, signal: AbortSignal): Promise<ModelFacts | null> {
  return withServer(access, model, signal, async (server) => {
    const list = await server.ask('models');
    const entry = readModelList(list)?.find(({ id }) => id === model)?.entry ?? {};
    const listed = readListed(model, entry);
    if (listed?.window !== undefined) return listed;
    const named = LOCAL_SERVERS.filter(({ owner }) => owner === entry.owned_by);
    for (const { ask } of named.length > 0 ? named : isOwn(server.endpoint) ? LOCAL_SERVERS : []) {
      const facts = await ask(server, model, entry);
      if (facts) return facts;
    }
    return listed;
  });
}

/** The facts about a model in the list alone. */
export function readListed(model: string, entry: Json): ModelFacts | null {
  return readOpenRouter(model, entry) ?? readVllm(model, entry) ?? readHosted(model, entry);
}

/** Servers with their own query, and their name for the owner of their models. The most used comes first. */
const LOCAL_SERVERS: readonly {
  readonly owner: string;
  /** Null for another server. `entry` is the model's entry in its list. */
  readonly ask: (server: Server, model: string, entry: Json) => Promise<ModelFacts | null>;
}[] = [
  { owner: 'library', ask: askOllama },
  { owner: 'llamacpp', ask: askLlamaCpp },
  { owner: 'organization_owner', ask: askLmStudio },
];

/** Null when the entry has no known facts. */
function readHosted(model: string, entry: Json): ModelFacts | null {
  const capabilities = objectOf(entry.capabilities);
  const reported = known({
    window:
      readTokens(entry.context_length) ??
      readTokens(entry.context_window) ??
      readTokens(entry.max_context_length) ??
      // Anthropic.
      readTokens(entry.max_input_tokens),
    maxOutputTokens:
      readTokens(entry.max_completion_tokens) ?? readTokens(entry.max_output_tokens) ?? readTokens(entry.max_tokens),
    images:
      readFlag(capabilities.vision) ??
      readFlag(objectOf(capabilities.image_input).supported) ??
      readFlag(entry.supports_image_in),
    tools: readFlag(capabilities.function_calling),
    reasoning: readFlag(entry.supports_reasoning),
  });
  return Object.keys(reported).length > 0 ? { model, ...reported } : null;
}

function readFlag(value: unknown): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined;
}

async function askLlamaCpp({ askRoot }: Server, model: string, entry: Json): Promise<ModelFacts | null> {
  // A server of several models must not load one because of a query.
  const props = asRecord(await askRoot(`props?model=${encodeURIComponent(model)}&autoload=false`));
  const meta = objectOf(entry.meta);
  const defaults = asRecord(props?.default_generation_settings);
  if (!defaults && asText(entry.owned_by) !== 'llamacpp') return null;
  const modalities = asRecord(props?.modalities);
  const caps = asRecord(props?.chat_template_caps);
  return {
    model,
    server: 'llamaCpp',
    ...known({
      window: readTokens(defaults?.n_ctx) ?? readTokens(props?.n_ctx) ?? readTokens(meta.n_ctx),
      largestWindow: readTokens(meta.n_ctx_train),
      images: modalities ? modalities.vision === true : names(objectOf(entry.architecture).input_modalities, 'image'),
      tools: typeof caps?.supports_tools === 'boolean' ? caps.supports_tools : undefined,
    }),
  };
}

/** Also null for a model that it does not have. */
async function askLmStudio({ askRoot }: Server, model: string): Promise<ModelFacts | null> {
  const entry = readModelList(await askRoot('api/v0/models'))?.find(({ id }) => id === model)?.entry;
  // Other servers may answer at this address, but none of them reports whether a model is loaded.
  if (!entry || typeof entry.state !== 'string') return null;
  const type = asText(entry.type);
  return {
    model,
    server: 'lmStudio',
    ...known({
      window: entry.state === 'not-loaded' ? undefined : readTokens(entry.loaded_context_length),
      largestWindow: readTokens(entry.max_context_length),
      images: type ? type === 'vlm' : undefined,
      tools: names(entry.capabilities, 'tool_use'),
    }),
  };
}

async function askOllama({ askRoot }: Server, model: string): Promise<ModelFacts | null> {
  const [running, about] = await Promise.all([askRoot('api/ps'), askRoot('api/show', { model })]);
  const shown = asRecord(about);
  const info = asRecord(shown?.model_info);
  const runs = listOf(asRecord(running)?.models)
    .map((each) => objectOf(each))
    .find((each) => [each.name, each.model].some((name) => isSame(asText(name), model)));
  if (!runs && !info) return null;
  const largestWindow = readTokens(info?.[`${asText(info['general.architecture'])}.context_length`]);
  const asked = readTokens(/^num_ctx\s+(\d{1,10})\s*$/m.exec(asText(shown?.parameters))?.[1]);
  const starts = asked && largestWindow ? Math.min(asked, largestWindow) : asked;
  return {
    model,
    server: 'ollama',
    ...known({
      window: runs ? readTokens(runs.context_length) : starts,
      largestWindow,
      images: names(shown?.capabilities, 'vision'),
      tools: names(shown?.capabilities, 'tools'),
      reasoning: names(shown?.capabilities, 'thinking'),
    }),
  };
}

/** `llama3.2` is `llama3.2:latest`. */
function isSame(one: string, other: string): boolean {
  const full = (name: string) => (name.includes(':') ? name : `${name}:latest`);
  return full(one) === full(other);
}

/** Null for the entry of another server's list. */
function readVllm(model: string, entry: Json): ModelFacts | null {
  const window = readTokens(entry.max_model_len);
  return window === undefined ? null : { model, server: 'vllm', window };
}

/** Null for the entry of another server's list. */
export function readOpenRouter(model: string, entry: Json): ModelFacts | null {
  const provider = asRecord(entry.top_provider);
  if (!provider) return null;
  const windows = [readTokens(entry.context_length), readTokens(provider.context_length)];
  const both = windows.filter((each) => each !== undefined);
  const parameters = entry.supported_parameters;
  return {
    model,
    server: 'openRouter',
    ...known({
      // A request may go to that provider, so the smaller of the two certainly fits.
      window: both.length > 0 ? Math.min(...both) : undefined,
      largestWindow: both.length > 0 ? Math.max(...both) : undefined,
      maxOutputTokens: readTokens(provider.max_completion_tokens),
      price: readOpenRouterPrice(entry),
      images: names(objectOf(entry.architecture).input_modalities, 'image'),
      tools: names(parameters, 'tools'),
      reasoning: names(parameters, 'reasoning', 'include_reasoning'),
    }),
  };
}

/** The price of a model in an endpoint's list. Only a plain number is a price: OpenRouter uses -1 for "it depends". */
const MILLION = 1_000_000;

/** Dollars per million tokens: nobody charges more. */
const MOST = 100_000;

/** OpenRouter's `pricing`: US dollars per token, as decimal text. */
function readOpenRouterPrice({ pricing }: Json): Price | undefined {
  const reported = asRecord(pricing);
  if (!reported) return undefined;
  const [input, output] = [readRate(reported.prompt), readRate(reported.completion)];
  if (input === undefined || output === undefined) return undefined;
  const cached = known({
    cacheRead: readRate(reported.input_cache_read),
    cacheWrite: readRate(reported.input_cache_write),
  });
  return { currency: 'USD', input, output, source: 'endpoint', ...cached };
}

/** Rounded to a meaningful precision, so that no binary fraction shows. */
function readRate(value: unknown): number | undefined {
  const isText = typeof value === 'string' && /^\d+(\.\d+)?(e-?\d+)?$/i.test(value);
  const rate = isText ? Number(value) : value;
  if (typeof rate !== 'number' || !(rate >= 0)) return undefined;
  const scaled = Number((rate * MILLION).toPrecision(10));
  return scaled <= MOST ? scaled : undefined;
}

/** The known facts about the models of one endpoint, and a way to ask again. */
export interface FactsBook {
  /** The newest answer; null when unknown. */
  of(model: string): ModelFacts | null;
  /** Asks the server. Null when it does not answer. Never throws, and takes a few seconds at most. */
  ask(model: string, signal: AbortSignal): Promise<ModelFacts | null>;
}

/** Remembers its own answers. */
export function openFactsBook(access: EndpointAccess): FactsBook {
  const reported = new Map<string, ModelFacts>();
  return {
    of: (model) => reported.get(model) ?? null,
    ask: async (model, signal) => {
      const facts = await askFacts(access, model, signal);
      if (facts) reported.set(model, facts);
      return facts;
    },
  };
}

interface Server {
  readonly endpoint: Endpoint;
  /** Below the base URL, such as `models`. Null without an answer. */
  ask(path: string): Promise<unknown>;
  /** Outside the OpenAI-compatible part, at the server's own root, such as `api/ps`. With a body it is a POST. */
  askRoot(path: string, body?: Json): Promise<unknown>;
}

/** All queries together: a turn waits for them. */
const LONGEST_MS = 3_000;
const MOST_CHARACTERS = 16 * 1024 * 1024;

/** Null for an unusable address. `work` is aborted when its time is over. */
async function withServer<T>(
  access: EndpointAccess,
  model: string,
  signal: AbortSignal,
  work: (server: Server) => Promise<T>,
): Promise<T | null> {
  const endpoint = endpointOf(access.baseUrl);
  if (!endpoint) return null;
  const late = new AbortController();
  const stop = (access.timers ?? systemTimers).after(LONGEST_MS, () => late.abort());
  const ends = AbortSignal.any([signal, late.signal]);
  const read = (url: URL, body?: Json) => readJson(access, model, url, body, ends);
  try {
    return await work({
      endpoint,
      ask: (path) => read(below(endpoint.baseUrl, path)),
      askRoot: (path, body) => read(below(rootOf(endpoint.baseUrl), path), body),
    });
  } finally {
    stop();
  }
}

function endpointOf(baseUrl: string): Endpoint | null {
  try {
    return parseEndpoint(baseUrl);
  } catch {
    // A request to that address reports why it is unusable.
    return null;
  }
}

/** Throws only for bugs: no answer is null. */
async function readJson(
  access: EndpointAccess,
  model: string,
  url: URL,
  body: Json | undefined,
  signal: AbortSignal,
): Promise<unknown> {
  if (signal.aborted) return null;
  const limits = { firstByteMs: LONGEST_MS, betweenBytesMs: LONGEST_MS };
  const watched = await watchFetch({ ...access, limits }, model);
  try {
    const sent = body && {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    };
    const response = await watched.fetch(url.href, { ...sent, signal: AbortSignal.any([signal, watched.signal]) });
    return parseJson(await readText(response)) ?? null;
  } catch (thrown) {
    if (thrown instanceof ModelError || watched.fault() || signal.aborted || thrown instanceof TypeError) return null;
    throw thrown;
  } finally {
    watched.end();
  }
}

/** Empty for a text too long to be an answer. */
async function readText(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const bytes of response.body ?? []) {
    text += decoder.decode(bytes, { stream: true });
    if (text.length > MOST_CHARACTERS) return '';
  }
  return text;
}

/** A server's own API starts above `/v1`. */
function rootOf(baseUrl: string): string {
  const url = new URL(baseUrl);
  url.pathname = url.pathname.replace(/\/v1\/?$/, '');
  return url.href;
}

/** A smaller number is not a model's context or answer, but a flag or a mistake. */
const SMALLEST = 256;
const LARGEST = 1_000_000_000;

/** Undefined for anything but a plausible number. Some servers write it as text. */
export function readTokens(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^\d{1,10}$/.test(value) ? Number(value) : value;
  return Number.isSafeInteger(number) && (number as number) >= SMALLEST && (number as number) <= LARGEST
    ? (number as number)
    : undefined;
}

/** Whether the list contains it; undefined without a list. */
function names(list: unknown, ...wanted: readonly string[]): boolean | undefined {
  return Array.isArray(list) ? list.some((each) => wanted.includes(asText(each))) : undefined;
}

type Known<T> = { readonly [K in keyof T]?: Exclude<T[K], undefined> };

/** Without the fields that are undefined. */
export function known<T extends object>(fields: T): Known<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Known<T>;
}

/**
 * A plain diagnosis of an endpoint for the settings flow: the list of models and, for a given model, one tiny
 * completion. It also finds the path of an address, its dialect, and servers on this machine. Nothing of a session is
 * sent.
 */

import { ModelError } from '../core/errors.ts';
import { asText, objectOf, parseJson } from '../core/json.ts';
import type { ModelRequest } from '../core/model/modelClient.ts';
import { settleGuess } from '../core/tokens/learnedWindows.ts';
import { type Words, words } from '../core/words.ts';
import type { ClientOptions } from './clientOptions.ts';
import { below, type Endpoint, parseEndpoint } from './endpoint.ts';
import { createEndpointClient } from './endpointClient.ts';
import { type EndpointAccess, type IdleLimits, KEY_HEADERS, type KeyHeader, watchFetch } from './endpointFetch.ts';
import { readConnectionFault } from './errors/connectionError.ts';
import { looksLikeHtml } from './errors/errorBody.ts';
import { askFacts, type ListedModel, type ModelFacts, readListed, readModelList } from './modelFacts.ts';
import { LOCAL_PRESETS, type Preset } from './presets.ts';

export interface ConnectionTarget extends ClientOptions {
  /** Asked for one word when given; without it only the list of models is read. */
  readonly model?: string;
}

export type ConnectionResult =
  | {
      readonly kind: 'works';
      readonly message: Words;
      /** Ids, in the server's order; empty when it has no list. */
      readonly models: readonly string[];
      /** Context windows in tokens by model, where the list includes them. */
      readonly windows?: Readonly<Record<string, number>>;
      /** The server's facts about the named model; absent when it reports none. */
      readonly facts?: ModelFacts;
    }
  | {
      readonly kind:
        | 'badAddress'
        | 'unreachable'
        | 'certificate'
        | 'notAnEndpoint'
        | 'auth'
        | 'billing'
        | 'modelNotFound'
        | 'failed'
        | 'aborted';
      readonly message: Words;
    };

/** A test must answer soon; a model that loads longer is reported as slow to start. */
const TEST_LIMITS = { firstByteMs: 30_000, betweenBytesMs: 30_000 };
const MODELS_NAMED = 5;
const CHECK_URL = words('Check the URL; it usually ends in /v1.');

type Listing =
  | { readonly kind: 'listed'; readonly models: readonly ListedModel[] }
  | { readonly kind: 'noList'; readonly reason: Words }
  | { readonly kind: 'failed'; readonly error: ModelError };

/** Never throws a `ModelError`: every outcome is a result with a sentence. */
export async function testConnection(target: ConnectionTarget, signal: AbortSignal): Promise<ConnectionResult> {
  let endpoint: Endpoint;
  try {
    endpoint = parseEndpoint(target.baseUrl);
  } catch (thrown) {
    if (thrown instanceof ModelError) return { kind: 'badAddress', message: thrown.words };
    throw thrown;
  }
  const listing = await listModels(target, endpoint, signal);
  if (listing.kind === 'failed') return describeFailure(listing.error);
  const models = listing.kind === 'listed' ? listing.models : [];
  if (target.model === undefined) {
    return listing.kind === 'noList'
      ? { kind: 'notAnEndpoint', message: listing.reason }
      : describeList(endpoint, models);
  }
  return askOneWord(target, target.model, models, signal);
}

/** The server's own list of models. */
async function listModels(target: ConnectionTarget, endpoint: Endpoint, signal: AbortSignal): Promise<Listing> {
  const watched = await watchFetch(target, target.model ?? 'a model', TEST_LIMITS);
  const url = below(endpoint.baseUrl, 'models');
  const shown = `${url.origin}${url.pathname}`;
  try {
    const response = await watched.fetch(url.href, { signal: AbortSignal.any([signal, watched.signal]) });
    const text = await response.text();
    const models = readModelList(parseJson(text));
    if (models) return { kind: 'listed', models };
    const reason = looksLikeHtml(text)
      ? words('{0} answered with a web page instead of a list of models.', shown)
      : words('{0} answered with something else instead of a list of models.', shown);
    return { kind: 'noList', reason: [...reason, ...CHECK_URL] };
  } catch (thrown) {
    if (signal.aborted) return { kind: 'failed', error: new ModelError('aborted', words('The test was stopped.')) };
    const error = watched.fault() ?? thrown;
    if (!(error instanceof ModelError)) {
      return {
        kind: 'failed',
        error: new ModelError('network', words('The connection to {0} broke. Try again.', shown), { cause: error }),
      };
    }
    if (error.kind === 'notFound') {
      return { kind: 'noList', reason: [...words('{0} does not exist.', shown), ...CHECK_URL] };
    }
    return { kind: 'failed', error };
  } finally {
    watched.end();
  }
}

async function askOneWord(
  target: ConnectionTarget,
  model: string,
  models: readonly ListedModel[],
  signal: AbortSignal,
): Promise<ConnectionResult> {
  const client = createEndpointClient({ ...target, limits: { ...TEST_LIMITS, ...target.limits } });
  const request: ModelRequest = {
    model,
    messages: [{ role: 'user', text: 'Answer with the one word OK.' }],
    tools: [],
    maxOutputTokens: 16,
  };
  try {
    for await (const event of client.stream(request, signal)) if (event.type === 'done') break;
  } catch (thrown) {
    if (!(thrown instanceof ModelError)) throw thrown;
    const others = models.length > 0 && !models.some(({ id }) => id === model) ? nameModels(models) : [];
    const failure = describeFailure(thrown);
    return { ...failure, message: [...failure.message, ...others] };
  }
  // Asked after the answer: a server that loads models on demand then knows this one's window.
  const facts = await askFacts(target, model, signal);
  return {
    kind: 'works',
    message: [...words('{0} works: {1} answered.', client.endpoint, model), ...describeWindow(facts)],
    models: models.map(({ id }) => id),
    ...(facts ? { facts } : {}),
  };
}

function describeWindow(facts: ModelFacts | null): Words {
  const { window, largestWindow = 0 } = facts ?? {};
  const number = (tokens: number) => tokens.toLocaleString('en-US');
  if (window === undefined) {
    return largestWindow > 0
      ? words('It can take up to {0} tokens; the server does not say how many it holds now.', number(largestWindow))
      : [];
  }
  return largestWindow > window
    ? words(
        'The server holds {0} tokens of context for it, of {1} that it can take.',
        number(window),
        number(largestWindow),
      )
    : words('The server holds {0} tokens of context for it.', number(window));
}

function describeList({ origin }: Endpoint, models: readonly ListedModel[]): ConnectionResult {
  const named = models.length > 0 ? nameModels(models) : words('It lists no models; enter the name of one.');
  return {
    kind: 'works',
    message: [...words('{0} answers.', origin), ...named],
    models: models.map(({ id }) => id),
    windows: Object.fromEntries(
      models.flatMap(({ id, entry }) => {
        const window = readListed(id, entry)?.window;
        return window === undefined ? [] : [[id, window]];
      }),
    ),
  };
}

function nameModels(models: readonly ListedModel[]): Words {
  const named = models.slice(0, MODELS_NAMED).map(({ id }) => id);
  const more = models.length - named.length;
  return more > 0
    ? words('It offers {0} and {1} more.', named.join(', '), more)
    : words('It offers {0}.', named.join(', '));
}

/** Tokens of the test question: no window is as small. */
const ASKED_TOKENS = 20;

function describeFailure(thrown: ModelError): Exclude<ConnectionResult, { kind: 'works' }> {
  const error = settleGuess(thrown, ASKED_TOKENS, 0);
  return { kind: failureKind(error), message: error.words };
}

function failureKind(error: ModelError): Exclude<ConnectionResult['kind'], 'works'> {
  switch (error.kind) {
    case 'auth':
    case 'billing':
    case 'aborted':
      return error.kind;
    case 'notFound':
      return error.facts.status === 200 ? 'notAnEndpoint' : 'modelNotFound';
    case 'network': {
      if (error.facts.status !== undefined) return 'failed';
      return readConnectionFault(error.cause).fault === 'certificate' ? 'certificate' : 'unreachable';
    }
    case 'overflow':
    case 'rateLimit':
    case 'badRequest':
    case 'interrupted':
      return 'failed';
  }
}

/**
 * Finds the path at which an address answers: people copy addresses without `/v1`, or with the path of one request.
 * Only the given origin is contacted, because the key is meant for it alone.
 */
export interface FoundBase {
  readonly baseUrl: string;
  readonly result: ConnectionResult;
  /** It speaks Anthropic's Messages API, and does not list its models in the usual way. */
  readonly messages?: FoundMessages;
}

/** The paths of common servers and gateways, the likeliest first. */
const LIKELY = ['/v1', '/api/v1', '/openai/v1', '/api/openai/v1'];

/** The end of an address for one request. */
const REQUEST = /\/(?:chat\/completions|completions|responses|messages|embeddings|models)\/?$/;

/** The typed address comes first. If no address answers, its result is returned. */
export async function findBasePath(target: ConnectionTarget, signal: AbortSignal): Promise<FoundBase> {
  const typed = target.baseUrl.replace(REQUEST, '');
  const first = { baseUrl: typed, result: await testConnection({ ...target, baseUrl: typed }, signal) };
  // Its own header may be the only one in which it takes the key.
  if (first.result.kind === 'auth') return (await findByMessages(target, typed, signal)) ?? first;
  if (first.result.kind !== 'notAnEndpoint') return first;
  for (const baseUrl of listLikely(typed)) {
    const result = await testConnection({ ...target, baseUrl }, signal);
    if (result.kind === 'works' || result.kind === 'auth' || result.kind === 'aborted') return { baseUrl, result };
  }
  return (await findByMessages(target, typed, signal)) ?? first;
}

/** Null where the address does not speak the Messages API either. */
async function findByMessages(target: ConnectionTarget, typed: string, signal: AbortSignal): Promise<FoundBase | null> {
  const root = typed.replace(/\/+$/, '');
  const messages = await findMessages(target, [root, `${root}/v1`], signal);
  if (!messages) return null;
  const { baseUrl } = messages;
  const result = await testConnection({ ...target, ...messages, dialect: 'messages' }, signal);
  if (result.kind === 'works' || result.kind === 'aborted') return { baseUrl, result, messages };
  const endpoint = parseEndpoint(baseUrl);
  return { baseUrl, result: describeList(endpoint, []), messages };
}

/** Below the typed path, then at the root of its origin. */
function listLikely(typed: string): string[] {
  const { origin, pathname } = new URL(typed);
  const roots = [...new Set([pathname.replace(/\/+$/, ''), ''])];
  const all = roots.flatMap((root) => LIKELY.map((path) => `${origin}${root}${path}`));
  return [...new Set(all)].filter((url) => url !== typed.replace(/\/+$/, ''));
}

/**
 * Whether an address speaks Anthropic's Messages API, and in which header it takes the key. It is asked with a request
 * that names no model, which no server can answer and none charges for: the form of its refusal tells.
 */
export interface FoundMessages {
  readonly baseUrl: string;
  /** Left out where it is the usual one. */
  readonly keyHeader?: KeyHeader;
}

const MESSAGES_LIMITS = { firstByteMs: 10_000, betweenBytesMs: 10_000 };

/** The first of these addresses that does; null when none does with this key. Never throws a `ModelError`. */
export async function findMessages(
  access: Pick<EndpointAccess, 'key'>,
  baseUrls: readonly string[],
  signal: AbortSignal,
): Promise<FoundMessages | null> {
  for (const baseUrl of baseUrls) {
    for (const keyHeader of KEY_HEADERS.toReversed()) {
      if (signal.aborted) return null;
      const refusal = await askMessages({ ...access, baseUrl, dialect: 'messages', keyHeader }, signal);
      if (refusal === 'invalid') return keyHeader === 'x-api-key' ? { baseUrl } : { baseUrl, keyHeader };
      // An address that is not there is not there with the other header either.
      if (refusal === 'other') break;
    }
  }
  return null;
}

/** How a request without a model is refused: as invalid in Anthropic's form, for want of a key, or otherwise. */
async function askMessages(access: EndpointAccess, signal: AbortSignal): Promise<'invalid' | 'key' | 'other'> {
  const watched = await watchFetch(access, 'a model', MESSAGES_LIMITS);
  try {
    await watched.fetch(below(access.baseUrl, 'messages').href, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: '{}',
      signal: AbortSignal.any([signal, watched.signal]),
    });
    return 'other';
  } catch (thrown) {
    const { status, body } = watched.refusal() ?? { status: 0, body: '' };
    if (status === 401 || status === 403) return 'key';
    const { type, error } = objectOf(parseJson(body));
    const said = asText(objectOf(error).type);
    if ((status === 400 || status === 422) && type === 'error' && said === 'invalid_request_error') return 'invalid';
    if (thrown instanceof ModelError || watched.fault() || signal.aborted || thrown instanceof TypeError)
      return 'other';
    throw thrown;
  } finally {
    watched.end();
  }
}

/**
 * Finds model servers on this machine, at the default ports of well-known ones. It runs only on a person's click; no
 * key is sent, and anything that does not answer like a model server is omitted.
 */
export interface LocalServer {
  /** The program with that default port; another may be listening there. */
  readonly preset: Preset;
  readonly baseUrl: string;
  /** Names, in the server's order; empty when it requires a key first, or has none loaded. */
  readonly models: readonly string[];
  readonly needsKey: boolean;
}

/** A local server answers at once, or is too busy to wait for here. */
const LOCAL_LIMITS: IdleLimits = { firstByteMs: 3_000, betweenBytesMs: 3_000 };

/** In the order of the table. */
export async function findLocalServers(
  signal: AbortSignal,
  presets: readonly Preset[] = LOCAL_PRESETS,
): Promise<readonly LocalServer[]> {
  const found = await Promise.all(presets.map((preset) => askLocal(preset, signal)));
  return found.filter((server) => server !== null);
}

async function askLocal(preset: Preset, signal: AbortSignal): Promise<LocalServer | null> {
  const { baseUrl } = preset;
  const target = { baseUrl, key: async () => undefined, limits: LOCAL_LIMITS };
  const listing = await listModels(target, parseEndpoint(baseUrl), signal);
  switch (listing.kind) {
    case 'listed':
      return { preset, baseUrl, models: listing.models.map(({ id }) => id), needsKey: false };
    case 'noList':
      return null;
    case 'failed':
      // Other kinds of servers forbid (403) unknown paths; one that serves models requires a key (401).
      return listing.error.kind === 'auth' && listing.error.facts.status === 401
        ? { preset, baseUrl, models: [], needsKey: true }
        : null;
  }
}

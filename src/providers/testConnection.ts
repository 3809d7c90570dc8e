/**
 * A plain diagnosis of an endpoint for the settings flow: the list of models and, for a given model, one tiny
 * completion. Nothing of a session is sent.
 */

import { ModelError } from '../core/errors.ts';
import { formatCount } from '../core/figures.ts';
import { parseJson } from '../core/json.ts';
import type { ModelRequest } from '../core/model/modelClient.ts';
import { settleGuess } from '../core/tokens/learnedWindows.ts';
import { type Words, words } from '../core/words.ts';
import type { ClientOptions } from './clientOptions.ts';
import { below, type Endpoint, parseEndpoint } from './endpoint.ts';
import { createEndpointClient } from './endpointClient.ts';
import { watchFetch } from './endpointFetch.ts';
import { readConnectionFault } from './errors/connectionError.ts';
import { looksLikeHtml } from './errors/errorBody.ts';
import { askFacts, type ModelFacts, readListed } from './modelFacts.ts';
import { type ListedModel, readModelList } from './modelList.ts';

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
export async function listModels(target: ConnectionTarget, endpoint: Endpoint, signal: AbortSignal): Promise<Listing> {
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
  const number = (tokens: number) => formatCount(tokens);
  if (window === undefined) {
    return largestWindow > 0
      ? words('It can hold up to {0} tokens; the server does not say how many it holds now.', number(largestWindow))
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

export function describeList({ origin }: Endpoint, models: readonly ListedModel[]): ConnectionResult {
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

/**
 * Questions about its models to an endpoint that the person set up: with that endpoint's key, through the watched fetch,
 * never longer than a few seconds and never more than a few megabytes. An answer that is no JSON is no answer.
 */

import { ModelError } from '../../core/errors.ts';
import { type Json, parseJson } from '../../core/json.ts';
import { type Endpoint, parseEndpoint } from '../endpoint.ts';
import { type EndpointAccess, watchFetch } from '../endpointFetch.ts';
import { systemTimers } from '../timers.ts';

export interface Server {
  readonly endpoint: Endpoint;
  /** Below the base URL, such as `models`. Null when it has no answer. */
  ask(path: string): Promise<unknown>;
  /** Beside the OpenAI-compatible part, at the server's own root, such as `api/ps`. With a body it is a POST. */
  askRoot(path: string, body?: Json): Promise<unknown>;
}

/** All questions together: a turn waits for them. */
const LONGEST_MS = 3_000;
const MOST_CHARACTERS = 16 * 1024 * 1024;

/** Null for an address that may not be used. `work` ends with the time for it. */
export async function withServer<T>(
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
    // Whoever sends a request there is told why it cannot be used.
    return null;
  }
}

/** Never throws but for a bug: no answer is null. */
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

/** Empty for what is too long to be an answer. */
async function readText(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const bytes of response.body ?? []) {
    text += decoder.decode(bytes, { stream: true });
    if (text.length > MOST_CHARACTERS) return '';
  }
  return text;
}

/** Where a server has its own questions: above `/v1`. */
function rootOf(baseUrl: string): string {
  const url = new URL(baseUrl);
  url.pathname = url.pathname.replace(/\/v1\/?$/, '');
  return url.href;
}

function below(baseUrl: string, path: string): URL {
  const url = new URL(baseUrl);
  const [pathname = '', query] = path.split('?');
  url.pathname = `${url.pathname.replace(/\/$/, '')}/${pathname}`;
  if (query) for (const [name, value] of new URLSearchParams(query)) url.searchParams.set(name, value);
  return url;
}

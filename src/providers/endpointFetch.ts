/**
 * The only access to the network: a `fetch` for every client and query that follows no redirect, sends exactly the
 * headers decided here, detects silence, and turns every refusal into a `ModelError` before the client sees it.
 */

import type { Timers } from '../core/clock.ts';
import { ModelError } from '../core/errors.ts';
import { words } from '../core/words.ts';
import { notAgreed, parseEndpoint } from './endpoint.ts';
import { classifyError, type RefusalPlace } from './errors/classifyError.ts';
import { classifyConnectionError } from './errors/connectionError.ts';
import { orProxy } from './errors/proxyFault.ts';
import { type EndpointDialect, presetOf } from './presets.ts';
import { systemTimers } from './timers.ts';

export interface IdleLimits {
  /** Milliseconds from the request to the first byte of the answer. */
  readonly firstByteMs: number;
  /** Milliseconds between two bytes; keep-alive comments count. */
  readonly betweenBytesMs: number;
}

export const DEFAULT_IDLE_LIMITS: IdleLimits = { firstByteMs: 120_000, betweenBytesMs: 90_000 };

export const KEY_HEADERS = ['authorization', 'x-api-key'] as const;
export type KeyHeader = (typeof KEY_HEADERS)[number];

/** Access to an endpoint. */
export interface EndpointAccess {
  readonly baseUrl: string;
  /** Called before each request; undefined sends no key. */
  readonly key: () => Promise<string | undefined>;
  /** Default: from the host's preset, else chat completions. */
  readonly dialect?: EndpointDialect;
  /** The header for the key. Default: `x-api-key` for `messages`, else `authorization`, as a bearer token. */
  readonly keyHeader?: KeyHeader;
  readonly headers?: Readonly<Record<string, string>>;
  /** A person agreed to plain http to this address, should it be one of a private network. */
  readonly plainHttp?: boolean;
  readonly limits?: Partial<IdleLimits>;
  readonly timers?: Timers;
  readonly now?: () => number;
  readonly fetch?: typeof globalThis.fetch;
  /** `host:port` of the proxy that `fetch` uses for an address, to be named when it fails; null without one. */
  readonly proxy?: (url: string) => string | null;
}

/** The effective dialect: the configured one, else that of the host's preset, else chat completions. */
export function dialectOf({ dialect, baseUrl }: Pick<EndpointAccess, 'dialect' | 'baseUrl'>): EndpointDialect {
  return dialect ?? presetOf(parseEndpoint(baseUrl))?.dialect ?? 'chat';
}

export interface WatchedFetch {
  readonly fetch: typeof globalThis.fetch;
  /** True when any byte of an answer's body has come. */
  hasBegun(): boolean;
  /**
   * Why there is no answer, or no more of it: refused, unreachable, silent. Null when unknown here. Ask here, not the
   * client: the client loses the error when the request was also aborted.
   */
  fault(): ModelError | null;
  /** Aborted when the server fell silent. */
  readonly signal: AbortSignal;
  /** The facts that errors about a request to that address mention. */
  placeOf(url: string): RefusalPlace;
  /** Status and text of the newest refusal, as it came; null without one. */
  refusal(): { readonly status: number; readonly body: string } | null;
  /** Stops the clock; call it when the answer is over. */
  end(): void;
}

const REFUSAL_CHARACTERS = 65_536;

/** Maximum bytes of one event. */
const LONGEST_EVENT = 4 * 1024 * 1024;

/** For one request for `model`. Limits missing in `access` are taken from `usual`. */
export async function watchFetch(
  access: EndpointAccess,
  model: string,
  usual: IdleLimits = DEFAULT_IDLE_LIMITS,
): Promise<WatchedFetch> {
  const { timers = systemTimers, now = Date.now } = access;
  const { firstByteMs, betweenBytesMs } = { ...usual, ...access.limits };
  const endpoint = parseEndpoint(access.baseUrl);
  const secret = await access.key();
  const proxyOf = (url: string) => access.proxy?.(url) ?? null;
  const placeOf = (url: string) => ({ url, model, secret, now: now(), proxy: proxyOf(url) });
  const controller = new AbortController();
  let fault: ModelError | null = null;
  let refusal: ReturnType<WatchedFetch['refusal']> = null;
  let cancelTimer = () => {};
  let ended = false;
  let begun = false;

  const expect = (ms: number, silence: () => ModelError) => {
    cancelTimer();
    if (ended) return;
    cancelTimer = timers.after(ms, () => {
      fault = silence();
      controller.abort();
    });
  };
  const end = () => {
    ended = true;
    cancelTimer();
  };

  const watched: typeof globalThis.fetch = async (input, init) => {
    const url = shownUrl(input);
    if (endpoint.plainHttp && !access.plainHttp) {
      fault = notAgreed(endpoint);
      throw fault;
    }
    expect(firstByteMs, () => firstByteFault(placeOf(url), firstByteMs));
    let response: Response;
    try {
      const headers = headersFor(init?.headers, access, secret);
      response = await (access.fetch ?? globalThis.fetch)(input, { ...init, headers, redirect: 'error' });
    } catch (thrown) {
      if (!init?.signal?.aborted) fault ??= classifyConnectionError(thrown, url, proxyOf(url));
      throw fault ?? thrown;
    }
    if (!response.ok) {
      const body = await readRefusal(response);
      refusal = { status: response.status, body };
      // A refusal with an endless text is still a refusal, even when the silence has aborted it meanwhile.
      fault = classifyError({ status: response.status, headers: response.headers, body }, placeOf(url));
      throw fault;
    }
    const length = new EventLength();
    return replaceBody(response, (bytes) => {
      if (length.read(bytes) > LONGEST_EVENT) {
        fault = longEventFault(url, model);
        controller.abort();
        throw fault;
      }
      expect(betweenBytesMs, () => silenceFault(placeOf(url), betweenBytesMs));
      begun = true;
    });
  };

  return {
    fetch: watched,
    hasBegun: () => begun,
    fault: () => fault,
    refusal: () => refusal,
    signal: controller.signal,
    placeOf,
    end,
  };
}

/** The version of the Messages API in use. */
const MESSAGES_VERSION = '2023-06-01';

/** Only headers that belong in the request: those that the environment added to the client are not sent. */
function headersFor(given: RequestInit['headers'], access: EndpointAccess, key?: string): Headers {
  const from = new Headers(given);
  const headers = new Headers();
  for (const name of ['accept', 'content-type']) {
    const value = from.get(name);
    if (value) headers.set(name, value);
  }
  headers.set('user-agent', 'palimpsest');
  const isMessages = dialectOf(access) === 'messages';
  if (isMessages) headers.set('anthropic-version', MESSAGES_VERSION);
  for (const [name, value] of Object.entries(access.headers ?? {})) headers.set(name, value);
  const keyHeader = access.keyHeader ?? (isMessages ? 'x-api-key' : 'authorization');
  if (key) headers.set(keyHeader, keyHeader === 'authorization' ? `Bearer ${key}` : key);
  return headers;
}

async function readRefusal(response: Response): Promise<string> {
  let text = '';
  try {
    const decoder = new TextDecoder();
    for await (const bytes of response.body ?? []) {
      text += decoder.decode(bytes, { stream: true });
      if (text.length >= REFUSAL_CHARACTERS) break;
    }
  } catch {
    // The refusal itself matters; any part of its text is enough.
  }
  return text.slice(0, REFUSAL_CHARACTERS);
}

/** An error thrown by `onBytes` ends the body. */
function replaceBody(response: Response, onBytes: (bytes: Uint8Array) => void): Response {
  if (!response.body) return response;
  const watcher = new TransformStream<Uint8Array, Uint8Array>({
    transform(bytes, controller) {
      onBytes(bytes);
      controller.enqueue(bytes);
    },
  });
  return new Response(response.body.pipeThrough(watcher), { status: response.status, headers: response.headers });
}

/** Without query and fragment, where some gateways put a key. */
function shownUrl(input: string | URL | Request): string {
  const url = new URL(input instanceof Request ? input.url : input);
  return `${url.origin}${url.pathname}`;
}

function firstByteFault({ url, model, proxy }: RefusalPlace, ms: number): ModelError {
  const notice = words(
    '{0} sent nothing for {1} s after a request for {2}. The server may be loading the model or be overloaded; try again, or raise firstByteTimeout of the endpoint in the setting palimpsest.endpoints.',
    url,
    Math.round(ms / 1000),
    model,
  );
  return new ModelError('network', [...notice, ...orProxy(proxy)], { retryable: true });
}

function longEventFault(url: string, model: string): ModelError {
  const notice = words(
    '{0} sent more than {1} MB in one piece for {2}, and was not read further. What came before is kept; try again, or choose another model.',
    url,
    LONGEST_EVENT / 1024 / 1024,
    model,
  );
  return new ModelError('interrupted', notice, { retryable: false });
}

function silenceFault({ url, model, proxy }: RefusalPlace, ms: number): ModelError {
  const notice = words(
    '{0} sent nothing for {1} s in the middle of the answer from {2}. Send the message again to continue.',
    url,
    Math.round(ms / 1000),
    model,
  );
  return new ModelError('interrupted', [...notice, ...orProxy(proxy)], { retryable: true });
}

const LF = 10;
const CR = 13;

/** Measures the events of a stream as its bytes arrive: an event ends with an empty line. */
export class EventLength {
  #event = 0;
  #line = 0;
  #last = 0;

  /** Takes the next bytes; returns the length of the longest event that they end or continue. */
  read(bytes: Uint8Array): number {
    let longest = 0;
    for (const byte of bytes) {
      if (byte === LF && this.#last === CR) {
        // CR LF is one line end.
      } else if (byte === LF || byte === CR) {
        if (this.#line === 0) this.#event = 0;
        this.#line = 0;
      } else {
        this.#line++;
        this.#event++;
        if (this.#event > longest) longest = this.#event;
      }
      this.#last = byte;
    }
    return longest;
  }
}

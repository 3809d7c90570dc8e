/**
 * Whether an address speaks Anthropic's Messages API, and in which header it takes the key. It is asked with a request
 * that names no model, which no server can answer and none charges for: the form of its refusal tells.
 */

import { ModelError } from '../core/errors.ts';
import { asText, objectOf, parseJson } from '../core/json.ts';
import { below } from './endpoint.ts';
import { type EndpointAccess, KEY_HEADERS, type KeyHeader, watchFetch } from './endpointFetch.ts';

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
    const text = asText(objectOf(error).type);
    if ((status === 400 || status === 422) && type === 'error' && text === 'invalid_request_error') return 'invalid';
    if (thrown instanceof ModelError || watched.fault() || signal.aborted || thrown instanceof TypeError)
      return 'other';
    throw thrown;
  } finally {
    watched.end();
  }
}

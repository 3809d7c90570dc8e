/**
 * Validates a base URL. Keys and source code are sent there, so it is https, or plain http to this machine, or to a private
 * network if a person agreed to that, and never contains a password; everything else is refused before a byte is sent.
 */

import { ModelError } from '../core/errors.ts';
import { isLoopback, placeOfHost, readMapped } from '../core/hostPlace.ts';
import { hideInAddresses, readUrl } from '../core/urls.ts';
import { type Words, words } from '../core/words.ts';

export interface Endpoint {
  /** Without trailing slash, query kept, e.g. `https://api.example.com/v1`. */
  readonly baseUrl: string;
  /** `https://host:port`: the owner of a key. */
  readonly origin: string;
  /** True for this machine, where plain http and a missing key are normal. */
  readonly loopback: boolean;
  /** True for plain http to another machine of a private network. Nothing is sent there unless a person agreed to it. */
  readonly plainHttp: boolean;
}

/** Throws a `ModelError` (`badRequest`) with the reason for a refusal. */
export function parseEndpoint(text: string): Endpoint {
  const trimmed = text.trim();
  const url = readUrl(trimmed);
  if (!url) {
    throw refusal(
      words('“{0}” is not a URL. Write it in full, for example https://api.openai.com/v1.', hideInAddresses(trimmed)),
    );
  }
  // VS Code sends one form of this machine past a proxy, and not the other.
  url.hostname = readMapped(url.hostname) ?? url.hostname;
  const loopback = isLoopback(url.hostname);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw refusal(words('{0}// cannot be used. Use an https:// address.', url.protocol));
  }
  const inQuery = [...url.searchParams.keys()].some((name) => KEY_PARAMETER.test(name.replace(/[^a-z0-9]/gi, '')));
  if (url.username || url.password || inQuery) {
    throw refusal(
      words(
        'The address of {0} carries a key or a password. Remove it there; store the key with “Palimpsest: Manage Endpoints”.',
        url.host,
      ),
    );
  }
  const plainHttp = url.protocol === 'http:' && !loopback;
  const place = placeOfHost(url.hostname);
  if (plainHttp && place === 'link') {
    throw refusal(
      words(
        'No model is asked at {0} by plain http: addresses of this kind give out the credentials of a machine in a cloud, or are of the local link.',
        url.host,
      ),
    );
  }
  if (plainHttp && place !== 'network') {
    throw refusal(
      words(
        'Plain http to {0} would send the key and your code unencrypted. Use https. Plain http is allowed for this machine (localhost, 127.0.0.1, [::1]) and, if you agree to it, for addresses of a private network.',
        url.host,
      ),
    );
  }
  url.hash = '';
  url.pathname = url.pathname.replace(/(?<!\/)\/+$/, '').replace(/\/(chat\/completions|responses|messages)$/, '');
  return { baseUrl: url.href.replace(/\/$/, ''), origin: url.origin, loopback, plainHttp };
}

/** A key in an address would be stored in the settings and shown with the address. */
const KEY_PARAMETER =
  /(?:key|keyid|token|secret|password|passwd|passphrase|pwd|signature|credentials?|authorization)$|^(?:sig|code|auth|pass|jwt|sas|hmac|bearer|session|sessionid|cookie)$/i;

/** Where a server is a person's own: a missing key is normal, and it may be asked at any time. */
export const isOwn = ({ loopback, plainHttp }: Endpoint): boolean => loopback || plainHttp;

/** Why nothing is sent by plain http to this address of a private network. */
export function notAgreed({ origin }: Endpoint): ModelError {
  return refusal(
    words(
      'Plain http to {0} sends your code, and a key if there is one, unencrypted. “Palimpsest: Set Up Model Endpoint” asks whether you want that for this address; or set plainHttp of the endpoint in the setting palimpsest.endpoints.',
      new URL(origin).host,
    ),
  );
}

function refusal(reason: Words): ModelError {
  return new ModelError('badRequest', [...words('The endpoint cannot be used.'), ...reason], { retryable: false });
}

/** The address of `path` below a base URL, such as `models`; queries of both are kept. */
export function below(baseUrl: string, path: string): URL {
  const url = new URL(baseUrl);
  const [pathname = '', query] = path.split('?');
  url.pathname = `${url.pathname.replace(/\/$/, '')}/${pathname}`;
  if (query) for (const [name, value] of new URLSearchParams(query)) url.searchParams.set(name, value);
  return url;
}

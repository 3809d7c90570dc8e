/** The address that a person means by what they typed. */

import { wordsOf } from '../../core/errors.ts';
import { isLoopback, placeOfHost } from '../../core/hostPlace.ts';
import { readUrl } from '../../core/urls.ts';
import type { Words } from '../../core/words.ts';
import { type Endpoint, parseEndpoint } from '../../providers/endpoint.ts';

type TypedAddress =
  | { readonly kind: 'address'; readonly endpoint: Endpoint }
  | { readonly kind: 'unusable'; readonly reason: Words };

/** Null for a text that does not look like an address. Without a scheme: http for this machine and private networks, otherwise https. */
export function readTypedAddress(text: string): TypedAddress | null {
  if (!/[./:]/.test(text)) return null;
  const http = readUrl(`http://${text}`);
  const isOwnMachine = http !== null && (isLoopback(http.hostname) || placeOfHost(http.hostname) === 'network');
  const whole = text.includes(':/') ? text : `${isOwnMachine ? 'http' : 'https'}://${text}`;
  try {
    return { kind: 'address', endpoint: parseEndpoint(whole) };
  } catch (thrown) {
    return { kind: 'unusable', reason: wordsOf(thrown) };
  }
}

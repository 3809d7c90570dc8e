/**
 * Faults of a proxy in place of the server, in words: for models, MCP servers and pages alike. `host` is displayed, and so is
 * `proxy`, a `host:port` without a password; null where it is not known which one it was.
 */

import { messageOf } from '../../core/errors.ts';
import { asRecord } from '../../core/json.ts';
import { type Words, words } from '../../core/words.ts';

/** It answered the request for a connection with that status. */
export function proxyRefused(host: string, proxy: string | null, status: number): Words {
  const named = proxy === null ? '' : ` ${proxy}`;
  return status === 407
    ? words(
        '{0} was not asked: the proxy{1} wants a user name and a password (status 407). Give them in the setting http.proxy, as http://USER:PASSWORD@HOST:PORT.',
        host,
        named,
      )
    : words(
        '{0} was not asked: the proxy{1} did not connect to it (status {2}). Look at what the proxy permits, and at the setting http.proxy.',
        host,
        named,
        status,
      );
}

/** `detail` is the system's code. */
export function proxyUnreachable(host: string, proxy: string, detail: string): Words {
  return words(
    '{0} was not asked: the proxy {1} cannot be reached ({2}). Start it, or correct the setting http.proxy; where that is empty, HTTPS_PROXY and HTTP_PROXY count.',
    host,
    proxy,
    detail,
  );
}

/** Its address is not shown, since a part of it may be a password. */
export function proxyInvalid(host: string): Words {
  return words(
    '{0} was not asked: the address of the proxy cannot be used. Write it as http://HOST:PORT in the setting http.proxy, or in HTTPS_PROXY where that is empty; in a user name and a password, characters such as @ : / # are %40 %3A %2F %23.',
    host,
  );
}

/** To follow the words about a connection that failed after it began. Empty without a proxy. */
export function orProxy(proxy: string | null | undefined): Words {
  return proxy ? words('The proxy {0} on the way to it may be the one at fault.', proxy) : [];
}

/** True for an error about an address, where that of the server is known to be one. */
export function isAboutAddress(thrown: unknown): boolean {
  return asRecord(thrown)?.code === 'ERR_INVALID_URL' || /^invalid url\b/i.test(messageOf(thrown));
}

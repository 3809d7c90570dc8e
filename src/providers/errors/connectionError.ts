/**
 * Explains faults below HTTP: address, refusal, certificate, proxy, redirect. Pure. Certificate checks are never
 * disabled; the text says what to install instead.
 */

import { ModelError, messageOf } from '../../core/errors.ts';
import { isLoopback } from '../../core/hostPlace.ts';
import { asRecord, asText } from '../../core/json.ts';
import { type Words, words } from '../../core/words.ts';
import { isAboutAddress, orProxy, proxyInvalid, proxyRefused, proxyUnreachable } from './proxyFault.ts';

type ConnectionFault = 'redirect' | 'certificate' | 'refused' | 'noSuchHost' | 'unreachable' | 'broken';

/**
 * For an error that `fetch` threw before the response, or while reading its body. `url` is displayed, and so is `proxy`, the
 * `host:port` that requests go through if the caller knows one.
 */
export function classifyConnectionError(thrown: unknown, url: string, proxy: string | null = null): ModelError {
  const byProxy = classifyProxyError(thrown, url, proxy);
  if (byProxy) return byProxy;
  const { fault, detail } = readConnectionFault(thrown);
  const retryable = fault === 'refused' || fault === 'unreachable' || fault === 'broken';
  const notice = [...sentenceFor(fault, detail, url), ...(retryable ? orProxy(proxy ?? findPeer(thrown, url)) : [])];
  return new ModelError('network', notice, { retryable, cause: thrown });
}

/** For an error that a proxy certainly caused on the way; null for another one. */
export function classifyProxyError(thrown: unknown, url: string, proxy: string | null): ModelError | null {
  const { host } = new URL(url);
  const chain = causes(thrown);
  const status = readProxyStatus(chain);
  if (status !== null) {
    return new ModelError('network', proxyRefused(host, proxy, status), {
      byProxy: true,
      retryable: status >= 500,
      cause: thrown,
    });
  }
  // Another error than that of the endpoint's own address, which was read before.
  if (chain.some(isAboutAddress)) {
    return new ModelError('network', proxyInvalid(host), { byProxy: true, retryable: false, cause: thrown });
  }
  const { fault, detail } = readConnectionFault(thrown);
  const used = fault === 'certificate' ? null : findProxy(thrown, url, proxy);
  if (used === null) return null;
  return new ModelError('network', proxyUnreachable(host, used, detail), {
    byProxy: true,
    retryable: false,
    cause: thrown,
  });
}

/** The status with which a proxy refused, as undici tells it; null without one. */
function readProxyStatus(chain: readonly unknown[]): number | null {
  const last = chain.at(-1);
  const said = messageOf(last);
  const [, status] = /^Proxy response \((\d{3})\)/.exec(said) ?? [];
  if (status !== undefined) return Number(status);
  // It hides a 407 that came outside of a tunnel: by the rules of `fetch`, that is an error without a word.
  const isHidden = chain.length > 1 && last instanceof Error && said === '' && asRecord(last)?.code === undefined;
  return isHidden || /^proxy authentication required\b/i.test(said) ? 407 : null;
}

/** Where the other end of a broken connection is, if it is not the server; null where the error does not say. */
function findPeer(thrown: unknown, url: string): string | null {
  for (const level of causes(thrown)) {
    const { remoteAddress, remotePort } = asRecord(asRecord(level)?.socket) ?? {};
    if (typeof remotePort === 'number' && String(remotePort) !== portOf(url))
      return `${asText(remoteAddress)}:${remotePort}`;
  }
  return null;
}

function portOf(url: string): string {
  const { port, protocol } = new URL(url);
  return port || (protocol === 'https:' ? '443' : '80');
}

/** The proxy that a failed connection was meant for; null where it was meant for the server itself. */
function findProxy(thrown: unknown, url: string, proxy: string | null): string | null {
  const { hostname } = new URL(url);
  const own = portOf(url);
  for (const level of causes(thrown)) {
    const { address, port, hostname: name } = asRecord(level) ?? {};
    // The name that could not be resolved.
    if (asText(name) !== '' && asText(name) !== hostname.replace(/^\[|\]$/g, '')) return proxy ?? asText(name);
    const tried =
      typeof port === 'number' ? [asText(address), String(port)] : ATTEMPTED.exec(messageOf(level))?.slice(1);
    if (tried && tried[1] !== own) return proxy ?? tried.join(':');
  }
  return null;
}

/** In the message of undici's own time limit for connecting. */
const ATTEMPTED = /attempted address(?:es)?: ([^\s,()]{1,255}):(\d{1,5})\b/;

/** `detail` is the system's code, or its message if there is none. */
export function readConnectionFault(thrown: unknown): { readonly fault: ConnectionFault; readonly detail: string } {
  const chain = causes(thrown);
  const code = chain.map((level) => asText(asRecord(level)?.code)).find(Boolean) ?? '';
  const text = messageOf(chain.at(-1) ?? thrown);
  const detail = code || text;
  if (/redirect/i.test(text)) return { fault: 'redirect', detail };
  if (/CERT|SELF_SIGNED|UNABLE_TO_|TLS|SSL/.test(code) || /certificate|ssl routines|wrong version number/i.test(text)) {
    return { fault: 'certificate', detail };
  }
  switch (code) {
    case 'ECONNREFUSED':
      return { fault: 'refused', detail };
    case 'ENOTFOUND':
      return { fault: 'noSuchHost', detail };
    case 'EAI_AGAIN':
    case 'ETIMEDOUT':
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
    case 'UND_ERR_CONNECT_TIMEOUT':
      return { fault: 'unreachable', detail };
    default:
      return { fault: 'broken', detail };
  }
}

function sentenceFor(fault: ConnectionFault, detail: string, url: string): Words {
  const { host, hostname } = new URL(url);
  switch (fault) {
    case 'redirect':
      return words(
        '{0} redirects to another address. Redirects are not followed, because the key would travel along; enter the final address.',
        url,
      );
    case 'certificate':
      return words(
        'The certificate of {0} is not trusted ({1}). Check that the address really speaks https. If a proxy is in between, add its certificate to the system’s store. NODE_EXTRA_CA_CERTS counts only where the setting http.systemCertificates is off, and http.proxyStrictSSL is for VS Code’s own requests.',
        host,
        detail,
      );
    case 'refused':
      // In a remote window it is not the machine in front of the person.
      if (isLoopback(hostname)) {
        return words(
          'Nothing answers at {0} on the machine that this window works on (connection refused). Start the server there, or correct the address and port.',
          host,
        );
      }
      return words(
        'Nothing answers at {0} (connection refused). Start the server, or correct the address and port.',
        host,
      );
    case 'noSuchHost':
      return words('The host {0} does not exist (name not found). Check the spelling and your connection.', host);
    case 'unreachable':
      return words('{0} cannot be reached ({1}). Check your connection, VPN and proxy.', host, detail);
    case 'broken':
      // A system's code means nothing to a person; it is in the log.
      return words('The connection to {0} broke. Try again.', host);
  }
}

/** Undici hides the system's error one or two causes down, in a list when several addresses were tried. */
function causes(thrown: unknown): readonly unknown[] {
  const chain: unknown[] = [];
  for (let level = thrown; level !== undefined && level !== null && chain.length < 8; ) {
    chain.push(level);
    level = level instanceof AggregateError && level.errors.length > 0 ? level.errors[0] : asRecord(level)?.cause;
  }
  return chain;
}

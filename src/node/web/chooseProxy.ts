/**
 * The proxy that VS Code's settings and the environment name for an address, by VS Code's own rules, to be named when it
 * fails. VS Code itself decides which requests go through it, and may find one of the system besides.
 */

import { withoutBrackets } from '../../core/hostPlace.ts';
import { readUrl } from '../../core/urls.ts';

export interface ProxySettings {
  /** `http.proxy`. */
  readonly proxy: string;
  /** `http.noProxy`. */
  readonly noProxy: readonly string[];
  /** `http.proxySupport`. */
  readonly support: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** `host:port`, without user and password. Null where the connection is direct, or nothing is named. */
export function chooseProxy(url: string, settings: ProxySettings, environment: Environment): string | null {
  const { hostname, port, protocol } = new URL(url);
  const host = withoutBrackets(hostname);
  if (settings.support === 'off' || OF_THE_MACHINE.has(host)) return null;
  const { https_proxy, HTTPS_PROXY, http_proxy, HTTP_PROXY, no_proxy, NO_PROXY } = environment;
  const spared = settings.noProxy.length > 0 ? settings.noProxy : (no_proxy || NO_PROXY || '').split(',');
  if (isSpared(host, port || (protocol === 'https:' ? '443' : '80'), spared)) return null;
  return readUrl(settings.proxy || https_proxy || HTTPS_PROXY || http_proxy || HTTP_PROXY || '')?.host || null;
}

/** VS Code asks these without a proxy, and no other names of this machine. */
const OF_THE_MACHINE: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '::1']);

/** Each is a domain with all below it, with or without a port. */
function isSpared(host: string, port: string, spared: readonly string[]): boolean {
  return spared.some((each) => {
    const [name = '', only] = each.trim().toLowerCase().split(':', 2);
    if (name === '*') return true;
    return name !== '' && `.${host}`.endsWith(name.startsWith('.') ? name : `.${name}`) && (!only || only === port);
  });
}

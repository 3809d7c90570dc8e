/**
 * One GET request. It carries nothing of the person: no cookie, no referrer, no key. VS Code replaces the functions of
 * `http` and `https` by ones that respect its proxy settings, so they are called through their modules. The name is looked
 * up by the connection itself: without a proxy at the moment when it is made, behind a proxy never, as the proxy does it.
 */

import http from 'node:http';
import https from 'node:https';
import type { LookupFunction } from 'node:net';
import { messageOf, ToolError } from '../../core/errors.ts';
import { asRecord, asText } from '../../core/json.ts';
import { showInOneLine } from '../../core/tools/text/showHidden.ts';
import { hideInAddresses } from '../../core/urls.ts';

export interface Address {
  readonly address: string;
  readonly family: number;
}

export interface Response {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: http.IncomingMessage;
}

const ACCEPTED = 'text/markdown, text/html, application/json;q=0.9, text/*;q=0.8, */*;q=0.1';

/**
 * `lookUp` gives the addresses that a direct connection may be made to, or throws. Throws `ToolError` for what a proxy
 * answers in place of the server.
 */
export function request(
  url: URL,
  lookUp: (name: string) => Promise<readonly Address[]>,
  signal: AbortSignal,
): Promise<Response> {
  const secure = url.protocol === 'https:';
  const { promise, resolve, reject } = Promise.withResolvers<Response>();
  let proxy: string | null = null;
  const options: https.RequestOptions = {
    method: 'GET',
    // A reused connection may have been made to another address.
    agent: secure ? new https.Agent({ keepAlive: false }) : new http.Agent({ keepAlive: false }),
    lookup: connectTo(lookUp, reject),
    signal,
    headers: { 'user-agent': 'palimpsest', accept: ACCEPTED, 'accept-encoding': 'gzip, deflate, br' },
  };
  const sent = (secure ? https : http).request(url, options, (body) => {
    const { statusCode: status = 0, headers } = body;
    // A refused tunnel is handed on as if the server had answered, in the clear.
    const isProxys = status === 407 || (secure && !('encrypted' in body.socket));
    if (status >= 200 && !isProxys) return resolve({ status, headers, body });
    body.destroy();
    reject(isProxys ? proxyRefusal(url, proxy, status) : new Error('it answered in another protocol than HTTP'));
  });
  // VS Code's own event, as it connects: `PROXY host:port`, or `DIRECT`.
  sent.on('proxy', (used: unknown) => {
    proxy = readProxy(used);
    const error = asRecord(used)?.error;
    if (proxy !== null && error) reject(proxyFault(url, proxy, error));
  });
  // After the answer has begun, its body reports errors.
  sent.on('error', (thrown: unknown) => reject(behindProxy(proxy, thrown)));
  // Another protocol, or an end without an answer: no error reports it.
  sent.on('upgrade', (_, socket) => {
    socket.destroy();
    reject(new Error('it answered in another protocol than HTTP'));
  });
  sent.on('close', () => reject(new Error('it closed the connection without an answer')));
  sent.end();
  return promise;
}

/** Gives a connection its addresses. An error of `lookUp` is the reason of the failure, whatever the connection makes of it. */
function connectTo(
  lookUp: (name: string) => Promise<readonly Address[]>,
  reject: (reason: unknown) => void,
): LookupFunction {
  return (name, { all }, done) => {
    lookUp(name).then(
      (addresses) => {
        const [first] = addresses;
        if (all) done(null, [...addresses]);
        else if (first) done(null, first.address, first.family);
        else done(new Error('there is no address to connect to'), '', 0);
      },
      (thrown: unknown) => {
        reject(thrown);
        done(thrown instanceof Error ? thrown : new Error(messageOf(thrown)), '', 0);
      },
    );
  };
}

/** `host:port` of a proxy, without its user and password. Null for a direct connection. */
function readProxy(used: unknown): string | null {
  const [kind, target = ''] = asText(asRecord(used)?.proxy).split(' ');
  return kind === 'DIRECT' || target === '' ? null : showInOneLine(target.slice(target.lastIndexOf('@') + 1));
}

/** A proxy may be the one that failed. */
function behindProxy(proxy: string | null, thrown: unknown): unknown {
  // The address itself was read before.
  if (asRecord(thrown)?.code === 'ERR_INVALID_URL') {
    return new ToolError(
      'The proxy in the setting http.proxy or in the environment is no valid address, so nothing was sent. The user can correct it; in a user name and a password, characters such as @ : / # are written as %40 %3A %2F %23.',
    );
  }
  return proxy === null ? thrown : new Error(`${messageOf(thrown)}, through the proxy ${proxy}`);
}

function proxyRefusal(url: URL, proxy: string | null, status: number): ToolError {
  const who = proxy === null ? 'A proxy' : `The proxy ${proxy}`;
  const reason =
    status === 407
      ? 'asks for a user name and a password (status 407). The user can give them in the setting http.proxy'
      : `did not connect to ${showInOneLine(url.host)} (status ${status}). The user can look at the setting http.proxy and at what the proxy permits`;
  return new ToolError(`${who} ${reason}. Nothing was read; trying again does not help.`);
}

function proxyFault(url: URL, proxy: string, error: unknown): ToolError {
  const reason = asText(asRecord(error)?.code) || showInOneLine(hideInAddresses(messageOf(error)));
  return new ToolError(
    `The proxy ${proxy} cannot be used (${reason}), so ${showInOneLine(url.host)} was not asked. The user can start it, or correct the setting http.proxy; trying again does not help.`,
  );
}

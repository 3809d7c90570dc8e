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
import { inEnglish, type Words } from '../../core/words.ts';
import { isAboutAddress, proxyInvalid, proxyRefused, proxyUnreachable } from '../../providers/errors/proxyFault.ts';

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

interface RequestOptions {
  /** The addresses that a direct connection may be made to; it may throw. */
  readonly lookUp: (name: string) => Promise<readonly Address[]>;
  /** Why nothing but a direct connection may be made; null where a proxy may ask. */
  readonly onlyDirect: string | null;
  /** `host:port` of the proxy that the connection is made to, without user and password; null for a direct one. */
  readonly onProxy: (proxy: string | null) => void;
  readonly signal: AbortSignal;
}

/** Throws `ToolError` for what a proxy does in place of the server. */
export function request(url: URL, { lookUp, onlyDirect, onProxy, signal }: RequestOptions): Promise<Response> {
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
    reject(
      isProxys ? told(proxyRefused(url.host, proxy, status)) : new Error('it answered in another protocol than HTTP'),
    );
  });
  // VS Code's own event, before anything is sent on the connection: `PROXY host:port`, or `DIRECT`.
  sent.on('proxy', (used: unknown) => {
    proxy = readProxy(used);
    onProxy(proxy);
    const error = asRecord(used)?.error;
    if (proxy === null) return;
    if (error) reject(told(proxyUnreachable(url.host, proxy, detailOf(error))));
    if (onlyDirect === null) return;
    reject(new ToolError(`The proxy ${proxy} stands between, and ${onlyDirect}. Nothing was read. ${NO_PROXY}`));
    sent.destroy();
  });
  // After the answer has begun, its body reports errors. The address itself was read before.
  sent.on('error', (thrown: unknown) => reject(isAboutAddress(thrown) ? told(proxyInvalid(url.host)) : thrown));
  // Another protocol, or an end without an answer: no error reports it.
  sent.on('upgrade', (_, socket) => {
    socket.destroy();
    reject(new Error('it answered in another protocol than HTTP'));
  });
  sent.on('close', () => reject(new Error('it closed the connection without an answer')));
  sent.end();
  return promise;
}

const NO_PROXY = 'The user can name the host in the setting http.noProxy, so that no proxy is used for it.';

const told = (notice: Words) =>
  new ToolError(`${inEnglish(notice)} Only the user can do that; trying again does not help.`);

const detailOf = (error: unknown) => asText(asRecord(error)?.code) || showInOneLine(hideInAddresses(messageOf(error)));

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

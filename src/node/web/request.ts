/**
 * One GET request to given addresses. It carries nothing of the person: no cookie, no referrer, no key. VS Code replaces
 * the functions of `http` and `https` by ones that respect its proxy settings, so they are called through their modules.
 */

import http from 'node:http';
import https from 'node:https';
import type { LookupFunction } from 'node:net';

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

export function request(url: URL, addresses: readonly Address[], signal: AbortSignal): Promise<Response> {
  const secure = url.protocol === 'https:';
  const { promise, resolve, reject } = Promise.withResolvers<Response>();
  const options: https.RequestOptions = {
    method: 'GET',
    // A reused connection may have been made to another address.
    agent: secure ? new https.Agent({ keepAlive: false }) : new http.Agent({ keepAlive: false }),
    lookup: only(addresses),
    signal,
    headers: { 'user-agent': 'palimpsest', accept: ACCEPTED, 'accept-encoding': 'gzip, deflate, br' },
  };
  const sent = (secure ? https : http).request(url, options, (body) => {
    const { statusCode: status = 0, headers } = body;
    if (status >= 200) return resolve({ status, headers, body });
    body.destroy();
    reject(new Error('it answered in another protocol than HTTP'));
  });
  // After the answer has begun, its body reports errors.
  sent.on('error', reject);
  // Another protocol, or an end without an answer: no error reports it.
  sent.on('upgrade', (_, socket) => {
    socket.destroy();
    reject(new Error('it answered in another protocol than HTTP'));
  });
  sent.on('close', () => reject(new Error('it closed the connection without an answer')));
  sent.end();
  return promise;
}

/** The connection goes to these, whatever is requested. */
function only(addresses: readonly Address[]): LookupFunction {
  return (_name, { all }, done) => {
    const [first] = addresses;
    if (all) done(null, [...addresses]);
    else if (first) done(null, first.address, first.family);
    else done(new Error('there is no address to connect to'), '', 0);
  };
}

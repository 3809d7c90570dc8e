/**
 * Reads one web page. The name is resolved here, every address is checked, and the connection goes only to an address
 * that passed. Time, redirects and bytes are bounded; only text is read.
 */

import { lookup } from 'node:dns/promises';
import http from 'node:http';
import https from 'node:https';
import type { LookupFunction } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import ipaddr from 'ipaddr.js';
import { Allowance } from '../../core/allowance.ts';
import { messageOf, ToolError } from '../../core/errors.ts';
import { untilAborted } from '../../core/sleep.ts';
import { showInOneLine } from '../../core/tools/text/showHidden.ts';
import { readUrl } from '../../core/urls.ts';
import { inEnglish, verbatim } from '../../core/words.ts';
import type { LocalPlace, Web, WebAnswer, WebPage } from '../../core/workspace/web.ts';

const ANSWER_MS = 30_000;
const MOST_REDIRECTS = 5;

/** Resolves a name; default: like every program on this computer. */
type LookUp = (name: string) => Promise<readonly Address[]>;

export function openWeb(
  lookUp: LookUp = (name) => lookup(name, { all: true, verbatim: true }),
  milliseconds = ANSWER_MS,
): Web {
  return {
    isAddress,
    placeOf,
    async get(url, local, signal) {
      const late = AbortSignal.timeout(milliseconds);
      const stop = AbortSignal.any([signal, late]);
      const shown = showInOneLine(new URL(url).origin);
      try {
        return await untilAborted(follow(new URL(url), local, lookUp, stop), stop);
      } catch (thrown) {
        signal.throwIfAborted();
        if (late.aborted) throw new ToolError(`${shown} did not answer whole within ${milliseconds / 1000} s.`);
        if (thrown instanceof ToolError) throw thrown;
        throw new ToolError(`${shown} could not be read: ${showInOneLine(messageOf(thrown))}.`);
      }
    },
  };
}

/** A trailing dot only marks the name as complete. */
function placeOf(host: string): LocalPlace | null {
  if (isAddress(host)) return placeOfAddress(host);
  return /(?:^|\.)localhost\.?$/iu.test(host) ? 'machine' : null;
}

async function follow(url: URL, local: string | null, lookUp: LookUp, signal: AbortSignal): Promise<WebAnswer> {
  const usedUp = verbatim(`${showInOneLine(url.origin)} redirects more than ${MOST_REDIRECTS} times.`);
  const redirects = new Allowance({ most: MOST_REDIRECTS, usedUp });
  for (let at = url; ; ) {
    const found = await chooseAddresses(at, local, lookUp, signal);
    if (found.kind === 'local') return found;
    const response = await request(at, found.addresses, signal);
    const to = redirectOf(response.status, response.headers.location, at);
    if (!to) return { kind: 'page', url: at.href, status: response.status, ...(await readText(response, at, signal)) };
    response.body.destroy();
    if (to.origin !== at.origin) return { kind: 'elsewhere', to: to.href };
    const tooMany = redirects.take();
    if (tooMany) throw new ToolError(inEnglish(tooMany));
    at = to;
  }
}

type Chosen =
  | { readonly kind: 'addresses'; readonly addresses: readonly Address[] }
  | Extract<WebAnswer, { kind: 'local' }>;

/** Addresses that may be connected to: public ones, or the one that a person has agreed to. */
async function chooseAddresses(url: URL, local: string | null, lookUp: LookUp, signal: AbortSignal): Promise<Chosen> {
  const host = url.hostname.replace(/^\[|\]$/gu, '');
  const all = isAddress(host)
    ? [{ address: host, family: host.includes(':') ? 6 : 4 }]
    : await untilAborted(lookUp(host), signal);
  const judged = all.filter(({ address }) => isAddress(address));
  // Exactly the agreed name for this computer, wherever it may resolve.
  const own = placeOf(host) === 'machine' && local === host;
  const addresses = judged.filter(({ address }) => {
    const place = placeOfAddress(address);
    if (local === null) return place === null;
    return own ? place === 'machine' : address === local;
  });
  if (addresses.length > 0) return { kind: 'addresses', addresses };
  const [first] = judged;
  const place = first ? placeOfAddress(first.address) : null;
  if (first && place && local === null) return { kind: 'local', address: first.address, place };
  if (local !== null) throw new ToolError(`${showInOneLine(host)} does not lead to ${local} now. Nothing was sent.`);
  throw new ToolError(`${showInOneLine(host)} has no address.`);
}

/** Null when the answer is not a redirect. */
function redirectOf(status: number, location: string | undefined, from: URL): URL | null {
  if (![301, 302, 303, 307, 308].includes(status) || location === undefined) return null;
  const to = readUrl(location, from.href);
  if (!to || (to.protocol !== 'http:' && to.protocol !== 'https:')) {
    throw new ToolError(`${showInOneLine(from.origin)} redirects to something that is no page of the web.`);
  }
  to.hash = '';
  return to;
}

/** Null for a public address. The text has to be an address. Servers of this computer also answer at `own` ones. */
export function placeOfAddress(text: string, own: readonly string[] = ownAddresses()): LocalPlace | null {
  const address = unwrap(ipaddr.parse(text));
  const named = address.toNormalizedString();
  if (own.some((one) => unwrap(ipaddr.parse(one)).toNormalizedString() === named)) return 'machine';
  const range = address.range();
  switch (range) {
    case 'unicast':
      // The rest of IPv6 is not allocated to the public.
      return address instanceof ipaddr.IPv6 && !address.match(PUBLIC_V6, 3) ? 'other' : null;
    case 'loopback':
    case 'unspecified':
      return 'machine';
    case 'private':
    case 'uniqueLocal':
    case 'carrierGradeNat':
      return 'network';
    case 'linkLocal':
      return 'link';
    default:
      return 'other';
  }
}

function isAddress(text: string): boolean {
  return ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text);
}

const PUBLIC_V6 = ipaddr.IPv6.parse('2000::');

/** The prefix for IPv4 addresses in IPv6-only networks. */
const NAT64 = ipaddr.IPv6.parse('64:ff9b::');

type IpAddress = ipaddr.IPv4 | ipaddr.IPv6;

function unwrap(address: IpAddress): IpAddress {
  if (address instanceof ipaddr.IPv4) return address;
  if (address.isIPv4MappedAddress()) return address.toIPv4Address();
  if (!address.match(NAT64, 96)) return address;
  return new ipaddr.IPv4(address.toByteArray().slice(-4));
}

function ownAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((each) => (each ?? []).map(({ address }) => address));
}

// One GET request to given addresses. It carries nothing of the person: no cookie, no referrer, no key. VS Code replaces
// the functions of `http` and `https` by ones that respect its proxy settings, so they are called through their modules.

interface Address {
  readonly address: string;
  readonly family: number;
}

interface Response {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: http.IncomingMessage;
}

const ACCEPTED = 'text/markdown, text/html, application/json;q=0.9, text/*;q=0.8, */*;q=0.1';

function request(url: URL, addresses: readonly Address[], signal: AbortSignal): Promise<Response> {
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

// The text of an answer: only text types, unpacked, at most so many bytes, HTML as Markdown.

/** Unpacked bytes. */
const MOST_BYTES = 4 * 1024 * 1024;

/** Bytes in which a page declares its encoding. */
const HEAD_BYTES = 2048;

const TEXT =
  /^(?:text\/.+|application\/(?:.+\+)?(?:json|xml|yaml|toml)|application\/(?:x-)?(?:javascript|ndjson|sh))$/u;

async function readText(
  { headers, body }: Response,
  url: URL,
  signal: AbortSignal,
): Promise<Pick<WebPage, 'type' | 'title' | 'text' | 'cut'>> {
  const [named = ''] = (headers['content-type'] ?? '').split(';');
  const type = named.trim().toLowerCase();
  if (type !== '' && !TEXT.test(type)) {
    body.destroy();
    throw new ToolError(`${showInOneLine(url.href)} is of the type ${showInOneLine(type)}. Only text is read.`);
  }
  const { bytes, cut } = await readBytes(unpack(body, headers['content-encoding']));
  const isHtml = type === 'text/html' || type === 'application/xhtml+xml';
  const text = decode(bytes, headers['content-type'] ?? '', isHtml);
  if (type === '' && text.includes('\0')) throw new ToolError(`${showInOneLine(url.href)} is no text.`);
  if (!isHtml) return { type, title: '', text, cut };
  const { toMarkdown } = await import('./toMarkdown.ts');
  const page = await toMarkdown(text, url, signal);
  return { type, title: page.title, text: page.text, cut: cut || page.cut };
}

function unpack(body: Readable, encoding = 'identity'): Readable {
  const unpacker = makeUnpacker(encoding.trim().toLowerCase());
  if (!unpacker) return body;
  body.on('error', (error) => unpacker.destroy(error));
  return body.pipe(unpacker).on('close', () => body.destroy());
}

function makeUnpacker(encoding: string) {
  switch (encoding) {
    case '':
    case 'identity':
      return null;
    case 'gzip':
    case 'x-gzip':
      return createGunzip();
    case 'deflate':
      return createInflate();
    case 'br':
      return createBrotliDecompress();
    default:
      throw new ToolError(`The answer is packed as ${showInOneLine(encoding)}, which was not asked for.`);
  }
}

async function readBytes(body: Readable): Promise<{ readonly bytes: Uint8Array; readonly cut: boolean }> {
  const chunks: Buffer[] = [];
  let length = 0;
  // Leaving the loop ends the stream.
  for await (const chunk of body as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > MOST_BYTES) break;
  }
  return { bytes: Buffer.concat(chunks).subarray(0, MOST_BYTES), cut: length > MOST_BYTES };
}

function decode(bytes: Uint8Array, contentType: string, isHtml: boolean): string {
  const head = isHtml ? new TextDecoder('latin1').decode(bytes.subarray(0, HEAD_BYTES)) : '';
  const named =
    /charset\s*=\s*"?([\w-]+)/iu.exec(contentType)?.[1] ?? /<meta[^>]+charset\s*=\s*["']?([\w-]+)/iu.exec(head)?.[1];
  return decoderFor(named ?? 'utf-8').decode(bytes);
}

/** A UTF-8 byte order mark takes precedence in any case. */
function decoderFor(name: string): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(name);
  } catch (thrown) {
    if (!(thrown instanceof RangeError)) throw thrown;
    return new TextDecoder();
  }
}

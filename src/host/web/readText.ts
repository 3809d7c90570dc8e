/** The text of an answer: only text types, unpacked, at most so many bytes, HTML as Markdown. */

import http from 'node:http';
import https from 'node:https';
import type { LookupFunction } from 'node:net';
import type { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { ToolError } from '../../core/errors.ts';
import type { WebPage } from '../../core/ports.ts';
import { showInOneLine } from '../../core/tools/text/showHidden.ts';

/** Unpacked bytes. */
const MOST_BYTES = 4 * 1024 * 1024;

/** Bytes in which a page declares its encoding. */
const HEAD_BYTES = 2048;

const TEXT =
  /^(?:text\/.+|application\/(?:.+\+)?(?:json|xml|yaml|toml)|application\/(?:x-)?(?:javascript|ndjson|sh))$/u;

type Text = Pick<WebPage, 'type' | 'title' | 'text' | 'cut'>;

export async function readText({ headers, body }: Response, url: URL, signal: AbortSignal): Promise<Text> {
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

/**
 * One GET request to given addresses. It carries nothing of the person: no cookie, no referrer, no key. VS Code
 * replaces the functions of `http` and `https` by ones that respect its proxy settings, so they are called through
 * their modules.
 */
export interface Address {
  readonly address: string;
  readonly family: number;
}

interface Response {
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

/** The text of an answer: only text types, unpacked, at most so many bytes, HTML as Markdown. */

import type { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { ToolError } from '../../core/errors.ts';
import { showInOneLine } from '../../core/tools/text/showHidden.ts';
import type { WebPage } from '../../core/workspace/web.ts';
import type { Response } from './request.ts';

/** Unpacked bytes. */
const MOST_BYTES = 4 * 1024 * 1024;

/** Bytes in which a page declares its encoding. */
const HEAD_BYTES = 2048;

const TEXT =
  /^(?:text\/.+|application\/(?:.+\+)?(?:json|xml|yaml|toml)|application\/(?:x-)?(?:javascript|ndjson|sh))$/u;

export async function readText(
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

/** A file's bytes as text. What decoding leaves out (the byte order mark) is told, so that writing can put it back. */

export type DecodedFile =
  | {
      readonly kind: 'text';
      /** Without the byte order mark; line ends as in the file. */
      readonly text: string;
      readonly bom: boolean;
      readonly lineEnd: '\n' | '\r\n';
      readonly mixedLineEnds: boolean;
      /** True when bytes that are no UTF-8 were replaced by U+FFFD: fit for reading, never for writing back. */
      readonly lossy: boolean;
    }
  | { readonly kind: 'binary'; readonly reason: string };

const BOM = '\uFEFF';

export function decodeText(bytes: Uint8Array): DecodedFile {
  if ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)) {
    return { kind: 'binary', reason: 'it is UTF-16, and only UTF-8 is read here' };
  }
  if (bytes.includes(0)) return { kind: 'binary', reason: 'it holds NUL bytes, so it is not text' };
  const { text, lossy } = decodeUtf8(bytes);
  const bom = text.startsWith(BOM);
  const body = bom ? text.slice(1) : text;
  const crlf = count(body, '\r\n');
  const lf = count(body, '\n') - crlf;
  return {
    kind: 'text',
    text: body,
    bom,
    lineEnd: crlf > lf ? '\r\n' : '\n',
    mixedLineEnds: crlf > 0 && lf > 0,
    lossy,
  };
}

export function encodeText(text: string, bom: boolean): Uint8Array {
  return new TextEncoder().encode(bom ? BOM + text : text);
}

function decodeUtf8(bytes: Uint8Array): { readonly text: string; readonly lossy: boolean } {
  try {
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes), lossy: false };
  } catch (thrown) {
    if (!(thrown instanceof TypeError)) throw thrown;
    return { text: new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes), lossy: true };
  }
}

function count(text: string, part: string): number {
  let found = 0;
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + part.length)) found += 1;
  return found;
}

/** Base64 by hand, because the runtimes of the core have no common API for it. */

const ALPHABET = new TextEncoder().encode('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/');

const PADDING = 0x3d;

const NO_DIGIT = 255;

export function toBase64(bytes: Uint8Array): string {
  const out = new Uint8Array(Math.ceil(bytes.length / 3) * 4).fill(PADDING);
  for (let from = 0, to = 0; from < bytes.length; from += 3, to += 4) {
    const left = bytes.length - from;
    const three = ((bytes[from] ?? 0) << 16) | ((bytes[from + 1] ?? 0) << 8) | (bytes[from + 2] ?? 0);
    for (let digit = 0; digit <= Math.min(left, 3); digit++) {
      out[to + digit] = ALPHABET[(three >> (18 - 6 * digit)) & 63] ?? PADDING;
    }
  }
  return new TextDecoder().decode(out);
}

const VALUES = new Uint8Array(128).fill(NO_DIGIT);
for (const [value, code] of ALPHABET.entries()) VALUES[code] = value;

/** Null when it is not base64. Line breaks in it are ignored. */
export function fromBase64(text: string): Uint8Array | null {
  const digits = text.replace(/[\r\n]/g, '').replace(/={1,2}$/, '');
  if (digits.length % 4 === 1) return null;
  const out = new Uint8Array(Math.floor((digits.length * 3) / 4));
  let bits = 0;
  let to = 0;
  for (let at = 0; at < digits.length; at++) {
    const value = VALUES[digits.charCodeAt(at)] ?? NO_DIGIT;
    if (value === NO_DIGIT) return null;
    bits = ((bits << 6) | value) & 0xffffff;
    const place = at % 4;
    if (place > 0) out[to++] = (bits >> (6 - 2 * place)) & 255;
  }
  return out;
}

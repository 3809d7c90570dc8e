/** A short hash of a text, the same on every machine. For names only: it is not secure. */

/** 52 bits as 13 characters of 0–9 and a–z, from two FNV-1a runs over UTF-16 units. */
export function hashText(text: string): string {
  let low = 0x811c9dc5;
  let high = 0x9747b28c;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    low = Math.imul(low ^ unit, 0x01000193);
    high = Math.imul(high ^ (unit + at), 0x01000193);
  }
  return (low >>> 0).toString(36).padStart(7, '0') + ((high >>> 0) % 36 ** 6).toString(36).padStart(6, '0');
}

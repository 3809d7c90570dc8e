/**
 * Replaces texts in a text, including in JSON that the text holds: each string there is compared in its decoded form,
 * however deeply nested and however escaped, and written back in place. Everything else stays the same to the byte.
 */

import { parseJson } from '../json.ts';

export const REDACTED = '[redacted]';

/** In names read by a provider, where brackets are not allowed. */
const REDACTED_NAME = 'redacted';

/**
 * The forms in which a secret may appear in a text: call arguments are JSON inside a string, and the body of a request
 * is JSON that holds such strings.
 */
export function writtenForms(secrets: readonly string[]): readonly string[] {
  const quoted = (text: string) => JSON.stringify(text).slice(1, -1);
  return [...new Set(secrets.flatMap((secret) => [secret, quoted(secret), quoted(quoted(secret))]))];
}

export class TextRedaction {
  /** Number of texts replaced so far. */
  count = 0;
  readonly #secrets: readonly string[];
  readonly #forms: readonly string[];

  constructor(secrets: readonly string[]) {
    this.#secrets = secrets;
    this.#forms = writtenForms(secrets);
  }

  clean(text: string): string {
    if (!text.includes('\\') && !this.holds(text)) return text;
    return this.#replace(this.#cleanJson(text), REDACTED);
  }

  cleanName(name: string): string {
    return this.#replace(name, REDACTED_NAME);
  }

  /** True when the text contains it in one of its usual forms. */
  holds(text: string): boolean {
    return this.#forms.some((form) => text.includes(form));
  }

  #replace(text: string, by: string): string {
    let cleaned = text;
    for (const form of this.#forms) {
      const parts = cleaned.split(form);
      this.count += parts.length - 1;
      cleaned = parts.join(by);
    }
    return cleaned;
  }

  #cleanJson(text: string): string {
    if (!/^\s*[[{"]/.test(text) || parseJson(text) === undefined) return text;
    const pieces: string[] = [];
    for (let at = 0; at < text.length; ) {
      const end = endOfToken(text, at);
      const token = text.slice(at, end);
      pieces.push(WORD.test(token) ? this.#cleanToken(token) : token);
      at = end;
    }
    return pieces.join('');
  }

  #cleanToken(token: string): string {
    // A number or `true` that contains the secret becomes text.
    const plain = token.startsWith('"') ? (JSON.parse(token) as string) : token;
    const cleaned = this.#cleanEnds(this.clean(plain));
    return cleaned === plain ? token : JSON.stringify(cleaned);
  }

  /** A secret given with its quotes may be at the beginning or the end of a string, or be all of it. */
  #cleanEnds(plain: string): string {
    let cleaned = plain;
    for (const secret of this.#secrets) {
      const opens = secret.startsWith('"');
      const closes = secret.length > 1 && secret.endsWith('"');
      const inner = secret.slice(opens ? 1 : 0, closes ? -1 : undefined);
      if (!(opens || closes) || inner === '') continue;
      const begins = cleaned.startsWith(inner);
      const found = opens && closes ? cleaned === inner : opens ? begins : cleaned.endsWith(inner);
      if (!found) continue;
      this.count++;
      cleaned = opens ? REDACTED + cleaned.slice(inner.length) : cleaned.slice(0, -inner.length) + REDACTED;
    }
    return cleaned;
  }
}

/** The beginning of a string, a number, or `true`, `false` and `null`. */
const WORD = /^["\w-]/;
const SCALAR = /[\w.+-]/;

/** The end of the token at `at` in a JSON text: a string, a number, a word, or a single sign. */
function endOfToken(text: string, at: number): number {
  let end = at + 1;
  if (text[at] === '"') {
    while (end < text.length && text[end] !== '"') end += text[end] === '\\' ? 2 : 1;
    return end + 1;
  }
  if (WORD.test(text[at] ?? '')) while (SCALAR.test(text[end] ?? ' ')) end++;
  return end;
}

/** Replaces texts anywhere in a value without journal structure, including its field names. Pure. */
export function redactValue(value: unknown, secrets: readonly string[]): unknown {
  const redaction = new TextRedaction(secrets);
  const clean = (each: unknown): unknown => {
    if (typeof each === 'string') return redaction.clean(each);
    if (Array.isArray(each)) return each.map(clean);
    if (typeof each !== 'object' || each === null) return each;
    return Object.fromEntries(Object.entries(each).map(([key, inner]) => [redaction.clean(key), clean(inner)]));
  };
  return clean(value);
}

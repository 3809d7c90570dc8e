/**
 * Replaces texts in a text, also in JSON that the text holds: there each string is read as what it says, however deep it
 * is nested and however it is escaped, and written back in its place. What is not replaced stays as it was, to the byte.
 */

import { parseJson } from '../json.ts';
import { inEnglish, words } from '../words.ts';
import type { Entry, FileImage } from './entry.ts';

export const REDACTED = '[redacted]';

/** In names that a provider reads, where brackets are not allowed. */
const REDACTED_NAME = 'redacted';

/**
 * A secret as it may stand in a text: call arguments are JSON inside a string, and the body of a request is JSON that
 * holds such strings.
 */
export function writtenForms(secrets: readonly string[]): readonly string[] {
  const quoted = (text: string) => JSON.stringify(text).slice(1, -1);
  return [...new Set(secrets.flatMap((secret) => [secret, quoted(secret), quoted(quoted(secret))]))];
}

export class TextRedaction {
  /** Texts replaced so far. */
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

  /** True when the text stands there in one of its usual forms. */
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
    // A number or `true` with the secret in it becomes a text.
    const said = token.startsWith('"') ? (JSON.parse(token) as string) : token;
    const cleaned = this.#cleanEnds(this.clean(said));
    return cleaned === said ? token : JSON.stringify(cleaned);
  }

  /** A secret that was given with its quotes stands at the beginning or the end of a string, or is all of it. */
  #cleanEnds(said: string): string {
    let cleaned = said;
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

/** Where what begins at `at` in a JSON text ends: a string, a number or a word, or one sign between them. */
function endOfToken(text: string, at: number): number {
  let end = at + 1;
  if (text[at] === '"') {
    while (end < text.length && text[end] !== '"') end += text[end] === '\\' ? 2 : 1;
    return end + 1;
  }
  if (WORD.test(text[at] ?? '')) while (SCALAR.test(text[end] ?? ' ')) end++;
  return end;
}

/** Replaces texts anywhere in a value that holds no journal's structure, in the names of its fields as well. Pure. */
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

/**
 * Replaces texts in an entry and keeps what the journal is made of: the names of fields, kinds, ids, times and the names
 * of blobs. So a secret that is also a word of the structure takes nothing with it, and the entry means what it meant.
 */
interface RedactedEntry {
  readonly entry: Entry;
  readonly changed: boolean;
  /** Texts replaced; renamed blobs do not count. */
  readonly count: number;
  /** Values that were removed whole, because they are nested too deep to be looked into. */
  readonly cut: number;
  /** Items of reasoning, encrypted or signed, removed: nobody here can tell what they hold, and changed they are of no use. */
  readonly sealed: number;
  /** Files that can no longer be given back, because what they held or where they lie was redacted. */
  readonly unrestorable: number;
}

/** Fields whose texts the journal itself gave or knows. */
const STRUCTURE: ReadonlySet<string> = new Set(
  (
    'type time seq parent format id ids nonce engine session writer prunedAt ' +
    'role kind op by direction cause purpose level action trigger strategy mime field mode'
  ).split(' '),
);

/** Names of blobs. */
const BLOBS: ReadonlySet<string> = new Set(['blob', 'before', 'after', 'bodySha256']);

/** Names that a call and its result, or a tool and its calls, must share. */
const NAMES: ReadonlySet<string> = new Set(['toolCallId', 'toolName']);

/** Lists whose `id` and `name` are such names. */
const NAMED: ReadonlySet<string> = new Set(['toolCalls', 'tools']);

/** Values of which the journal knows nothing; in a JSON Schema, a type is a word of the schema. */
const FOREIGN: ReadonlySet<string> = new Set(['parameters', 'extra']);
const DEEPEST = 500;
const WHY = words('The file’s contents or its path were redacted.');

/** `renamed` maps the name of a blob to that of its cleaned copy. */
export function redactEntry(
  entry: Entry,
  secrets: readonly string[],
  renamed: ReadonlyMap<string, string>,
): RedactedEntry {
  const redaction = new TextRedaction(secrets);
  let moved = 0;
  let cut = 0;
  let unrestorable = 0;

  const cleanText = (text: string, key: string, list: string): string => {
    if (BLOBS.has(key)) {
      const name = renamed.get(text);
      if (name !== undefined) moved++;
      return name ?? text;
    }
    if (NAMES.has(key) || (NAMED.has(list) && (key === 'id' || key === 'name'))) return redaction.cleanName(text);
    return STRUCTURE.has(key) ? text : redaction.clean(text);
  };
  const cleanForeign = (value: unknown, key: string, depth: number): unknown => {
    if (typeof value === 'string') return key === 'type' ? value : redaction.clean(value);
    if (typeof value !== 'object' || value === null) return value;
    if (depth > DEEPEST) {
      cut++;
      return REDACTED;
    }
    if (Array.isArray(value)) return value.map((each) => cleanForeign(each, '', depth + 1));
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, cleanForeign(each, name, depth + 1)]));
  };
  /** What a strategy keeps means nothing to anybody else: numbers and the names of fields may be a secret too. */
  const cleanDetails = (value: unknown, depth: number): unknown => {
    if (typeof value === 'string') return redaction.clean(value);
    if (typeof value === 'number') return redaction.holds(String(value)) ? redaction.clean(String(value)) : value;
    if (typeof value !== 'object' || value === null) return value;
    if (depth > DEEPEST) {
      cut++;
      return REDACTED;
    }
    if (Array.isArray(value)) return value.map((each) => cleanDetails(each, depth + 1));
    const fields = Object.entries(value).map(([name, each]) => [redaction.clean(name), cleanDetails(each, depth + 1)]);
    return Object.fromEntries(fields);
  };
  /** `key` is the field that holds the value, `list` the one that holds the object with that field. */
  const clean = (value: unknown, key: string, list: string, depth: number): unknown => {
    if (key === 'value' && list === 'details') return cleanDetails(value, depth);
    if (typeof value === 'string') return cleanText(value, key, list);
    if (typeof value !== 'object' || value === null) return value;
    if (FOREIGN.has(key) || depth > DEEPEST) return cleanForeign(value, '', depth);
    if (Array.isArray(value)) return value.map((each) => clean(each, key, list, depth + 1));
    const cleaned = Object.fromEntries(
      Object.entries(value).map(([name, each]) => [name, clean(each, name, key, depth + 1)]),
    );
    return key === 'files' ? cleanImage(value as FileImage, cleaned as unknown as FileImage) : cleaned;
  };
  const cleanImage = (image: FileImage, cleaned: FileImage): FileImage => {
    const { path, before, newFolder } = cleaned;
    const same = path === image.path && before === image.before && newFolder === image.newFolder;
    if (same || !image.restorable) return cleaned;
    unrestorable++;
    return { ...cleaned, restorable: false, reason: inEnglish(WHY), reasonWords: WHY };
  };

  const { entry: open, sealed } = withoutSealed(entry);
  const cleaned = clean(open, '', '', 0) as Entry;
  const { count } = redaction;
  return { entry: cleaned, changed: count + moved + cut + sealed > 0, count, cut, sealed, unrestorable };
}

function withoutSealed(entry: Entry): { readonly entry: Entry; readonly sealed: number } {
  if (entry.type !== 'message' || entry.message.role !== 'assistant') return { entry, sealed: 0 };
  const { reasoning } = entry.message;
  if (!reasoning?.items?.length) return { entry, sealed: 0 };
  const { items, origin, ...readable } = reasoning;
  return { entry: { ...entry, message: { ...entry.message, reasoning: readable } }, sealed: items.length };
}

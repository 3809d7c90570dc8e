/**
 * What a strategy keeps in the journal for its next compaction: JSON and nothing else, of bounded size and depth. It comes
 * from foreign code and goes back to it as a frozen copy; nothing here or elsewhere acts on it.
 */

import type { JsonValue } from '../../../api/index.ts';
import { type Words, words } from '../../words.ts';

/** Bytes of its JSON in UTF-8. */
const MOST_BYTES = 64 * 1024;
const DEEPEST = 32;
const LONGEST_PATH = 120;

export type ReadDetails =
  | { readonly kind: 'details'; readonly value: JsonValue }
  | { readonly kind: 'refused'; readonly reason: Words };

/** A frozen copy, or why there is none. Each value is read once; one that throws when it is read throws here. */
export function readDetails(given: unknown): ReadDetails {
  let reason: Words | null = null;
  let left = MOST_BYTES;
  const refuse = (why: Words): null => {
    reason ??= why;
    return null;
  };
  /** `bytes` of JSON were copied, without a comma or a colon after it. */
  const spend = (bytes: number): boolean => {
    left -= bytes;
    if (left < 0) refuse(words('its details are larger than {0} KB', MOST_BYTES / 1024));
    return left >= 0;
  };
  const copyText = (text: string, path: string): string | null => {
    if (text.length > MOST_BYTES) return spend(text.length) ? text : null;
    if (!text.isWellFormed()) return refuse(words('{0} is not well-formed Unicode', shown(path)));
    return spend(bytesOf(text)) ? text : null;
  };
  const copy = (value: unknown, path: string, depth: number): JsonValue => {
    if (reason) return null;
    if (depth > DEEPEST) return refuse(words('its details are nested more than {0} deep', DEEPEST));
    if (typeof value === 'string') return copyText(value, path);
    if (value === null || typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))) {
      return spend(String(value).length) ? value : null;
    }
    if (typeof value !== 'object') return refuse(words('{0} is {1}, which is not JSON', shown(path), describe(value)));
    if (!spend(2)) return null;
    if (Array.isArray(value)) return copyList(value, path, depth);
    return isPlain(value) ? copyObject(value, path, depth) : refuse(words('{0} is not a plain object', shown(path)));
  };
  const copyList = (list: readonly unknown[], path: string, depth: number): JsonValue => {
    const { length } = list;
    const copied: JsonValue[] = [];
    for (let i = 0; i < length && !reason; i++) {
      if (i > 0) spend(1);
      copied.push(copy(list[i], `${path}[${i}]`, depth + 1));
    }
    return Object.freeze(copied);
  };
  const copyObject = (object: object, path: string, depth: number): JsonValue => {
    const copied: [string, JsonValue][] = [];
    for (const key of Object.keys(object)) {
      if (reason) break;
      if (copied.length > 0) spend(1);
      spend(1);
      if (copyText(key, path) === null) break;
      copied.push([key, copy((object as Record<string, unknown>)[key], `${path}.${key}`, depth + 1)]);
    }
    return Object.freeze(Object.fromEntries(copied));
  };
  const value = copy(given, 'details', 0);
  return reason ? { kind: 'refused', reason } : { kind: 'details', value };
}

/** The size of the text as JSON: escapes count. */
const bytesOf = (text: string) => new TextEncoder().encode(JSON.stringify(text)).length;

function isPlain(object: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(object);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

const shown = (path: string): string => path.slice(0, LONGEST_PATH).toWellFormed();

const describe = (value: unknown): string => (typeof value === 'number' ? String(value) : typeof value);

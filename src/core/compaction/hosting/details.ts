/**
 * Reads the details that a strategy wants to keep: a frozen copy of bounded size that is JSON, or the reason why there
 * is none.
 */

import type { JsonValue } from '../../../api/index.ts';
import { type Words, words } from '../../words.ts';

/** Maximum size of its JSON in UTF-8, in bytes. */
const MOST_BYTES = 64 * 1024;

const DEEPEST = 32;

const LONGEST_PATH = 120;

type ReadDetails =
  | { readonly kind: 'details'; readonly value: JsonValue }
  | { readonly kind: 'refused'; readonly reason: Words };

/** Aborts copying a value that cannot be stored. */
class Refusal extends Error {
  readonly reason: Words;

  constructor(reason: Words) {
    super();
    this.reason = reason;
  }
}

/** A frozen copy, or the reason why there is none. Each value is read once; errors of getters are rethrown. */
export function readDetails(given: unknown): ReadDetails {
  let left = MOST_BYTES;
  /** Counts `bytes` of copied JSON. */
  const spend = (bytes: number) => {
    left -= bytes;
    if (left < 0) throw new Refusal(words('its details are larger than {0} KB', MOST_BYTES / 1024));
  };
  const copyText = (text: string, path: string) => {
    if (text.length > MOST_BYTES) spend(text.length);
    if (!text.isWellFormed()) throw new Refusal(words('{0} is not well-formed Unicode', shown(path)));
    spend(bytesOf(text));
    return text;
  };
  /** The objects that the copied value is in. */
  const around = new Set<object>();
  const copy = (value: unknown, path: string, depth: number): JsonValue => {
    if (typeof value !== 'object' || value === null) return copyOne(value, path, depth);
    if (around.has(value)) throw new Refusal(words('{0} refers to itself, so it is not JSON', shown(path)));
    around.add(value);
    const copied = copyOne(value, path, depth);
    around.delete(value);
    return copied;
  };
  const copyOne = (value: unknown, path: string, depth: number): JsonValue => {
    if (depth > DEEPEST) throw new Refusal(words('its details are nested more than {0} deep', DEEPEST));
    if (typeof value === 'string') return copyText(value, path);
    if (value === null || typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))) {
      spend(String(value).length);
      return value;
    }
    if (typeof value !== 'object')
      throw new Refusal(words('{0} is {1}, which is not JSON', shown(path), describe(value)));
    spend(2);
    if (Array.isArray(value)) return copyList(value, path, depth);
    if (!isPlain(value)) throw new Refusal(words('{0} is not a plain object', shown(path)));
    const copied = Object.keys(value).map((key, i): [string, JsonValue] => {
      spend(i > 0 ? 2 : 1);
      const name = copyText(key, path);
      return [name, copy((value as Record<string, unknown>)[key], `${path}.${key}`, depth + 1)];
    });
    return Object.freeze(Object.fromEntries(copied));
  };
  const copyList = (list: readonly unknown[], path: string, depth: number): JsonValue => {
    const copied: JsonValue[] = [];
    for (let i = 0, { length } = list; i < length; i++) {
      if (i > 0) spend(1);
      copied.push(copy(list[i], `${path}[${i}]`, depth + 1));
    }
    return Object.freeze(copied);
  };
  try {
    return { kind: 'details', value: copy(given, 'details', 0) };
  } catch (thrown) {
    if (thrown instanceof Refusal) return { kind: 'refused', reason: thrown.reason };
    throw thrown;
  }
}

/** Size of the text as JSON, including escapes. */
const bytesOf = (text: string) => new TextEncoder().encode(JSON.stringify(text)).length;

function isPlain(object: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(object);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

const shown = (path: string): string => path.slice(0, LONGEST_PATH).toWellFormed();

const describe = (value: unknown): string => (typeof value === 'number' ? String(value) : typeof value);

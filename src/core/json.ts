/** Reads foreign JSON: nothing here throws, and nothing is assumed about shape or depth. */

export type Json = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Null for anything but a plain object. */
export function asRecord(value: unknown): Json | null {
  return isObject(value) ? value : null;
}

/** An empty object for anything that is not one. */
export function objectOf(value: unknown): Json {
  return isObject(value) ? value : {};
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** An empty string for anything else. */
export function asText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/**
 * Greatest depth of foreign values. Serialising, validating or walking a value needs stack in proportion to its depth
 * and overflows at a few thousand levels; no meaningful value is nearly so deep.
 */
export const DEEPEST = 500;

/** Counts brackets outside of strings, so it also works for text that is not JSON. */
export function isTextTooDeep(text: string, most = DEEPEST): boolean {
  let depth = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) quoted = !quoted;
    else if (quoted) {
      if (code === BACKSLASH) at++;
      // `[` and `{` differ from their partners in the same bits: 5B, 5D and 7B, 7D.
    } else if ((code | 0x20) === OPENING) {
      if (++depth > most) return true;
    } else if ((code | 0x20) === CLOSING) depth--;
  }
  return false;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING = 0x7b;
const CLOSING = 0x7d;

/** For a parsed value; iterative, so it needs no stack. */
export function isTooDeep(value: unknown, most = DEEPEST): boolean {
  let level = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > most) return true;
    const inside: unknown[] = [];
    for (const each of level) {
      if (typeof each !== 'object' || each === null) continue;
      for (const inner of Object.values(each)) if (typeof inner === 'object' && inner !== null) inside.push(inner);
    }
    level = inside;
  }
  return false;
}

/** The table's own entry under a foreign name: inherited names such as `constructor` do not count. */
export function ownOf<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

/** Undefined when the text is not JSON or is nested too deeply: callers have better messages than the parser. */
export function parseJson(text: string, deepest = DEEPEST): unknown {
  if (deepest !== Number.POSITIVE_INFINITY && isTextTooDeep(text, deepest)) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

export function parseObject(text: string): Json | null {
  return asRecord(parseJson(text));
}

/** True when no text in the value, field names included, holds a lone surrogate: JSON can spell one as an escape. */
export function isWellFormedDeep(value: unknown): boolean {
  const left = [value];
  while (left.length > 0) {
    const each = left.pop();
    if (typeof each === 'string' && !each.isWellFormed()) return false;
    if (typeof each === 'object' && each !== null) for (const entry of Object.entries(each)) left.push(...entry);
  }
  return true;
}

/** True when the text is one whole JSON object, as a tool call's arguments must be. */
export function isWholeObject(text: string): boolean {
  const trimmed = text.trim();
  return trimmed.startsWith('{') && trimmed.endsWith('}') && parseObject(trimmed) !== null;
}

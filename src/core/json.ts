/** Reads JSON written by somebody else: nothing here throws, and nothing is assumed about the shape. */

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

/** Empty for anything but a text. */
export function asText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Undefined when the text is not JSON: the caller has a better message than the parser's. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

export function parseObject(text: string): Json | null {
  return asRecord(parseJson(text));
}

/** Whether no text in the value, names included, holds half of a surrogate pair: JSON can spell one as an escape. */
export function isWellFormedDeep(value: unknown): boolean {
  const left = [value];
  while (left.length > 0) {
    const each = left.pop();
    if (typeof each === 'string' && !each.isWellFormed()) return false;
    if (typeof each === 'object' && each !== null) for (const entry of Object.entries(each)) left.push(...entry);
  }
  return true;
}

/** True when the text is one whole JSON object: what a tool call's arguments must be. */
export function isWholeObject(text: string): boolean {
  const trimmed = text.trim();
  return trimmed.startsWith('{') && trimmed.endsWith('}') && parseObject(trimmed) !== null;
}

/** Reads JSON written by somebody else: nothing here throws, and nothing is assumed about the shape. */

export type Json = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An empty object for anything that is not one. */
export function objectOf(value: unknown): Json {
  return isObject(value) ? value : {};
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function textOf(value: unknown): string {
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
  const value = parseJson(text);
  return isObject(value) ? value : null;
}

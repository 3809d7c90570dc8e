/** Reading JSON that a stranger wrote: nothing here throws, and nothing is assumed about the shape. */

export type Json = { readonly [key: string]: unknown };

/** Null for anything but a plain object. */
export function asRecord(value: unknown): Json | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : null;
}

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

/** True when the text is one whole JSON object: what a tool call's arguments must be. */
export function isWholeObject(text: string): boolean {
  const trimmed = text.trim();
  return trimmed.startsWith('{') && trimmed.endsWith('}') && asRecord(parseJson(trimmed)) !== null;
}

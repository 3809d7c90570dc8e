/**
 * Reads a whole address. It stands in for `URL.canParse`, which in Node 22 begins to refuse letters such as `ü` once it
 * has been called often.
 */

/** Null for text that is no address. */
export function readUrl(text: string, base?: string): URL | null {
  try {
    return new URL(text, base);
  } catch {
    return null;
  }
}

/** Replaces texts anywhere in a value, and the names of blobs with those of their cleaned copies. Pure. */

export const REDACTED = '[redacted]';

export interface Redacted {
  readonly value: unknown;
  /** Texts replaced; renamed blobs do not count. */
  readonly count: number;
}

/**
 * A secret as it may stand in a text: call arguments are JSON inside a string, and the body of a request is JSON that
 * holds such strings.
 */
export function writtenForms(secrets: readonly string[]): readonly string[] {
  const quoted = (text: string) => JSON.stringify(text).slice(1, -1);
  return [...new Set(secrets.flatMap((secret) => [secret, quoted(secret), quoted(quoted(secret))]))];
}

/** `renamed` maps the name of a blob to that of its cleaned copy. */
export function redactValue(
  value: unknown,
  secrets: readonly string[],
  renamed: ReadonlyMap<string, string>,
): Redacted {
  const sought = writtenForms(secrets);
  let count = 0;
  const clean = (each: unknown): unknown => {
    if (typeof each === 'string') {
      let text = renamed.get(each) ?? each;
      for (const secret of sought) {
        const parts = text.split(secret);
        count += parts.length - 1;
        text = parts.join(REDACTED);
      }
      return text;
    }
    if (Array.isArray(each)) return each.map(clean);
    if (typeof each !== 'object' || each === null) return each;
    return Object.fromEntries(Object.entries(each).map(([key, inner]) => [clean(key), clean(inner)]));
  };
  return { value: clean(value), count };
}

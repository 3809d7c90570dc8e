/** Replaces texts anywhere in a value that holds no journal's structure, in the names of its fields as well. Pure. */

import { TextRedaction } from './redactText.ts';

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

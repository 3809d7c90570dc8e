/** Reads a list of JSON objects as far as it goes: a program that was killed while it wrote leaves a list without end. */

import { type Json, parseObject } from '../../json.ts';

export interface ReadList {
  readonly items: Json[];
  /** False when the text ends before the list does. */
  readonly whole: boolean;
}

/** The first list in the text, on its own or inside of an object. */
export function readList(text: string): ReadList {
  const items: Json[] = [];
  let depth = 0;
  let begin = 0;
  let quoted = false;
  const first = text.indexOf('[');
  for (let at = first + 1; first >= 0 && at < text.length; at++) {
    const sign = text[at];
    if (quoted) {
      if (sign === '\\') at++;
      else if (sign === '"') quoted = false;
      continue;
    }
    if (sign === '"') quoted = true;
    else if (sign === '{' || sign === '[') {
      if (depth === 0) begin = at;
      depth++;
    } else if (sign === '}' || sign === ']') {
      if (depth === 0) return { items, whole: true };
      depth--;
      if (depth > 0) continue;
      // Brackets that match and no JSON: somebody edited the file by hand. The others still count.
      const item = parseObject(text.slice(begin, at + 1));
      if (item) items.push(item);
    }
  }
  return { items, whole: false };
}

/** Reads a list of JSON objects as far as possible: a program killed while writing leaves an unfinished list. */

import { type Json, parseObject } from '../../json.ts';

interface ReadList {
  readonly items: Json[];
  /** False when the text ends before the list does. */
  readonly whole: boolean;
}

/** The list that is the whole text, or that is in `field` of the object there. */
export function readList(text: string, field: string): ReadList {
  const items: Json[] = [];
  let depth = 0;
  let begin = 0;
  let quoted = false;
  const first = findList(text, field);
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
      // Balanced brackets that are not JSON: somebody edited the file by hand. The other items still count.
      const item = parseObject(text.slice(begin, at + 1));
      if (item) items.push(item);
    }
  }
  return { items, whole: false };
}

/** Where the list begins; -1 if it does not. */
function findList(text: string, field: string): number {
  const key = new RegExp(`"${field}"\\s*:\\s*\\[`, 'y');
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const sign = text[at];
    if (sign === '[' && depth === 0) return at;
    if (sign === '{' || sign === '[') depth++;
    else if (sign === '}' || sign === ']') depth--;
    else if (sign === '"') {
      key.lastIndex = at;
      if (depth === 1 && key.test(text)) return key.lastIndex - 1;
      at = endOfText(text, at);
    }
  }
  return -1;
}

/** Where the text in quotes that begins at `from` ends. */
function endOfText(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '"') return at;
  }
  return text.length;
}

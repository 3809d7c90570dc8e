/** How much of a text a row carries. What is cut here can still be opened whole, or is in the journal. */

import { MAX_TEXT } from '../../protocol/rows.ts';

/** Characters of what is only read in part: arguments, results, notices. */
export const EXCERPT = 20_000;
export const DIFF = 60_000;
/** Characters of a name, a path or a title. */
export const LABEL = 1_000;

/** Never splits a surrogate pair. */
export function cut(text: string, length = MAX_TEXT): string {
  return text.length <= length ? text : text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '');
}

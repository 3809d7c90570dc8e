/** The greatest lengths of texts in rows, and cutting to them. */

import { MAX_TEXT, type RowOf } from '../../protocol/rows.ts';
import { wellFormedStart } from '../tokens/estimate.ts';

export function resultText(text: string): Pick<RowOf<'tool'>, 'result' | 'resultTruncated'> {
  return { result: cut(text, EXCERPT), resultTruncated: text.length > EXCERPT };
}

/** Maximum characters of texts that people rarely read whole: arguments, results, notices. */
export const EXCERPT = 20_000;

export const DIFF = 60_000;

/** Maximum characters of a name, a path or a title. */
export const LABEL = 1_000;

/** Never splits a surrogate pair. */
export function cut(text: string, length = MAX_TEXT): string {
  return wellFormedStart(text, length);
}

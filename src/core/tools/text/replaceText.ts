/**
 * Puts new pieces in the place of old ones, all in one pass. What lies outside of them is never touched, mixed line ends
 * included.
 */

import type { FoundPlace } from './findText.ts';

export interface Replacement extends FoundPlace {
  readonly text: string;
}

export type Replaced =
  | { readonly kind: 'replaced'; readonly text: string }
  /** Two of the places have something in common. */
  | { readonly kind: 'overlapping'; readonly first: Replacement; readonly second: Replacement }
  /** The result would have more than the allowed characters; it was not made. */
  | { readonly kind: 'tooLong'; readonly length: number };

/** The places may come in any order. */
export function replaceText(
  text: string,
  replacements: readonly Replacement[],
  options: { readonly lineEnd: '\n' | '\r\n'; readonly mostCharacters: number },
): Replaced {
  // Told before it is made: a short piece found often may be replaced by a long one.
  const length = replacements.reduce((sum, { from, to, text: piece }) => sum + piece.length - (to - from), text.length);
  if (length > options.mostCharacters) return { kind: 'tooLong', length };
  const parts: string[] = [];
  let before: Replacement | null = null;
  for (const replacement of replacements.toSorted((a, b) => a.from - b.from)) {
    const { from, to, text: piece } = replacement;
    const done: number = before?.to ?? 0;
    if (before && from < done) return { kind: 'overlapping', first: before, second: replacement };
    parts.push(text.slice(done, from), withLineEnd(piece, text.slice(from, to), options.lineEnd));
    before = replacement;
  }
  parts.push(text.slice(before?.to ?? 0));
  return { kind: 'replaced', text: parts.join('') };
}

/** The replacement in the line ends of what it replaces, or of the file where that has none. */
function withLineEnd(replacement: string, replaced: string, lineEnd: '\n' | '\r\n'): string {
  const local = replaced.includes('\n') ? (replaced.includes('\r\n') ? '\r\n' : '\n') : lineEnd;
  const flat = replacement.replaceAll('\r\n', '\n');
  return local === '\n' ? flat : flat.replaceAll('\n', '\r\n');
}

/**
 * Text from files, tools and models made safe to look at: what a reader cannot see is either spelled out (before a
 * person approves it) or taken out (from a command's output). Nothing here changes what is written or run.
 */

/** Code points that show nothing, or move what is shown: controls, bidi, zero width, tags, variation selectors, lone surrogates. */
const HIDDEN_POINTS = [
  '[\\p{Cc}--[\\t\\n]]',
  '\\u00AD\\u034F\\u061C\\u115F\\u1160\\u17B4\\u17B5\\u180B-\\u180F',
  '\\u200B-\\u200F\\u2028-\\u202E\\u2060-\\u206F\\u3164\\uFE00-\\uFE0F\\uFEFF\\uFFA0\\uFFF0-\\uFFFB',
  '\\u{1BCA0}-\\u{1BCA3}\\u{1D173}-\\u{1D17A}\\u{E0000}-\\u{E0FFF}',
  '\\p{Cs}',
].join('');

const HIDDEN = new RegExp(`[${HIDDEN_POINTS}]`, 'gv');
const HIDDEN_OR_BREAK = new RegExp(`[${HIDDEN_POINTS}\\t\\n]`, 'gv');

/** True when `text` holds a code point a reader cannot see; line break and tab do not count. */
export function hasHidden(text: string): boolean {
  return text.search(HIDDEN) !== -1;
}

/** Every hidden code point spelled out, as in `⟨U+202E⟩`; line breaks and tabs stay. */
export function showHidden(text: string): string {
  return text.replace(HIDDEN, spellOut);
}

/** As `showHidden`, in one line: a line break is shown as `⏎`, a tab as `⇥`. */
export function showInOneLine(text: string): string {
  return text.replace(HIDDEN_OR_BREAK, (point) => (point === '\n' ? '⏎' : point === '\t' ? '⇥' : spellOut(point)));
}

function spellOut(point: string): string {
  const number = point.codePointAt(0) ?? 0;
  return `⟨U+${number.toString(16).toUpperCase().padStart(4, '0')}⟩`;
}

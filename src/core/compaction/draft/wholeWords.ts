/** Finds whole words in a text, in scripts with blanks between words and without. */

/** A letter or digit of a script with blanks between words. */
const LETTER = String.raw`(?![\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}])[\p{L}\p{M}\p{N}_]`;

const ENDS_IN_WORD = new RegExp(`${LETTER}[-./\\\\]?$`, 'u');

const BEGINS_IN_WORD = new RegExp(`^[-./\\\\]?${LETTER}`, 'u');

const BEGINS_WITH_WORD = new RegExp(`^${LETTER}`, 'u');

const ENDS_WITH_WORD = new RegExp(`${LETTER}$`, 'u');

/** True when the text contains these whole words: "step 1" is not in "step 11", nor "a.ts" in "lib/a.ts" or "a.tsx". */
export function holdsWords(text: string, words: string): boolean {
  const [begins, ends] = [BEGINS_WITH_WORD.test(words), ENDS_WITH_WORD.test(words)];
  for (let at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + 1)) {
    const end = at + words.length;
    const isInside = begins && ENDS_IN_WORD.test(text.slice(Math.max(0, at - 3), at));
    if (!isInside && !(ends && BEGINS_IN_WORD.test(text.slice(end, end + 3)))) return true;
  }
  return false;
}

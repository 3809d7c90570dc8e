/**
 * Makes text from files, tools and models safe to look at: invisible characters are spelled out (before a person
 * approves it) or removed (from a command's output). Nothing here changes what is written or run.
 */

/** Controls, bidi and other formats, zero width, tags, fillers, variation selectors, private use, lone surrogates. */
const POINTS =
  '\\p{Cc}\\p{Cf}\\p{Co}\\p{Cs}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}\\p{Variation_Selector}\\u2800\\uFFF0-\\uFFFB';
const HIDDEN_OR_BREAK = new RegExp(`[${POINTS}]`, 'gv');
const HIDDEN = new RegExp(`[[${POINTS}]--[\\t\\n]]`, 'gv');

/** True when `text` holds an invisible code point; line break and tab do not count. */
export function hasHidden(text: string): boolean {
  return text.search(HIDDEN) !== -1;
}

/** The part of the text that can be seen. */
export function withoutHidden(text: string): string {
  return text.replace(HIDDEN_OR_BREAK, '');
}

/** Every hidden code point spelled out, as in `⟨U+202E⟩`; line breaks and tabs stay. */
export function showHidden(text: string): string {
  return text.replace(HIDDEN, spellOut);
}

/** Like `showHidden`, on one line: a line break is shown as `⏎`, a tab as `⇥`. */
export function showInOneLine(text: string): string {
  return text.replace(HIDDEN_OR_BREAK, (point) => (point === '\n' ? '⏎' : point === '\t' ? '⇥' : spellOut(point)));
}

/** To a reader they look like a blank, or like nothing where a name begins or ends. */
const ODD_BLANK = /(?<=^|\/) | (?=$|\/)|[\p{Zs}--[ ]]/gv;

/** A path in one line, so that `readShown` gives it back. */
export function showPath(path: string): string {
  return showInOneLine(path).replace(ODD_BLANK, spellOut);
}

/** The text that `showInOneLine` or `showPath` shows like this. */
export function readShown(shown: string): string {
  return shown
    .replace(/⟨U\+([0-9A-F]{4,6})⟩/gu, (whole, digits: string) => {
      const point = Number.parseInt(digits, 16);
      return point > 0x10ffff ? whole : String.fromCodePoint(point);
    })
    .replace(/⏎/gu, '\n')
    .replace(/⇥/gu, '\t');
}

/** In characters. */
const LONGEST_NAME = 300;

/** A name or title by others, in a question, a list, a tab or a terminal: one line of bounded length, nothing hidden. */
export function showName(name: string): string {
  const short = name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME - 1).toWellFormed()}…` : name;
  return showInOneLine(short);
}

/** Every character that is not ASCII spelled out, where the letters themselves are in question. */
export function spellLetters(name: string): string {
  return name.replace(/[^ -~]/gu, spellOut);
}

/** At least this many blanks in a row are counted instead of shown. */
const BLANKS = 40;
const LINE_BREAKS = 10;
const BLANK_RUN = new RegExp(` {${BLANKS},}|\\t{${BLANKS},}`, 'g');
const BREAK_RUN = /(?<![ \t\n])[ \t\n]*\n[ \t]*/g;

/** To a shell they are part of a word; to a reader they separate two. */
const OTHER_SPACES = /[\p{Zs}--[ ]]/gv;

/** A command as shown for a person's decision: nothing is hidden, and no padding pushes a part of it out of sight. */
export function showCommand(command: string): string {
  return showHidden(showSpacing(command, '\n'));
}

export function showCommandInOneLine(command: string): string {
  return showInOneLine(showSpacing(command, ''));
}

function showSpacing(text: string, around: string): string {
  return text
    .replace(BREAK_RUN, (run) => {
      const breaks = run.split('\n').length - 1;
      return breaks < LINE_BREAKS ? run : `${around}⟨${breaks} line breaks⟩${around}`;
    })
    .replace(BLANK_RUN, (run) => `⟨${run.length} ${run[0] === ' ' ? 'spaces' : 'tabs'}⟩`)
    .replace(OTHER_SPACES, spellOut);
}

/** One character as `⟨U+202E⟩`. */
export function spellOut(point: string): string {
  const number = point.codePointAt(0) ?? 0;
  return `⟨U+${number.toString(16).toUpperCase().padStart(4, '0')}⟩`;
}

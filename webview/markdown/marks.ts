/**
 * Marks beyond GitHub's Markdown: formulas (`$x$`, `$$…$$`, `\(…\)`, `\[…\]`) and footnotes. Each try reads a bounded piece, and
 * money or a shell variable is no formula.
 */

import type { TokenizerExtension, Tokens } from 'marked';

export interface Formula extends Tokens.Generic {
  readonly type: 'formula';
  readonly tex: string;
  /** Drawn large. */
  readonly display: boolean;
  /** On lines of its own. */
  readonly block: boolean;
}

/** In characters. */
const LONGEST_FORMULA = 4_000;

const LONGEST_INLINE = 400;

const LONGEST_NOTE = 4_000;

const ENDS = { $$: '$$', '\\[': '\\]', '\\(': '\\)' } as const;

/** A formula between marks of two characters, at the beginning of the text. A blank line ends neither. */
function betweenMarks(
  src: string,
  marks: readonly (keyof typeof ENDS)[],
): { readonly raw: string; readonly tex: string } | undefined {
  const mark = marks.find((each) => src.startsWith(each));
  if (mark === undefined) return undefined;
  const piece = src.slice(0, LONGEST_FORMULA);
  const end = piece.indexOf(ENDS[mark], 2);
  const tex = piece.slice(2, end).trim();
  if (end < 0 || tex === '' || /\n[ \t]*\n/.test(tex)) return undefined;
  return { raw: src.slice(0, end + 2), tex };
}

export const formulaBlock: TokenizerExtension = {
  name: 'formula',
  level: 'block',
  start: (src) => {
    const at = src.slice(0, LONGEST_FORMULA).search(/\n {0,3}(?:\$\$|\\\[)/);
    return at < 0 ? undefined : at;
  },
  tokenizer(src) {
    const [indent = ''] = /^ {0,3}/.exec(src) ?? [];
    const found = betweenMarks(src.slice(indent.length, indent.length + LONGEST_FORMULA), ['$$', '\\[']);
    if (!found) return undefined;
    const length = indent.length + found.raw.length;
    const [rest] = /^[ \t]*(?:\n+|$)/.exec(src.slice(length, length + LONGEST_INLINE)) ?? [];
    if (rest === undefined) return undefined;
    return { ...found, type: 'formula', raw: src.slice(0, length + rest.length), display: true, block: true };
  },
};

/** A dollar before a space or a digit after the end is money; so is a text with spaces and nothing to calculate. */
const INLINE = /^\$(?![\s$])((?:\\.|[^\\$\n`]){1,400}?)\$(?![\w$])/;

export const formulaInline: TokenizerExtension = {
  name: 'formulaInline',
  level: 'inline',
  start: (src) => {
    const at = src.indexOf('$');
    return at < 0 ? undefined : at;
  },
  tokenizer(src) {
    const marked = betweenMarks(src, ['$$', '\\(', '\\[']);
    if (marked) return { ...marked, type: 'formula', display: !marked.raw.startsWith('\\('), block: false };
    const [raw, tex = ''] = INLINE.exec(src.slice(0, LONGEST_INLINE)) ?? [];
    if (raw === undefined || /\s$/.test(tex) || (/\s/.test(tex) && !/[\\^_=+<>|]/.test(tex))) return undefined;
    return { type: 'formula', raw, tex, display: false, block: false };
  },
};

const LABEL = String.raw`\[\^([\w-]{1,32})\]`;

const REFERENCE = new RegExp(`^${LABEL}(?!:)`);

/** Up to a blank line or the next note. */
const NOTE = new RegExp(`^ {0,3}${LABEL}:[ \\t]*([^\\n]*(?:\\n(?![ \\t]*(?:\\n|$)| {0,3}\\[\\^)[^\\n]*)*)(?:\\n+|$)`);

export const footnote: TokenizerExtension = {
  name: 'footnote',
  level: 'block',
  start: (src) => {
    const at = src.slice(0, LONGEST_NOTE).search(/\n {0,3}\[\^[\w-]{1,32}\]:/);
    return at < 0 ? undefined : at;
  },
  tokenizer(src) {
    const [raw, label = '', text = ''] = NOTE.exec(src.slice(0, LONGEST_NOTE)) ?? [];
    if (raw === undefined) return undefined;
    return { type: 'footnote', raw, label, tokens: this.lexer.inline(text.replaceAll(/\n\s*/g, '\n')) };
  },
  childTokens: ['tokens'],
};

export const reference: TokenizerExtension = {
  name: 'footnoteReference',
  level: 'inline',
  tokenizer(src) {
    const [raw, label = ''] = REFERENCE.exec(src.slice(0, 40)) ?? [];
    return raw === undefined ? undefined : { type: 'footnoteReference', raw, label };
  },
};

/**
 * Splits Markdown into closed blocks and the open tail: a block is closed when another one follows. Pure; no text is
 * lost.
 */

import {
  Lexer,
  Marked,
  type MarkedOptions,
  type MarkedToken,
  type Token,
  Tokenizer,
  type TokenizerExtension,
  type Tokens,
  type TokensList,
} from 'marked';

interface Blocks {
  readonly closed: readonly Token[];
  /** The last block, which more text may still change; null for an empty text. */
  readonly open: Token | null;
  /** Text of the open block and what follows it. */
  readonly tail: string;
  /** Link definitions affect earlier blocks: a caller that cached those must render the whole text again. */
  readonly defines: boolean;
  /** Its cost, see `Parsed`. */
  readonly steps: number;
}

export function splitBlocks(text: string): Blocks {
  const { tokens, steps } = parseMarkdown(text);
  const last = tokens.findLastIndex((token) => token.type !== 'space');
  const before = tokens.slice(0, Math.max(last, 0));
  // Cut by length: the parser normalises white space in `raw`, and the space after `1.` decides the meaning of the next
  // letter.
  const closedLength = before.reduce((length, token) => length + token.raw.length, 0);
  return {
    closed: before.filter((token) => token.type !== 'space'),
    open: tokens[last] ?? null,
    tail: text.slice(closedLength),
    defines: tokens.some((token) => token.type === 'def'),
    steps,
  };
}

interface SettledItems {
  /** The list's first items, as a separate list. */
  readonly items: Tokens.List;
  /** The remaining items, and their text. */
  readonly rest: Tokens.List;
  readonly tail: string;
}

/**
 * The items of an open list that more text cannot change, or null. The last two can change: an unfinished mark (`-`,
 * then `-b`) may turn out to be text of the previous item.
 */
export function settleItems(open: Token, tail: string): SettledItems | null {
  if (!isList(open) || open.items.length < 3) return null;
  const raw = open.items
    .slice(0, -2)
    .map((item) => item.raw)
    .join('');
  // Cutting by length requires that the parser kept the text unchanged.
  if (!tail.startsWith(raw)) return null;
  return {
    items: { ...open, raw, items: open.items.slice(0, -2) },
    rest: { ...open, raw: open.raw.slice(raw.length), items: open.items.slice(-2) },
    tail: tail.slice(raw.length),
  };
}

/** True when `next` continues the items of `list` without changing them. */
export function fitsList(list: Tokens.List, next: Token): boolean {
  return isList(next) && markOf(next) === markOf(list) && (list.loose || !next.loose);
}

/** The items of a loose list are paragraphs, even if the ones read last are not. */
export function asContinued(list: Tokens.List, next: Token): Token {
  if (!isList(next) || !list.loose || next.loose) return next;
  const items = next.items.map((item) => ({
    ...item,
    loose: true,
    tokens: item.tokens.map((token) => (token.type === 'text' ? { ...token, type: 'paragraph' } : token)),
  }));
  return { ...next, loose: true, items };
}

/** The mark of an unordered item, or the delimiter after an ordered one's number. */
function markOf({ raw }: Tokens.List): string {
  return /^\s*(?:\d+)?([-*+.)])/.exec(raw)?.[1] ?? '';
}

function isList(token: Token): token is Tokens.List {
  return token.type === 'list';
}

interface OpenFence {
  readonly marker: string;
  readonly language: string;
  /** Everything after the fence marks. */
  readonly info: string;
  /** The text in the fence so far. */
  readonly code: string;
}

/** Neither a longer run of marks nor the language may be tried in parts: a line of thousands of tildes would freeze. */
const FENCE = /^(`{3,}(?!`)|~{3,}(?!~))[ \t]*([^\s`]*)/;

/** The fence of a tail that is not closed yet, or null. */
export function findOpenFence(tail: string): OpenFence | null {
  const end = tail.indexOf('\n');
  const head = tail.slice(0, Math.max(end, 0));
  const [found, marker, language] = FENCE.exec(head) ?? [];
  if (found === undefined || marker === undefined || head.includes('`', found.length)) return null;
  const code = tail.slice(end + 1);
  if (code.split('\n').some((line) => closesFence(line, marker))) return null;
  return { marker, language: language ?? '', info: head.slice(marker.length).trim(), code };
}

export function closesFence(line: string, marker: string): boolean {
  const trimmed = line.replace(/^ {0,3}/, '').trimEnd();
  return trimmed.length >= marker.length && trimmed.replaceAll(marker.charAt(0), '') === '';
}

export function isCode(token: Token): token is Extract<MarkedToken, { type: 'code' }> {
  return token.type === 'code';
}

// The Markdown parser with bounded work. Invariant: no text causes endless recursion, or exceeds the budget for
// rereading a paragraph; text beyond the limits is shown as plain text, and nothing is lost.

/** Maximum nesting of quotes and lists, and of emphasis. */
const MAX_NESTING = 16;

/**
 * Each step through a paragraph may read the rest of it, and is charged for that. In characters; 5,000 characters of
 * prose with a mark in every line cost a tenth of it.
 */
const PARAGRAPH_BUDGET = 2_000_000;

/** In characters. */
const LONGEST_LIST = 32_000;

interface Parsed {
  readonly tokens: readonly Token[];
  /** Number of steps, in blocks and in pieces of paragraphs. */
  readonly steps: number;
}

export function parseMarkdown(text: string): Parsed {
  const meter = new MeteredTokenizer();
  const lexer = new BoundedLexer(meter);
  return { tokens: lexer.lex(text), steps: meter.steps };
}

/** Its two first steps are tried before all others, so they see every step. */
class MeteredTokenizer extends Tokenizer {
  steps = 0;
  #spent = 0;
  /** The cost of adjacent headings. */
  #soughtLines = 0;

  startParagraph(): void {
    this.#spent = 0;
  }

  /** Nested blocks have a budget of their own. */
  inBlocks(parse: () => Token[]): Token[] {
    const outside = this.#soughtLines;
    this.#soughtLines = 0;
    const tokens = parse();
    this.#soughtLines = outside;
    return tokens;
  }

  /** For each line of an item the parser rereads all of its previous lines, so a longer list is split. */
  override list(src: string): Tokens.List | undefined {
    const end = src.length > LONGEST_LIST ? src.lastIndexOf('\n', LONGEST_LIST) + 1 : 0;
    return super.list(end > 0 ? src.slice(0, end) : src);
  }

  /** Each line of a list item may be reread with all later lines, to find an underline that makes them a heading. */
  override lheading(src: string): Tokens.Heading | undefined {
    if (this.#soughtLines > PARAGRAPH_BUDGET) return undefined;
    const end = src.indexOf('\n\n');
    this.#soughtLines += end < 0 ? src.length : end;
    return super.lheading(src);
  }

  override space(src: string): Tokens.Space | undefined {
    this.steps++;
    return super.space(src);
  }

  override escape(src: string): Tokens.Escape | undefined {
    this.steps++;
    this.#spent += src.length;
    return this.#spent > PARAGRAPH_BUDGET ? { type: 'escape', raw: src, text: src } : super.escape(src);
  }
}

class BoundedLexer extends Lexer {
  readonly #meter: MeteredTokenizer;
  #nesting = 0;

  constructor(meter: MeteredTokenizer) {
    super({ ...WITH_MARKS, tokenizer: meter });
    this.#meter = meter;
  }

  override blockTokens(src: string, tokens?: Token[], clipped?: boolean): Token[];
  override blockTokens(src: string, tokens?: TokensList, clipped?: boolean): TokensList;
  override blockTokens(src: string, tokens: Token[] = [], clipped?: boolean): Token[] {
    return this.#nest(src, tokens, () => this.#meter.inBlocks(() => super.blockTokens(src, tokens, clipped)));
  }

  override inlineTokens(src: string, tokens: Token[] = []): Token[] {
    if (this.#nesting === 0) this.#meter.startParagraph();
    return this.#nest(src, tokens, () => super.inlineTokens(src, tokens));
  }

  #nest(src: string, tokens: Token[], parse: () => Token[]): Token[] {
    if (this.#nesting >= MAX_NESTING) {
      tokens.push({ type: 'text', raw: src, text: src, escaped: false } satisfies Tokens.Text);
      return tokens;
    }
    this.#nesting++;
    try {
      return parse();
    } finally {
      this.#nesting--;
    }
  }
}

// Marks beyond GitHub's Markdown: formulas (`$x$`, `$$…$$`, `\(…\)`, `\[…\]`) and footnotes. Each try reads a bounded
// piece, and money or a shell variable is no formula.

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

const formulaBlock: TokenizerExtension = {
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

const formulaInline: TokenizerExtension = {
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

const footnote: TokenizerExtension = {
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

const reference: TokenizerExtension = {
  name: 'footnoteReference',
  level: 'inline',
  tokenizer(src) {
    const [raw, label = ''] = REFERENCE.exec(src.slice(0, 40)) ?? [];
    return raw === undefined ? undefined : { type: 'footnoteReference', raw, label };
  },
};

/** Options of the parser. */
const WITH_MARKS: MarkedOptions = new Marked({
  gfm: true,
  extensions: [formulaBlock, footnote, formulaInline, reference],
}).defaults;

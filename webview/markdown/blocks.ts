/**
 * Splits Markdown into blocks and tells the closed ones from the open tail: a block is closed when another one follows.
 * Pure; nothing of the text is lost.
 */

import { getDefaults, Lexer, type MarkedToken, type Token, Tokenizer, type Tokens, type TokensList } from 'marked';

export interface Blocks {
  readonly closed: readonly Token[];
  /** The last block, which more text may still change; null for an empty text. */
  readonly open: Token | null;
  /** Text of the open block and what follows it. */
  readonly tail: string;
  /** Link definitions apply to blocks before them: who cached those must render the whole text again. */
  readonly defines: boolean;
  /** Its cost, see `Parsed`. */
  readonly steps: number;
}

export function splitBlocks(text: string): Blocks {
  const { tokens, steps } = parseMarkdown(text);
  const last = tokens.findLastIndex((token) => token.type !== 'space');
  const before = tokens.slice(0, Math.max(last, 0));
  // Cut by length: the parser tidies white space in `raw`, and the space after `1.` decides what the next letter is.
  const closedLength = before.reduce((length, token) => length + token.raw.length, 0);
  return {
    closed: before.filter((token) => token.type !== 'space'),
    open: tokens[last] ?? null,
    tail: text.slice(closedLength),
    defines: tokens.some((token) => token.type === 'def'),
    steps,
  };
}

export interface SettledItems {
  /** The list's first items, as a list of their own. */
  readonly items: Tokens.List;
  /** The items after them, and their text. */
  readonly rest: Tokens.List;
  readonly tail: string;
}

/**
 * The items of an open list that more text leaves as they are, or null. The last two are not: a mark that is not
 * finished yet (`-`, then `-b`) may turn out to be text of the item before it.
 */
export function settleItems(open: Token, tail: string): SettledItems | null {
  if (!isList(open) || open.items.length < 3) return null;
  const raw = open.items
    .slice(0, -2)
    .map((item) => item.raw)
    .join('');
  // Only where the parser gave back the text as it was can it be cut by length.
  if (!tail.startsWith(raw)) return null;
  return {
    items: { ...open, raw, items: open.items.slice(0, -2) },
    rest: { ...open, raw: open.raw.slice(raw.length), items: open.items.slice(-2) },
    tail: tail.slice(raw.length),
  };
}

/** True when `next` goes on with the items of `list` and leaves them as they are. */
export function fitsList(list: Tokens.List, next: Token): boolean {
  return isList(next) && markOf(next) === markOf(list) && (list.loose || !next.loose);
}

/** The items of a list that is spread out are paragraphs, also where the ones read last are not. */
export function asContinued(list: Tokens.List, next: Token): Token {
  if (!isList(next) || !list.loose || next.loose) return next;
  const items = next.items.map((item) => ({
    ...item,
    loose: true,
    tokens: item.tokens.map((token) => (token.type === 'text' ? { ...token, type: 'paragraph' } : token)),
  }));
  return { ...next, loose: true, items };
}

/** The character that marks an unordered item, or what follows the number of an ordered one. */
function markOf({ raw }: Tokens.List): string {
  return /^\s*(?:\d+)?([-*+.)])/.exec(raw)?.[1] ?? '';
}

function isList(token: Token): token is Tokens.List {
  return token.type === 'list';
}

export interface OpenFence {
  readonly marker: string;
  readonly language: string;
  /** All that stands behind the marks. */
  readonly info: string;
  /** The text in the fence so far. */
  readonly code: string;
}

/** Neither a longer run of marks nor the language may be tried in parts: a line of thousands of tildes would freeze. */
const FENCE = /^(`{3,}(?!`)|~{3,}(?!~))[ \t]*([^\s`]*)/;

/** The fence that a tail consists of while it is not closed yet, or null. */
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

// * The Markdown parser with bounds on its work. Invariant: no text makes it recurse without end, or look over the same
// paragraph more often than its budget allows; what goes beyond is shown as the text it is, and nothing is lost.

/** Quotes and lists inside of each other, and emphasis inside of emphasis. */
const MAX_NESTING = 16;

/**
 * Each step through a paragraph may look at all of the rest, so it is charged for that. In characters; 5,000 characters
 * of prose with a mark in every line cost a tenth of it.
 */
const PARAGRAPH_BUDGET = 2_000_000;

/** In characters. */
const LONGEST_LIST = 32_000;

interface Parsed {
  readonly tokens: readonly Token[];
  /** Steps taken, in blocks and in pieces of paragraphs. */
  readonly steps: number;
}

export function parseMarkdown(text: string): Parsed {
  const meter = new MeteredTokenizer();
  const lexer = new BoundedLexer(meter);
  return { tokens: lexer.lex(text), steps: meter.steps };
}

/** Its two first steps are tried before all others, so they see every one. */
class MeteredTokenizer extends Tokenizer {
  steps = 0;
  #spent = 0;
  /** The cost of adjacent headings. */
  #soughtLines = 0;

  startParagraph(): void {
    this.#spent = 0;
  }

  /** Blocks inside of others have a budget of their own. */
  inBlocks(parse: () => Token[]): Token[] {
    const outside = this.#soughtLines;
    this.#soughtLines = 0;
    const tokens = parse();
    this.#soughtLines = outside;
    return tokens;
  }

  /** For each line of an item the parser goes through all of its lines before, so a longer list becomes several. */
  override list(src: string): Tokens.List | undefined {
    const end = src.length > LONGEST_LIST ? src.lastIndexOf('\n', LONGEST_LIST) + 1 : 0;
    return super.list(end > 0 ? src.slice(0, end) : src);
  }

  /** Each line of a list item may be looked at with all lines after it, for the line that makes them a heading. */
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
    super({ ...getDefaults(), gfm: true, tokenizer: meter });
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

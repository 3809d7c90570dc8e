/**
 * The Markdown parser with bounded work. Invariant: no text causes endless recursion, or exceeds the budget for rereading a
 * paragraph; text beyond the limits is shown as plain text, and nothing is lost.
 */

import { Lexer, Marked, type MarkedOptions, type Token, Tokenizer, type Tokens, type TokensList } from 'marked';
import { footnote, formulaBlock, formulaInline, reference } from './marks.ts';

/** Maximum nesting of quotes and lists, and of emphasis. */
const MAX_NESTING = 16;

/**
 * Each step through a paragraph may read the rest of it, and is charged for that. In characters; 5,000 characters of
 * prose with a mark in every line cost a tenth of it.
 */
const PARAGRAPH_BUDGET = 2_000_000;

/** In characters. */
const LONGEST_LIST = 32_000;

export interface Parsed {
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

/** Options of the parser. */
const WITH_MARKS: MarkedOptions = new Marked({
  gfm: true,
  extensions: [formulaBlock, footnote, formulaInline, reference],
}).defaults;

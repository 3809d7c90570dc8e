/**
 * The Markdown parser with bounds on its work. Invariant: no text makes it recurse without end, or look over the same
 * paragraph more often than its budget allows; what goes beyond is shown as the text it is, and nothing is lost.
 */

import { getDefaults, Lexer, type Token, Tokenizer, type Tokens, type TokensList } from 'marked';

/** Quotes and lists inside of each other, and emphasis inside of emphasis. */
const MAX_NESTING = 16;
/**
 * Each step through a paragraph may look at all of the rest, so it is charged for that. In characters; 5,000 characters
 * of prose with a mark in every line cost a tenth of it.
 */
const PARAGRAPH_BUDGET = 2_000_000;

/** In characters. */
const LONGEST_LIST = 32_000;

export interface Parsed {
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
  /** Charged to headings of the blocks that stand beside each other. */
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

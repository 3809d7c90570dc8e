/**
 * Splits text that arrives in pieces into lines. Invariant: each character is looked at once, however long a line is and
 * in however many pieces it comes, and no more of a line is held than its first `longest` characters.
 */

export interface SplitLine {
  /** Without its end; cut at the limit. */
  readonly text: string;
  /** Characters of the whole line, which exceed those of the text when it was cut. */
  readonly length: number;
}

export class LineSplitter {
  readonly #longest: number;
  readonly #separator: string;
  #pieces: string[] = [];
  #length = 0;

  /** `separator`: one character. */
  constructor(longest: number, separator = '\n') {
    this.#longest = longest;
    this.#separator = separator;
  }

  /** Characters of the line that has not ended. */
  get open(): number {
    return this.#length;
  }

  /** The lines that end in this text. */
  *push(text: string): Generator<SplitLine> {
    let from = 0;
    for (let at = text.indexOf(this.#separator); at >= 0; at = text.indexOf(this.#separator, from)) {
      this.#add(text.slice(from, at));
      from = at + 1;
      yield this.#take();
    }
    this.#add(text.slice(from));
  }

  /** The last line, if it has no end. */
  end(): SplitLine | null {
    return this.#length > 0 ? this.#take() : null;
  }

  #add(piece: string): void {
    if (piece === '') return;
    const room = this.#longest - this.#length;
    if (room > 0) this.#pieces.push(piece.slice(0, room));
    this.#length += piece.length;
  }

  #take(): SplitLine {
    const line = { text: this.#pieces.join(''), length: this.#length };
    this.#pieces = [];
    this.#length = 0;
    return line;
  }
}

/**
 * Counts the requests of one run: tokens, what a provider's cache would have had, and what left since the request before.
 * Invariant: a request's cached tokens are its longest start that some earlier request of the run began with, too.
 */

/** Tokens of a text. */
export type Tokenizer = (text: string) => number;

export class RequestCounter {
  readonly #tokens: Tokenizer;
  /** Number of each piece, so that equal pieces are compared once. */
  readonly #numbers = new Map<string, number>();
  readonly #pieces: { readonly text: string; readonly tokens: number }[] = [];
  readonly #earlier: (readonly number[])[] = [];

  constructor(tokens: Tokenizer) {
    this.#tokens = tokens;
  }

  /** Tokens of a request, whose parts in order are `pieces`. */
  size(pieces: readonly string[]): number {
    return pieces.reduce((sum, piece) => sum + this.#sizeOf(this.#number(piece)), 0);
  }

  /** Of these tokens, those that the cache has; from now on it has them all. */
  cache(pieces: readonly string[]): number {
    const request = pieces.map((piece) => this.#number(piece));
    const cached = Math.max(0, ...this.#earlier.map((other) => this.#shared(request, other)));
    this.#earlier.push(request);
    return cached;
  }

  /** Tokens of the pieces of `before` that `after` no longer has, in whatever order. */
  gone(before: readonly string[], after: readonly string[]): number {
    const still = new Set(after);
    return this.size(before.filter((piece) => !still.has(piece)));
  }

  #shared(request: readonly number[], other: readonly number[]): number {
    let tokens = 0;
    for (const [at, number] of request.entries()) {
      const theirs = other[at];
      if (theirs === undefined) return tokens;
      if (number !== theirs) return tokens + this.#sharedStart(number, theirs);
      tokens += this.#sizeOf(number);
    }
    return tokens;
  }

  /** In proportion to the characters. */
  #sharedStart(number: number, other: number): number {
    const [one, two] = [this.#pieces[number]?.text ?? '', this.#pieces[other]?.text ?? ''];
    let same = 0;
    while (same < one.length && one[same] === two[same]) same++;
    return Math.floor((this.#sizeOf(number) * same) / one.length);
  }

  #sizeOf = (number: number): number => this.#pieces[number]?.tokens ?? 0;

  #number(piece: string): number {
    const known = this.#numbers.get(piece);
    if (known !== undefined) return known;
    const number = this.#pieces.push({ text: piece, tokens: this.#tokens(piece) }) - 1;
    this.#numbers.set(piece, number);
    return number;
  }
}

/** Tokens of compacted content that a turn may still read back. The budget is renewed with each turn. */

export class RecallBudget {
  readonly #tokensPerTurn: () => number;
  #spent = 0;

  /** `tokensPerTurn` 0 switches recall off. */
  constructor(tokensPerTurn: () => number) {
    this.#tokensPerTurn = tokensPerTurn;
  }

  get isOff(): boolean {
    return this.#tokensPerTurn() === 0;
  }

  /** In tokens. */
  get left(): number {
    return this.#tokensPerTurn() - this.#spent;
  }

  spend(tokens: number): void {
    this.#spent += tokens;
  }

  beginTurn(): void {
    this.#spent = 0;
  }
}

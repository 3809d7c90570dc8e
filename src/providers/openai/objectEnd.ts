/** Finds where a JSON object that comes in pieces ends. Each character is looked at once, however many pieces there are. */

export class ObjectEnd {
  #depth = 0;
  #begun = false;
  #inText = false;
  #escaped = false;
  /** Something stands before or after the object. */
  #more = false;

  /** True when the pieces so far are one object and nothing else but white space. Braces are counted, nothing is parsed. */
  get reached(): boolean {
    return this.#begun && this.#depth === 0 && !this.#more;
  }

  read(piece: string): void {
    for (let at = 0; at < piece.length && !this.#more; at++) this.#take(piece.charAt(at));
  }

  #take(character: string): void {
    if (this.#inText) {
      if (this.#escaped) this.#escaped = false;
      else if (character === '\\') this.#escaped = true;
      else if (character === '"') this.#inText = false;
    } else if (this.#depth === 0) {
      if (character === '{' && !this.#begun) {
        this.#begun = true;
        this.#depth = 1;
      } else if (character.trim() !== '') {
        this.#more = true;
      }
    } else if (character === '"') {
      this.#inText = true;
    } else if (character === '{') {
      this.#depth++;
    } else if (character === '}') {
      this.#depth--;
    }
  }
}

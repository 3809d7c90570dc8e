/** Measures the events of a stream as its bytes come: an event ends with an empty line. */

const LF = 10;
const CR = 13;

export class EventLength {
  #event = 0;
  #line = 0;
  #last = 0;

  /** Takes the next bytes; returns the length of the longest event that they end or go on with. */
  read(bytes: Uint8Array): number {
    let longest = 0;
    for (const byte of bytes) {
      if (byte === LF && this.#last === CR) {
        // CR LF is one line end.
      } else if (byte === LF || byte === CR) {
        if (this.#line === 0) this.#event = 0;
        this.#line = 0;
      } else {
        this.#line++;
        this.#event++;
        if (this.#event > longest) longest = this.#event;
      }
      this.#last = byte;
    }
    return longest;
  }
}

/** Finds whole words in a text, in scripts with blanks between words and without. */

/** A letter or digit of a script with blanks between words. */
const LETTER = String.raw`(?![\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}])[\p{L}\p{M}\p{N}_]`;

const ENDS_IN_WORD = new RegExp(`${LETTER}[-./\\\\]?$`, 'u');

const BEGINS_IN_WORD = new RegExp(`^[-./\\\\]?${LETTER}`, 'u');

const BEGINS_WITH_WORD = new RegExp(`^${LETTER}`, 'u');

const ENDS_WITH_WORD = new RegExp(`${LETTER}$`, 'u');

/** Characters by whose hash places are found; shorter words are looked for in the whole text. */
const GRAM = 8;

/**
 * Finds whole words in one text many times: "step 1" is not in "step 11", nor "a.ts" in "lib/a.ts" or "a.tsx". Places are
 * found by the end of the words, where the names of files and the numbers of steps differ.
 */
export class WordSearch {
  readonly #text: string;
  /** By hash: the last place that has it, plus one; 0 for none. Built when it is first needed. */
  #last: Int32Array | null = null;
  /** By place: the one before it with the same hash, plus one. */
  #before = new Int32Array(0);
  #mask = 0;

  constructor(text: string) {
    this.#text = text;
  }

  holds(words: string): boolean {
    const [begins, ends] = [BEGINS_WITH_WORD.test(words), ENDS_WITH_WORD.test(words)];
    const text = this.#text;
    for (const at of words.length < GRAM ? placesOf(text, words) : this.#placesOf(words)) {
      const end = at + words.length;
      const isInside = begins && ENDS_IN_WORD.test(text.slice(Math.max(0, at - 3), at));
      if (!isInside && !(ends && BEGINS_IN_WORD.test(text.slice(end, end + 3)))) return true;
    }
    return false;
  }

  *#placesOf(words: string): Generator<number> {
    const last = this.#last ?? this.#build();
    const back = words.length - GRAM;
    for (let next = last[this.#hash(words, back)] as number; next > 0; next = this.#before[next - 1] as number) {
      const at = next - 1 - back;
      if (at >= 0 && this.#text.startsWith(words, at)) yield at;
    }
  }

  #build(): Int32Array {
    const { length } = this.#text;
    this.#mask = 2 ** Math.ceil(Math.log2(length + 2)) - 1;
    const last = new Int32Array(this.#mask + 1);
    this.#before = new Int32Array(length + 1);
    const [text, before, mask] = [this.#text, this.#before, this.#mask];
    let sum = 0;
    for (let end = 0; end < length; end++) {
      const gone = end >= GRAM ? Math.imul(text.charCodeAt(end - GRAM), OLDEST) : 0;
      sum = (Math.imul(sum, FACTOR) + text.charCodeAt(end) - gone) | 0;
      const at = end + 1 - GRAM;
      if (at < 0) continue;
      const hash = hashOf(sum, mask);
      before[at] = last[hash] as number;
      last[hash] = at + 1;
    }
    this.#last = last;
    return last;
  }

  #hash(text: string, at: number): number {
    let sum = 0;
    for (let i = at; i < at + GRAM; i++) sum = (Math.imul(sum, FACTOR) + text.charCodeAt(i)) | 0;
    return hashOf(sum, this.#mask);
  }
}

/** The sum over a gram goes on from place to place: the next character comes in, the first one goes. */
const FACTOR = 31;
/** The weight of the character that goes. */
const OLDEST = (FACTOR ** GRAM) | 0;

const hashOf = (sum: number, mask: number): number => (sum ^ (sum >>> 15)) & mask;

function* placesOf(text: string, words: string): Generator<number> {
  for (let at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + 1)) yield at;
}

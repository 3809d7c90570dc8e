/**
 * Builds outlines of the JSON values in a text that comes in pieces: the same values with few keys, short texts and
 * little depth. Memory and work are bounded: a text of any length costs little, and structural characters are counted.
 */

/** Keys of an object, items of a list. */
const WIDEST = 200;
const DEEPEST = 5;
/** Characters of a text; no name that identifies a format is longer. */
const LONGEST = 200;
/** The same length if every character is written as an escape. */
const LONGEST_RAW = 6 * LONGEST;

interface Frame {
  readonly value: Record<string, unknown> | unknown[];
  /** In an object, the key whose value comes next. */
  key: string | null;
  size: number;
}

const IN_TEXT = /[^"\\\n]+/y;
const IN_LITERAL = /[\w.+-]+/y;
const BLANKS = /[ \t\r\n\uFEFF]+/y;
const PASSED = /[^"{}[\]]+/y;
const ESCAPE = /\\(?:u([0-9a-f]{4})|(.))/gi;
const LITERALS: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['true', true],
  ['false', false],
  ['null', null],
]);
const SIGNS: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

export class Outliner {
  #frames: Frame[] = [];
  /** Number of open objects and lists below the deepest frame. */
  #passed = 0;
  /** The unfinished literal; `raw` is its beginning as written. */
  #open: { readonly isText: boolean; raw: string } | null = null;
  #escaped = false;
  /** Skips to the end of a line that is not JSON. */
  #skipsLine = false;
  /** The preceding structural character: a quote for a text, `0` for any other literal. */
  #before = '';
  /** Number of structural characters still to examine. */
  signsLeft: number;

  constructor(mostSigns: number) {
    this.signsLeft = mostSigns;
  }

  /** The unfinished value. */
  get unfinished(): unknown {
    return this.#frames[0]?.value;
  }

  /** Yields each top-level object and list when it ends. Lines that are not JSON are skipped. */
  *push(piece: string): Generator<unknown> {
    let at = 0;
    const run = (signs: RegExp) => {
      const from = at;
      signs.lastIndex = at;
      if (signs.test(piece)) at = signs.lastIndex;
      return piece.slice(from, Math.min(at, from + LONGEST_RAW));
    };
    for (; at < piece.length && this.signsLeft > 0; this.signsLeft--) {
      if (this.#skipsLine) {
        at = piece.indexOf('\n', at);
        if (at < 0) return;
        this.#skipsLine = false;
      } else if (this.#open?.isText) {
        if (!this.#escaped) this.#add(run(IN_TEXT));
        const sign = piece[at++];
        if (sign !== undefined) this.#textSign(sign);
      } else if (this.#open) {
        this.#add(run(IN_LITERAL));
        if (at < piece.length) this.#endLiteral();
      } else {
        if (this.#passed > 0 && run(PASSED)) this.#before = lastSign(piece, at) ?? this.#before;
        else run(BLANKS);
        const sign = piece[at++];
        const ended = sign === undefined ? undefined : this.#sign(sign);
        if (ended !== undefined) yield ended;
      }
    }
  }

  #textSign(sign: string): void {
    // A text holds no line break: the line was cut off, and the next one starts afresh.
    if (sign === '\n') this.#forget();
    else if (this.#escaped || sign === '\\') {
      this.#add(sign);
      this.#escaped = !this.#escaped;
    } else {
      const { raw } = this.#open ?? { raw: '' };
      this.#open = null;
      this.#text(raw.replace(ESCAPE, readEscape).slice(0, LONGEST));
    }
  }

  #endLiteral(): void {
    const { raw } = this.#open ?? { raw: '' };
    this.#open = null;
    this.#put(LITERALS.has(raw) ? LITERALS.get(raw) : Number(raw));
    this.#before = '0';
  }

  /** The top-level value that ended with this character, if any. */
  #sign(sign: string): unknown {
    const { length } = this.#frames;
    switch (sign) {
      case '{':
      case '[':
        // In a place where none is allowed: the line before was cut off.
        if (sign === '{' && length > 0 && !',[:'.includes(this.#before)) this.#forget();
        this.#begin(sign === '{' ? (Object.create(null) as Record<string, unknown>) : []);
        break;
      case '}':
      case ']': {
        this.#before = sign;
        if (this.#passed > 0) {
          this.#passed--;
          return undefined;
        }
        const ended = this.#frames.pop();
        return length === 1 ? ended?.value : undefined;
      }
      case ',':
      case ':':
        if (sign === ',' && this.#passed === 0) {
          const frame = this.#frames.at(-1);
          if (frame) frame.key = null;
        }
        break;
      default:
        if (length === 0) this.#skipsLine = true;
        else this.#open = sign === '"' ? { isText: true, raw: '' } : { isText: false, raw: sign };
        // A text after it may be a key or a value.
        return undefined;
    }
    this.#before = sign;
    return undefined;
  }

  #begin(value: Frame['value']): void {
    const isDeep = this.#frames.length === DEEPEST;
    if (isDeep) this.#passed++;
    else {
      this.#put(value);
      this.#frames.push({ value, key: null, size: 0 });
    }
  }

  #text(text: string): void {
    const frame = this.#frames.at(-1);
    const isKey = this.#before !== ':' && frame !== undefined && !Array.isArray(frame.value);
    if (!isKey) this.#put(text);
    else if (this.#passed === 0) frame.key = text;
    this.#before = '"';
  }

  #put(value: unknown): void {
    const frame = this.#frames.at(-1);
    if (!frame || this.#passed > 0 || frame.size >= WIDEST) return;
    if (Array.isArray(frame.value)) frame.value.push(value);
    else if (frame.key !== null) frame.value[frame.key] = value;
    else return;
    frame.size++;
  }

  #add(piece: string): void {
    if (this.#open && this.#open.raw.length < LONGEST_RAW) this.#open.raw += piece;
  }

  #forget(): void {
    this.#frames = [];
    this.#passed = 0;
    this.#open = null;
    this.#escaped = false;
  }
}

function readEscape(_: string, code: string | undefined, sign: string): string {
  return code === undefined ? (SIGNS[sign] ?? sign) : String.fromCharCode(Number.parseInt(code, 16));
}

/** The last character before `end` in the skipped part. */
function lastSign(piece: string, end: number): string | null {
  for (let at = end - 1; at >= 0; at--) if (!/\s/.test(piece[at] as string)) return piece[at] as string;
  return null;
}

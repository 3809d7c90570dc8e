/**
 * JSON as models write it by mistake: in a code fence, with trailing commas, single quotes, bare field names, Python's
 * `True`, `False` and `None`, and line breaks inside strings. Text with only one reading is read; a text that was cut or
 * holds more than one value is not, because completing it would be a guess. Linear time.
 */

import { DEEPEST, isTextTooDeep } from '../../json.ts';
import { isSame } from './schemaFaults.ts';

/** The value, or undefined when the text has no single reading. */
export function readLooseJson(text: string): unknown {
  const inside = withoutFence(text.trim());
  if (isTextTooDeep(inside)) return undefined;
  try {
    return new Reader(inside).readWhole();
  } catch (thrown) {
    if (thrown instanceof Unreadable) return undefined;
    throw thrown;
  }
}

/** The first field that a JSON text gives twice with different values: which is meant cannot be known. */
export function repeatedField(text: string): string | undefined {
  if (isTextTooDeep(text)) return undefined;
  const reader = new Reader(withoutFence(text.trim()));
  try {
    reader.readWhole();
  } catch (thrown) {
    if (!(thrown instanceof Unreadable)) throw thrown;
  }
  return reader.repeated;
}

class Unreadable extends Error {}

const FENCE = '```';

function withoutFence(text: string): string {
  if (!text.startsWith(FENCE) || !text.endsWith(FENCE)) return text;
  const body = text.slice(FENCE.length, -FENCE.length);
  const opening = body.indexOf('\n');
  // The first line names a language.
  return opening >= 0 && /^[a-z\d]{0,10}\s*$/iu.test(body.slice(0, opening).slice(0, 20))
    ? body.slice(opening).trim()
    : body.trim();
}

const WORDS: Readonly<Record<string, boolean | null>> = {
  true: true,
  True: true,
  false: false,
  False: false,
  null: null,
  None: null,
};

const ESCAPES: Readonly<Record<string, string>> = {
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  '/': '/',
  '\\': '\\',
  '"': '"',
  "'": "'",
};

class Reader {
  /** See `repeatedField`. */
  repeated: string | undefined;
  readonly #text: string;
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  readWhole(): unknown {
    const value = this.#value();
    this.#space();
    if (this.#at < this.#text.length) throw new Unreadable();
    return value;
  }

  #value(): unknown {
    this.#space();
    const next = this.#text[this.#at];
    if (next === '{') return this.#within(() => this.#object());
    if (next === '[') return this.#within(() => this.#list());
    if (next === '"' || next === "'") return this.#string(next);
    const word = this.#match(/[-+.\w]+/y);
    if (Object.hasOwn(WORDS, word)) return WORDS[word];
    if (!/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(word)) throw new Unreadable();
    return Number(word);
  }

  /** Single quotes hide brackets from the count of the whole text, so depth is counted here, too. */
  #within<T>(read: () => T): T {
    if (++this.#depth > DEEPEST) throw new Unreadable();
    const value = read();
    this.#depth--;
    return value;
  }

  #object(): unknown {
    const entries = new Map<string, unknown>();
    this.#at++;
    while (!this.#ends('}')) {
      const quote = this.#text[this.#at];
      const name = quote === '"' || quote === "'" ? this.#string(quote) : this.#match(/[A-Za-z_$][\w$]*/y);
      this.#space();
      if (name === '' || this.#text[this.#at++] !== ':') throw new Unreadable();
      const value = this.#value();
      if (entries.has(name) && !isSame(entries.get(name), value)) this.repeated ??= name;
      entries.set(name, value);
      this.#comma('}');
    }
    return Object.fromEntries(entries);
  }

  #list(): unknown {
    const values: unknown[] = [];
    this.#at++;
    while (!this.#ends(']')) {
      values.push(this.#value());
      this.#comma(']');
    }
    return values;
  }

  #ends(bracket: string): boolean {
    this.#space();
    if (this.#text[this.#at] !== bracket) return false;
    this.#at++;
    return true;
  }

  #comma(bracket: string): void {
    this.#space();
    if (this.#text[this.#at] === ',') this.#at++;
    else if (this.#text[this.#at] !== bracket) throw new Unreadable();
  }

  #string(quote: string): string {
    const pieces: string[] = [];
    let from = ++this.#at;
    for (;;) {
      const next = this.#text[this.#at];
      if (next === undefined) throw new Unreadable();
      if (next === quote) break;
      if (next !== '\\') {
        this.#at++;
        continue;
      }
      pieces.push(this.#text.slice(from, this.#at), this.#escape());
      from = this.#at;
    }
    pieces.push(this.#text.slice(from, this.#at++));
    return pieces.join('');
  }

  #escape(): string {
    const letter = this.#text[this.#at + 1] ?? '';
    const plain = ESCAPES[letter];
    this.#at += 2;
    if (plain !== undefined) return plain;
    const code = letter === 'u' ? this.#text.slice(this.#at, this.#at + 4) : '';
    if (!/^[\da-f]{4}$/i.test(code)) throw new Unreadable();
    this.#at += 4;
    return String.fromCharCode(Number.parseInt(code, 16));
  }

  #space(): void {
    while (SPACE.has(this.#text.charCodeAt(this.#at))) this.#at++;
  }

  #match(form: RegExp): string {
    form.lastIndex = this.#at;
    const found = form.exec(this.#text)?.[0] ?? '';
    this.#at += found.length;
    return found;
  }
}

/** Tab, line feed, carriage return, blank. */
const SPACE: ReadonlySet<number> = new Set([0x09, 0x0a, 0x0d, 0x20]);

/**
 * Anchors: names and lines of a text by which a fact is found again. Names are cut out in the same way when an anchor is
 * created and when it is searched for: paths by their last two segments, identifiers as whole words.
 */

export type AnchorKind = 'path' | 'identifier' | 'line';

export interface AnchorName {
  readonly kind: AnchorKind;
  readonly text: string;
}

/** Shorter lines are too generic to be found again. */
export const MIN_LINE = 20;

// A name begins at a word boundary, so that a long word is not read again from each of its letters. Letters of other
// scripts by range: property escapes take four times as long over megabytes of text.
const LETTERS = String.raw`\w\u00c0-\u024f\u0370-\u1fff\u3040-\u9fff\uac00-\ud7af`;
const RUN = new RegExp(String.raw`(?<![${LETTERS}.@+~-])[${LETTERS}.@+~-]+(?:[\\/]+[${LETTERS}.@+~-]+)+`, 'g');
/**
 * Backslashes before the letter of an escape (`\\n`, `\\t`, `\\d`) or before punctuation: they separate the text on
 * their two sides.
 */
const ESCAPE = /(?<!\\)\\+(?!\\)(?:[abdefnrtsuvwxBDSW]|(?![\w/]))/;
/** Before any other letter, it separates folders. */
const WINDOWS = /\\[cg-mo-qyzAC-RT-VX-Z]/;
const ENDING = /[^.]\.[A-Za-z]\w{0,9}$/;
/** Flags of a pattern that looks like a path: `/src/g`, `s/src/lib/`. */
const FLAGS = /^[dgimsuvy]{1,3}$/;
const HIDDEN = /^\.[a-z]/;
/** The end of a file's name where a search prints context lines: `reader.ts-201-`. */
const LINE_BEHIND = /(\.[A-Za-z]\w{0,9})-\d+-.*$/;
/** Folders by which even two names count as a path; most other pairs are words (`read/write`, `and/or`). */
const FOLDERS = new Set(
  (
    'src lib libs dist bin cmd pkg internal app apps packages crates components modules pages routes utils docs test tests ' +
    '__tests__ spec specs fixtures examples assets public static scripts cli tmp usr vendor node_modules'
  ).split(' '),
);
const FILE_NAME = new RegExp(
  String.raw`(?<![${LETTERS}@+-])[${LETTERS}@+-][${LETTERS}.@+-]{0,400}\.[A-Za-z]\w{0,9}`,
  'g',
);
const WORD = /[\w$]{6,}/g;
/** Special characters of a pattern; also the slash, so that `pathPattern` finds it. */
const SPECIAL = /[\\^$.*+?()[\]{}|/]/g;

export interface Occurrence {
  readonly start: number;
  readonly end: number;
}

/** Every place where the name is not part of a longer one, in order. Paths match either slash. */
export function findOccurrences(text: string, { kind, text: name }: AnchorName): Occurrence[] {
  const found: Occurrence[] = [];
  const literal = name.replaceAll(SPECIAL, String.raw`\$&`);
  const pattern = kind === 'line' ? literal : kind === 'identifier' ? wordPattern(literal) : pathPattern(literal);
  for (const match of text.matchAll(new RegExp(pattern, 'g'))) {
    found.push({ start: match.index, end: match.index + match[0].length });
  }
  return found;
}

const wordPattern = (literal: string) => String.raw`(?<![\w$])${literal}(?![\w$])`;
/** Whole segments; full stops after the last one belong to the sentence. */
const pathPattern = (literal: string) =>
  String.raw`(?<![${LETTERS}.@+~-])${literal.replaceAll(String.raw`\/`, String.raw`[\\/]+`)}(?!\.*[${LETTERS}@+~-])`;

/**
 * Names in the text separated by slashes, two or more: all possible paths, in which known paths are searched for. Full
 * stops at the end belong to the sentence.
 */
function* findRuns(text: string): Generator<string[]> {
  for (const { segments } of readRuns(text)) yield segments;
}

/**
 * Segments of each path in the text: anything with a root, a file extension, a common folder, or a trailing slash.
 * Units (`MB/s`), alternatives (`and/or`), fractions and pattern flags are excluded.
 */
export function* findPaths(text: string): Generator<string[]> {
  for (const { segments, isRooted, isFolder } of readRuns(text)) {
    const names = segments.filter((segment) => !/^(?:\.{1,2}|~)$/.test(segment));
    const last = names.at(-1) ?? '';
    if (segments.length < 2 || !names.every((segment) => /[\p{L}\p{N}]/u.test(segment))) continue;
    if (ENDING.test(last) || HIDDEN.test(last)) yield segments;
    else if (isRooted ? !FLAGS.test(last) : names[0] !== 's' && (isFolder || isFolderPath(names))) yield segments;
  }
}

/** Without a root and a file extension. */
function isFolderPath(segments: readonly string[]): boolean {
  const last = segments.at(-1) ?? '';
  if (!/[A-Za-z]{2}/.test(last)) return false;
  return segments.some(
    (segment, i) => (i + 1 < segments.length && FOLDERS.has(segment)) || HIDDEN.test(segment) || segment.includes('_'),
  );
}

interface Run {
  readonly segments: string[];
  /** It begins with a slash, a dot and a slash, a drive or the like. */
  readonly isRooted: boolean;
  /** A slash follows it. */
  readonly isFolder: boolean;
}

function* readRuns(text: string): Generator<Run> {
  for (const { 0: run, index } of text.matchAll(RUN)) {
    const end = index + run.length;
    const before = text.charAt(index - 1);
    const isOnDrive = before === '\\' && /(?<![A-Za-z])[A-Za-z]:\\+$/.test(text.slice(Math.max(0, index - 6), index));
    // On Windows they separate folders; elsewhere the text contains escapes.
    const parts = run.includes('\\') && !isOnDrive && !WINDOWS.test(run) ? run.split(ESCAPE) : [run];
    for (const [i, part] of parts.entries()) {
      const isFirst = i === 0;
      const isLast = i + 1 === parts.length;
      const segments = part.split(/[\\/]+/).filter((segment, at) => at > 0 || segment !== '');
      const last =
        segments
          .at(-1)
          ?.replace(LINE_BEHIND, '$1')
          .replace(/(?<!\.)\.+$/, '') ?? '';
      const ends = last === '';
      if (ends) segments.pop();
      else segments[segments.length - 1] = last;
      if (segments.length < 2) continue;
      const isRooted = isOnDrive || /^(?:\.{1,2}[\\/]|~[\\/]|[\\/]|@\w)/.test(part) || (isFirst && before === '/');
      yield { segments, isRooted, isFolder: ends || (isLast && text[end] === '/') };
    }
  }
}

export function* findFileNames(text: string): Generator<string> {
  for (const [name] of text.matchAll(FILE_NAME)) yield name;
}

export function* findWords(text: string): Generator<string> {
  for (const [word] of text.matchAll(WORD)) yield word;
}

/** An underscore inside, a second hump, or letters with digits: not a natural-language word. */
export function isCodeLike(word: string): boolean {
  return /[A-Za-z]/.test(word) && /[A-Za-z0-9]_[A-Za-z0-9]|[a-z][A-Z]|[A-Za-z]\d/.test(word);
}

/** `a/b/c.ts` → `b/c.ts`; null for paths such as `/dev/null`. */
export function pathName(segments: readonly string[]): string | null {
  const name = segments.slice(-2).join('/');
  return name === 'dev/null' || !/[A-Za-z]/.test(name) ? null : name;
}

const FILTER_BITS = 18;
const BASE = 0x01000193;

/**
 * All anchors of a session by number, and the search for them in a text. A text is read once, however many anchors
 * there are: names are found by cutting out words, lines by a rolling hash over their first twenty characters.
 */
export class AnchorTable {
  readonly names: AnchorName[] = [];
  readonly #ids = new Map<string, number>();
  readonly #paths = new Map<string, number>();
  readonly #words = new Map<string, number>();
  /** Line anchors by the hash of their first characters. */
  readonly #lines = new Map<number, number[]>();
  readonly #filter = new Uint8Array(1 << FILTER_BITS);
  #stamps = new Int32Array(0);
  #stamp = 0;

  /** The anchor's number; the same for the same kind and text. */
  add(anchor: AnchorName): number {
    const key = `${anchor.kind} ${anchor.text}`;
    const known = this.#ids.get(key);
    if (known !== undefined) return known;
    const id = this.names.length;
    this.names.push(anchor);
    this.#ids.set(key, id);
    switch (anchor.kind) {
      case 'path':
        this.#paths.set(anchor.text, id);
        break;
      case 'identifier':
        this.#words.set(anchor.text, id);
        break;
      case 'line': {
        const hash = hashStart(anchor.text);
        this.#filter[filterSlot(hash)] = 1;
        const same = this.#lines.get(hash);
        if (same) same.push(id);
        else this.#lines.set(hash, [id]);
        break;
      }
    }
    return id;
  }

  name(id: number): AnchorName {
    const name = this.names[id];
    if (!name) throw new Error(`No anchor ${id}`);
    return name;
  }

  kind(id: number): AnchorKind {
    return this.name(id).kind;
  }

  text(id: number): string {
    return this.name(id).text;
  }

  /** Numbers of the anchors in the text, without duplicates. */
  find(text: string): number[] {
    const found: number[] = [];
    if (this.#stamps.length < this.names.length) this.#stamps = new Int32Array(this.names.length);
    const stamp = ++this.#stamp;
    const take = (id: number | undefined) => {
      if (id === undefined || this.#stamps[id] === stamp) return;
      this.#stamps[id] = stamp;
      found.push(id);
    };
    for (const word of findWords(text)) take(this.#words.get(word));
    for (const segments of findRuns(text)) {
      for (let i = 1; i < segments.length; i++) take(this.#paths.get(`${segments[i - 1]}/${segments[i]}`));
    }
    for (const name of findFileNames(text)) take(this.#paths.get(name));
    this.#findLines(text, take);
    return found;
  }

  #findLines(text: string, take: (id: number) => void): void {
    if (this.#lines.size === 0 || text.length < MIN_LINE) return;
    let hash = hashStart(text);
    for (let at = 0; ; at++) {
      if (this.#filter[filterSlot(hash)] === 1) {
        for (const id of this.#lines.get(hash) ?? []) if (text.startsWith(this.text(id), at)) take(id);
      }
      const next = at + MIN_LINE;
      if (next >= text.length) return;
      const without = (hash - Math.imul(text.charCodeAt(at), LEADING)) | 0;
      hash = (Math.imul(without, BASE) + text.charCodeAt(next)) | 0;
    }
  }
}

/** Weight of the window's first character. */
const LEADING = Array.from({ length: MIN_LINE - 1 }).reduce<number>((power) => Math.imul(power, BASE), 1);

function hashStart(text: string): number {
  let hash = 0;
  for (let i = 0; i < MIN_LINE; i++) hash = (Math.imul(hash, BASE) + text.charCodeAt(i)) | 0;
  return hash;
}

function filterSlot(hash: number): number {
  return (hash ^ (hash >>> 13)) & ((1 << FILTER_BITS) - 1);
}

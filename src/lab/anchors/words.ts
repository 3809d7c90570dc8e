/**
 * How names are cut out of text, the same way when an anchor is made and when it is looked for: paths by their last two
 * segments, identifiers as whole words.
 */

export type AnchorKind = 'path' | 'identifier' | 'line';

export interface AnchorName {
  readonly kind: AnchorKind;
  readonly text: string;
}

// A name begins where its letters do, so that a long word is not read again from each of its letters.
// Letters of other scripts by range: property escapes take four times as long over megabytes of text.
const LETTERS = String.raw`\w\u00c0-\u024f\u0370-\u1fff\u3040-\u9fff\uac00-\ud7af`;
const PATH = new RegExp(String.raw`(?<![${LETTERS}.@+~-])[${LETTERS}.@+~-]+(?:[\\/]+[${LETTERS}.@+~-]+)+`, 'g');
const FILE_NAME = new RegExp(
  String.raw`(?<![${LETTERS}@+-])[${LETTERS}@+-][${LETTERS}.@+-]{0,400}\.[A-Za-z]\w{0,9}`,
  'g',
);
const WORD = /[\w$]{6,}/g;
/** Characters that mean something in a pattern; the slash too, so that `pathPattern` finds it. */
const SPECIAL = /[\\^$.*+?()[\]{}|/]/g;

export interface Occurrence {
  readonly start: number;
  readonly end: number;
}

/** Every place where the name stands by itself, not as a part of a longer one, in order. Paths take either slash. */
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

/** Segments of each path in the text; a path has two or more. Full stops at its end belong to the sentence. */
export function* findPaths(text: string): Generator<string[]> {
  for (const [path] of text.matchAll(PATH)) {
    const segments = path.split(/[\\/]+/);
    const last = segments.at(-1)?.replace(/(?<!\.)\.+$/, '') ?? '';
    if (last === '') segments.pop();
    else segments[segments.length - 1] = last;
    if (segments.length > 1) yield segments;
  }
}

export function* findFileNames(text: string): Generator<string> {
  for (const [name] of text.matchAll(FILE_NAME)) yield name;
}

export function* findWords(text: string): Generator<string> {
  for (const [word] of text.matchAll(WORD)) yield word;
}

/** An underscore inside, a second hump, or letters with digits: not a word of a language. */
export function isCodeLike(word: string): boolean {
  return /[A-Za-z]/.test(word) && /[A-Za-z0-9]_[A-Za-z0-9]|[a-z][A-Z]|[A-Za-z]\d/.test(word);
}

/** `a/b/c.ts` → `b/c.ts`; null for what leads nowhere, such as `/dev/null`. */
export function pathName(segments: readonly string[]): string | null {
  const name = segments.slice(-2).join('/');
  return name === 'dev/null' || !/[A-Za-z]/.test(name) ? null : name;
}

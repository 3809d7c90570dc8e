/** The names in a text: identifiers of code, and paths by their last two segments. */

/** Characters of names by their code; 0: of none. Words consist of those from `WORD` on, paths of the others, too. */
const [REST, SLASH, WORD, DIGIT, LOWER, UPPER] = [1, 2, 3, 4, 5, 6];
const KINDS = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  if (/[a-z]/.test(character)) return LOWER;
  if (/[A-Z]/.test(character)) return UPPER;
  if (/\d/.test(character)) return DIGIT;
  if (/[_$]/.test(character)) return WORD;
  if (/[\\/]/.test(character)) return SLASH;
  return /[@~.+-]/.test(character) ? REST : 0;
});

const LETTER = /[A-Za-z]/;
const CODE_LIKE = /[A-Za-z0-9]_[A-Za-z0-9]|[a-z][A-Z]|[A-Za-z]\d/;

/** Shorter names are too common. */
const SHORTEST_NAME = 6;

/** Longer runs are data, such as a minified file or an encoded picture. */
const LONGEST_RUN = 400;

/**
 * Calls `take` for each occurrence of a name in the text. The name of a path holds a slash; an identifier's does not.
 */
export function findNames(text: string, take: (name: string) => void): void {
  // By hand: an expression that matches each run, and another one each word of it, takes four times as long.
  const { length } = text;
  for (let at = 0; at < length; at++) {
    const begin = at;
    let kinds = 0;
    for (let kind = kindAt(text, at); kind > 0; kind = kindAt(text, ++at)) kinds |= 1 << kind;
    if (at - begin < SHORTEST_NAME || at - begin > LONGEST_RUN) continue;
    if (kinds & (1 << SLASH)) {
      const path = pathName(text.slice(begin, at));
      if (path) take(path);
    }
    // Every such word has a letter and, besides, a large letter, a digit or an underscore.
    if (kinds & LETTERS && kinds & MARKS) takeWords(text, begin, at, take);
  }
}

const LETTERS = (1 << LOWER) | (1 << UPPER);
const MARKS = (1 << UPPER) | (1 << DIGIT) | (1 << WORD);

function takeWords(text: string, from: number, to: number, take: (name: string) => void): void {
  for (let at = from; at < to; at++) {
    const begin = at;
    while (at < to && kindAt(text, at) >= WORD) at++;
    if (at - begin < SHORTEST_NAME) continue;
    const word = text.slice(begin, at);
    if (CODE_LIKE.test(word) && LETTER.test(word)) take(word);
  }
}

/** 0 beyond the end. */
const kindAt = (text: string, at: number): number => KINDS[text.charCodeAt(at)] ?? 0;

/** `a/b/c.ts` → `b/c.ts`. Null when it is not a path, or leads nowhere. */
export function pathName(path: string): string | null {
  const segments = path.split(/[\\/]+/);
  while (segments.length > 0 && /^\.*$/.test(segments.at(-1) ?? '')) segments.pop();
  const last = segments.pop()?.replace(/(?<!\.)\.+$/, '');
  const folder = segments.pop();
  if (!last || !folder) return null;
  const name = `${folder}/${last}`;
  return LETTER.test(name) && name !== 'dev/null' ? name : null;
}

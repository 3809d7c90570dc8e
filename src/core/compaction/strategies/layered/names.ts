/**
 * The names in a text that later work may ask for again: paths by their last two segments, and identifiers that look like
 * code. What an ordinary sentence consists of is no name.
 */

/** A run of characters that paths and identifiers are made of. */
const RUN = /[\w$@~./\\+-]{6,}/g;
const WORD = /[\w$]{6,}/g;
const CODE_LIKE = /[A-Za-z0-9]_[A-Za-z0-9]|[a-z][A-Z]|[A-Za-z]\d/;
const LETTER = /[A-Za-z]/;
/** Longer runs are data, such as a minified file or an encoded picture. */
const LONGEST_RUN = 400;

/** Calls `take` for each name in the text, as often as it occurs. A path's name holds a slash, an identifier's none. */
export function findNames(text: string, take: (name: string) => void): void {
  for (const [run] of text.matchAll(RUN)) {
    if (run.length > LONGEST_RUN) continue;
    if (run.includes('/') || run.includes('\\')) {
      const path = pathName(run);
      if (path) take(path);
    }
    for (const [word] of run.matchAll(WORD)) if (CODE_LIKE.test(word) && LETTER.test(word)) take(word);
  }
}

/** `a/b/c.ts` → `b/c.ts`. Null for what is no path, or leads nowhere. */
export function pathName(path: string): string | null {
  const segments = path.split(/[\\/]+/);
  while (segments.length > 0 && /^\.*$/.test(segments.at(-1) ?? '')) segments.pop();
  const last = segments.pop()?.replace(/(?<!\.)\.+$/, '');
  const folder = segments.pop();
  if (!last || !folder) return null;
  const name = `${folder}/${last}`;
  return LETTER.test(name) && name !== 'dev/null' ? name : null;
}

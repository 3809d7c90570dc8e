/**
 * Globs of `.gitignore` and of `search_text`: `*`, `?`, `[a-z]`, `**` and `{a,b}`. Matched without regular expressions:
 * a repository's pattern must not be able to make the search run for ever.
 */

const MOST_CHOICES = 64;

/** A glob with a slash in it counts from the top, one without matches a name at any depth. `path` has forward slashes. */
export function matchGlob(glob: string, path: string): boolean {
  const names = path.split('/');
  return expandBraces(glob).some((choice) => {
    const anchored = choice.includes('/');
    const pattern = [...(anchored ? [] : ['**']), ...choice.replace(/^\//u, '').split('/')];
    // At the end it stands for what is in the folder, not for the folder itself.
    return matchNames(pattern.at(-1) === '**' ? [...pattern, '*'] : pattern, names);
  });
}

/** The first brace that has a comma, then the rest of each choice. Beyond a limit what is left stays as written. */
function expandBraces(glob: string): string[] {
  let done: string[] = [];
  let open = [glob];
  while (open.length > 0 && done.length + open.length <= MOST_CHOICES) {
    const next: string[] = [];
    for (const text of open) {
      const brace = /\{([^{}]*,[^{}]*)\}/u.exec(text);
      const inside = brace?.[1];
      if (!brace || inside === undefined) done = [...done, text];
      else {
        const [before, after] = [text.slice(0, brace.index), text.slice(brace.index + brace[0].length)];
        next.push(...inside.split(',').map((choice) => before + choice + after));
      }
    }
    open = next;
  }
  return [...done, ...open].slice(0, MOST_CHOICES);
}

/** `**` stands for any number of names, also none. */
function matchNames(pattern: readonly string[], names: readonly string[]): boolean {
  return matchWithStars(
    pattern.length,
    names.length,
    (at) => pattern[at] === '**',
    (at, nameAt) => matchName(pattern[at] ?? '', names[nameAt] ?? ''),
  );
}

function matchName(pattern: string, name: string): boolean {
  const tokens = pattern.match(/\[!?[^\]]+\]|\\.|./gsu) ?? [];
  const letters = Array.from(name);
  return matchWithStars(
    tokens.length,
    letters.length,
    (at) => tokens[at] === '*' || tokens[at] === '**',
    (at, letterAt) => matchLetter(tokens[at] ?? '', letters[letterAt] ?? ''),
  );
}

/**
 * Goes back to the newest star only, which is enough: whatever an older one could still take, the newer can too. At most
 * `tokens` × `items` steps.
 */
function matchWithStars(
  tokens: number,
  items: number,
  isStar: (token: number) => boolean,
  matches: (token: number, item: number) => boolean,
): boolean {
  let token = 0;
  let item = 0;
  let star = -1;
  let taken = 0;
  while (item < items) {
    if (token < tokens && isStar(token)) {
      star = token;
      taken = item;
      token += 1;
    } else if (token < tokens && matches(token, item)) {
      token += 1;
      item += 1;
    } else if (star !== -1) {
      taken += 1;
      item = taken;
      token = star + 1;
    } else return false;
  }
  while (token < tokens && isStar(token)) token += 1;
  return token === tokens;
}

function matchLetter(token: string, letter: string): boolean {
  if (token === '?') return true;
  if (token.startsWith('\\') && token.length > 1) return token.slice(1) === letter;
  if (!token.startsWith('[') || token.length === 1) return token === letter;
  const negated = token.startsWith('[!');
  const ranges = token.slice(negated ? 2 : 1, -1).match(/.-.|./gsu) ?? [];
  const inside = ranges.some((range) => {
    const [first = '', dash, last = ''] = Array.from(range);
    return dash === undefined ? first === letter : first <= letter && letter <= last;
  });
  return inside !== negated;
}

/** Orders paths by how well they match the typed text: names before folders, whole parts before scattered letters. */

interface RankedPaths {
  /** In order of use, newest first. They precede others that match equally well. */
  readonly recent?: readonly string[];
  readonly most: number;
}

export function rankPaths(paths: readonly string[], typed: string, { recent = [], most }: RankedPaths): string[] {
  const sought = typed.toLowerCase();
  const used = new Map(recent.map((path, at) => [path, at]));
  const ranked = paths.flatMap((path) => {
    const match = matchPath(path.toLowerCase(), sought);
    return match === 0 ? [] : [{ path, match, age: used.get(path) ?? recent.length }];
  });
  ranked.sort(
    (a, b) => b.match - a.match || a.age - b.age || a.path.length - b.path.length || (a.path < b.path ? -1 : 1),
  );
  return ranked.slice(0, most).map(({ path }) => path);
}

/** 0 for no match; more is better. Both are in lower case. */
function matchPath(path: string, sought: string): number {
  if (sought === '') return 1;
  const name = path.replace(/\/$/u, '').replace(/^.*\//u, '');
  if (name === sought || path === sought) return 7;
  if (name.startsWith(sought) || path.startsWith(sought)) return 6;
  if (name.includes(sought)) return 5;
  if (path.includes(sought)) return 4;
  if (isScattered(name, sought)) return 3;
  return isScattered(path, sought) ? 2 : 0;
}

/** True when the letters occur in it in this order. */
function isScattered(text: string, sought: string): boolean {
  let at = 0;
  for (const letter of sought) {
    at = text.indexOf(letter, at) + 1;
    if (at === 0) return false;
  }
  return true;
}

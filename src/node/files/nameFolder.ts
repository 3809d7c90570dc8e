/** Short names of folders, for lists in which several may end alike. */

/** The last part of `path`, with as many parents before it as tell it from `others`. */
export function nameFolder(path: string, others: readonly string[]): string {
  const parts = partsOf(path);
  const rivals = others.filter((other) => other !== path).map(partsOf);
  for (let count = 1; count < parts.length; count++) {
    const name = parts.slice(-count).join('/');
    if (!rivals.some((rival) => rival.slice(-count).join('/') === name)) return name;
  }
  return path;
}

const partsOf = (path: string): string[] => path.split(/[\\/]/).filter(Boolean);

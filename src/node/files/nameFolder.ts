/** A short name of a folder: its last part, with as many parents before it as tell it from `others`. */
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

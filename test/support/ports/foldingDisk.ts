/** A disk that ignores case and Unicode form below `top`, over the real one, as those of Windows and macOS do. */

import { lstat, readdir, realpath } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { isInside } from '../../../src/node/files/inside.ts';
import { nodeDisk, type PathDisk } from '../../../src/node/files/pathDisk.ts';
import { foldCase } from '../../../src/node/files/pathGuard.ts';

/** `spells`: its `realpath` gives names as they are on disk; false for such a disk under Linux. */
export function foldingDisk(top: string, spells: boolean): PathDisk {
  const find = async (path: string): Promise<string> => {
    if (!isInside(path, top)) return path;
    let at = top;
    for (const name of relative(top, path).split(sep).filter(Boolean)) {
      const names = await readdir(at).catch(() => []);
      at = join(at, names.find((each) => foldCase(each) === foldCase(name)) ?? name);
    }
    return at;
  };
  return {
    spells,
    lstat: async (path) => lstat(await find(path)),
    readdir: async (path) => readdir(await find(path)),
    links: async (path) => nodeDisk.links(await find(path)),
    identify: async (path) => nodeDisk.identify(await find(path)),
    async realpath(path) {
      const real = await realpath(await find(path));
      return !spells && foldCase(real) === foldCase(path)
        ? join(dirname(path), path.slice(dirname(path).length))
        : real;
    },
  };
}

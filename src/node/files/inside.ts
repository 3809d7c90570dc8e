/** Whether one path lies in another. */

import type { PlatformPath } from 'node:path';
import nodePaths from 'node:path';

/** Both absolute and normalised. */
export function isInside(path: string, folder: string, paths: PlatformPath = nodePaths): boolean {
  // Between a drive and a network, Windows' `relative` takes `\\c:\x` for `c:\x`.
  if (path.startsWith('\\\\') !== folder.startsWith('\\\\')) return false;
  const way = paths.relative(folder, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${paths.sep}`) && !paths.isAbsolute(way));
}

/** Whether one path lies in another. */

import type { PlatformPath } from 'node:path';
import nodePaths from 'node:path';

/** Both absolute and normalised. */
export function isInside(path: string, folder: string, paths: PlatformPath = nodePaths): boolean {
  const way = paths.relative(folder, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${paths.sep}`) && !paths.isAbsolute(way));
}

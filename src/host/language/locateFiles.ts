/** Paths as tools show them and absolute ones, each made of the other. Whether a tool may read a path is not decided here. */

import { join, relative, sep } from 'node:path';
import { ToolError } from '../../core/errors.ts';
import type { NamedFolder } from '../files/nameFolders.ts';
import { isInside } from '../files/pathGuard.ts';

export interface LocateFile {
  /** Of a path as `FileFacts.shown`. */
  absoluteOf(shown: string): string;
  /** Null outside of the workspace folders. */
  shownOf(absolute: string | null): string | null;
}

/** With several folders a shown path begins with the name of its folder. */
export function locateFiles(folders: readonly NamedFolder[]): LocateFile {
  const [first, ...others] = folders;
  return {
    absoluteOf(shown) {
      if (!first) throw new ToolError('No folder is open. Ask the user to open one.');
      if (others.length === 0) return join(first.path, shown);
      const [head = '', ...rest] = shown.split('/');
      const folder = folders.find(({ name }) => name === head);
      if (!folder) throw new ToolError(`No workspace folder is named "${head}".`);
      return join(folder.path, ...rest);
    },

    shownOf(absolute) {
      if (absolute === null) return null;
      // The innermost: a folder of the workspace may lie in another one.
      const inside = folders.filter(({ path }) => isInside(absolute, path));
      const folder = inside.sort((a, b) => b.path.length - a.path.length)[0];
      if (!folder) return null;
      const way = relative(folder.path, absolute).split(sep).join('/');
      return others.length === 0 ? way : `${folder.name}/${way}`;
    },
  };
}

/** Converts between paths as tools show them and absolute ones. It does not decide whether a tool may read a path. */

import { join, relative, sep } from 'node:path';
import { ToolError } from '../../core/errors.ts';
import { isInside } from './inside.ts';
import type { NamedFolder } from './nameFolders.ts';

export interface LocateFile {
  /** For a path like `FileFacts.shown`. */
  absoluteOf(shown: string): string;
  /** Null outside the workspace folders. */
  shownOf(absolute: string | null): string | null;
}

/** With several folders a shown path begins with its folder's name. */
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
      // The innermost: one workspace folder may be inside another.
      const inside = folders.filter(({ path }) => isInside(absolute, path));
      const folder = inside.sort((a, b) => b.path.length - a.path.length)[0];
      if (!folder) return null;
      const way = relative(folder.path, absolute).split(sep).join('/');
      return others.length === 0 ? way : `${folder.name}/${way}`;
    },
  };
}

/** Finds what ignore files leave out of a folder that is named: all of it is then looked at, or a part of it is counted. */

import { dirname, join } from 'node:path';
import type { DeniedFolders } from './deniedFolders.ts';
import type { SearchStart } from './runRipgrep.ts';
import { listFiles } from './visibleFiles.ts';

interface Ignored {
  /** Where everything is ignored: looked at as if nothing were. */
  readonly starts: readonly SearchStart[];
  /** Sentences for the model. */
  readonly notes: readonly string[];
}

export async function findIgnored(
  starts: readonly SearchStart[],
  ripgrep: string,
  glob: string | undefined,
  denied: DeniedFolders,
  until: AbortSignal,
): Promise<Ignored> {
  const again: SearchStart[] = [];
  let leftOut = 0;
  for (const start of starts) {
    const whole: SearchStart = { ...start, ignored: true };
    const list = (from: SearchStart, matching?: string) =>
      listed(listFiles(ripgrep, from, matching, until, { unread: false }));
    const [visible, all] = [await list(start), await list(whole, glob)];
    const hidden: string[] = [];
    for (const path of all) {
      if (!visible.has(path) && !(await denied.holdsFolder(dirname(join(start.root, path))))) hidden.push(path);
    }
    if (hidden.length === 0) continue;
    if (visible.size === 0) again.push(whole);
    else leftOut += hidden.length;
  }
  const notes = [
    ...(again.length > 0 ? ['Ignore files leave out all that is there. It was looked at because it was named.'] : []),
    ...(leftOut > 0
      ? [
          `Ignore files leave out ${leftOut === 1 ? '1 file' : `${leftOut} files`} there. Name a file or a folder of them to look at it.`,
        ]
      : []),
  ];
  return { starts: again, notes };
}

export async function listed(paths: AsyncIterable<string>): Promise<ReadonlySet<string>> {
  const all = new Set<string>();
  for await (const path of paths) all.add(path);
  return all;
}

/**
 * Names that are not valid UTF-8, as Linux allows them: Node gives each bad byte as U+FFFD, and nothing is found under the
 * name that results. So no tool can open such a file, and no checkpoint can keep it; both say so.
 */

import { isUtf8 } from 'node:buffer';
import { lstat, readdir } from 'node:fs/promises';
import { basename, dirname } from 'node:path';

const BAD = '\uFFFD';

export const mayBeMisnamed = (name: string): boolean => name.includes(BAD);

/** For a path that a list of the disk gave. */
export async function isMisnamed(path: string): Promise<boolean> {
  return mayBeMisnamed(path) && !(await isThere(path));
}

/** For any path: whether a list of the disk gives the first name on it that is not there. */
export async function leadsToMisnamed(path: string): Promise<boolean> {
  if (!mayBeMisnamed(path) || (await isThere(path))) return false;
  if (!(await isThere(dirname(path)))) return dirname(path) !== path && leadsToMisnamed(dirname(path));
  return readdir(dirname(path)).then(
    (names) => mayBeMisnamed(basename(path)) && names.includes(basename(path)),
    () => false,
  );
}

/** Such names in a folder, as Node gives them, each with a text that differs where something under it was changed. */
export async function stampMisnamed(folder: string): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const raw of await readdir(folder, { encoding: 'buffer' }).catch(() => [])) {
    if (isUtf8(raw)) continue;
    const facts = await lstat(Buffer.concat([Buffer.from(`${folder}/`), raw])).catch(() => null);
    if (!facts) continue;
    const stamp = `${raw.toString('hex')} ${facts.size} ${facts.mtimeMs} ${facts.ctimeMs}`;
    const name = raw.toString();
    found.set(name, [found.get(name) ?? '', stamp].join('\n'));
  }
  return found;
}

/** A link is there, wherever it leads. */
export const isThere = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  );

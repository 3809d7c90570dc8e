/** Paths that exist beside the one that a call named and that leads nowhere. */

import { pathsIn } from '../../calls/filesInCalls.ts';
import type { ToolCall } from '../../context/message.ts';
import { likenessOf } from '../../tools/text/findText.ts';
import { showInOneLine } from '../../tools/text/showHidden.ts';
import type { Files } from '../../workspace/files.ts';

export const MOST_PATHS = 4;

const LEAST_LIKENESS = 0.5;

/** The first path of the call that leads nowhere; null where each leads somewhere. */
export async function findMissing({ arguments: json }: ToolCall, files: Files): Promise<string | null> {
  for (const path of pathsIn(json)) {
    const { exists, shown } = await files.resolve(path);
    if (!exists) return shown;
  }
  return null;
}

export const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** Files of the same name elsewhere, or else the names most like it in its folder. */
export async function describeNearPaths(missing: string, files: Files, signal: AbortSignal): Promise<string> {
  const name = nameOf(missing);
  // A question mark stands for any character that a glob would read in another way.
  const { paths } = await files.find({ glob: `**/${name.replace(/[^\w.-]/g, '?')}` }, MOST_PATHS, signal);
  const near = paths.length > 0 ? paths : await likeNames(missing, files);
  return near.length === 0 ? '' : `There is: ${near.map(showInOneLine).join(', ')}`;
}

async function likeNames(missing: string, files: Files): Promise<string[]> {
  const folder = missing.slice(0, Math.max(0, missing.lastIndexOf('/'))) || '.';
  const { exists, type } = await files.resolve(folder);
  if (!exists || type !== 'folder') return [];
  const name = nameOf(missing);
  return (await files.list(folder))
    .map((each) => ({ name: each.name, likeness: likenessOf(name, each.name) }))
    .filter(({ likeness }) => likeness >= LEAST_LIKENESS)
    .sort((a, b) => b.likeness - a.likeness)
    .slice(0, MOST_PATHS)
    .map((each) => (folder === '.' ? each.name : `${folder}/${each.name}`));
}

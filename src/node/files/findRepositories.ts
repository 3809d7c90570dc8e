/** Finds the repositories that lie in a folder, within bounds of depth and number. */

import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { openDenied } from './deniedFolders.ts';

const DEEPEST = 4;
const MOST_FOLDERS = 2_000;

/** Others keep in them what they fetched. */
const SKIPPED: ReadonlySet<string> = new Set(['node_modules', '.venv', 'venv', '.cache', '.cargo', '.gradle']);

/**
 * Absolute paths, outer folders first, each level by name. A repository is not looked into: it tells itself what lies in
 * it. Links are not followed, and folders that cannot be read or may not be touched are left out.
 */
export async function findRepositories(
  folders: readonly string[],
  denied: Awaited<ReturnType<typeof openDenied>>,
): Promise<readonly string[]> {
  const found: string[] = [];
  let level = folders.map((folder) => resolve(folder));
  let looked = 0;
  for (let depth = 0; depth <= DEEPEST && level.length > 0; depth++) {
    const next: string[] = [];
    for (const folder of level) {
      looked += 1;
      if (looked > MOST_FOLDERS) return found;
      if (await denied.holdsFolder(folder)) continue;
      const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
      if (entries.some(({ name }) => name === '.git')) {
        found.push(folder);
        continue;
      }
      const below = entries.filter((entry) => entry.isDirectory() && !SKIPPED.has(entry.name));
      next.push(...below.map(({ name }) => join(folder, name)).sort());
    }
    level = next;
  }
  return found;
}

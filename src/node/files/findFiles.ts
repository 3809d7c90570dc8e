/**
 * Finds files by path with ripgrep. Links are never followed or listed, and ignored files are omitted unless their
 * folder is requested.
 */

import { dirname, join } from 'node:path';
import { ToolError } from '../../core/errors.ts';
import type { Files, FoundFiles } from '../../core/workspace/files.ts';
import { findIgnored } from './ignoredFiles.ts';
import { isMisnamed } from './misnamed.ts';
import type { SearchStart } from './runRipgrep.ts';
import { noRipgrep, type SearchOptions } from './searchFiles.ts';
import { listFiles, shownPath, VisibleFiles } from './visibleFiles.ts';

type FindQuery = Parameters<Files['find']>[0];

/** Maximum number of files examined. */
const MOST_FILES = 200_000;

export async function findFiles(options: SearchOptions<FindQuery>): Promise<FoundFiles> {
  const { starts, query, limit, signal, ripgrep, denied, searchMs } = options;
  if (ripgrep === null) throw noRipgrep();
  const deadline = AbortSignal.timeout(searchMs);
  const until = AbortSignal.any([signal, deadline]);
  const seen = { unread: false };
  const found: string[] = [];
  const notes: string[] = [];
  let misnamed = 0;
  const look = async (start: SearchStart) => {
    const visible = new VisibleFiles(ripgrep, start, until);
    for await (const path of listFiles(ripgrep, start, query.glob, until, seen)) {
      if ((await denied.holdsFolder(dirname(join(start.root, path)))) || !(await visible.has(path))) continue;
      if (found.length >= MOST_FILES) {
        notes.push(`The search was ended after ${MOST_FILES} files; narrow it with path or glob.`);
        return;
      }
      if (await isMisnamed(join(start.root, path))) misnamed += 1;
      found.push(shownPath(start, path));
    }
  };
  try {
    for (const start of starts) await look(start);
    if (found.length === 0 && query.path !== undefined) {
      const ignored = await findIgnored(starts, ripgrep, query.glob, denied, until);
      notes.push(...ignored.notes);
      for (const start of ignored.starts) await look(start);
    }
  } catch (thrown) {
    if (signal.aborted || !deadline.aborted || thrown instanceof ToolError) throw thrown;
    notes.push(`The search was ended after ${searchMs / 1000} s; narrow it with path or glob.`);
  }
  signal.throwIfAborted();
  if (seen.unread) notes.push('Some folders could not be read.');
  if (misnamed > 0) {
    notes.push(`The names of ${misnamed} of them are not valid UTF-8 (with � here): no tool can open these files.`);
  }
  const paths = found.sort().slice(0, limit);
  return { paths, total: found.length, ...(notes.length > 0 ? { notes } : {}) };
}

/** Names of the files beside a journal that hold what a person has not sent yet: they leave with the session. */

import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../disk/storageError.ts';

/** Messages that wait. */
export const QUEUE = 'queue.json';
/** What is being written, a file for each page. */
export const DRAFT = 'draft.';

export async function removeKept(folder: string, holds: (bytes: Buffer) => boolean = () => true): Promise<void> {
  for (const path of await filesIn(folder)) if (holds(await readFile(path))) await rm(path, { force: true });
}

async function filesIn(folder: string): Promise<string[]> {
  try {
    const names = await readdir(folder);
    return names.filter((name) => name.startsWith(DRAFT) || name.startsWith(QUEUE)).map((name) => join(folder, name));
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return [];
    throw thrown;
  }
}

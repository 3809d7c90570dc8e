/** The person's own memory file, which every workspace gets. */

import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { MEMORY, type MemoryText } from '../../core/instructions/memoryFiles.ts';
import { type ReportSkipped, skipSilently } from '../../core/instructions/sourceFile.ts';
import { words } from '../../core/words.ts';
import { readOwnSource } from '../files/readOwnSource.ts';

/** In bytes. */
const LARGEST = 1_000_000;

/** Null when the setting is empty. A relative path starts in the home folder. */
export function ownMemoryPath(setting: string): string | null {
  const path = setting.trim();
  if (path === '') return null;
  if (/^~(?=$|[/\\])/.test(path)) return join(homedir(), path.slice(1));
  return isAbsolute(path) ? path : join(homedir(), path);
}

/** Null when it does not exist or cannot be read: a turn does not depend on it. */
export async function readOwnMemory(
  setting: string,
  reportSkipped: ReportSkipped = skipSilently,
): Promise<MemoryText | null> {
  const path = ownMemoryPath(setting);
  if (path === null) return null;
  const origin = setting.trim();
  let isThere = existsSync(path);
  const text = await readOwnSource(path, origin, LARGEST, (...about) => {
    isThere = true;
    reportSkipped(...about);
  });
  // Most people have no file at the default path; a path of their own may be meant for another machine.
  if (text === null && origin !== MEMORY.fields.userFile.default && !isThere)
    reportSkipped(origin, words('It is not on the machine that this window works on.'));
  return text === null ? null : { origin, text };
}

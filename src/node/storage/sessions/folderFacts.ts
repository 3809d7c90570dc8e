/**
 * Recognises the folder in which sessions were started, after it was renamed, moved, cloned again, or opened together with
 * others. Only facts are compared: no folder but the window's own is read.
 */

import { access, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { readBounded } from '../../files/checkedFiles.ts';
import type { FolderFacts } from './pointerIndex.ts';

const LARGEST_CONFIG = 256 * 1024;

export async function readFolderFacts(path: string): Promise<FolderFacts> {
  return { path, id: await idOf(path), origin: await originOf(path) };
}

/** `theirs` are the folders of a window with sessions, `here` those of this one. */
export async function areKin(theirs: readonly FolderFacts[], here: readonly FolderFacts[]): Promise<boolean> {
  for (const own of here)
    for (const { path, id, origin } of theirs) {
      if (path === own.path || (id !== null && id === own.id)) return true;
      // Two clones next to each other are two folders; a clone that replaced another is the same.
      if (origin !== null && origin === own.origin && !(await isThere(path))) return true;
    }
  return false;
}

export function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/** The number of a deleted folder is reused, so its creation time is included. */
async function idOf(path: string): Promise<string | null> {
  try {
    const { ino, birthtimeNs } = await stat(path, { bigint: true });
    return ino > 0n && birthtimeNs > 0n ? `${ino}-${birthtimeNs}` : null;
  } catch {
    // A missing folder has none.
    return null;
  }
}

async function originOf(path: string): Promise<string | null> {
  try {
    const read = await readBounded(join(path, '.git', 'config'), LARGEST_CONFIG);
    if (typeof read === 'string') return null;
    const [, section = ''] = read.toString('utf8').split(/^\s*\[remote "origin"\]\s*$/m);
    const url = /^\s*url\s*=\s*(\S+)\s*$/m.exec(section.split(/^\s*\[/m)[0] ?? '')?.[1];
    return url === undefined ? null : url.replace(/^(\w+:\/\/)[^/@]*@/, '$1');
  } catch {
    // No repository, or one of another form.
    return null;
  }
}

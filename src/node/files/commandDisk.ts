/** Finds what a command that only reads would meet on this disk: secrets, names, programs of the workspace, repositories. */

import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { CommandDisk } from '../../core/tools/commands/commandDisk.ts';
import { words } from '../../core/words.ts';
import { findProgram, type System } from '../shell/findProgram.ts';
import { openDenied } from './deniedFolders.ts';
import { findSecret, listNames } from './findSecret.ts';
import { isInside } from './inside.ts';
import { inspectRepository } from './inspectRepository.ts';
import type { GitOptions } from './openGit.ts';

const MOST_MS = 5_000;

export function openCommandDisk({
  folders,
  denied,
  environment,
  git,
  system,
}: GitOptions & { readonly system: System }): CommandDisk {
  return {
    async secretUnder(folder, hidden) {
      const ours = await openDenied(denied);
      return findSecret(folder, hidden, (real) => ours.holdsFolder(real));
    },
    expand: expandPattern,
    async repository(folder) {
      const program = await git();
      if (program === null) return { fault: words('git is not installed.'), top: null, secret: null };
      return inspectRepository(
        { git: program, folder, environment },
        { folders, denied },
        AbortSignal.timeout(MOST_MS),
      );
    },
    async isForeign(name, folder) {
      const found = findProgram(name, folder, system);
      if (found === null) return false;
      const real = await realpath(found);
      const roots = await Promise.all(folders.map((each) => realpath(each)));
      return [found, real].some((path) => [...folders, ...roots].some((root) => isInside(path, root)));
    },
  };
}

/** More names than that are a question. */
const MOST_EXPANDED = 150;

/** Names in any case match, and `**` matches folders at any depth, since some shells are set to do so. */
async function expandPattern(pattern: string, folder: string): Promise<readonly string[] | null> {
  const [first = '', ...rest] = pattern.split(/(?<=\/)/u);
  let found = [''];
  for (const part of [first, ...rest]) {
    const next = part.includes('**') ? await listFolders(found, folder) : found;
    if (next === null) return null;
    found = part.search(/[*?]/u) < 0 ? next.map((path) => path + part) : await matchNames(part, next, folder);
    if (found.includes(LINK) || found.length > MOST_EXPANDED) return null;
  }
  return found;
}

/** In place of a name: a link where a folder is meant. */
const LINK = '\0';

async function matchNames(part: string, places: readonly string[], folder: string): Promise<string[]> {
  const isLast = !part.endsWith('/');
  const name = isLast ? part : part.slice(0, -1);
  const source = name
    .replace(/[.+^${}()|[\]\\]/gu, '\\$&')
    .replace(/\*+/gu, '.*')
    .replaceAll('?', '.');
  const matches = new RegExp(`^${source}$`, 'iu');
  const found: string[] = [];
  for (const place of places) {
    for (const entry of await listNames(resolve(folder, place))) {
      if (!matches.test(entry.name) || (entry.name.startsWith('.') && !name.startsWith('.'))) continue;
      if (isLast) found.push(place + entry.name);
      else if (entry.isSymbolicLink()) found.push(LINK);
      else if (entry.isDirectory()) found.push(`${place}${entry.name}/`);
    }
  }
  return found;
}

/** The same folders and all below them; null if there are too many. */
async function listFolders(places: readonly string[], folder: string): Promise<string[] | null> {
  const all = [...places];
  for (const place of all) {
    for (const entry of await listNames(resolve(folder, place))) {
      if (entry.isDirectory() && !entry.name.startsWith('.')) all.push(`${place}${entry.name}/`);
    }
    if (all.length > MOST_EXPANDED) return null;
  }
  return all;
}

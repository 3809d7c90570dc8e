/** Finds what a command that only reads would meet on this disk: secrets, programs of the workspace, armed repositories. */

import { readdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { isSystemError } from '../../core/errors.ts';
import { isSecretName } from '../../core/mentions/locateMention.ts';
import type { CommandDisk } from '../../core/tools/commands/knowCommand.ts';
import { words } from '../../core/words.ts';
import { findProgram, type System } from '../shell/findProgram.ts';
import { inspectRepository } from './inspectRepository.ts';
import type { GitOptions } from './openGit.ts';
import { isInside } from './pathGuard.ts';

/** Names looked at in one search. */
const MOST_NAMES = 20_000;
const MOST_MS = 5_000;

/** Its files are published. */
const PACKAGES = 'node_modules';

export function openCommandDisk({
  folders,
  environment,
  git,
  system,
}: Pick<GitOptions, 'folders' | 'environment' | 'git'> & { readonly system: System }): CommandDisk {
  return {
    secretUnder: findSecret,
    async repository(folder) {
      const program = await git();
      if (program === null) return { fault: words('git is not installed.'), top: null, secret: null };
      return inspectRepository({ git: program, folder, environment }, AbortSignal.timeout(MOST_MS));
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

async function findSecret(top: string, hidden: boolean): ReturnType<CommandDisk['secretUnder']> {
  const waiting = [top];
  let seen = 0;
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    const entries = await readdir(folder, { withFileTypes: true }).catch((thrown: unknown) => {
      // A folder that cannot be read here cannot be read by the command.
      if (isSystemError(thrown)) return [];
      throw thrown;
    });
    seen += entries.length;
    if (seen > MOST_NAMES) return 'tooMany';
    for (const entry of entries) {
      if (entry.name.startsWith('.') && !hidden) continue;
      const path = join(folder, entry.name);
      const isFolder = entry.isDirectory();
      // The inside of a repository holds addresses with passwords.
      if (isFolder ? entry.name === '.git' : isSecretName(path)) return { name: path.slice(top.length + 1) };
      if (isFolder && entry.name !== PACKAGES) waiting.push(path);
    }
  }
  return null;
}

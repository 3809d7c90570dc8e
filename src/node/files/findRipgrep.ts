/**
 * Finds ripgrep. VS Code ships it, also on remote hosts, in places that moved between versions. PATH comes last, and
 * never an entry inside the workspace, where somebody could have planted one.
 */

import { constants } from 'node:fs';
import { access, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { entriesOf } from '../shell/findProgram.ts';
import { isInside } from './inside.ts';

interface RipgrepPlaces {
  /** VS Code's own folder (`env.appRoot`). */
  readonly appRoot: string;
  /** The environment's PATH. */
  readonly path: string;
  readonly workspaceFolders: readonly string[];
}

/** Null if there is none. */
export async function findRipgrep({ appRoot, path, workspaceFolders }: RipgrepPlaces): Promise<string | null> {
  const name = process.platform === 'win32' ? 'rg.exe' : 'rg';
  const modules = ['node_modules', 'node_modules.asar.unpacked'].map((folder) => join(appRoot, folder, '@vscode'));
  const target = `${process.platform}-${process.arch}`;
  const candidates = [
    ...modules.map((folder) => join(folder, 'ripgrep-universal', 'bin', target, name)),
    ...modules.map((folder) => join(folder, `ripgrep-${target}`, 'bin', name)),
    ...modules.map((folder) => join(folder, 'ripgrep', 'bin', name)),
  ];
  return (await firstOutside(candidates, workspaceFolders)) ?? findOnPath('rg', { path, workspaceFolders });
}

/** A program on the PATH, `program` without `.exe`. Null if there is none outside the workspace. */
export async function findOnPath(
  program: string,
  { path, workspaceFolders }: Pick<RipgrepPlaces, 'path' | 'workspaceFolders'>,
): Promise<string | null> {
  const name = process.platform === 'win32' ? `${program}.exe` : program;
  return firstOutside(
    entriesOf(path, process.platform).map(({ folder }) => join(folder, name)),
    workspaceFolders,
  );
}

async function firstOutside(
  candidates: readonly string[],
  workspaceFolders: readonly string[],
): Promise<string | null> {
  for (const candidate of candidates) {
    const real = await executableAt(candidate);
    if (real !== null && !workspaceFolders.some((folder) => isInside(real, folder) || isInside(candidate, folder))) {
      return real;
    }
  }
  return null;
}

async function executableAt(path: string): Promise<string | null> {
  try {
    await access(path, constants.X_OK);
    const real = await realpath(path);
    return (await stat(real)).isFile() ? real : null;
  } catch (thrown) {
    // Missing, or not executable: try the next place.
    if (thrown instanceof Error && 'code' in thrown) return null;
    throw thrown;
  }
}

/** Says what a machine lacks and how to get it. On Debian, as root, it is installed instead. */

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** Something outside npm is missing. The message names it and says how to get it. */
export class MissingError extends Error {
  override readonly name = 'MissingError';
}

export interface SystemNeed {
  readonly name: string;
  readonly debianPackages: readonly string[];
  /** How to get it on any system. */
  readonly advice: string;
  isPresent(): boolean;
}

/**
 * Installs what is missing with apt-get if this process may, and otherwise throws a `MissingError` that names all of
 * it.
 */
export function provideSystemNeeds(needs: readonly SystemNeed[]): void {
  const absent = needs.filter((need) => !need.isPresent());
  if (absent.length === 0) return;
  if (existsSync('/usr/bin/apt-get') && process.getuid?.() === 0) {
    const packages = absent.flatMap((need) => need.debianPackages);
    console.log(`installing ${packages.join(' ')} with apt-get`);
    aptGet('update', '-qq');
    aptGet('install', '-y', '-qq', '--no-install-recommends', ...packages);
  }
  const left = absent.filter((need) => !need.isPresent());
  if (left.length > 0)
    throw new MissingError(left.map(({ name, advice }) => `${name} is missing: ${advice}`).join('\n'));
}

export function isInPath(command: string): boolean {
  return spawnSync('which', [command], { stdio: 'ignore' }).status === 0;
}

function aptGet(...words: string[]): void {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  // Another installation may hold the lock for a while.
  const { status, stderr } = spawnSync('apt-get', ['-o', 'DPkg::Lock::Timeout=300', ...words], {
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  if (status !== 0) throw new MissingError(`apt-get ${words.join(' ')} failed:\n${stderr.trim()}`);
}

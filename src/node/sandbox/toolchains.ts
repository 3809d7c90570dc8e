/**
 * Parts of hidden folders that a command in the sandbox sees all the same: toolchains of the home, and each folder of the PATH
 * wherever it lies, with the libraries beside it and the links that lead to it. All of it can only be read.
 */

import { lstat, readlink, realpath, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { isSystemError } from '../../core/errors.ts';
import { isInside } from '../files/inside.ts';

/** Folders of a home with programs and their libraries, and what was downloaded for them. No credentials lie there. */
const TOOLCHAINS = [
  '.cargo/bin',
  '.cargo/registry',
  '.cargo/git',
  '.rustup',
  '.nvm/versions',
  '.volta/bin',
  '.volta/tools',
  '.fnm',
  '.pyenv',
  '.rbenv',
  '.asdf',
  '.sdkman/candidates',
  '.bun/bin',
  '.deno/bin',
  '.ghcup',
  '.juliaup',
  '.jenv',
  '.goenv',
  '.local/bin',
  '.local/lib',
  '.local/pipx',
  '.local/share/pnpm',
  '.local/share/mise',
  '.local/share/fnm',
  'go/bin',
  'go/pkg',
  'sdk',
  'miniconda3',
  'anaconda3',
  'miniforge3',
  '.m2/repository',
  '.gradle/caches',
  '.npm/_cacache',
  '.cache/pip',
  '.cache/uv',
  '.cache/yarn',
  '.cache/ms-playwright',
  '.cache/go-build',
  '.nuget/packages',
];

/** Beside a `bin` with programs. */
const BESIDE = ['bin', 'sbin', 'lib', 'lib32', 'lib64', 'libexec', 'include', 'opt', 'Cellar', 'Frameworks'];
/** Credentials lie there in a home's `.local`. */
const SHARE = 'share';
/** Only Homebrew's, which has its certificates there. */
const ETC = 'etc';
const HOMEBREW = 'Cellar';

export interface Toolchains {
  /** Real paths. */
  readonly shown: readonly string[];
  /** Links in hidden folders on the way to one of the PATH: where, and what it says. */
  readonly links: ReadonlyMap<string, string>;
}

export interface ToolchainPlaces {
  /** Real path. */
  readonly home: string;
  /** Folders of the PATH. */
  readonly searched: readonly string[];
  /** Real paths of folders that are hidden. */
  readonly hidden: readonly string[];
  /** Real paths of the open folders: what lies there can be changed by a command. */
  readonly folders: readonly string[];
  /** WSL: drives of Windows, with programs that no sandbox holds. */
  readonly windowsDrives: boolean;
}

const WINDOWS_DRIVE = /^\/mnt\/[a-z](?:\/|$)/u;
const MOST_LINKS = 40;

/** Looks at the disk. What is not there is left out. */
export async function findToolchains(places: ToolchainPlaces): Promise<Toolchains> {
  const { home, hidden, folders, windowsDrives } = places;
  const links = new Map<string, string>();
  const shown = new Set<string>();
  const isHidden = (path: string) => hidden.some((each) => isInside(path, each));
  const mayShow = (path: string) =>
    isAbsolute(path) &&
    !(windowsDrives && WINDOWS_DRIVE.test(path)) &&
    !hidden.includes(path) &&
    path !== home &&
    !folders.some((folder) => isInside(path, folder) || isInside(folder, path));

  const own = await Promise.all(TOOLCHAINS.map((name) => realPath(join(home, name))));
  for (const path of own) if (path !== null && mayShow(path)) shown.add(path);
  for (const searched of places.searched) {
    if (!mayShow(searched)) continue;
    const way = await followParts(searched);
    if (way === null || !mayShow(way.end) || way.links.some(([link]) => folders.some((each) => isInside(link, each))))
      continue;
    for (const [link, target] of way.links) if (isHidden(link)) links.set(link, target);
    if (!isHidden(way.end)) continue;
    for (const path of await withLibraries(way.end, places)) if (mayShow(path)) shown.add(path);
  }
  const paths = [...shown];
  const isShown = (path: string) => paths.some((each) => isInside(path, each));
  return {
    shown: paths.filter((path) => !paths.some((other) => other !== path && isInside(path, other))),
    links: new Map([...links].filter(([link]) => !isShown(link))),
  };
}

/** The folder itself, and what its programs need beside it. */
async function withLibraries(folder: string, { home, hidden }: ToolchainPlaces): Promise<readonly string[]> {
  if (!/^s?bin$/u.test(basename(folder))) return [folder];
  const prefix = dirname(folder);
  if (prefix === home || hidden.includes(prefix) || hidden.includes(dirname(prefix))) {
    return prefix !== home && (await isThere(join(prefix, HOMEBREW))) ? beside(prefix) : [folder];
  }
  if (!isInside(prefix, home)) return beside(prefix);
  // Programs that lie deep have their libraries beside them; `.cargo/bin` has a token beside it.
  return prefix.slice(home.length + 1).split('/').length > 2 ? [prefix] : [folder];
}

async function beside(prefix: string): Promise<readonly string[]> {
  const isHomebrew = await isThere(join(prefix, HOMEBREW));
  const names = [...BESIDE, ...(basename(prefix) === '.local' ? [] : [SHARE]), ...(isHomebrew ? [ETC] : [])];
  const found = await Promise.all(names.map((name) => realPath(join(prefix, name))));
  return found.filter((path) => path !== null);
}

const isThere = async (path: string) => (await realPath(path)) !== null;

async function realPath(path: string): Promise<string | null> {
  try {
    return await realpath(path);
  } catch (thrown) {
    if (isSystemError(thrown)) return null;
    throw thrown;
  }
}

interface Way {
  /** Real path of a folder. */
  readonly end: string;
  readonly links: readonly (readonly [link: string, target: string])[];
}

/** Goes along the path and notes every link on it. Null where it leads to no folder. */
async function followParts(path: string): Promise<Way | null> {
  const links: [string, string][] = [];
  const waiting = resolve(path).split('/').filter(Boolean);
  let at = '/';
  try {
    for (let part = waiting.shift(); part !== undefined; part = waiting.shift()) {
      const next = resolve(at, part);
      if (!(await lstat(next)).isSymbolicLink()) {
        at = next;
        continue;
      }
      const target = await readlink(next);
      links.push([next, target]);
      if (links.length > MOST_LINKS) return null;
      if (isAbsolute(target)) at = '/';
      waiting.unshift(...target.split('/').filter((each) => each !== '' && each !== '.'));
    }
    return (await stat(at)).isDirectory() ? { end: at, links } : null;
  } catch (thrown) {
    if (isSystemError(thrown)) return null;
    throw thrown;
  }
}

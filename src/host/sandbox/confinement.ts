/**
 * The walls around one command, as bubblewrap and as macOS's Seatbelt want to be told of them: nothing can be written but
 * the open folders and a temporary one, guarded names in them can only be read, a home shows only its toolchains, and
 * there is no network, no other process and no socket. Pure.
 */

import { dirname, join } from 'node:path';
import { isInside } from '../files/pathGuard.ts';

export interface Confinement {
  /** Real paths of the open folders. */
  readonly folders: readonly string[];
  /** Real paths in them that may only be read, and the folders between, which must keep their names. */
  readonly readOnly: readonly string[];
  readonly pinned: readonly string[];
  /** Real paths of folders that are replaced by empty ones: homes and places of sockets. */
  readonly hidden: readonly string[];
  /** The same for temporary folders, which can be written to. */
  readonly temporary: readonly string[];
  /** Real paths within hidden folders that can be read all the same. */
  readonly shown: readonly string[];
  /** Real paths of folders of the product and of the editor that nothing may show. */
  readonly denied: readonly string[];
}

/** The options of `bwrap`, without the command, which follows. */
export function bubblewrapArguments(confinement: Confinement, workingFolder: string): string[] {
  const { folders, readOnly, pinned, temporary, shown, denied } = confinement;
  const hidden = [...confinement.hidden, ...temporary];
  const inOrder = (paths: readonly string[]) => [...new Set(paths)].sort((one, other) => one.length - other.length);
  const within: [path: string, words: string[]][] = [
    ...inOrder(pinned).map((path): [string, string[]] => [path, ['--bind', path, path]]),
    ...inOrder(readOnly).map((path): [string, string[]] => [path, ['--ro-bind', path, path]]),
  ];
  return [
    '--unshare-all',
    '--die-with-parent',
    '--new-session',
    '--cap-drop',
    'ALL',
    '--ro-bind',
    '/',
    '/',
    '--dev',
    '/dev',
    '--proc',
    '/proc',
    ...inOrder(hidden).flatMap((path) => ['--tmpfs', path]),
    ...inOrder(shown).flatMap((path) => ['--ro-bind-try', path, path]),
    ...inOrder(folders).flatMap((path) => ['--bind', path, path]),
    // A guarded name is a mount of its own, so it can be neither changed nor moved; a folder above it can be changed.
    ...within.sort(([one], [other]) => one.length - other.length).flatMap(([, words]) => words),
    ...inOrder(denied)
      .filter((path) => !hidden.some((each) => isInside(path, each)) || isShown(path, [...shown, ...folders]))
      .flatMap((path) => ['--tmpfs', path]),
    // Nothing is written there only to vanish.
    ...inOrder(confinement.hidden)
      .filter((path) => !temporary.includes(path))
      .flatMap((path) => ['--remount-ro', path]),
    '--chdir',
    workingFolder,
  ];
}

const isShown = (path: string, shown: readonly string[]) => shown.some((each) => isInside(path, each));

/**
 * Closes what an editor left open, opens the filter, and becomes `bwrap`. Its arguments: the filter in base64, the
 * program and its own arguments.
 */
export const LAUNCHER =
  'cd /proc/self/fd; for _n in *; do [ "$_n" -gt 2 ] && eval "exec $_n>&-"; done; cd /\n' +
  'unset _n; exec 9< <(/usr/bin/base64 -d <<< "$1") && shift && exec "$@"';

/** The descriptor of the filter in the launcher. */
export const FILTER_DESCRIPTOR = '9';

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

/** Paths in a home that a command needs: toolchains, and folders in which it looks for programs. */
export function toolchainsOf(home: string, searched: readonly string[]): string[] {
  const programs = searched
    .filter((path) => isInside(path, home) && path !== home)
    .map((path) => {
      // Programs that lie deep have their libraries beside them; `.cargo/bin` has a token beside it.
      const depth = path.slice(home.length + 1).split('/').length;
      return /\/s?bin$/.test(path) && depth > 3 ? dirname(path) : path;
    });
  return [...new Set([...TOOLCHAINS.map((name) => join(home, name)), ...programs])];
}

/** Services of the system that ordinary programs of the command line ask. */
const SERVICES = [
  'com.apple.system.opendirectoryd.libinfo',
  'com.apple.system.opendirectoryd.membership',
  'com.apple.system.notification_center',
  'com.apple.system.logger',
  'com.apple.logd',
  'com.apple.bsd.dirhelper',
  'com.apple.CoreServices.coreservicesd',
];

/**
 * A profile for `sandbox-exec`: everything is denied but what is listed, and the last rule that fits decides. `own` is the
 * real path of the command's own temporary folder.
 */
export function writeProfile(confinement: Confinement, own: string): string {
  const { folders, readOnly, pinned, shown, denied } = confinement;
  const hidden = [...confinement.hidden, ...confinement.temporary];
  const subpaths = (paths: readonly string[]) => paths.map((path) => `(subpath ${quote(path)})`).join(' ');
  const literals = (paths: readonly string[]) => paths.map((path) => `(literal ${quote(path)})`).join(' ');
  const rule = (words: string, paths: string) => (paths === '' ? [] : [`(${words} ${paths})`]);
  return [
    '(version 1)',
    '(deny default)',
    '(allow process-fork) (allow process-exec)',
    '(allow signal (target same-sandbox)) (allow process-info* (target same-sandbox))',
    '(allow sysctl-read) (allow system-socket (require-all (socket-domain AF_SYSTEM)))',
    `(allow mach-lookup ${SERVICES.map((name) => `(global-name ${quote(name)})`).join(' ')})`,
    '(allow ipc-posix-sem) (allow pseudo-tty)',
    '(allow file-read*)',
    ...rule('deny file-read*', subpaths(hidden)),
    // Programs look at the folders above those in which they work.
    ...rule('allow file-read-metadata', subpaths(hidden)),
    ...rule('allow file-read*', subpaths([...shown, ...folders, own])),
    ...rule('allow file-write*', subpaths([...folders, own])),
    '(allow file-write* (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty") (literal "/dev/dtracehelper"))',
    ...rule('deny file-write*', subpaths(readOnly)),
    // A folder above a guarded name keeps its own name.
    ...rule('deny file-write-unlink', literals([...folders, ...pinned])),
    '(deny file-write-setugid)',
    ...rule('deny file-read* file-write*', subpaths(denied)),
    '(deny network*)',
  ].join('\n');
}

const quote = (path: string) => `"${path.replace(/["\\]/g, '\\$&')}"`;

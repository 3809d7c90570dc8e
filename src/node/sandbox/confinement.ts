/**
 * The walls around one command, as bubblewrap and as macOS's Seatbelt want to be told of them: nothing can be written but
 * the open folders and a temporary one, guarded names in them can only be read, a home shows only its toolchains, and
 * there is no network, no other process and no socket. Pure.
 */

import { isInside } from '../files/inside.ts';
import { bytesOf, type PathBytes, textOf } from './guardedWalk.ts';

export interface Confinement {
  /** Real paths of the open folders. */
  readonly folders: readonly string[];
  /** Whether they can be written to. */
  readonly writes: boolean;
  /** Real paths in them that may only be read, and the folders between, which must keep their names. */
  readonly readOnly: readonly PathBytes[];
  readonly pinned: readonly PathBytes[];
  /** Real paths of folders that are replaced by empty ones: homes and places of sockets. */
  readonly hidden: readonly string[];
  /** The same for temporary folders, which can be written to. */
  readonly temporary: readonly string[];
  /** Real paths within hidden folders that can be read all the same. */
  readonly shown: readonly string[];
  /** Links within hidden folders: where, and what they say. */
  readonly links: ReadonlyMap<string, string>;
  /** Real paths of folders of the product and of the editor that nothing may show. */
  readonly denied: readonly string[];
}

/** The options of `bwrap`, without the command, in `latin1`: names of files need not be valid UTF-8. */
export function bubblewrapArguments(confinement: Confinement, workingFolder: string): string[] {
  const { folders, writes, readOnly, pinned, temporary, shown, links, denied } = confinement;
  const hidden = [...confinement.hidden, ...temporary];
  const inOrder = <T extends string>(paths: readonly T[]) =>
    [...new Set(paths)].sort((one, other) => one.length - other.length);
  const mount = (option: string) => (path: string) => [option, bytesOf(path), bytesOf(path)];
  const within: [path: PathBytes, option: string][] = [
    ...inOrder(pinned).map((path): [PathBytes, string] => [path, '--bind']),
    ...inOrder(readOnly).map((path): [PathBytes, string] => [path, '--ro-bind']),
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
    ...inOrder(hidden).flatMap((path) => ['--tmpfs', bytesOf(path)]),
    ...inOrder(shown).flatMap(mount('--ro-bind-try')),
    ...[...links].flatMap(([link, target]) => ['--symlink', bytesOf(target), bytesOf(link)]),
    ...inOrder(folders).flatMap(mount(writes ? '--bind' : '--ro-bind')),
    // A guarded name is a mount of its own, so it can be neither changed nor moved; a folder above it can be changed.
    ...within.sort(([one], [other]) => one.length - other.length).flatMap(([path, option]) => [option, path, path]),
    ...inOrder(denied)
      .filter((path) => !hidden.some((each) => isInside(path, each)) || isShown(path, [...shown, ...folders]))
      .flatMap((path) => ['--tmpfs', bytesOf(path)]),
    // Nothing is written there only to vanish.
    ...inOrder(confinement.hidden)
      .filter((path) => !temporary.includes(path))
      .flatMap((path) => ['--remount-ro', bytesOf(path)]),
    '--chdir',
    bytesOf(workingFolder),
  ];
}

const isShown = (path: string, shown: readonly string[]) => shown.some((each) => isInside(path, each));

/** Descriptors between the host and `bwrap`, right after the usual three. */
export const DESCRIPTORS = {
  /** It says its process id there. */
  info: 3,
  /** The command begins when something can be read there. */
  begin: 4,
  /** Its options, each ended by a zero byte. */
  options: 5,
  /** The filter of system calls, opened by the launcher. */
  filter: 9,
} as const;

/**
 * Closes what an editor left open, opens the filter, and becomes `bwrap`. Its arguments: the filter in base64, the
 * program and its own arguments.
 */
export const LAUNCHER =
  `cd /proc/self/fd; for _n in *; do [ "$_n" -gt ${DESCRIPTORS.options} ] && eval "exec $_n>&-"; done; cd /\n` +
  `unset _n; exec ${DESCRIPTORS.filter}< <(/usr/bin/base64 -d <<< "$1") && shift && exec "$@"`;

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
  const { folders, writes, readOnly, pinned, shown, denied } = confinement;
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
    ...rule('allow file-write*', subpaths([...(writes ? folders : []), own])),
    '(allow file-write* (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty") (literal "/dev/dtracehelper"))',
    ...rule('deny file-write*', subpaths(readOnly.map(textOf))),
    // A folder above a guarded name keeps its own name.
    ...rule('deny file-write-unlink', literals([...folders, ...pinned.map(textOf)])),
    '(deny file-write-setugid)',
    ...rule('deny file-read* file-write*', subpaths(denied)),
    '(deny network*)',
  ].join('\n');
}

const quote = (path: string) => `"${path.replace(/["\\]/g, '\\$&')}"`;

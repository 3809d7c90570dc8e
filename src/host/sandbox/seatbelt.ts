/**
 * The profile of macOS's sandbox for one command, with the meaning of `bubblewrap.ts`: everything is denied but what is
 * listed. Pure.
 */

import type { Confinement } from './bubblewrap.ts';

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

/** `own` is the real path of the command's own temporary folder. The last rule that fits decides. */
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

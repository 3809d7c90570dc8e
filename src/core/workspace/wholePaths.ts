/**
 * Whole paths as the shells and programs of a machine print them, read as paths of its system: `/c/Users` is Git Bash's,
 * `/cygdrive/c/Users` Cygwin's, `/mnt/c/Users` WSL's for `C:\Users`, which programs also print as `\\?\C:\Users` and
 * `file:///c:/Users`. Pure.
 */

const WHOLE = /^(?:[\\/]|[a-z]:[\\/]|file:)/i;

/** It begins at a root, in any of these forms. */
export const isWholePath = (path: string): boolean => WHOLE.test(path);

/** A drive, then what lies on it. */
const ON_DRIVE = /^(?:([a-z]):|\/(?:mnt\/|(?:proc\/)?cygdrive\/)?([a-z]):?)(?:\/(.*))?$/is;

/** Before paths that Windows takes as they are; before those of a network with one more name. */
const AS_IS = /^\/\/\?\/(?:(unc)\/|(?=[a-z]:\/))/i;

/**
 * The paths of this system that a path may stand for, likeliest first, with forward slashes; on Windows one may begin at
 * the root of a drive that it does not name. Empty where the path is not whole, or stands for no place of this system. What
 * may be read is not decided here.
 */
export function wholePaths(path: string, windows: boolean): readonly string[] {
  if (!isWholePath(path)) return [];
  const isUrl = /^file:/i.test(path);
  // Elsewhere a backslash is part of a name, but not in a path that begins as only those of Windows do.
  const hasBackslashes = windows || /^(?:[a-z]:)?\\/i.test(path);
  const slashed = isUrl ? pathOfUrl(path) : hasBackslashes ? path.replaceAll('\\', '/') : path;
  if (slashed === null) return [];
  const [begin = '', network] = AS_IS.exec(slashed) ?? [];
  const named = `${network ? '//' : ''}${slashed.slice(begin.length)}`;
  // Of Windows and its network, or a name of its own with a backslash.
  const isForeign = !windows && (slashed === path ? begin !== '' : !isUrl || named.startsWith('//'));
  const [onDrive, drive, mounted, rest = ''] = ON_DRIVE.exec(named) ?? [];
  const letter = drive ?? (isForeign ? undefined : mounted);
  const own = named.startsWith('/') && !isForeign ? [named] : [];
  if (onDrive === undefined || letter === undefined) return windows ? [named, ...otherNameOfLinux(named)] : own;
  if (windows) return [`${letter.toUpperCase()}:/${rest}`, ...(begin === '' ? own : [])];
  return [...new Set([...own, ...['/mnt/', '/'].map((at) => `${at}${letter.toLowerCase()}/${rest}`)])];
}

/** The Linux systems beside Windows are one server of two names. */
function otherNameOfLinux(path: string): readonly string[] {
  const [begin = '', name] = /^\/\/(wsl\$|wsl\.localhost)(?=\/)/i.exec(path) ?? [];
  if (name === undefined) return [];
  return [`//${name.endsWith('$') ? 'wsl.localhost' : 'wsl$'}${path.slice(begin.length)}`];
}

/** Null for an address that names no path. With another host, the path begins with that as one of the network does. */
function pathOfUrl(url: string): string | null {
  const [, host = '', path] = /^file:(?:\/\/([^/\\]*))?([/\\].*)$/is.exec(url) ?? [];
  // An encoded slash is none.
  if (path === undefined || /%(?:2f|5c|00)/i.test(path)) return null;
  const begin = host === '' || host.toLowerCase() === 'localhost' ? '' : `//${host}`;
  try {
    return begin + decodeURIComponent(path);
  } catch {
    // It was not encoded.
    return begin + path;
  }
}

/** A path as Git Bash reads it, as Windows names it; null for one of its own folders, such as `/tmp`. */
export function readGitBashPath(path: string): string | null {
  if (!path.startsWith('/')) return path;
  const [, letter, rest = ''] = /^\/([a-z])(?:\/+(.*))?$/is.exec(path) ?? [];
  return letter === undefined ? null : `${letter.toUpperCase()}:/${rest}`;
}

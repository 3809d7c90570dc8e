/**
 * Finds a program as the system would by its name. The system is a parameter, so that each can be examined on any other.
 * Pure except for `exists`.
 */

import { posix, win32 } from 'node:path';

export interface System {
  readonly platform: NodeJS.Platform;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly exists: (path: string) => boolean;
}

/** Windows names variables in any case. */
export function readVariable({ platform, environment }: System, name: string): string | undefined {
  if (platform !== 'win32') return environment[name];
  const found = Object.keys(environment).find((each) => each.toUpperCase() === name.toUpperCase());
  return found === undefined ? undefined : environment[found];
}

/** The absolute folders of the PATH. */
export function readPath(system: System): readonly string[] {
  return entriesOf(readVariable(system, 'PATH') ?? '', system.platform).map(({ folder }) => folder);
}

/** The absolute entries of a PATH, each as it is written and as the folder that it means. An empty one would be the current folder. */
export function entriesOf(
  path: string,
  platform: NodeJS.Platform,
): readonly { readonly written: string; readonly folder: string }[] {
  const windows = platform === 'win32';
  // On Windows a semicolon between quotes belongs to a name.
  const all = windows ? (path.match(/(?:"[^"]*"|[^;])+/g) ?? []) : path.split(posix.delimiter);
  return (
    all
      .map((entry) => ({ entry, folder: windows ? entry.replaceAll('"', '') : entry }))
      // A quote alone would hide the entries behind it.
      .map(({ entry, folder }) => ({ written: entry.split('"').length % 2 === 0 ? folder : entry, folder }))
      .filter(({ folder }) => (windows ? win32 : posix).isAbsolute(folder))
  );
}

/** Its absolute path; null if there is none. A name with a folder in it is resolved from `folder`. */
export function findProgram(name: string, folder: string, system: System): string | null {
  const windows = system.platform === 'win32';
  const { join, resolve } = windows ? win32 : posix;
  const named = (windows ? /[\\/:]/ : /\//).test(name);
  const places = named ? [resolve(folder, name)] : readPath(system).map((each) => join(each, name));
  const found = places.flatMap((place) => endings(place, system).map((ending) => place + ending));
  return found.find(system.exists) ?? null;
}

/** On Windows a name without an executable extension means the first file that has one. */
function endings(path: string, system: System): readonly string[] {
  if (system.platform !== 'win32') return [''];
  const known = (readVariable(system, 'PATHEXT') ?? '.COM;.EXE;.BAT;.CMD').toLowerCase().split(';').filter(Boolean);
  return known.includes(win32.extname(path).toLowerCase()) ? ['', ...known] : known;
}

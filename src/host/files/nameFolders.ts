/**
 * Gives each workspace folder a name that one segment of a path can be, and that no other has: with several folders the
 * name is what tells their files apart, and in a workspace file anything may stand as one. Pure.
 */

export interface NamedFolder {
  readonly name: string;
  readonly path: string;
}

export function nameFolders(folders: readonly NamedFolder[]): NamedFolder[] {
  const used = new Set<string>();
  return folders.map(({ name, path }) => {
    const wanted = name.replace(/[\p{C}\\/:]/gu, '-').replace(/[. ]+$/u, '') || 'folder';
    let unique = wanted;
    // Upper and lower case may mean one file, so they are one here.
    for (let n = 2; used.has(unique.toLowerCase()); n++) unique = `${wanted}-${n}`;
    used.add(unique.toLowerCase());
    return { name: unique, path };
  });
}

/**
 * Gives each workspace folder a unique name that is one segment of a path. With several folders that name distinguishes
 * their files, and a workspace file may contain any text as a name. Pure.
 */

export interface NamedFolder {
  readonly name: string;
  readonly path: string;
}

export function nameFolders(folders: readonly NamedFolder[]): NamedFolder[] {
  const used = new Set<string>();
  return folders.map(({ name, path }) => {
    const wanted = name.replace(/[\p{C}\\/:]/gu, '-').replace(/(?<![. ])[. ]+$/u, '') || 'folder';
    let unique = wanted;
    // Names that differ only in case may be one file, so they count as one here.
    for (let n = 2; used.has(unique.toLowerCase()); n++) unique = `${wanted}-${n}`;
    used.add(unique.toLowerCase());
    return { name: unique, path };
  });
}

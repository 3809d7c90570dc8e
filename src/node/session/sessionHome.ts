/**
 * The folders of a window's sessions: the one of new sessions, and those that it goes on with, because its workspace had them
 * in a place that was chosen before, or because a person agreed. Pointers are stored with the sessions, so that both have the
 * same lifetime.
 */

import {
  type FolderFacts,
  readAdopted,
  rememberSessions,
  sessionsFolder,
  sessionsFolderIn,
} from '../storage/sessions/pointerIndex.ts';

export interface SessionHome {
  /** The folder of new sessions. */
  readonly folder: string;
  /** The folders with pointers, that of new sessions first. */
  readonly roots: readonly string[];
  /** The other folders of sessions that it goes on with. */
  readonly adopted: () => readonly string[];
  /** Goes on with the sessions of these folders. With none it learns what other windows on this workspace agreed to. */
  readonly adopt: (folders: readonly string[]) => Promise<void>;
}

interface Parts {
  /** Where a person wants sessions; null for the editor's storage. */
  readonly chosen: string | null;
  /** Where a person wanted them before, in any order. */
  readonly earlier: readonly string[];
  /** The workspace's storage as the editor gave it; null when no folder is open. */
  readonly storage: string | null;
  readonly globalStorage: string;
  readonly workspace: () => string | null;
  /** The folders of this window. */
  readonly here: () => readonly FolderFacts[];
}

export async function openSessionHome(parts: Parts): Promise<SessionHome> {
  const { chosen, earlier, storage, globalStorage, workspace, here } = parts;
  const [own, ...others] = [...new Set([chosen, ...earlier, null])].map((root) => ({
    root: root ?? globalStorage,
    folder: root === null ? sessionsFolder(storage, globalStorage) : sessionsFolderIn(root, storage),
  }));
  if (!own) throw new Error('There is always a place for sessions.');
  const { root, folder } = own;
  const continued = async (before: readonly string[]): Promise<string[]> => {
    const agreed = await Promise.all([own, ...others].map((each) => readAdopted(each.root, each.folder)));
    const folders = new Set([...others.map((each) => each.folder), ...before, ...agreed.flat()]);
    folders.delete(folder);
    return [...folders];
  };
  let adopted = await continued([]);
  return {
    folder,
    roots: [root, ...others.map((each) => each.root)],
    adopted: () => adopted,
    adopt: async (more) => {
      const pointer = { folder, workspace: workspace(), places: [...here()], adopted: [...adopted, ...more] };
      adopted = await continued(await rememberSessions(root, pointer));
    },
  };
}

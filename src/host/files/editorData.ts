/**
 * Where editors keep what they and their extensions store: settings, secrets, and the sessions of every workspace. When
 * a home folder is the workspace, all of it lies inside, and no tool may read or change it.
 */

import { basename, dirname } from 'node:path';

/** Storage of any editor's extensions, whatever the editor is called and wherever its data lies. */
const EXTENSION_STORAGE = /[\\/]user[\\/](?:profiles[\\/][^\\/]+[\\/])?(?:globalstorage|workspacestorage)(?:[\\/]|$)/iu;

export function isExtensionStorage(path: string): boolean {
  return EXTENSION_STORAGE.test(path);
}

/** The folder of this editor's user data, from that of an extension's storage in it; null when it is laid out otherwise. */
export function userDataOf(globalStorage: string): string | null {
  for (let at = globalStorage; dirname(at) !== at; at = dirname(at)) {
    if (basename(at) === 'User') return dirname(at);
  }
  return null;
}

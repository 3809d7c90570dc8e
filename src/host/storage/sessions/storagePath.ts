/**
 * Where sessions live. The editor locks a workspace's storage folder: a second window, or a host started while a dead
 * one still seems alive, is given `<id>-1`, whose content disappears later. All windows must agree on one folder.
 */

import { basename, dirname, join } from 'node:path';

/** Hash ids for folders, millisecond stamps (negative too) for windows without one. */
const STAND_IN = /^(-?[0-9a-f]+)-[1-9]$/;

/** `storage` is the workspace's storage folder as the editor gave it; null when no folder is open. */
export function sessionsFolder(storage: string | null, globalStorage: string): string {
  return join(storage === null ? globalStorage : normaliseStorage(storage), 'sessions');
}

/**
 * The editor gives `<workspaceStorage>/<id>/<publisher.extension>`; only the `<id>` part is ever a stand-in.
 */
export function normaliseStorage(storage: string): string {
  const workspace = dirname(storage);
  const id = STAND_IN.exec(basename(workspace))?.[1];
  return id === undefined ? storage : join(dirname(workspace), id, basename(storage));
}

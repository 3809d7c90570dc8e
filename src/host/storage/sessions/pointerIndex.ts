/**
 * Which workspaces have sessions, kept in global storage: one small file for each folder of sessions, so that windows
 * never write the same file. It only points; what it points to is read there.
 */

import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { rename } from '../disk/patientDisk.ts';
import { codeOf, storageError } from '../disk/storageError.ts';

export interface SessionsPointer {
  /** A folder of sessions, absolute. */
  readonly folder: string;
  /** The workspace they belong to, as shown; null for windows without a folder. */
  readonly workspace: string | null;
}

const POINTERS = 'workspaces';

/** Remembers that `pointer.folder` holds sessions. */
export async function rememberSessions(globalStorage: string, pointer: SessionsPointer): Promise<void> {
  const folder = join(globalStorage, POINTERS);
  const path = join(folder, `${createHash('sha256').update(pointer.folder).digest('hex').slice(0, 32)}.json`);
  const text = JSON.stringify({ folder: pointer.folder, workspace: pointer.workspace });
  try {
    if ((await readFile(path, 'utf8').catch(() => '')) === text) return;
    await mkdir(folder, { recursive: true });
    await writeFile(`${path}.${process.pid}.tmp`, text);
    await rename(`${path}.${process.pid}.tmp`, path);
  } catch (thrown) {
    throw storageError(path, thrown);
  }
}

/** All that were remembered, those of deleted workspaces included. Files that are no pointers are passed over. */
export async function listPointers(globalStorage: string): Promise<SessionsPointer[]> {
  const folder = join(globalStorage, POINTERS);
  let names: string[];
  try {
    names = await readdir(folder);
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return [];
    throw storageError(folder, thrown);
  }
  const pointers = await Promise.all(
    names.filter((name) => name.endsWith('.json')).map((name) => readPointer(join(folder, name))),
  );
  return pointers.filter((pointer) => pointer !== null);
}

async function readPointer(path: string): Promise<SessionsPointer | null> {
  try {
    const { folder, workspace } = JSON.parse(await readFile(path, 'utf8')) as Partial<SessionsPointer>;
    return typeof folder === 'string' ? { folder, workspace: typeof workspace === 'string' ? workspace : null } : null;
  } catch {
    // Damaged or just being replaced: the workspace writes it again when it is next opened.
    return null;
  }
}

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

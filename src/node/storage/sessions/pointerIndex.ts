/**
 * The workspaces that have sessions: one small file for each folder of sessions, so that windows never write the same
 * file. It only points; its target is read there. It also lists the folders of sessions that this workspace continues,
 * because a person agreed: sessions stay where they are, and each has one lock for all windows.
 */

import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join } from 'node:path';
import * as z from 'zod';
import { section, setting } from '../../../core/setting.ts';
import { rename } from '../disk/patientDisk.ts';
import { readFolder, storageError } from '../disk/storageError.ts';

const factsSchema = z.object({
  path: z.string(),
  /** The disk's identifier, which stays when it is renamed or moved; null where the disk has none. */
  id: z.string().nullable(),
  /** The address that its repository was cloned from, without a user name; null for none. */
  origin: z.string().nullable(),
});

/** Facts of a folder, by which it is recognised. */
export type FolderFacts = Readonly<z.infer<typeof factsSchema>>;

const pointerSchema = z.object({
  /** A folder of sessions, absolute. */
  folder: z.string(),
  /** The workspace they belong to, as displayed; null for windows without a folder. */
  workspace: z.string().nullable().catch(null),
  /** Facts of its folders; versions before 0.2 did not write them. */
  places: z.array(factsSchema).optional().catch(undefined),
  /** Other folders of sessions that it continues. */
  adopted: z.array(z.string()).optional().catch(undefined),
});

export type SessionsPointer = z.infer<typeof pointerSchema>;

const POINTERS = 'workspaces';

/**
 * Remembers that `pointer.folder` holds sessions, and returns which other folders of sessions it goes on with: those that
 * another window agreed to meanwhile are among them. `root` is where pointers are kept.
 */
export async function rememberSessions(root: string, pointer: SessionsPointer): Promise<readonly string[]> {
  const path = pathOf(root, pointer.folder);
  const adopted = [...new Set([...(await readAdopted(root, pointer.folder)), ...(pointer.adopted ?? [])])];
  const text = JSON.stringify(pointerSchema.parse({ ...pointer, ...(adopted.length === 0 ? {} : { adopted }) }));
  try {
    if ((await readFile(path, 'utf8').catch(() => '')) === text) return adopted;
    await mkdir(dirname(path), { recursive: true });
    await writeFile(`${path}.${process.pid}.tmp`, text);
    await rename(`${path}.${process.pid}.tmp`, path);
    return adopted;
  } catch (thrown) {
    throw storageError(path, thrown);
  }
}

/** The folders of sessions that the workspace of `folder` continues. */
export async function readAdopted(root: string, folder: string): Promise<readonly string[]> {
  return (await readPointer(pathOf(root, folder)))?.adopted ?? [];
}

/** All recorded pointers, including those of deleted workspaces. Other files are skipped. */
export async function listPointers(root: string): Promise<SessionsPointer[]> {
  const folder = join(root, POINTERS);
  const found = (await readFolder(folder)).filter(({ name }) => name.endsWith('.json'));
  const pointers = await Promise.all(found.map(({ name }) => readPointer(join(folder, name))));
  return pointers.filter((pointer) => pointer !== null);
}

async function readPointer(path: string): Promise<SessionsPointer | null> {
  try {
    return pointerSchema.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch {
    // Damaged or just being replaced: the workspace writes it again when it is next opened.
    return null;
  }
}

function pathOf(root: string, folder: string): string {
  return join(root, POINTERS, `${createHash('sha256').update(folder).digest('hex').slice(0, 32)}.json`);
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

/** Another place for sessions, for machines whose editor data does not last. */
export const SESSIONS = section('sessions', {
  folder: setting(
    z.string().refine((path) => path.trim() === '' || isAbsolute(expandHome(path.trim()))),
    '',
    'Folder for sessions, for example on a volume that outlives a container: an absolute path, or one that begins with `~`. Leave it empty to use the editor’s storage. Takes effect in the next window; earlier sessions stay where they are and remain in the list.',
    { scope: 'application', ofThisMachine: true, advanced: true },
  ),
});

/** The folder that a person chose for sessions; null where they stay in the editor's storage. */
export function chosenRoot(setting: string): string | null {
  const path = setting.trim();
  return path === '' ? null : expandHome(path);
}

function expandHome(path: string): string {
  return /^~(?=$|[/\\])/.test(path) ? join(homedir(), path.slice(1)) : path;
}

/** Below the chosen folder each workspace has its own, named by the editor's id for it. */
export function sessionsFolderIn(root: string, storage: string | null): string {
  return join(root, storage === null ? 'no-folder' : basename(dirname(normaliseStorage(storage))), 'sessions');
}

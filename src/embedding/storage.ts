/** Where an embedded agent keeps its session: in memory, or in a folder of sessions as the product writes them. */

import type { AgentOptions } from '../core/agent/createAgent.ts';
import type { AgentSystem } from '../core/agent/parts/agentSystem.ts';
import { forgetfulStore, memoryBlobs } from '../core/journal/journal.ts';
import type { Log } from '../core/log.ts';
import { checkOptions, needed, type OptionRule, TEXT } from '../core/options.ts';
import { nodeCrypto } from '../node/storage/disk/fileBlobStore.ts';
import { SessionStore } from '../node/storage/sessions/sessionStore.ts';
import { systemTimers } from '../providers/timers.ts';

/** The options of `createAgent` that say where a session lies. */
export type Storage = Pick<AgentOptions, 'journal' | 'store' | 'entries' | 'blobs'>;

/** The clock, hashes and timers of Node. `log`: default none. */
export function nodeSystem(log: Log = () => undefined): AgentSystem {
  return { clock: { now: Date.now }, crypto: nodeCrypto, timers: systemTimers, log };
}

/** Gone with the program. */
export function memoryStorage(): Storage {
  return { store: forgetfulStore('memory'), blobs: memoryBlobs(nodeCrypto) };
}

/** A folder of sessions, as `openStorage` and `serveAcp` take it. */
export const FOLDER: OptionRule = { ...TEXT, wanted: 'the path of a folder' };

/** A new session in a folder of sessions, or with `id` the one that is there. Call `close` before the program ends. */
export async function openStorage(
  folder: string,
  id?: string,
): Promise<Storage & { readonly id: string; readonly close: () => Promise<void> }> {
  checkOptions('openStorage', { folder, id }, { folder: needed(FOLDER), id: TEXT });
  const { clock, crypto } = nodeSystem();
  const sessions = new SessionStore({ folder, workspace: null, engine: 'palimpsest-core', clock, crypto });
  const { journal, blobs, ...opened } = id === undefined ? await sessions.create() : await sessions.open(id);
  return { id: opened.id, journal, blobs, close: () => journal.close() };
}

/** Where an embedded agent keeps its session: in memory, or in a folder of sessions as the product writes them. */

import { basename } from 'node:path';
import type { AgentOptions } from '../core/agent/createAgent.ts';
import type { AgentSystem } from '../core/agent/parts/agentSystem.ts';
import { forgetfulStore, memoryBlobs } from '../core/journal/journal.ts';
import type { Log } from '../core/log.ts';
import { checkOptions, needed, type OptionRule, TEXT, YES_OR_NO } from '../core/options.ts';
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

export interface StorageOptions {
  /** As others are told who has the session. Default: the name of the file that the process was started with. */
  readonly program?: string;
  /** Takes the session from the one who has it, who then writes no more. */
  readonly takeOver?: boolean;
}

/**
 * A new session in a folder of sessions, or with `id` the one that is there. This process is its only writer until `close`
 * or its own end. Throws `JournalError` of the kind `locked`, which says who has it, while somebody else does.
 */
export async function openStorage(
  folder: string,
  id?: string,
  options: StorageOptions = {},
): Promise<Storage & { readonly id: string; readonly close: () => Promise<void> }> {
  checkOptions('openStorage', { folder, id }, { folder: needed(FOLDER), id: TEXT });
  checkOptions('openStorage', options, { program: TEXT, takeOver: YES_OR_NO });
  const { program = ownName(), takeOver = false } = options;
  const { clock, crypto } = nodeSystem();
  const sessions = new SessionStore({ folder, workspace: null, engine: 'palimpsest-core', program, clock, crypto });
  const { journal, blobs, ...opened } =
    id === undefined ? await sessions.create() : await sessions.open(id, { takeOver });
  return { id: opened.id, journal, blobs, close: () => journal.close() };
}

const ownName = () => basename(process.argv[1] ?? process.execPath);

/** The files below a folder in which a program keeps its sessions. Only names are read. */

import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../disk/storageError.ts';
import type { SessionPlace } from './recordedPlaces.ts';

/** A folder of this machine, in which a program keeps its sessions. */
export interface SessionRoot {
  readonly place: SessionPlace;
  readonly folder: string;
}

interface Walk {
  /** Entries that may still be looked at, shared by several walks. */
  readonly left: { entries: number };
  readonly signal?: AbortSignal | undefined;
  /** False for a folder that is not looked into. Default: all are. `below` is the path from the root, with slashes. */
  readonly enters?: (below: string) => boolean | Promise<boolean>;
  /** A folder that is there cannot be read. */
  readonly onFault?: (thrown: unknown) => void;
}

/**
 * Paths below the root, with forward slashes. A folder that is not there has none. Of a session that a program has written
 * as one `.json` and then as lines, beside it in `.jsonl`, only the latter is there.
 */
export async function walkPlace({ place, folder }: SessionRoot, walk: Walk): Promise<string[]> {
  const { left, signal, enters = () => true, onFault } = walk;
  const found: string[] = [];
  const look = async (below: string, depth: number): Promise<void> => {
    signal?.throwIfAborted();
    const entries = await readdir(join(folder, below), { withFileTypes: true }).catch((thrown: unknown) => {
      if (!ABSENT.has(codeOf(thrown))) onFault?.(thrown);
      return [];
    });
    for (const entry of entries) {
      if (left.entries-- <= 0) return;
      const path = below === '' ? entry.name : `${below}/${entry.name}`;
      if (entry.isDirectory() && depth > 0 && (await enters(path))) await look(path, depth - 1);
      if (entry.isFile() && place.file.test(path)) found.push(path);
    }
  };
  await look('', place.depth);
  const paths = new Set(found);
  return found.filter((path) => !paths.has(`${path}l`));
}

const ABSENT: ReadonlySet<string | null> = new Set(['ENOENT', 'ENOTDIR']);

/**
 * What files held before the agent changed them, beside a session's journal and apart from its other bodies: these may
 * go when they are old or too many, and a restore then says so. The journal is never read to find out.
 */

import { readdir, stat, unlink, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import type { BlobStore, Clock } from '../../core/ports.ts';
import { FileBlobStore } from './fileBlobStore.ts';
import { codeOf, storageError } from './storageError.ts';

export interface ImageLimits {
  /** Most bytes that a session keeps. */
  readonly bytes: number;
  /** Milliseconds after which an image goes. */
  readonly age: number;
}

interface StoredImage {
  readonly path: string;
  readonly size: number;
  readonly time: number;
}

const DAY = 86_400_000;

/** From the settings' units. */
export function imageLimits(megabytes: number, days: number): ImageLimits {
  return { bytes: megabytes * 1_000_000, age: days * DAY };
}

export class ImageStore implements BlobStore {
  readonly #blobs: FileBlobStore;
  readonly #limits: () => ImageLimits;
  readonly #clock: Clock;
  #bytes = 0;

  /** `folder` lies in the session's own. Call `prune` once after opening: it also counts what is there. */
  constructor(folder: string, limits: () => ImageLimits, clock: Clock) {
    this.#blobs = new FileBlobStore(folder);
    this.#limits = limits;
    this.#clock = clock;
  }

  /** Bytes kept, as far as counted. */
  get bytes(): number {
    return this.#bytes;
  }

  get limit(): number {
    return this.#limits().bytes;
  }

  async put(bytes: Uint8Array): Promise<string> {
    const name = await this.#blobs.put(bytes);
    const path = this.#blobs.pathOf(name);
    const now = new Date(this.#clock.now());
    // One that was there already is as young as its newest use.
    await utimes(path, now, now);
    this.#bytes += bytes.length;
    return name;
  }

  get(name: string): Promise<Uint8Array | null> {
    return this.#blobs.get(name);
  }

  /** Removes what is too old, then the oldest until the rest fits. Call when no tool runs. */
  async prune(): Promise<void> {
    const { bytes, age } = this.#limits();
    const oldest = this.#clock.now() - age;
    const images = (await this.#list()).sort((a, b) => a.time - b.time);
    let total = images.reduce((sum, { size }) => sum + size, 0);
    for (const { path, size, time } of images) {
      if (time >= oldest && total <= bytes) break;
      try {
        await unlink(path);
      } catch (thrown) {
        if (codeOf(thrown) !== 'ENOENT') throw storageError(path, thrown);
      }
      total -= size;
    }
    this.#bytes = total;
  }

  async #list(): Promise<StoredImage[]> {
    const { folder } = this.#blobs;
    const groups = await namesIn(folder);
    const paths = await Promise.all(
      groups.map(async (group) => (await namesIn(join(folder, group))).map((name) => join(folder, group, name))),
    );
    return Promise.all(
      paths.flat().map(async (path) => {
        const { size, mtimeMs } = await stat(path);
        return { path, size, time: mtimeMs };
      }),
    );
  }
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return [];
    throw storageError(folder, thrown);
  }
}

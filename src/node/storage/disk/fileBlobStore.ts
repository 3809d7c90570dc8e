/**
 * A session's bodies on disk, named by their SHA-256 and fanned out by its first two digits. A blob is written to a
 * temporary name and renamed, so a name never holds half a body, and its content is verified when read.
 */

import { createHash, randomBytes } from 'node:crypto';
import { mkdir, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { Crypto } from '../../../core/crypto.ts';
import type { BlobStore } from '../../../core/journal/blobStore.ts';
import { rename, unlink } from './patientDisk.ts';
import { codeOf, readFolder, storageError } from './storageError.ts';

const NAME = /^[0-9a-f]{64}$/;

export class FileBlobStore implements BlobStore {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  /**
   * The path of the blob, whether or not it exists. Throws for anything but a SHA-256 in lower case: names may come
   * from a file.
   */
  pathOf(name: string): string {
    if (!NAME.test(name)) throw new Error(`Not the name of a blob: ${JSON.stringify(name)}`);
    return join(this.folder, name.slice(0, 2), name.slice(2));
  }

  async put(bytes: Uint8Array): Promise<string> {
    const name = sha256(bytes);
    const path = this.pathOf(name);
    // A damaged one is written again.
    if ((await this.get(name)) !== null) return name;
    const temporary = `${path}.${nodeCrypto.randomHex(6)}.tmp`;
    try {
      await mkdir(join(this.folder, name.slice(0, 2)), { recursive: true });
      await writeDurably(temporary, bytes);
      await rename(temporary, path);
    } catch (thrown) {
      await unlink(temporary).catch(() => undefined);
      throw storageError(path, thrown);
    }
    return name;
  }

  /** Null when it has expired, never existed, or no longer matches its name; also for an invalid name. */
  async get(name: string): Promise<Uint8Array | null> {
    if (!NAME.test(name)) return null;
    const path = this.pathOf(name);
    try {
      const bytes = await readFile(path);
      return sha256(bytes) === name ? bytes : null;
    } catch (thrown) {
      if (codeOf(thrown) === 'ENOENT') return null;
      throw storageError(path, thrown);
    }
  }
}

/** Paths of all files in a folder of blobs; empty without such a folder. */
export async function listBlobs(folder: string): Promise<string[]> {
  const found = await readFolder(folder, { recursive: true });
  return found.filter((item) => item.isFile()).map((item) => join(item.parentPath, item.name));
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

async function writeDurably(path: string, bytes: Uint8Array): Promise<void> {
  await using file = await open(path, 'wx');
  await file.writeFile(bytes);
  await file.datasync();
}

/** The Crypto port over Node: native CRC-32 and SHA-256, and the system's random source. */
export const nodeCrypto: Crypto = {
  sha256: async (bytes) => createHash('sha256').update(bytes).digest('hex'),
  randomHex: (bytes) => randomBytes(bytes).toString('hex'),
  crc32: (data) => crc32(data),
};

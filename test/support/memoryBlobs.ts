/** `BlobStore` in memory, named by SHA-256 like the real one. */

import { createHash } from 'node:crypto';
import type { BlobStore } from '../../src/core/ports.ts';

export interface MemoryBlobs extends BlobStore {
  /** Lets every blob expire. */
  clear(): void;
  readonly size: number;
}

export function createMemoryBlobs(): MemoryBlobs {
  const blobs = new Map<string, Uint8Array>();
  return {
    async put(bytes) {
      const name = createHash('sha256').update(bytes).digest('hex');
      blobs.set(name, bytes.slice());
      return name;
    },
    async get(name) {
      return blobs.get(name) ?? null;
    },
    clear: () => blobs.clear(),
    get size() {
      return blobs.size;
    },
  };
}

/**
 * A journal's file on disk, kept open for appending. When somebody deletes it, its content is still there as long as
 * it is open, and is written back before the next append.
 */

import { fstatSync, ftruncateSync } from 'node:fs';
import { type FileHandle, mkdir, open, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { storageError } from '../disk/storageError.ts';
import type { JournalFile } from './fileJournalStore.ts';

const CHUNK = 1 << 20;
/** Other accounts on the machine must not read what was said. */
const OWNER_ONLY = 0o600;

export class DiskFile implements JournalFile {
  readonly #path: string;
  #handle: FileHandle;

  private constructor(path: string, handle: FileHandle) {
    this.#path = path;
    this.#handle = handle;
  }

  /** `new`: refuses a file that is there. Throws `JournalError`. */
  static async open(path: string, which: 'existing' | 'new' = 'existing'): Promise<DiskFile> {
    try {
      return new DiskFile(path, await open(path, which === 'new' ? 'ax+' : 'a+', OWNER_ONLY));
    } catch (thrown) {
      throw storageError(path, thrown);
    }
  }

  write(bytes: Uint8Array, offset: number, length: number): Promise<{ readonly bytesWritten: number }> {
    return this.#handle.write(bytes, offset, length);
  }

  async truncate(length: number): Promise<void> {
    ftruncateSync(this.#handle.fd, length);
  }

  datasync(): Promise<void> {
    return this.#handle.datasync();
  }

  close(): Promise<void> {
    return this.#handle.close();
  }

  look(): { readonly size: number; readonly gone: boolean } {
    const { size, nlink } = fstatSync(this.#handle.fd);
    return { size, gone: nlink === 0 };
  }

  async readFrom(from: number): Promise<Uint8Array> {
    const bytes = Buffer.alloc(Math.max(0, this.look().size - from));
    const { bytesRead } = await this.#handle.read(bytes, 0, bytes.length, from);
    return bytes.subarray(0, bytesRead);
  }

  /** Fails when something else has taken the name meanwhile: that is not ours to overwrite. */
  async revive(): Promise<void> {
    await mkdir(dirname(this.#path), { recursive: true });
    const fresh = await open(this.#path, 'ax+', OWNER_ONLY);
    try {
      const buffer = Buffer.allocUnsafe(CHUNK);
      for (let position = 0; ; ) {
        const { bytesRead } = await this.#handle.read(buffer, 0, CHUNK, position);
        if (bytesRead === 0) break;
        await fresh.writeFile(buffer.subarray(0, bytesRead));
        position += bytesRead;
      }
      await fresh.datasync();
    } catch (thrown) {
      await fresh.close();
      // Half a file under that name would stop the next try.
      await unlink(this.#path);
      throw thrown;
    }
    await this.#handle.close();
    this.#handle = fresh;
  }
}

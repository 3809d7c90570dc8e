/**
 * One session's file, open for appending. Writes are grouped with one in flight; a line is acknowledged after its
 * write, so it survives a killed process, and after `sync` it survives a power loss. After a failure the file is cut
 * back to its last good byte, and unwritten lines go first with the next append. Nothing is acknowledged that another
 * window's take-over could have invalidated, and nothing is cut in a file that another window owns.
 */

import { closeSync, fstatSync, ftruncateSync, openSync } from 'node:fs';
import { appendFile, type FileHandle, mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { JournalError } from '../../../core/errors.ts';
import type { JournalStore } from '../../../core/journal/journalStore.ts';
import { words } from '../../../core/words.ts';
import { unlink } from '../disk/patientDisk.ts';
import { storageError } from '../disk/storageError.ts';

/** The part of a file handle that the store uses; tests replace it with failing disks. */
export interface JournalFile {
  write(bytes: Uint8Array, offset: number, length: number): Promise<{ readonly bytesWritten: number }>;
  /** Synchronous, so that nothing comes between the last check and the cut. */
  truncate(length: number): Promise<void>;
  datasync(): Promise<void>;
  /** Its present length, and whether it was deleted while open. */
  inspect(): { readonly size: number; readonly gone: boolean };
  /** The bytes after `from`. */
  readFrom(from: number): Promise<Uint8Array>;
  /** Writes its content under its name again, and continues there. */
  revive(): Promise<void>;
  close(): Promise<void>;
}

/** How to prepare the file before the first append. */
export interface JournalTail {
  /** Number of bytes to keep. */
  readonly length: number;
  /** True when the last line is complete except for its line break. */
  readonly needsBreak: boolean;
  /** The bytes after `length`: copied to `<name>.torn` and cut before the next append. */
  readonly torn?: Uint8Array | null;
}

/** Receives everything that reached the disk, in order. For data derived from the journal. */
export interface StoreFollower {
  /** One line, by the offset of its first byte and its length without line break. */
  written(offset: number, length: number): void;
  /** Everything so far would survive a power loss. Must not reject. */
  synced(): Promise<void>;
}

interface Waiting {
  readonly line: string;
  resolve(): void;
  reject(error: JournalError): void;
}

export class FileJournalStore implements JournalStore {
  readonly name: string;
  readonly #file: JournalFile;
  /** Called before each batch: another window may have taken the session over. */
  readonly #guard: () => Promise<JournalError | null>;
  readonly #followers = new Set<StoreFollower>();
  /** Length of the file up to the last complete batch. */
  #good: number;
  #mustCut: boolean;
  #torn: Uint8Array | null;
  #prefix: string;
  #queue: Waiting[] = [];
  #failed: string[] = [];
  #running: Promise<void> | null = null;
  #readOnly: JournalError | null = null;
  #closed = false;

  constructor(
    name: string,
    file: JournalFile,
    tail: JournalTail,
    guard: () => Promise<JournalError | null> = async () => null,
  ) {
    this.name = name;
    this.#file = file;
    this.#good = tail.length;
    this.#prefix = tail.needsBreak ? '\n' : '';
    this.#torn = tail.torn ?? null;
    this.#mustCut = this.#torn !== null;
    this.#guard = guard;
  }

  get readOnly(): JournalError | null {
    return this.#readOnly;
  }

  get unwritten(): number {
    return this.#failed.length;
  }

  /** Acknowledged length in bytes. */
  get length(): number {
    return this.#good;
  }

  follow(follower: StoreFollower): void {
    this.#followers.add(follower);
  }

  append(line: string): Promise<void> {
    if (this.#readOnly) return Promise.reject(this.#readOnly);
    return new Promise((resolve, reject) => {
      this.#queue.push({ line, resolve, reject });
      this.#running ??= this.#run();
    });
  }

  async sync(): Promise<void> {
    if (this.#readOnly) throw this.#readOnly;
    await this.#settle();
    if (this.#failed.length > 0) await this.#retry();
    try {
      await this.#file.datasync();
    } catch (thrown) {
      throw storageError(this.name, thrown);
    }
    for (const follower of this.#followers) await follower.synced();
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    try {
      if (!this.#readOnly) await this.sync();
    } finally {
      this.#readOnly ??= new JournalError(
        'closed',
        this.name,
        words('The session {0} was closed. Open it again to continue.', this.name),
      );
      await this.#file.close();
    }
  }

  async #settle(): Promise<void> {
    while (this.#running) await this.#running;
  }

  #retry(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ line: '', resolve, reject });
      this.#running ??= this.#run();
    });
  }

  async #run(): Promise<void> {
    // Appends of the same tick join the first batch.
    await null;
    while (this.#queue.length > 0) {
      const batch = this.#queue;
      this.#queue = [];
      const lines = [...this.#failed, ...batch.map(({ line }) => line).filter((line) => line !== '')];
      try {
        await this.#write(lines);
      } catch (thrown) {
        const error = storageError(this.name, thrown);
        if (error.kind === 'locked') this.#readOnly = error;
        // Lines queued meanwhile fail too: nothing may reach the disk before earlier lines.
        const late = this.#queue;
        this.#queue = [];
        this.#failed = [...lines, ...late.map(({ line }) => line).filter((line) => line !== '')];
        for (const waiting of [...batch, ...late]) waiting.reject(error);
        break;
      }
      this.#failed = [];
      for (const waiting of batch) waiting.resolve();
    }
    this.#running = null;
  }

  async #write(lines: readonly string[]): Promise<void> {
    const lengths = lines.map((line) => Buffer.byteLength(line));
    const bytes = lines.length > 0 ? joinLines(this.#prefix, lines, lengths) : EMPTY;
    do {
      await this.#prepare();
      await this.#writeBytes(bytes);
      const refusal = await this.#guard();
      if (refusal) throw refusal;
      // If a former owner wrote or cut meanwhile, the position of the new lines is unknown: they are written again.
    } while (this.#file.inspect().size !== this.#good + bytes.length);
    if (lines.length === 0) return;
    let offset = this.#good + this.#prefix.length;
    this.#good += bytes.length;
    this.#prefix = '';
    if (this.#followers.size === 0) return;
    for (const length of lengths) {
      for (const follower of this.#followers) follower.written(offset, length);
      offset += length + 1;
    }
  }

  /** Makes sure that this window owns the file and knows its end. */
  async #prepare(): Promise<void> {
    const refusal = await this.#guard();
    if (refusal) throw refusal;
    if (this.#file.inspect().gone) await this.#file.revive();
    const { size } = this.#file.inspect();
    if (size < this.#good) throw shortenedError(this.name, size, this.#good);
    if (size > this.#good && !this.#mustCut) {
      this.#torn = await this.#file.readFrom(this.#good);
      this.#mustCut = true;
    }
    if (this.#mustCut) await this.#cut();
  }

  async #writeBytes(bytes: Uint8Array): Promise<void> {
    try {
      for (let written = 0; written < bytes.length; ) {
        const { bytesWritten } = await this.#file.write(bytes, written, bytes.length - written);
        if (bytesWritten === 0) throw new Error('The disk took no bytes');
        written += bytesWritten;
      }
    } catch (thrown) {
      this.#mustCut = true;
      // If cutting back fails as well, it is retried before the next write; the first failure is reported.
      await this.#cut().catch(() => undefined);
      throw thrown;
    }
  }

  async #cut(): Promise<void> {
    if (this.#torn) await appendFile(`${this.name}.torn`, Buffer.concat([this.#torn, Buffer.from('\n')]));
    this.#torn = null;
    // Checked at the last moment: a window that took the session over meanwhile may have written where this would cut.
    const refusal = await this.#guard();
    if (refusal) throw refusal;
    await this.#file.truncate(this.#good);
    this.#mustCut = false;
  }
}

function shortenedError(name: string, size: number, good: number): JournalError {
  return new JournalError(
    'damaged',
    name,
    words(
      'The session file {0} was made shorter by another program: {1} bytes are missing. Nothing was written after them. Keep a copy of the file, put back the whole one if there is one, and open the session again; what was not written is lost when this program ends.',
      name,
      good - size,
    ),
  );
}

function exchangedError(name: string): JournalError {
  return new JournalError(
    'io',
    name,
    words(
      'The session file {0} was exchanged for another file while it was open. Nothing was cut in that one. Move it away; what was not written is lost when this program ends.',
      name,
    ),
  );
}

function isSameFile(one: number, other: number): boolean {
  const [a, b] = [fstatSync(one, { bigint: true }), fstatSync(other, { bigint: true })];
  return a.ino === b.ino && a.dev === b.dev;
}

/** One buffer for the batch: each line is encoded once, directly into its place. */
function joinLines(prefix: string, lines: readonly string[], lengths: readonly number[]): Buffer {
  const bytes = Buffer.allocUnsafe(lengths.reduce((sum, length) => sum + length + 1, prefix.length));
  let at = bytes.write(prefix, 0, 'latin1');
  lines.forEach((line, i) => {
    bytes.write(line, at, 'utf8');
    at += lengths[i] ?? 0;
    bytes[at++] = LINE_BREAK;
  });
  return bytes;
}

const LINE_BREAK = 10;
const EMPTY = Buffer.alloc(0);

/**
 * A journal's file on disk, kept open for appending. When somebody deletes it, its content is still readable while
 * open, and is written back before the next append.
 */
const CHUNK = 1 << 20;

/** Other accounts on the machine must not read the conversation. */
const OWNER_ONLY = 0o600;

export class DiskFile implements JournalFile {
  readonly #path: string;
  #handle: FileHandle;

  private constructor(path: string, handle: FileHandle) {
    this.#path = path;
    this.#handle = handle;
  }

  /** `new`: refuses an existing file. Throws `JournalError`. */
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
    // Windows cannot truncate through an append-only handle.
    const writer = openSync(this.#path, 'r+');
    try {
      if (!isSameFile(writer, this.#handle.fd)) throw exchangedError(this.#path);
      ftruncateSync(writer, length);
    } finally {
      closeSync(writer);
    }
  }

  datasync(): Promise<void> {
    return this.#handle.datasync();
  }

  close(): Promise<void> {
    return this.#handle.close();
  }

  inspect(): { readonly size: number; readonly gone: boolean } {
    const { size, nlink } = fstatSync(this.#handle.fd);
    return { size, gone: nlink === 0 };
  }

  async readFrom(from: number): Promise<Uint8Array> {
    const bytes = Buffer.alloc(Math.max(0, this.inspect().size - from));
    const { bytesRead } = await this.#handle.read(bytes, 0, bytes.length, from);
    return bytes.subarray(0, bytesRead);
  }

  /** Fails when another file has taken the name meanwhile, which must not be overwritten. */
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
      // Half a file under that name would block the next attempt.
      await unlink(this.#path);
      throw thrown;
    }
    await this.#handle.close();
    this.#handle = fresh;
  }
}

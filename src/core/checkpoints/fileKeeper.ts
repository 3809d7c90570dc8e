/**
 * Keeps what files held before the agent changed them, so that a checkpoint can give them back. A tool's own changes are
 * journaled before they happen; what a command changed is found by looking before and after, and labelled where its
 * earlier content could not be kept.
 */

import { messageOf } from '../errors.ts';
import type { FileImage } from '../journal/entry.ts';
import type { Journal } from '../journal/journal.ts';
import type { BlobStore, Clock, Crypto, ToolClass } from '../ports.ts';
import type { CheckpointFiles, FileScan, FileStamp } from './checkpointFiles.ts';

export interface KeepLimits {
  /** Files larger than this many bytes are not kept. */
  readonly fileBytes: number;
  /** Bytes of file content held in memory to compare with after a command. */
  readonly memoryBytes: number;
  /** Files looked at around a command. */
  readonly files: number;
  /** Milliseconds that reading before a command may take. */
  readonly timeMs: number;
}

export const KEEP_LIMITS: KeepLimits = {
  fileBytes: 2_000_000,
  memoryBytes: 64_000_000,
  files: 20_000,
  timeMs: 1_500,
};

export interface FileKeeperPorts {
  readonly journal: Journal;
  readonly files: CheckpointFiles;
  readonly blobs: BlobStore;
  readonly crypto: Crypto;
  readonly clock: Clock;
  readonly limits?: KeepLimits;
}

export interface KeptCall {
  readonly toolCallId: string;
  readonly toolClass: ToolClass;
  /** Paths the call says that it will change. */
  readonly changes: readonly string[];
}

interface KnownFile extends FileStamp {
  readonly bytes: Uint8Array;
}

type Pending =
  | { readonly kind: 'tool'; readonly images: readonly FileImage[] }
  | { readonly kind: 'command'; readonly scan: FileScan };

export class FileKeeper {
  readonly #ports: FileKeeperPorts;
  readonly #limits: KeepLimits;
  /** What files hold as far as read already, oldest first. A file whose stamp is the same is not read again. */
  readonly #known = new Map<string, KnownFile>();
  readonly #pending = new Map<string, Pending>();
  #knownBytes = 0;

  constructor(ports: FileKeeperPorts) {
    this.#ports = ports;
    this.#limits = ports.limits ?? KEEP_LIMITS;
  }

  /** Call after approval and before the call runs. The before-images are on disk when it resolves. */
  async before({ toolCallId, toolClass, changes }: KeptCall): Promise<void> {
    if (changes.length > 0) {
      const images = await Promise.all(changes.map((path) => this.#keep(path)));
      await this.#ports.journal.append({ type: 'files', cause: 'tool', toolCallId, files: images });
      this.#pending.set(toolCallId, { kind: 'tool', images });
    } else if (toolClass === 'run') {
      this.#pending.set(toolCallId, { kind: 'command', scan: await this.#scan() });
    }
  }

  /** Call when the call has ended, however it ended. Journals what the files hold now. */
  async after(toolCallId: string): Promise<void> {
    const pending = this.#pending.get(toolCallId);
    this.#pending.delete(toolCallId);
    if (!pending) return;
    const { journal } = this.#ports;
    if (pending.kind === 'tool') {
      const files: FileImage[] = [];
      for (const image of pending.images) {
        const after = await this.#hash(image.path);
        if (after !== undefined && after !== image.before) files.push({ ...image, after });
      }
      if (files.length > 0) await journal.append({ type: 'files', cause: 'tool', toolCallId, files });
      return;
    }
    const files = await this.#changedSince(pending.scan);
    if (files.length > 0) await journal.append({ type: 'files', cause: 'command', toolCallId, files });
  }

  async #keep(path: string): Promise<FileImage> {
    const { files, blobs } = this.#ports;
    try {
      const bytes = await files.read(path);
      if (bytes === null) return { path, before: null, restorable: true };
      if (bytes.length > this.#limits.fileBytes) return unkept(path, this.#tooLarge(bytes.length));
      return { path, before: await blobs.put(bytes), restorable: true };
    } catch (thrown) {
      return unkept(path, messageOf(thrown));
    }
  }

  /** Looks at all files and reads those that changed since the last look, as far as the limits allow. */
  async #scan(): Promise<FileScan> {
    const { files, clock } = this.#ports;
    const scan = await files.scan(this.#limits.files);
    const until = clock.now() + this.#limits.timeMs;
    for (const [path, stamp] of scan.files) {
      if (stamp.size > this.#limits.fileBytes || sameStamp(this.#known.get(path), stamp)) continue;
      if (clock.now() > until) break;
      this.#remember(path, stamp, await this.#read(path));
    }
    return scan;
  }

  async #changedSince(before: FileScan): Promise<FileImage[]> {
    const now = await this.#ports.files.scan(this.#limits.files);
    const paths = new Set([...before.files.keys(), ...now.files.keys()]);
    const images: FileImage[] = [];
    for (const path of paths) {
      const old = before.files.get(path);
      const stamp = now.files.get(path);
      if (old && stamp && sameStamp(old, stamp)) continue;
      // With more files than are looked at, one that only one of the looks saw may have been there all the time.
      if ((!old && !before.complete) || (!stamp && !now.complete)) continue;
      const image = await this.#imageOf(path, old, stamp);
      if (image) images.push(image);
    }
    return images;
  }

  /** Null when only the stamp changed. */
  async #imageOf(path: string, old: FileStamp | undefined, stamp: FileStamp | undefined): Promise<FileImage | null> {
    const known = this.#known.get(path);
    const after = stamp ? await this.#hash(path) : null;
    const changed = after === undefined ? {} : { after };
    if (!old) return { path, before: null, ...changed, restorable: true };
    this.#forget(path);
    if (!known || !sameStamp(known, old)) {
      const reason =
        old.size > this.#limits.fileBytes
          ? this.#tooLarge(old.size)
          : 'there was too much to read before the command ran';
      return { ...unkept(path, reason), ...changed };
    }
    if (after === (await this.#ports.crypto.sha256(known.bytes))) return null;
    return { path, before: await this.#ports.blobs.put(known.bytes), ...changed, restorable: true };
  }

  async #read(path: string): Promise<Uint8Array | null> {
    try {
      return await this.#ports.files.read(path);
    } catch {
      // It may be gone or closed to us by now; what a command does to it is then labelled as not restorable.
      return null;
    }
  }

  /** Undefined when it cannot be read, null when there is no such file. */
  async #hash(path: string): Promise<string | null | undefined> {
    try {
      const bytes = await this.#ports.files.read(path);
      return bytes === null ? null : await this.#ports.crypto.sha256(bytes);
    } catch {
      // A restore then asks, because it cannot tell who changed the file last.
      return undefined;
    }
  }

  #remember(path: string, stamp: FileStamp, bytes: Uint8Array | null): void {
    this.#forget(path);
    if (!bytes || bytes.length > this.#limits.memoryBytes) return;
    for (const oldest of this.#known.keys()) {
      if (this.#knownBytes + bytes.length <= this.#limits.memoryBytes) break;
      this.#forget(oldest);
    }
    this.#known.set(path, { ...stamp, bytes });
    this.#knownBytes += bytes.length;
  }

  #forget(path: string): void {
    this.#knownBytes -= this.#known.get(path)?.bytes.length ?? 0;
    this.#known.delete(path);
  }

  #tooLarge(size: number): string {
    return `it has ${size} bytes; files over ${this.#limits.fileBytes} bytes are not kept`;
  }
}

function unkept(path: string, reason: string): FileImage {
  return { path, before: null, restorable: false, reason };
}

function sameStamp(a: FileStamp | undefined, b: FileStamp): boolean {
  return a !== undefined && a.size === b.size && a.mtimeMs === b.mtimeMs;
}

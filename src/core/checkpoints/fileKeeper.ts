/**
 * Keeps the content of files from before the agent changes them, so that a checkpoint can restore it. Changes by tools
 * are journaled before they happen. Changes by commands are found by comparing the workspace before and after, and are
 * labelled where the earlier content could not be kept.
 */

import * as z from 'zod';
import type { Clock } from '../clock.ts';
import type { Crypto } from '../crypto.ts';
import { wordsOf } from '../errors.ts';
import type { BlobStore } from '../journal/blobStore.ts';
import type { FileImage } from '../journal/entry.ts';
import type { Journal } from '../journal/journal.ts';
import { makeNote } from '../journal/makeNote.ts';
import { count, section, setting } from '../setting.ts';
import type { ToolClass } from '../tools/approvals.ts';
import { showInOneLine } from '../tools/text/showHidden.ts';
import { inEnglish, listSome, type Words, words } from '../words.ts';

export interface KeepLimits {
  /** Files larger than this many bytes are not kept. */
  readonly fileBytes: number;
  /** Files larger than this many bytes are not read to tell who changed them last. */
  readonly lookBytes: number;
  /** Bytes of file content held in memory to compare with after a command. */
  readonly memoryBytes: number;
  /** Files looked at around a command. */
  readonly files: number;
  /** Milliseconds that reading before a command may take, and reading after it. */
  readonly timeMs: number;
}

export const KEEP_LIMITS: KeepLimits = {
  fileBytes: 2_000_000,
  lookBytes: 64_000_000,
  memoryBytes: 64_000_000,
  files: 20_000,
  timeMs: 1_500,
};

/** External dependencies of checkpoints. */
export interface CheckpointPorts {
  readonly journal: Journal;
  readonly files: CheckpointFiles;
  readonly blobs: BlobStore;
  readonly crypto: Crypto;
  readonly clock: Clock;
}

export interface KeptCall {
  readonly toolCallId: string;
  readonly toolClass: ToolClass;
  /** Paths that the call declares it will change. */
  readonly changes: readonly string[];
}

type KnownFile = FileStamp & FileVersion;

type Pending =
  | { readonly kind: 'tool'; readonly images: readonly FileImage[] }
  | {
      readonly kind: 'command';
      readonly scan: FileScan;
      /** For files that were not read before the command; null where all were. */
      readonly copies: KeptCopies | null;
      readonly saves: SaveWatch;
    };

export class FileKeeper {
  readonly #ports: CheckpointPorts;
  readonly #limits: KeepLimits;
  /** Contents of files on disk, by path. A file whose stamp is the same is not read again. */
  readonly #known = new Map<string, KnownFile>();
  readonly #pending = new Map<string, Pending>();
  /** Names that are not valid text. */
  readonly #told = new Set<string>();
  #knownBytes = 0;

  constructor(ports: CheckpointPorts, limits: KeepLimits = KEEP_LIMITS) {
    this.#ports = ports;
    this.#limits = limits;
  }

  /** Call after approval, before the call runs. Resolves when the before-images are on disk. */
  async before({ toolCallId, toolClass, changes }: KeptCall): Promise<void> {
    const { journal, files } = this.#ports;
    if (changes.length > 0) {
      const images = await Promise.all(changes.map((path) => this.#keep(path)));
      await journal.append({ type: 'files', cause: 'tool', toolCallId, files: images });
      this.#pending.set(toolCallId, { kind: 'tool', images });
    } else if (toolClass === 'run' || toolClass === 'mcp') {
      const saves = files.watchSaves();
      const scan = await this.#scan();
      await this.#tellMisnamed(scan);
      const unread = [...scan.files].some(
        ([path, { size }]) => size <= this.#limits.fileBytes && !this.#known.has(path),
      );
      this.#pending.set(toolCallId, { kind: 'command', scan, copies: unread ? await files.copies() : null, saves });
    }
  }

  /** Call when the call has ended, however it ended. Journals the new contents of the files. */
  async after(toolCallId: string): Promise<void> {
    const pending = this.#pending.get(toolCallId);
    this.#pending.delete(toolCallId);
    if (!pending) return;
    const { journal, files } = this.#ports;
    if (pending.kind === 'tool') {
      const changed: FileImage[] = [];
      for (const image of pending.images) {
        const present = await this.#readVersion(image.path, 'editor');
        const after = present && (await this.#keepAfter(present.bytes));
        if (after !== undefined && after !== image.before) changed.push({ ...image, after });
      }
      if (changed.length > 0) await journal.append({ type: 'files', cause: 'tool', toolCallId, files: changed });
      return;
    }
    const { scan, copies, saves } = pending;
    const now = await files.scan(this.#limits.files);
    const changed = [...(await this.#changesBetween(scan, now, saves.saved, copies)), ...changesOfMisnamed(scan, now)];
    saves.end();
    const incomplete = scan.complete && now.complete ? {} : { incomplete: true };
    if (changed.length === 0 && !incomplete.incomplete) return;
    await journal.append({ type: 'files', cause: 'command', toolCallId, files: changed, ...incomplete });
  }

  /** Said once of each, before a command that could change it. */
  async #tellMisnamed({ misnamed = new Map() }: FileScan): Promise<void> {
    const names = [...misnamed.keys()].filter((name) => !this.#told.has(name));
    if (names.length === 0) return;
    for (const name of names) this.#told.add(name);
    const message = words(
      'Files whose names are not valid UTF-8 cannot be kept. If a command changes or deletes them, no checkpoint gives them back: {0}',
      listSome(names.map(showInOneLine), MOST_TOLD),
    );
    await this.#ports.journal.append(makeNote('warning', message));
  }

  async #keep(path: string): Promise<FileImage> {
    const { files, blobs } = this.#ports;
    try {
      const name = await files.nameOf(path);
      const present = await files.read(name, this.#limits.fileBytes, 'editor');
      switch (present.kind) {
        case 'none':
          return { path: name, before: null, restorable: true, ...inNewFolder(await files.newFolderOf(name)) };
        case 'tooLarge':
          return unkept(name, this.#tooLarge(present.size));
        case 'held':
          return { path: name, before: await blobs.put(present.bytes), restorable: true, ...asProgram(present) };
      }
    } catch (thrown) {
      return unkept(path, wordsOf(thrown));
    }
  }

  /** Kept as well, so that lines which somebody else changes later can be told from the agent's. */
  async #keepAfter(bytes: Uint8Array): Promise<string> {
    const { blobs, crypto } = this.#ports;
    if (bytes.length > this.#limits.fileBytes) return crypto.sha256(bytes);
    // A review asks where it is missing; the edit itself is made.
    return blobs.put(bytes).catch(() => crypto.sha256(bytes));
  }

  /** Stats all files and reads those that changed since the last scan, as far as the limits allow. */
  async #scan(): Promise<FileScan> {
    const { files, clock } = this.#ports;
    const { fileBytes, memoryBytes, timeMs } = this.#limits;
    const scan = await files.scan(this.#limits.files);
    for (const path of this.#known.keys()) if (!scan.files.has(path)) this.#forget(path);
    const changed = [...scan.files].filter(([path, stamp]) => !isSame(this.#known.get(path), stamp));
    for (const [path] of changed) this.#forget(path);
    let room = memoryBytes - this.#knownBytes;
    // Known files are kept: replacing one would mean reading it again before every command.
    const wanted = changed.filter(([, { size }]) => {
      const fits = size <= fileBytes && size <= room;
      if (fits) room -= size;
      return fits;
    });
    const until = clock.now() + timeMs;
    await inBatches(
      wanted,
      ([path, stamp]) => this.#learn(path, stamp),
      () => clock.now() <= until,
    );
    return scan;
  }

  async #learn(path: string, stamp: FileStamp): Promise<void> {
    try {
      const present = await this.#ports.files.read(path, this.#limits.fileBytes, 'disk');
      if (present.kind !== 'held') return;
      this.#known.set(path, { ...stamp, ...present });
      this.#knownBytes += present.bytes.length;
    } catch {
      // It may be gone or unreadable by now. A command's change to it is then labelled as not restorable.
    }
  }

  async #changesBetween(
    before: FileScan,
    now: FileScan,
    saved: ReadonlySet<string>,
    copies: KeptCopies | null,
  ): Promise<FileImage[]> {
    const paths = [...new Set([...before.files.keys(), ...now.files.keys()])].filter((path) => {
      const old = before.files.get(path);
      const stamp = now.files.get(path);
      if (old && stamp) return !isSame(old, stamp);
      // If one scan was incomplete, a file that only the other saw may have existed all the time.
      return old ? now.complete : before.complete;
    });
    const until = this.#ports.clock.now() + this.#limits.timeMs;
    const images = await inBatches(paths, (path) => this.#compare(path, before, now, until, saved, copies));
    return images.filter((image) => image !== null);
  }

  /** Null when only the stamp changed. */
  async #compare(
    path: string,
    before: FileScan,
    now: FileScan,
    until: number,
    saved: ReadonlySet<string>,
    copies: KeptCopies | null,
  ): Promise<FileImage | null> {
    const { blobs, clock, crypto } = this.#ports;
    const old = before.files.get(path);
    const present = !now.files.has(path)
      ? null
      : clock.now() > until
        ? undefined
        : await this.#readVersion(path, 'disk');
    const after = present && (await crypto.sha256(present.bytes));
    // A file that a person saved meanwhile was not changed by the command: a restore asks first.
    const changed = saved.has(path) ? { saved: true as const } : after === undefined ? {} : { after };
    if (!old)
      return { path, before: null, ...changed, restorable: true, ...inNewFolder(firstNew(path, before.folders)) };
    const read = this.#known.get(path);
    this.#forget(path);
    const fits = old.size <= this.#limits.fileBytes && clock.now() <= until;
    const known = isSame(read, old) ? read : fits ? await copies?.(path, old.size) : null;
    if (!known) {
      const reason =
        old.size > this.#limits.fileBytes
          ? this.#tooLarge(old.size)
          : words('there was too much to read before the command ran');
      return { ...unkept(path, reason), ...changed };
    }
    if (present?.executable === known.executable && after === (await crypto.sha256(known.bytes))) return null;
    try {
      return { path, before: await blobs.put(known.bytes), ...changed, restorable: true, ...asProgram(known) };
    } catch (thrown) {
      return { ...unkept(path, wordsOf(thrown)), ...changed };
    }
  }

  /** Undefined when the file cannot be read or is too large, null when it does not exist: a restore then asks first. */
  async #readVersion(path: string, from: 'editor' | 'disk'): Promise<FileVersion | null | undefined> {
    try {
      const present = await this.#ports.files.read(path, this.#limits.lookBytes, from);
      if (present.kind === 'tooLarge') return undefined;
      return present.kind === 'none' ? null : present;
    } catch {
      return undefined;
    }
  }

  #forget(path: string): void {
    this.#knownBytes -= this.#known.get(path)?.bytes.length ?? 0;
    this.#known.delete(path);
  }

  #tooLarge(size: number): Words {
    return words('it has {0} bytes; files over {1} bytes are not kept', size, this.#limits.fileBytes);
  }
}

function unkept(path: string, reason: Words): FileImage {
  return { path, before: null, restorable: false, reason: inEnglish(reason), reasonWords: reason };
}

const MOST_TOLD = 10;

function changesOfMisnamed(before: FileScan, now: FileScan): readonly FileImage[] {
  const left = now.misnamed ?? new Map<string, string>();
  return [...(before.misnamed ?? [])]
    .filter(([path, stamp]) => left.get(path) !== stamp && (left.has(path) || now.complete))
    .map(([path]) => ({
      ...unkept(path, words('its name is not valid UTF-8')),
      ...(left.has(path) ? {} : { after: null }),
    }));
}

const asProgram = ({ executable }: FileVersion) => (executable ? { executable } : {});

const inNewFolder = (newFolder: string | null) => (newFolder === null ? {} : { newFolder });

/** The topmost folder of a path that is not in `folders`. */
function firstNew(path: string, folders: ReadonlySet<string>): string | null {
  for (let slash = path.indexOf('/'); slash > 0; slash = path.indexOf('/', slash + 1)) {
    const folder = path.slice(0, slash);
    if (!folders.has(folder)) return folder;
  }
  return null;
}

function isSame(a: FileStamp | undefined, b: FileStamp): boolean {
  return a !== undefined && a.size === b.size && a.mtimeMs === b.mtimeMs && a.ctimeMs === b.ctimeMs;
}

/** Processes many files a few at a time: one at a time is slow, and all at once fills the memory. */
const AT_ONCE = 8;

/** Results in the order of the items. Stops before the next batch when `shouldContinue` returns false. */
export async function inBatches<T, R>(
  items: readonly T[],
  act: (item: T) => Promise<R>,
  shouldContinue: () => boolean = () => true,
): Promise<R[]> {
  const results: R[] = [];
  for (let at = 0; at < items.length && shouldContinue(); at += AT_ONCE) {
    results.push(...(await Promise.all(items.slice(at, at + AT_ONCE).map(act))));
  }
  return results;
}

/** The settings of checkpoints: whether earlier contents of files are kept, how much, and how long. */
export const CHECKPOINTS = section('checkpoints', {
  enabled: setting(
    z.boolean(),
    true,
    'Keep the content of files before the agent changes them, and compare the folder before and after each command, so that a checkpoint can restore files. Your version control is not touched.',
    { scope: 'application' },
  ),
  quota: setting(
    count(0, 100_000),
    200,
    'Megabytes of earlier file contents to keep for the sessions of this workspace. The oldest go first, and each goes after `#palimpsest.checkpoints.days#`; a restore then says so. *Palimpsest: Care of Sessions…* shows how much is kept.',
    { scope: 'application' },
  ),
  days: setting(count(1, 3_650), 30, 'Days to keep earlier file contents.', { scope: 'application' }),
});

/** The port through which checkpoints see and restore the workspace's files; paths are workspace-relative, as shown. */
export interface FileStamp {
  /** In bytes. */
  readonly size: number;
  /** Modification time in milliseconds since the epoch. */
  readonly mtimeMs: number;
  /** Time of the last change of content or rights, which no program can set back. */
  readonly ctimeMs: number;
}

export interface FileVersion {
  readonly bytes: Uint8Array;
  readonly executable: boolean;
}

type FileContent =
  /** There is no file of this name; there may be a folder. */
  | { readonly kind: 'none' }
  | ({ readonly kind: 'held' } & FileVersion)
  | { readonly kind: 'tooLarge'; readonly size: number };

interface FileScan {
  readonly files: ReadonlyMap<string, FileStamp>;
  readonly folders: ReadonlySet<string>;
  /** Paths with a name that is not valid text, which nothing opens; each with a text that differs where it was changed. */
  readonly misnamed?: ReadonlyMap<string, string>;
  /** False when there were more files than are looked at, or a folder could not be read. */
  readonly complete: boolean;
}

interface SaveWatch {
  /** Files that a person saved in an editor since the watch began. */
  readonly saved: ReadonlySet<string>;
  end(): void;
}

/** Every call throws `ToolError` for paths outside the workspace. */
export interface CheckpointFiles {
  /** The canonical name of the file at a path. Links are followed, so two paths to one file have one name. */
  nameOf(path: string): Promise<string>;
  /**
   * `editor` reads the text of an unsaved editor for the file, `disk` does not. Throws `ToolError` when the file cannot
   * be read, or when the name has become a link to another file.
   */
  read(path: string, mostBytes: number, from: 'editor' | 'disk'): Promise<FileContent>;
  /**
   * Changes whenever `read` from the editor would give something else; null where that is not certain, as for an unsaved
   * text or a file that changed a moment ago.
   */
  stamp(path: string): Promise<string | null>;
  /** Those of the paths that version control is told to ignore; none where nobody knows. */
  ignored(paths: readonly string[]): Promise<ReadonlySet<string>>;
  /** The content as text for a person to look at; null when it is not text. */
  textOf(path: string, bytes: Uint8Array): Promise<string | null>;
  /** The topmost folder on the way to a file that does not exist yet; null when all do. */
  newFolderOf(path: string): Promise<string | null>;
  /** Creates parent folders and sets whether it is a program. It is never half written, nor written through a link. */
  write(path: string, file: FileVersion): Promise<void>;
  /** Does nothing when the file does not exist. Also removes the folders left empty, from `newFolder` down. */
  remove(path: string, newFolder: string | null): Promise<void>;
  /** Every file, except those of version control and of folders that tools can fetch or build again. */
  scan(limit: number): Promise<FileScan>;
  /**
   * The contents, of a length in bytes, of files that version control knows to be unchanged now. They are read only when
   * asked for, and null where there is none.
   */
  copies(): Promise<KeptCopies>;
  watchSaves(): SaveWatch;
}

type KeptCopies = (path: string, size: number) => Promise<FileVersion | null>;

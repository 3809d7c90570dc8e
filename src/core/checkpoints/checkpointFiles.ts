/** The port through which checkpoints see and restore the workspace's files; paths are workspace-relative, as shown. */

export interface FileStamp {
  /** In bytes. */
  readonly size: number;
  /** Modification time in milliseconds since the epoch. */
  readonly mtimeMs: number;
  /** Time of the last change of content or rights, which no program can set back. */
  readonly ctimeMs: number;
}

export interface HeldFile {
  readonly bytes: Uint8Array;
  readonly executable: boolean;
}

type FileContent =
  /** There is no file of this name; there may be a folder. */
  | { readonly kind: 'none' }
  | ({ readonly kind: 'held' } & HeldFile)
  | { readonly kind: 'tooLarge'; readonly size: number };

export interface FileScan {
  readonly files: ReadonlyMap<string, FileStamp>;
  readonly folders: ReadonlySet<string>;
  /** False when there were more files than are looked at, or a folder could not be read. */
  readonly complete: boolean;
}

export interface SaveWatch {
  /** Files that a person saved in an editor since the watch began. */
  readonly saved: ReadonlySet<string>;
  end(): void;
}

/** Every call refuses, with `ToolError`, what lies outside of the workspace. */
export interface CheckpointFiles {
  /** The one name of the file that a path leads to. Links are followed, so that two paths to a file are one file. */
  nameOf(path: string): Promise<string>;
  /**
   * `editor` takes the text of an unsaved editor for the file, `disk` does not. Throws `ToolError` for what cannot be
   * read, and for a name that is a link by now: what it leads to is another file.
   */
  read(path: string, mostBytes: number, from: 'editor' | 'disk'): Promise<FileContent>;
  /** The topmost folder on the way to a file that does not exist yet; null when all do. */
  newFolderOf(path: string): Promise<string | null>;
  /** Creates parent folders; a file is never half written, and never written through a link. */
  write(path: string, file: HeldFile): Promise<void>;
  /** No error when there is no such file. Folders it leaves empty go too, from `newFolder` down. */
  remove(path: string, newFolder: string | null): Promise<void>;
  /** Every file, except those of version control and of folders that tools can fetch or build again. */
  scan(limit: number): Promise<FileScan>;
  watchSaves(): SaveWatch;
}

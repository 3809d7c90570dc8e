/** The port through which checkpoints see and restore the workspace's files; paths are workspace-relative, as shown. */

export interface FileStamp {
  /** In bytes. */
  readonly size: number;
  /** Modification time in milliseconds since the epoch. */
  readonly mtimeMs: number;
}

export interface FileScan {
  readonly files: ReadonlyMap<string, FileStamp>;
  /** False when there were more files than are looked at. */
  readonly complete: boolean;
}

export interface CheckpointFiles {
  /** Null when there is no such file. Throws `ToolError` for a path outside of the workspace, or one that cannot be read. */
  read(path: string): Promise<Uint8Array | null>;
  /** Creates parent folders; a file is never half written. */
  write(path: string, bytes: Uint8Array): Promise<void>;
  /** No error when there is no such file. */
  remove(path: string): Promise<void>;
  /** Every file but those of version control and of folders that hold what tools can fetch or build again. */
  scan(limit: number): Promise<FileScan>;
}

/** The workspace's files. Invariant: every call throws `ToolError` for a path outside the open folders. */

export interface FileFacts {
  /** Workspace-relative, with forward slashes, as shown to a person. */
  readonly shown: string;
  /** The real path on disk, with links resolved. */
  readonly real: string;
  /** The shown path passes through a link. */
  readonly linked: boolean;
  readonly exists: boolean;
  readonly type: 'file' | 'folder' | 'other';
  readonly size: number;
  /** An open editor holds unsaved text. */
  readonly unsaved: boolean;
  /** A file that configures the agent, the editor or a tool chain: writing it always asks. */
  readonly guarded: boolean;
  /** Number of hard links, if several: writing changes the file under all of its names, so it always asks. */
  readonly names?: number;
  /** The requested file name, where the disk spells the same file differently. */
  readonly written?: string;
}

export interface SearchMatch {
  readonly path: string;
  /** From 1. */
  readonly line: number;
  readonly text: string;
  /** Where the first match begins in the text, in characters from 0; omitted at the beginning, or where it is unknown. */
  readonly at?: number;
}

export interface SearchResult {
  readonly matches: readonly SearchMatch[];
  /** There are more matches than requested. */
  readonly more: boolean;
  /** Why the search was incomplete, in sentences for the model. */
  readonly notes?: readonly string[];
}

export interface FoundFiles {
  /** Like `FileFacts.shown`, sorted. */
  readonly paths: readonly string[];
  /** Total number, including paths not in `paths`. */
  readonly total: number;
  /** Why the search was incomplete, in sentences for the model. */
  readonly notes?: readonly string[];
}

/** A path, and its target at the time of a person's consent. */
interface ConsentedPath {
  readonly path: string;
  readonly real: string;
}

/** How a file's text is encoded. */
export interface TextStyle {
  /** The editor's name for it, such as `utf8` or `shiftjis`. */
  readonly encoding: string;
  /** It begins with a byte order mark. */
  readonly bom: boolean;
  readonly lineEnd: '\n' | '\r\n' | '\r';
}

/**
 * The editor's knowledge of encodings other than Unicode. It substitutes characters that it cannot decode or encode.
 */
export interface EditorText {
  /** Encodings that the file may have, likeliest first; includes `utf8` unless settings name another. */
  likely(real: string, bytes: Uint8Array): Promise<readonly string[]>;
  decode(bytes: Uint8Array, encoding: string): Promise<string>;
  encode(text: string, encoding: string): Promise<Uint8Array>;
  /** The style for a new file. */
  styleOfNew(real: string): Promise<TextStyle>;
}

export interface OpenFolder {
  /** As in the editor, unique among open folders. */
  readonly name: string;
  /** Absolute. */
  readonly path: string;
}

/**
 * The door for paths that the product itself wrote down: like `FileFacts.shown`, each name as it is on disk. None is
 * refused for its letters, and none is looked for in another form. Never for what a model wrote.
 */
export type ExactFiles = Pick<Files, 'resolve' | 'read' | 'write'>;

export interface ListedEntry {
  readonly name: string;
  readonly type: 'file' | 'folder' | 'other';
  /** Its name on the disk is not valid text, so nothing is found under this one. */
  readonly misnamed?: true;
}

/** The workspace's files. Every call throws `ToolError` for paths outside the workspace folders. */
export interface Files {
  /** For checkpoints and reviews, which must know a file of any name. */
  readonly exact: ExactFiles;
  /** The first folder; null when no folder is open. */
  readonly root: string | null;
  /** Where several folders are open: all of them, in order. A shown path begins with a folder's name. */
  readonly folders?: readonly OpenFolder[];
  /** Omitted without an editor: all files are then Unicode. */
  readonly text?: EditorText | undefined;
  /** The shown path for the editor's absolute path; null outside the workspace folders. */
  shownOf(native: string): Promise<string | null>;
  resolve(path: string): Promise<FileFacts>;
  read(path: string): Promise<Uint8Array>;
  /**
   * Creates parent folders. Writes through a temporary file and a rename, so that a file is never half written. With
   * `real`, refuses when the path now leads elsewhere than at the time of consent.
   */
  write(path: string, bytes: Uint8Array, real?: string): Promise<void>;
  /** Deletes a file, unless the path now leads elsewhere than `real`. */
  remove(path: string, real: string): Promise<void>;
  /**
   * Moves a file to an unused path, unless one of the paths now leads elsewhere. On a disk that ignores case, both may
   * name the same file: it is then renamed.
   */
  move(from: ConsentedPath, to: ConsentedPath): Promise<void>;
  /**
   * The entries of a folder, by name, without the product's own. With `most`, only the first ones are looked at for that:
   * those behind them are there to be counted.
   */
  list(path: string, most?: number): Promise<readonly ListedEntry[]>;
  search(
    query: { readonly pattern: string; readonly regex: boolean; readonly path?: string; readonly glob?: string },
    limit: number,
    signal: AbortSignal,
  ): Promise<SearchResult>;
  /** Finds files by path, except those excluded by ignore files. */
  find(
    query: { readonly glob: string; readonly path?: string },
    limit: number,
    signal: AbortSignal,
  ): Promise<FoundFiles>;
}

/** Version control, to read only. Never runs anything that the repository configures. */

export interface ChangedFile {
  /** Relative to the workspace folder. */
  readonly path: string;
  /** The two letters of `git status`: staged and unstaged. */
  readonly state: string;
  /** A filter applies to it, such as that of LFS: filters are not run, so the diff omits this file. */
  readonly filtered?: true;
}

export interface WorkingChanges {
  /** The branch line of `git status`; null in no repository, above others. */
  readonly branch: string | null;
  readonly files: readonly ChangedFile[];
  /** Against the last commit, staged or not. */
  readonly diff: string;
  /** The diff is incomplete. */
  readonly cut: boolean;
  /** Submodules and other repositories in the folder. Their changes are among the others. */
  readonly nested?: readonly NestedRepository[];
}

/** With its branch line, or with the reason why git is not asked about it. */
export type NestedRepository =
  | { readonly path: string; readonly branch: string }
  | { readonly path: string; readonly fault: string };

/** Read-only version control. Never runs anything that the repository configures. */
export interface Git {
  /** Changes in a file or folder, by its real path. Throws `ToolError` with the reason. */
  changes(real: string, signal: AbortSignal): Promise<WorkingChanges>;
}

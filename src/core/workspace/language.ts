/** The knowledge that the editor's language extensions have of the workspace's code: problems, symbols, references. */

export interface CodePlace {
  /** Like `FileFacts.shown`. */
  readonly path: string;
  /** From 1. */
  readonly line: number;
  /** From 1, in UTF-16 code units. */
  readonly column: number;
}

export type Severity = 'error' | 'warning' | 'information';

export interface CodeProblem extends CodePlace {
  readonly severity: Severity;
  readonly message: string;
  /** The program that found it and its code, such as `ts 2304`; may be empty. */
  readonly source: string;
}

export interface CodeSymbol extends CodePlace {
  readonly name: string;
  /** Kind of symbol, in lower case, such as `method`. */
  readonly kind: string;
  /** The enclosing symbol; empty at the top. */
  readonly container: string;
  /** Last line of the declaration, from 1; omitted where unknown. */
  readonly lastLine?: number;
}

/** The findings in the workspace, and the number of findings outside of it. */
export interface CodeFindings<T> {
  readonly found: readonly T[];
  readonly outside: number;
}

/** The editor's language extensions. Paths are like `FileFacts.shown`. Throws `ToolError` on a timeout. */
export interface Language {
  /**
   * Problems in one file, or with null in all files that the extensions have analysed. `reported` is false if no
   * extension has reported on the file in time, not even that it has no problems.
   */
  problems(
    path: string | null,
    signal: AbortSignal,
  ): Promise<{ readonly problems: readonly CodeProblem[]; readonly reported: boolean }>;
  /**
   * Applies a change to a file, waits briefly until the extensions have analysed it again, and returns the problems
   * before and after. Null where no extension knows such files. Rethrows errors of the change.
   */
  problemsAround(
    path: string,
    change: () => Promise<void>,
    signal: AbortSignal,
  ): Promise<{ readonly before: readonly CodeProblem[]; readonly after: readonly CodeProblem[] } | null>;
  /** The symbols that a file declares, in file order. */
  symbolsIn(path: string, signal: AbortSignal): Promise<readonly CodeSymbol[]>;
  /** Symbols of the workspace by name, or part of a name. */
  symbolsNamed(query: string, signal: AbortSignal): Promise<CodeFindings<CodeSymbol>>;
  /** The uses of the symbol at this place, including its declaration. */
  references(place: CodePlace, signal: AbortSignal): Promise<CodeFindings<CodePlace>>;
}

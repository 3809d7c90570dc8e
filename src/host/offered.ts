/**
 * Parts of VS Code that older editors and forks lack. Invariant: every use of one goes through here, so that the
 * product starts without it.
 */

import type * as vscode from 'vscode';

/** The result of `read`; undefined where this editor lacks that part or refuses access. */
export function offered<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** An event of VS Code; one that never fires where this editor lacks it. */
export function eventOf<T>(read: () => vscode.Event<T>): vscode.Event<T> {
  return offered(read) ?? (() => ({ dispose: () => undefined }));
}

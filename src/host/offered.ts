/**
 * Parts of VS Code that some editors lack, older ones and forks. Invariant: each use of one goes through here, so that the
 * product starts without it.
 */

import type * as vscode from 'vscode';

/** What `read` gives; undefined where this editor has no such part, also where it refuses it. */
export function offered<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** An event of VS Code; one that never happens where this editor has none. */
export function eventOf<T>(read: () => vscode.Event<T>): vscode.Event<T> {
  return offered(read) ?? (() => ({ dispose: () => undefined }));
}

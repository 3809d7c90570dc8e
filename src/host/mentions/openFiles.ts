/** The files that a person works on: the active one, those used before it, and those open in other tabs. */

import * as vscode from 'vscode';
import { ToolError } from '../../core/errors.ts';
import type { Files } from '../../core/workspace/files.ts';

const MOST_REMEMBERED = 50;

export class OpenFiles {
  readonly #subscription: vscode.Disposable;
  /** Absolute paths, newest first. */
  #used: string[] = [];

  constructor() {
    this.#take(vscode.window.activeTextEditor);
    this.#subscription = vscode.window.onDidChangeActiveTextEditor((editor) => this.#take(editor));
  }

  /** In the workspace's form, newest first; without files outside of it. */
  async list(files: Files): Promise<readonly string[]> {
    const shown = await Promise.all([...new Set([...this.#used, ...inTabs()])].map((path) => pathIn(files, path)));
    return [...new Set(shown.filter((path) => path !== null))];
  }

  dispose(): void {
    this.#subscription.dispose();
  }

  #take(editor: vscode.TextEditor | undefined): void {
    if (editor?.document.uri.scheme !== 'file') return;
    const { fsPath } = editor.document.uri;
    this.#used = [fsPath, ...this.#used.filter((path) => path !== fsPath)].slice(0, MOST_REMEMBERED);
  }
}

/** `native` is the editor's path. Null when it is outside the workspace, does not exist, or is not a file or folder. */
export async function pathIn(files: Files, native: string): Promise<string | null> {
  try {
    const named = await files.shownOf(native);
    if (named === null) return null;
    const { shown, exists, type } = await files.resolve(named);
    return exists && type !== 'other' ? shown : null;
  } catch (thrown) {
    if (thrown instanceof ToolError) return null;
    throw thrown;
  }
}

function inTabs(): string[] {
  return vscode.window.tabGroups.all
    .flatMap(({ tabs }) => tabs)
    .flatMap(({ input }) =>
      input instanceof vscode.TabInputText && input.uri.scheme === 'file' ? [input.uri.fsPath] : [],
    );
}

/** Files that a person works on: the one in front, those used before it, and those open in other tabs. */

import * as vscode from 'vscode';
import { ToolError } from '../../core/errors.ts';
import type { Files } from '../../core/ports.ts';

const MOST_REMEMBERED = 50;

export class OpenFiles {
  readonly #subscription: vscode.Disposable;
  /** Absolute paths, newest first. */
  #used: string[] = [];

  constructor() {
    this.#take(vscode.window.activeTextEditor);
    this.#subscription = vscode.window.onDidChangeActiveTextEditor((editor) => this.#take(editor));
  }

  /** As the workspace names them, newest first; without what lies outside of it. */
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

/** Null for what lies outside of the workspace, is not there, or is no file or folder. */
export async function pathIn(files: Files, absolute: string): Promise<string | null> {
  try {
    const { shown, exists, type } = await files.resolve(absolute);
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

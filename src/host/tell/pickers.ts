/**
 * VS Code's pickers and file dialogs, after which the caret is where it was. VS Code itself gives the focus to an editor
 * after a picker that was opened from a webview, and what is typed next would be written into a file.
 */

import * as vscode from 'vscode';

/** Milliseconds to wait until the page has the focus: a page that is gone never says so. */
const LONGEST = 1_000;

interface Page {
  readonly name: string;
  /** Asks for the focus, which arrives later. */
  readonly focus: () => unknown;
}

/** Where the person types, as far as that is a page of the panel. While a picker is open the page has no focus. */
class Caret {
  #page: Page | null = null;
  #open = 0;
  #arrived: () => void = () => undefined;

  /** The page has got the focus. */
  entered(page: Page): void {
    this.#page = page;
    this.#arrived();
  }

  left(name: string): void {
    if (this.#page?.name === name && this.#open === 0) this.#page = null;
  }

  /**
   * Asks, and gives the focus back before the answer: a focus that arrives later would close the next picker. A person who
   * clicked into an editor instead of answering stays there.
   */
  async during<T>(ask: () => Thenable<T>): Promise<T> {
    const page = this.#page;
    if (!page) return ask();
    this.#open += 1;
    let elsewhere = false;
    const clicked = vscode.window.onDidChangeTextEditorSelection(({ kind }) => {
      elsewhere ||= kind === vscode.TextEditorSelectionChangeKind.Mouse;
    });
    try {
      const answer = await ask();
      if (this.#open > 1) return answer;
      if (elsewhere && (answer === undefined || answer === null)) this.#page = null;
      else await this.#goBack(page);
      return answer;
    } finally {
      this.#open -= 1;
      clicked.dispose();
    }
  }

  async #goBack({ focus }: Page): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const late = setTimeout(resolve, LONGEST);
    this.#arrived = resolve;
    void focus();
    await promise;
    clearTimeout(late);
  }
}

export const caret = new Caret();

export const showQuickPick = ((...given: Parameters<typeof vscode.window.showQuickPick>) =>
  caret.during(() => vscode.window.showQuickPick(...given))) as unknown as typeof vscode.window.showQuickPick;

export const showInputBox: typeof vscode.window.showInputBox = (...given) =>
  caret.during(() => vscode.window.showInputBox(...given));

export const showOpenDialog: typeof vscode.window.showOpenDialog = (...given) =>
  caret.during(() => vscode.window.showOpenDialog(...given));

export const showSaveDialog: typeof vscode.window.showSaveDialog = (...given) =>
  caret.during(() => vscode.window.showSaveDialog(...given));

/**
 * VS Code's pickers and file dialogs, after which the caret is where it was. VS Code itself gives the focus to an editor
 * after a picker that was opened from a webview, and what is typed next would be written into a file.
 */

import { setTimeout as delay } from 'node:timers/promises';
import * as vscode from 'vscode';

/** Milliseconds to wait until the page has the focus: a page that is gone never says so. */
const LONGEST = 1_000;

/** Milliseconds in which the workbench may still move the focus after a picker. */
const SETTLES = 60;
const MOST_TRIES = 3;

/** Milliseconds after which a page that lost the focus did not open what opens now: its title bar takes it first. */
const JUST_NOW = 500;

interface Page {
  readonly name: string;
  /** Asks for the focus, which arrives later. */
  readonly focus: () => unknown;
}

/** Where the person types, as far as that is a page of the panel. While a picker is open the page has no focus. */
class Caret {
  #page: Page | null = null;
  /** Since when the page has no focus; null while it has. */
  #lostAt: number | null = null;
  #open = 0;
  #arrived: () => void = () => undefined;

  /** The page has got the focus. */
  entered(page: Page): void {
    this.#page = page;
    this.#lostAt = null;
    this.#arrived();
  }

  left(name: string): void {
    if (this.#page?.name === name) this.#lostAt ??= performance.now();
  }

  /**
   * Asks, and gives the focus back before the answer: a focus that arrives later would close the next picker. A person who
   * clicked into an editor instead of answering stays there.
   */
  async during<T>(ask: () => Thenable<T>): Promise<T> {
    const page = this.#opener();
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

  /** The page from which a picker is opened now. */
  #opener(): Page | null {
    const isGone = this.#open === 0 && this.#lostAt !== null && performance.now() - this.#lostAt > JUST_NOW;
    return isGone ? null : this.#page;
  }

  /** The workbench gives the focus to an editor, and may do so again once the page has it. */
  async #goBack({ focus }: Page): Promise<void> {
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#arrived = resolve;
      void focus();
      if (this.#lostAt !== null) await Promise.race([promise, delay(LONGEST)]);
      await delay(SETTLES);
      if (this.#lostAt === null) return;
    }
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

/** An item without a value cannot be chosen (a heading, an unusable text). */
export interface Offer<T> extends vscode.QuickPickItem {
  readonly value?: T;
}

interface PickOrType<T> {
  readonly title: string;
  readonly placeholder: string;
  readonly offers: readonly Offer<T>[];
  /** The meaning of the typed text; null when it only filters. */
  readonly typed: (text: string) => Offer<T> | null;
}

/** A list to choose from, in which other values can be typed. Null when the person cancelled. */
export function pickOrType<T>({ title, placeholder, offers, typed }: PickOrType<T>): Promise<T | null> {
  const picker = vscode.window.createQuickPick<Offer<T>>();
  Object.assign(picker, { title, placeholder, ignoreFocusOut: true, matchOnDescription: true, items: offers });
  const ask = () =>
    new Promise<T | null>((resolve) => {
      picker.onDidChangeValue((text) => {
        const own = typed(text.trim());
        picker.items = own ? [{ ...own, alwaysShow: true }, ...offers] : offers;
      });
      picker.onDidAccept(() => {
        const chosen = picker.activeItems[0] ?? typed(picker.value.trim());
        if (chosen?.value === undefined) return;
        resolve(chosen.value);
        picker.hide();
      });
      picker.onDidHide(() => {
        resolve(null);
        picker.dispose();
      });
      picker.show();
    });
  return caret.during(ask);
}

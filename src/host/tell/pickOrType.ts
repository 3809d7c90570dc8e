/** A list to choose from, in which other values can be typed. */

import * as vscode from 'vscode';
import { caret } from './pickers.ts';

/** An item without a value cannot be chosen (a heading, an unusable text). */
export interface Offer<T> extends vscode.QuickPickItem {
  readonly value?: T;
}

export interface PickOrType<T> {
  readonly title: string;
  readonly placeholder: string;
  readonly offers: readonly Offer<T>[];
  /** The meaning of the typed text; null when it only filters. */
  readonly typed: (text: string) => Offer<T> | null;
}

/** Null when the person cancelled. */
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

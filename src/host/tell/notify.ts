/** VS Code's notifications, for all texts of the product. Each resolves to the chosen button, if any. */

import * as vscode from 'vscode';
import { isAbort, wordsOf } from '../../core/errors.ts';
import { say } from './say.ts';
import { withoutLinks } from './withoutLinks.ts';

export function showInformation(text: string, ...buttons: string[]): Thenable<string | undefined> {
  return vscode.window.showInformationMessage(withoutLinks(text), ...buttons);
}

export function showWarning(text: string, ...buttons: string[]): Thenable<string | undefined> {
  return vscode.window.showWarningMessage(withoutLinks(text), ...buttons);
}

export function showError(text: string, ...buttons: string[]): Thenable<string | undefined> {
  return vscode.window.showErrorMessage(withoutLinks(text), ...buttons);
}

/** In the middle of the window, so that a long `detail` is seen whole. Undefined when the person left. */
export function askInDialog(text: string, detail: string, ...buttons: string[]): Thenable<string | undefined> {
  return vscode.window.showWarningMessage(text, { modal: true, detail }, ...buttons);
}

/** Anything thrown, in the language of the editor where its author made that possible. Who cancelled is told nothing. */
export async function showFault(thrown: unknown): Promise<string | undefined> {
  if (isAbort(thrown)) return undefined;
  return showError(say(wordsOf(thrown)));
}

/** The editor's notifications, for every text of ours: each resolves to the button that was chosen, if any. */

import * as vscode from 'vscode';
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

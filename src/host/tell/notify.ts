/** VS Code's notifications, for all texts of the product. Each resolves to the chosen button, if any. */

import * as vscode from 'vscode';
import { isAbort, isSystemError, JournalError, type JournalErrorKind, ModelError, wordsOf } from '../../core/errors.ts';
import { tell, type Words } from '../../core/words.ts';

export function showInformation(text: string, ...buttons: string[]): Thenable<string | undefined> {
  return vscode.window.showInformationMessage(withoutLinks(text), ...buttons);
}

export function showWarning(text: string, ...buttons: string[]): Thenable<string | undefined> {
  return vscode.window.showWarningMessage(withoutLinks(text), ...buttons);
}

export function showError(text: string, ...buttons: string[]): Thenable<string | undefined> {
  return vscode.window.showErrorMessage(withoutLinks(text), ...buttons);
}

/** A modal dialog, so that a long `detail` is shown in full. Undefined when the person cancelled. */
export function askInDialog(text: string, detail: string, ...buttons: string[]): Thenable<string | undefined> {
  return vscode.window.showWarningMessage(text, { modal: true, detail }, ...buttons);
}

/**
 * Reports anything thrown, translated if possible, with a button that runs `again` where a retry may help. A
 * cancellation shows nothing.
 */
export async function showFault(thrown: unknown, again?: () => unknown): Promise<void> {
  if (isAbort(thrown)) return;
  const tryAgain = vscode.l10n.t('Try Again');
  const chosen = await showError(say(wordsOf(thrown)), ...(again && mayPass(thrown) ? [tryAgain] : []));
  if (chosen === tryAgain) await again?.();
}

/** True for faults of the environment, such as a network, a disk or another window, rather than of the request. */
function mayPass(thrown: unknown): boolean {
  if (thrown instanceof JournalError) return PASSING.has(thrown.kind);
  return thrown instanceof ModelError || isSystemError(thrown);
}

const PASSING: ReadonlySet<JournalErrorKind> = new Set([
  'io',
  'diskFull',
  'noPermission',
  'locked',
  'missing',
] as const);

/**
 * VS Code's notifications turn `[text](address)` into a link, and open `command:` addresses too. Texts may come from a
 * provider, a workspace's settings or a file name, so links are removed from them.
 */
export function withoutLinks(text: string): string {
  return text.replaceAll('](', '] (');
}

/** Translates texts of the core and the providers into the person's language. */
export function say(said: Words): string {
  return tell(said, vscode.l10n.t);
}

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

/** In the middle of the window, so that a long `detail` is seen whole. Undefined when the person left. */
export function askInDialog(text: string, detail: string, ...buttons: string[]): Thenable<string | undefined> {
  return vscode.window.showWarningMessage(text, { modal: true, detail }, ...buttons);
}

/**
 * Anything thrown, in the language of the editor where its author made that possible, with a button that runs `again`
 * where that may help. A cancellation shows nothing.
 */
export async function showFault(thrown: unknown, again?: () => unknown): Promise<void> {
  if (isAbort(thrown)) return;
  const tryAgain = vscode.l10n.t('Try Again');
  const chosen = await showError(say(wordsOf(thrown)), ...(again && mayPass(thrown) ? [tryAgain] : []));
  if (chosen === tryAgain) await again?.();
}

/** A fault of the world, such as a network, a disk or another window, and not of what was asked. */
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
 * provider, a workspace's settings or the name of a file, so links are taken out of them.
 */
export function withoutLinks(text: string): string {
  return text.replaceAll('](', '] (');
}

/** Says words of the core and the providers in the person's language. */
export function say(said: Words): string {
  return tell(said, vscode.l10n.t);
}

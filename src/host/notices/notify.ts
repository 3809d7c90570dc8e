/** VS Code's notifications, for all texts of the product, and the one with *Cancel* that slow work shows. */

import * as vscode from 'vscode';
import type { Timers } from '../../core/clock.ts';
import { isAbort, isSystemError, JournalError, type JournalErrorKind, ModelError, wordsOf } from '../../core/errors.ts';
import { showHidden, showInOneLine } from '../../core/tools/text/showHidden.ts';
import { inLanguage, type Words } from '../../core/words.ts';
import { systemTimers } from '../../providers/timers.ts';

/** Resolves to the chosen button, if any; so do the others. */
export function showInformation(text: string, ...buttons: string[]): Thenable<string | undefined> {
  return vscode.window.showInformationMessage(inNotification(text), ...buttons);
}

export function showWarning(text: string, ...buttons: string[]): Thenable<string | undefined> {
  return vscode.window.showWarningMessage(inNotification(text), ...buttons);
}

export function showError(text: string, ...buttons: string[]): Thenable<string | undefined> {
  return vscode.window.showErrorMessage(inNotification(text), ...buttons);
}

/**
 * A modal dialog, so that a long `detail` is shown in full. Undefined when the person cancelled. The text is one line; a name
 * by others within the detail has to be made one.
 */
export async function askInDialog(text: string, detail: string, ...buttons: string[]): Promise<string | undefined> {
  const shown = buttons.map((button) => showInOneLine(button));
  const chosen = await vscode.window.showWarningMessage(
    showInOneLine(text),
    { modal: true, detail: showHidden(detail) },
    ...shown,
  );
  return chosen === undefined ? undefined : buttons[shown.indexOf(chosen)];
}

/** On one line, where names within it can hide and reorder nothing. */
const inNotification = (text: string) => withoutLinks(showInOneLine(text.replace(/\s*\n\s*/g, ' ')));

/**
 * Asks in a modal dialog for a yes to what deletes, or holds for good. The dialog takes the focus from a person who may be
 * typing, and VS Code gives it to the first button: that one changes nothing, so no key under way says yes.
 */
export async function confirmInDialog(text: string, detail: string, yes: string): Promise<boolean> {
  return (await askInDialog(text, detail, vscode.l10n.t('Not now'), yes)) === yes;
}

/**
 * Reports anything thrown, translated if possible, with a button that runs `again` where a retry may help. A
 * cancellation shows nothing.
 */
export async function showFault(thrown: unknown, again?: () => unknown): Promise<void> {
  if (isAbort(thrown)) return;
  const tryAgain = vscode.l10n.t('Try Again');
  const chosen = await showError(inEditorLanguage(wordsOf(thrown)), ...(again && mayPass(thrown) ? [tryAgain] : []));
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
export function inEditorLanguage(notice: Words): string {
  return inLanguage(notice, vscode.l10n.t);
}

/** Longer waits need an explanation. */
const SLOW_MS = 1_000;

/** Used between two questions, where nothing else shows progress. */
export const SOON_MS = 300;

interface Cancelling {
  /** Milliseconds before the notification is shown. */
  readonly afterMs?: number;
  /** A result counts although the person cancelled: it is a part of the whole, or something that was made. */
  readonly keeps?: boolean;
}

/**
 * Shows a notification with *Cancel* while `act` is slow. Cancelling rejects with an abort, whatever `act` makes of its
 * signal, so that nothing that follows takes half an answer for a whole one.
 */
export function withCancel<T>(
  title: Words,
  act: (signal: AbortSignal) => Promise<T>,
  { afterMs = SLOW_MS, keeps = false }: Cancelling = {},
): Promise<T> {
  const place = {
    location: vscode.ProgressLocation.Notification,
    title: inNotification(inEditorLanguage(title)),
    cancellable: true,
  };
  return slowWork(act, {
    afterMs,
    keeps,
    timers: systemTimers,
    show: (cancel, ended) => {
      void vscode.window.withProgress(place, (_, token) => {
        token.onCancellationRequested(cancel);
        return ended;
      });
    },
  });
}

/** Shows progress until `ended` resolves, with a way to cancel. */
export type ShowProgress = (cancel: () => void, ended: Promise<unknown>) => void;

export async function slowWork<T>(
  act: (signal: AbortSignal) => Promise<T>,
  {
    show,
    timers,
    afterMs,
    keeps = false,
  }: Cancelling & { readonly show: ShowProgress; readonly timers: Timers; readonly afterMs: number },
): Promise<T> {
  const abort = new AbortController();
  const work = act(abort.signal);
  const ended = Promise.allSettled([work]);
  const stopWaiting = timers.after(afterMs, () => show(() => abort.abort(), ended));
  try {
    const result = await work;
    if (!keeps) abort.signal.throwIfAborted();
    return result;
  } finally {
    stopWaiting();
  }
}

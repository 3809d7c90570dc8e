/**
 * Makes language extensions analyse a file. Most of them analyse only files in tabs, so a file without a tab gets one
 * behind the active tab, without focus, until the work is done.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import * as vscode from 'vscode';

/** Milliseconds without another report after which the last one counts: syntax is reported before types. */
const SETTLED_MS = 400;

/** Calls `work` while extensions analyse the file: with true once one has reported, with false on a timeout. */
export async function whileShown<T>(
  { uri }: vscode.TextDocument,
  milliseconds: number,
  signal: AbortSignal,
  work: (reported: boolean) => Promise<T>,
): Promise<T> {
  if (tabOf(uri)) return work(true);
  const reports = watchReports(uri);
  let close: () => Promise<void> = async () => {};
  try {
    close = await openTab(uri);
    await reports.wait(milliseconds, signal);
    return await work(reports.some() || vscode.languages.getDiagnostics(uri).length > 0);
  } finally {
    reports.end();
    await close();
  }
}

interface Reports {
  /** Resolves when a report has come and no other one follows it, or on timeout. */
  wait(milliseconds: number, signal: AbortSignal): Promise<void>;
  some(): boolean;
  end(): void;
}

/** Follows extensions' reports on a file from now on; an empty report counts too. */
export function watchReports(uri: vscode.Uri): Reports {
  const { promise, resolve } = Promise.withResolvers<void>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const listening = vscode.languages.onDidChangeDiagnostics(({ uris }) => {
    if (!uris.some((changed) => changed.toString() === uri.toString())) return;
    clearTimeout(timer);
    timer = setTimeout(resolve, SETTLED_MS);
  });
  return {
    async wait(milliseconds, signal) {
      await untilAborted(promise, AbortSignal.any([signal, AbortSignal.timeout(milliseconds)]));
    },
    some: () => timer !== undefined,
    end() {
      clearTimeout(timer);
      listening.dispose();
    },
  };
}

/** Null for missing files, and for binary and very large ones, which the editor does not open. */
export async function openQuietly(uri: vscode.Uri): Promise<vscode.TextDocument | null> {
  try {
    return await vscode.workspace.openTextDocument(uri);
  } catch (thrown) {
    if (!(thrown instanceof Error)) throw thrown;
    return null;
  }
}

function tabOf(uri: vscode.Uri): vscode.Tab | undefined {
  return vscode.window.tabGroups.all
    .flatMap(({ tabs }) => tabs)
    .find(({ input }) => input instanceof vscode.TabInputText && input.uri.toString() === uri.toString());
}

/** Returns a function that closes the tab again, unless a person has switched to it. */
async function openTab(uri: vscode.Uri): Promise<() => Promise<void>> {
  try {
    await vscode.commands.executeCommand('vscode.open', uri, {
      background: true,
      preserveFocus: true,
      // A preview would replace another one.
      preview: false,
      override: 'default',
    });
  } catch (thrown) {
    // The file may be gone by now. The result is then whatever is known without a tab.
    if (!(thrown instanceof Error)) throw thrown;
  }
  return async () => {
    const tab = tabOf(uri);
    if (!tab || tab.isDirty) return;
    if (tab.isActive && tab.group.tabs.length > 1) return;
    await vscode.window.tabGroups.close(tab, true);
  };
}

/** Waits for an extension, until the signal is aborted. */
export async function untilAborted<T>(
  work: PromiseLike<T>,
  signal: AbortSignal,
): Promise<{ readonly value: T } | 'aborted'> {
  if (signal.aborted) return 'aborted';
  let stop = () => {};
  const aborted = new Promise<'aborted'>((resolve) => {
    stop = () => resolve('aborted');
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([Promise.resolve(work).then((value) => ({ value })), aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

// Lets the extensions of a language start before they are asked. VS Code asks only running ones, and a server behind
// one may need some seconds. The wait happens once for each language.

/** Milliseconds for extensions to list a file's symbols. */
const ANSWER_MS = 5_000;
const BETWEEN_MS = 100;

interface LanguageExtensions {
  /** Waits with a time limit. Resolves at once where no extension supports the language of the file. */
  start(document: vscode.TextDocument, milliseconds: number, signal: AbortSignal): Promise<void>;
  /** True when an extension finds symbols in the file, after this time to start. */
  know(document: vscode.TextDocument, milliseconds: number, signal: AbortSignal): Promise<boolean>;
}

export function openLanguageExtensions(): LanguageExtensions {
  /** How long each language was waited for; infinite once its extensions have answered. */
  const waited = new Map<string, number>();

  const start: LanguageExtensions['start'] = async (document, milliseconds, signal) => {
    const { languageId } = document;
    const before = waited.get(languageId) ?? 0;
    if (before >= milliseconds || !isAwaited(languageId)) return;
    const enough = AbortSignal.any([signal, AbortSignal.timeout(milliseconds - before)]);
    while (!enough.aborted) {
      if (await hasSymbols(document, enough)) {
        waited.set(languageId, Number.POSITIVE_INFINITY);
        return;
      }
      await untilAborted(sleep(BETWEEN_MS), enough);
    }
    if (!signal.aborted) waited.set(languageId, milliseconds);
  };

  return {
    start,
    async know(document, milliseconds, signal) {
      // Prose has outlines but no problems.
      if (document.languageId === 'markdown') return false;
      await start(document, milliseconds, signal);
      return hasSymbols(document, AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]));
    },
  };
}

/** An extension is activated by this language. */
function isAwaited(languageId: string): boolean {
  return vscode.extensions.all.some(({ packageJSON }) => {
    const events: unknown = packageJSON.activationEvents;
    return Array.isArray(events) && events.includes(`onLanguage:${languageId}`);
  });
}

async function hasSymbols({ uri }: vscode.TextDocument, signal: AbortSignal): Promise<boolean> {
  const symbols = vscode.commands.executeCommand<unknown[] | undefined>('vscode.executeDocumentSymbolProvider', uri);
  const answer = await untilAborted(symbols, signal);
  return answer !== 'aborted' && (answer.value?.length ?? 0) > 0;
}

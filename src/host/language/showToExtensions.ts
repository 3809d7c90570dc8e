/**
 * Makes language extensions analyse a file. Most of them analyse only files in tabs, so a file without a tab gets one
 * behind the active tab, without focus, until the work is done.
 */

import * as vscode from 'vscode';
import { orAborted } from '../../core/sleep.ts';

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
      await orAborted(promise, AbortSignal.any([signal, AbortSignal.timeout(milliseconds)]));
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

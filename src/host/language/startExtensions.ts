/**
 * Lets the extensions of a language start before they are asked. VS Code asks only those that have started, and a server
 * behind one may need some seconds. Of one language that is waited for once.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import * as vscode from 'vscode';
import { untilAborted } from './untilAborted.ts';

/** Milliseconds in which extensions start, and in which they say what a file declares. */
const START_MS = 8_000;
const BETWEEN_MS = 100;

export interface LanguageExtensions {
  /** Returns at once where no extension is for the language of the file. */
  start(document: vscode.TextDocument, signal: AbortSignal): Promise<void>;
  /** Whether an extension finds symbols in the file, after it has started. */
  know(document: vscode.TextDocument, signal: AbortSignal): Promise<boolean>;
}

export function openLanguageExtensions(): LanguageExtensions {
  const started = new Set<string>();

  async function start(document: vscode.TextDocument, signal: AbortSignal): Promise<void> {
    const { languageId } = document;
    if (started.has(languageId)) return;
    const enough = AbortSignal.any([signal, AbortSignal.timeout(START_MS)]);
    while (isAwaited(languageId) && !enough.aborted && !(await hasSymbols(document, enough))) {
      await untilAborted(sleep(BETWEEN_MS), enough);
    }
    if (!signal.aborted) started.add(languageId);
  }

  return {
    start,
    async know(document, signal) {
      // Outlines of prose come without problems.
      if (document.languageId === 'markdown') return false;
      await start(document, signal);
      return hasSymbols(document, AbortSignal.any([signal, AbortSignal.timeout(START_MS)]));
    },
  };
}

/** An extension asks to be started for this language. */
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

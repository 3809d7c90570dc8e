/**
 * Lets the extensions of a language start before they are asked. VS Code asks only running ones, and a server behind
 * one may need some seconds. The wait happens once for each language.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import * as vscode from 'vscode';
import { orAborted } from '../../core/sleep.ts';

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
      await orAborted(sleep(BETWEEN_MS), enough);
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
  const answer = await orAborted(symbols, signal);
  return answer !== 'aborted' && (answer.value?.length ?? 0) > 0;
}

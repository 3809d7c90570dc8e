/**
 * VS Code's language features as tools see them. What an extension answers is not trusted: every wait ends after a time,
 * numbers and texts are checked by the tools, and files outside of the workspace folders are counted, not named.
 */

import * as vscode from 'vscode';
import { ToolError } from '../../core/errors.ts';
import type { CodeFindings, CodePlace, CodeProblem, CodeSymbol, Language } from '../../core/ports.ts';
import type { NamedFolder } from '../files/nameFolders.ts';
import { type LocateFile, locateFiles } from './locateFiles.ts';

/** Milliseconds an extension has to answer. */
const ANSWER_MS = 30_000;
/** Milliseconds that problems of a file that was not open may take to come. Without problems nothing comes. */
const PROBLEMS_MS = 3_000;
/** Milliseconds that problems of a changed file may take to come, and to stay the same. */
const CHANGED_MS = 3_000;
const SETTLED_MS = 400;
/** Deeper symbols are left out. */
const MOST_NESTING = 50;

const SEVERITIES: ReadonlyMap<vscode.DiagnosticSeverity, CodeProblem['severity']> = new Map([
  [vscode.DiagnosticSeverity.Error, 'error'],
  [vscode.DiagnosticSeverity.Warning, 'warning'],
  [vscode.DiagnosticSeverity.Information, 'information'],
]);

export function openLanguage(folders: readonly NamedFolder[]): Language {
  const locate = locateFiles(folders);
  return {
    async problems(path, signal) {
      if (path === null) return vscode.languages.getDiagnostics().flatMap(([uri, all]) => toProblems(uri, all, locate));
      const uri = uriOf(path, locate);
      await letLook(uri, signal);
      return toProblems(uri, vscode.languages.getDiagnostics(uri), locate);
    },

    async problemsAround(path, change, signal) {
      const uri = uriOf(path, locate);
      const known = () => toProblems(uri, vscode.languages.getDiagnostics(uri), locate);
      // A new file is opened only after it was made.
      const existed = await isUnderstood(uri, signal);
      if (existed) await letLook(uri, signal);
      const before = known();
      const changed = watchProblems(uri);
      try {
        await change();
        if (!existed && !(await isUnderstood(uri, signal))) return null;
        await untilAborted(changed.settled, AbortSignal.any([signal, AbortSignal.timeout(CHANGED_MS)]));
        return { before, after: known() };
      } finally {
        changed.end();
      }
    },

    async symbolsIn(path, signal) {
      const uri = uriOf(path, locate);
      const answer = await ask<DocumentAnswer>('vscode.executeDocumentSymbolProvider', [uri], signal);
      return (answer ?? []).flatMap((symbol) =>
        // The editor gives its own symbols a location too.
        'children' in symbol ? fromDocument(symbol, path, '', 0) : [fromInformation(symbol, path)],
      );
    },

    async symbolsNamed(query, signal) {
      const name = 'vscode.executeWorkspaceSymbolProvider';
      const answer = await ask<vscode.SymbolInformation[]>(name, [query], signal);
      return split(answer ?? [], ({ location }) => locate.shownOf(fileOf(location.uri)), fromInformation);
    },

    async references({ path, line, column }, signal) {
      const at = new vscode.Position(line - 1, column - 1);
      const uri = uriOf(path, locate);
      const answer = await ask<vscode.Location[]>('vscode.executeReferenceProvider', [uri, at], signal);
      return split(answer ?? [], (location) => locate.shownOf(fileOf(location.uri)), toPlace);
    },
  };
}

type DocumentAnswer = (vscode.DocumentSymbol | vscode.SymbolInformation)[];

function uriOf(path: string, locate: LocateFile): vscode.Uri {
  return vscode.Uri.file(locate.absoluteOf(path));
}

/** Null for what is no file on disk. */
function fileOf(uri: vscode.Uri): string | null {
  return uri.scheme === 'file' ? uri.fsPath : null;
}

function split<A, B>(
  all: readonly A[],
  shownOf: (one: A) => string | null,
  make: (one: A, path: string) => B,
): CodeFindings<B> {
  const found = all.flatMap((one) => {
    const path = shownOf(one);
    return path === null ? [] : [make(one, path)];
  });
  return { found, outside: all.length - found.length };
}

async function ask<T>(command: string, args: readonly unknown[], signal: AbortSignal): Promise<T | undefined> {
  const late = AbortSignal.timeout(ANSWER_MS);
  const answer = await untilAborted(
    vscode.commands.executeCommand<T>(command, ...args),
    AbortSignal.any([signal, late]),
  );
  signal.throwIfAborted();
  if (answer === 'aborted') {
    throw new ToolError(`The editor's language extensions did not answer within ${ANSWER_MS / 1000} s.`);
  }
  return answer.value;
}

/** Opens the file for language extensions, without an editor, and waits a little for what they find. */
async function letLook(uri: vscode.Uri, signal: AbortSignal): Promise<void> {
  const isOpen = vscode.workspace.textDocuments.some((document) => document.uri.toString() === uri.toString());
  if (isOpen) return;
  const enough = AbortSignal.any([signal, AbortSignal.timeout(PROBLEMS_MS)]);
  let listening: vscode.Disposable | undefined;
  const looked = new Promise<void>((resolve) => {
    listening = vscode.languages.onDidChangeDiagnostics(({ uris }) => {
      if (uris.some((changed) => changed.toString() === uri.toString())) resolve();
    });
  });
  try {
    await untilAborted(
      Promise.resolve(vscode.workspace.openTextDocument(uri)).then(() => looked),
      enough,
    );
  } catch (thrown) {
    // The editor opens no binary or very large files, so nobody knows problems of them.
    if (!(thrown instanceof Error)) throw thrown;
  } finally {
    listening?.dispose();
  }
  signal.throwIfAborted();
}

/** Whether an extension knows the language of the file well enough to find symbols in it: others report no problems. */
async function isUnderstood(uri: vscode.Uri, signal: AbortSignal): Promise<boolean> {
  const enough = AbortSignal.any([signal, AbortSignal.timeout(CHANGED_MS)]);
  try {
    const document = await vscode.workspace.openTextDocument(uri);
    // Outlines of prose come without problems.
    if (document.languageId === 'markdown') return false;
    const symbols = vscode.commands.executeCommand<unknown[] | undefined>('vscode.executeDocumentSymbolProvider', uri);
    const answer = await untilAborted(symbols, enough);
    return answer !== 'aborted' && answer.value !== undefined;
  } catch (thrown) {
    // There is no such file yet, or the editor opens no binary or very large ones.
    if (!(thrown instanceof Error)) throw thrown;
    return false;
  }
}

/** Resolves when the problems of a file have come and stay the same for a moment. */
function watchProblems(uri: vscode.Uri): { readonly settled: Promise<void>; end(): void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const listening = vscode.languages.onDidChangeDiagnostics(({ uris }) => {
    if (!uris.some((changed) => changed.toString() === uri.toString())) return;
    clearTimeout(timer);
    timer = setTimeout(resolve, SETTLED_MS);
  });
  return {
    settled: promise,
    end() {
      clearTimeout(timer);
      listening.dispose();
    },
  };
}

async function untilAborted<T>(work: PromiseLike<T>, signal: AbortSignal): Promise<{ readonly value: T } | 'aborted'> {
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

/** Hints are left out: editors draw them as suggestions. */
function toProblems(uri: vscode.Uri, all: readonly vscode.Diagnostic[], locate: LocateFile): CodeProblem[] {
  const path = locate.shownOf(fileOf(uri));
  if (path === null) return [];
  return all.flatMap(({ severity, message, source, code, range }) => {
    const named = SEVERITIES.get(severity);
    if (!named) return [];
    const number = typeof code === 'object' ? code.value : code;
    return [{ ...placeOf(path, range), severity: named, message, source: [source, number].filter(Boolean).join(' ') }];
  });
}

function fromInformation({ name, kind, containerName, location }: vscode.SymbolInformation, path: string): CodeSymbol {
  return { ...placeOf(path, location.range), name, kind: nameKind(kind), container: containerName };
}

function fromDocument(symbol: vscode.DocumentSymbol, path: string, container: string, depth: number): CodeSymbol[] {
  const { name, kind, selectionRange, children } = symbol;
  const own = { ...placeOf(path, selectionRange), name, kind: nameKind(kind), container };
  if (depth >= MOST_NESTING) return [own];
  return [own, ...children.flatMap((child) => fromDocument(child, path, name, depth + 1))];
}

function toPlace({ range }: vscode.Location, path: string): CodePlace {
  return placeOf(path, range);
}

function placeOf(path: string, { start }: vscode.Range): CodePlace {
  return { path, line: start.line + 1, column: start.character + 1 };
}

/** `TypeParameter` becomes `type parameter`. */
function nameKind(kind: vscode.SymbolKind): string {
  return (vscode.SymbolKind[kind] ?? 'symbol').replace(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();
}

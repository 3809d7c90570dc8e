/**
 * VS Code's language features for tools. Extensions' answers are not trusted: every wait is limited, the tools validate
 * numbers and texts, and files outside the workspace folders are counted, not named.
 */

import * as vscode from 'vscode';
import { ToolError } from '../../core/errors.ts';
import { orAborted } from '../../core/sleep.ts';
import type { CodeFindings, CodePlace, CodeProblem, CodeSymbol, Language } from '../../core/workspace/language.ts';
import { type LocateFile, locateFiles } from '../../node/files/locateFiles.ts';
import type { NamedFolder } from '../../node/files/nameFolders.ts';
import { openQuietly, watchReports, whileShown } from './showToExtensions.ts';
import { openLanguageExtensions } from './startExtensions.ts';

/** Time limit for an extension's answer, in milliseconds. */
const ANSWER_MS = 30_000;

/** Milliseconds for a language's extensions to start. An edit waits less than a question about code. */
const START_MS = 8_000;
const EDIT_START_MS = 2_000;

/** Milliseconds for reports on a file to arrive, when only the report was requested. */
const REPORT_MS = 3_000;

/** The same before a change. Some extensions report nothing on a file without problems. */
const BASELINE_MS = 1_500;

/** Milliseconds for reports on a changed file to arrive. Without problems before and after, none may come. */
const CHANGED_MS = 2_000;

/** Deeper symbols are omitted. */
const MOST_NESTING = 50;

export function openLanguage(folders: readonly NamedFolder[]): Language {
  const locate = locateFiles(folders);
  const extensions = openLanguageExtensions();
  /** The file for running extensions; null where the editor opens none. */
  const open = async (uri: vscode.Uri, signal: AbortSignal) => {
    const document = await openQuietly(uri);
    if (document) await extensions.start(document, START_MS, signal);
    return document;
  };
  return {
    async problems(path, signal) {
      if (path === null) {
        const all = vscode.languages.getDiagnostics();
        return { problems: all.flatMap(([uri, each]) => toProblems(uri, each, locate)), reported: true };
      }
      const uri = uriOf(path, locate);
      const document = await open(uri, signal);
      if (!document) return { problems: problemsOf(uri, locate), reported: false };
      return whileShown(document, REPORT_MS, signal, async (reported) => {
        signal.throwIfAborted();
        return { problems: problemsOf(uri, locate), reported };
      });
    },

    async problemsAround(path, change, signal) {
      const uri = uriOf(path, locate);
      const old = await openQuietly(uri);
      if (old && (await extensions.know(old, EDIT_START_MS, signal))) {
        return whileShown(old, BASELINE_MS, signal, async () => {
          const before = problemsOf(uri, locate);
          const reports = watchReports(uri);
          try {
            await change();
            await reports.wait(CHANGED_MS, signal);
            return { before, after: problemsOf(uri, locate) };
          } finally {
            reports.end();
          }
        });
      }
      await change();
      // Without the problems from before, new ones cannot be identified.
      const made = old ? null : await openQuietly(uri);
      if (!made || !(await extensions.know(made, EDIT_START_MS, signal))) return null;
      return whileShown(made, CHANGED_MS, signal, async () => ({ before: [], after: problemsOf(uri, locate) }));
    },

    async symbolsIn(path, signal) {
      const uri = uriOf(path, locate);
      await open(uri, signal);
      const answer = await ask<DocumentAnswer>('vscode.executeDocumentSymbolProvider', [uri], signal);
      return (answer ?? []).flatMap((symbol) =>
        // The editor adds a location to its own symbols too.
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
      await open(uri, signal);
      const answer = await ask<vscode.Location[]>('vscode.executeReferenceProvider', [uri, at], signal);
      return split(
        answer ?? [],
        (location) => locate.shownOf(fileOf(location.uri)),
        ({ range }, path) => placeOf(path, range),
      );
    },
  };
}

type DocumentAnswer = (vscode.DocumentSymbol | vscode.SymbolInformation)[];

function uriOf(path: string, locate: LocateFile): vscode.Uri {
  return vscode.Uri.file(locate.absoluteOf(path));
}

/** Null unless it is a file on disk. */
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
  const answer = await orAborted(vscode.commands.executeCommand<T>(command, ...args), AbortSignal.any([signal, late]));
  signal.throwIfAborted();
  if (answer === 'aborted') {
    throw new ToolError(`The editor's language extensions did not answer within ${ANSWER_MS / 1000} s.`);
  }
  return answer.value;
}

function problemsOf(uri: vscode.Uri, locate: LocateFile): CodeProblem[] {
  return toProblems(uri, vscode.languages.getDiagnostics(uri), locate);
}

/** Hints are omitted: editors show them as suggestions. */
function toProblems(uri: vscode.Uri, all: readonly vscode.Diagnostic[], locate: LocateFile): CodeProblem[] {
  const path = locate.shownOf(fileOf(uri));
  if (path === null) return [];
  return all.flatMap(({ severity, message, source, code, range }) => {
    const named = severityOf(severity);
    if (!named) return [];
    const number = typeof code === 'object' ? code.value : code;
    return [{ ...placeOf(path, range), severity: named, message, source: [source, number].filter(Boolean).join(' ') }];
  });
}

function fromInformation({ name, kind, containerName, location }: vscode.SymbolInformation, path: string): CodeSymbol {
  const { range } = location;
  // Some extensions report only the range of the name.
  const lastLine = range.isSingleLine ? {} : { lastLine: range.end.line + 1 };
  return { ...placeOf(path, range), name, kind: nameKind(kind), container: containerName, ...lastLine };
}

function fromDocument(symbol: vscode.DocumentSymbol, path: string, container: string, depth: number): CodeSymbol[] {
  const { name, kind, range, selectionRange, children } = symbol;
  const lastLine = range.end.line + 1;
  const own = { ...placeOf(path, selectionRange), name, kind: nameKind(kind), container, lastLine };
  if (depth >= MOST_NESTING) return [own];
  return [own, ...children.flatMap((child) => fromDocument(child, path, name, depth + 1))];
}

function placeOf(path: string, { start }: vscode.Range): CodePlace {
  return { path, line: start.line + 1, column: start.character + 1 };
}

/** `TypeParameter` becomes `type parameter`. */
function nameKind(kind: vscode.SymbolKind): string {
  return (vscode.SymbolKind[kind] ?? 'symbol').replace(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();
}

/** Undefined for a hint. */
function severityOf(severity: vscode.DiagnosticSeverity): CodeProblem['severity'] | undefined {
  switch (severity) {
    case vscode.DiagnosticSeverity.Error:
      return 'error';
    case vscode.DiagnosticSeverity.Warning:
      return 'warning';
    case vscode.DiagnosticSeverity.Information:
      return 'information';
    default:
      return undefined;
  }
}

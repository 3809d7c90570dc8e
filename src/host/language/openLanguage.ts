/**
 * VS Code's language features as tools see them. What an extension answers is not trusted: every wait ends after a time,
 * numbers and texts are checked by the tools, and files outside of the workspace folders are counted, not named.
 */

import { join, relative, sep } from 'node:path';
import * as vscode from 'vscode';
import { ToolError } from '../../core/errors.ts';
import type { CodeFindings, CodePlace, CodeProblem, CodeSymbol, Language } from '../../core/ports.ts';
import { isInside, type NamedFolder } from '../files/pathGuard.ts';
import { openLanguageExtensions, openQuietly, untilAborted, watchReports, whileShown } from './showToExtensions.ts';

/** Milliseconds an extension has to answer. */
const ANSWER_MS = 30_000;

/** Milliseconds in which the extensions of a language may start. An edit waits less than a question about code. */
const START_MS = 8_000;
const EDIT_START_MS = 2_000;

/** Milliseconds that reports on a file may take to come, where that is all that was asked. */
const REPORT_MS = 3_000;

/** The same before a change. Of a file without problems some extensions report nothing. */
const BASELINE_MS = 1_500;

/** Milliseconds that reports on a changed file may take to come. Where nothing was wrong and nothing is, none may come. */
const CHANGED_MS = 2_000;

/** Deeper symbols are left out. */
const MOST_NESTING = 50;

export function openLanguage(folders: readonly NamedFolder[]): Language {
  const locate = locateFiles(folders);
  const extensions = openLanguageExtensions();
  /** The file for extensions that have started; null where the editor opens none. */
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
      // Of what was there and not known, nobody can say what is new.
      const made = old ? null : await openQuietly(uri);
      if (!made || !(await extensions.know(made, EDIT_START_MS, signal))) return null;
      return whileShown(made, CHANGED_MS, signal, async () => ({ before: [], after: problemsOf(uri, locate) }));
    },

    async symbolsIn(path, signal) {
      const uri = uriOf(path, locate);
      await open(uri, signal);
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
      await open(uri, signal);
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

function problemsOf(uri: vscode.Uri, locate: LocateFile): CodeProblem[] {
  return toProblems(uri, vscode.languages.getDiagnostics(uri), locate);
}

/** Hints are left out: editors draw them as suggestions. */
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
  // Some extensions give the place of the name alone.
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

/** Paths as tools show them and absolute ones, each made of the other. Whether a tool may read a path is not decided here. */
interface LocateFile {
  /** Of a path as `FileFacts.shown`. */
  absoluteOf(shown: string): string;
  /** Null outside of the workspace folders. */
  shownOf(absolute: string | null): string | null;
}

/** With several folders a shown path begins with the name of its folder. */
export function locateFiles(folders: readonly NamedFolder[]): LocateFile {
  const [first, ...others] = folders;
  return {
    absoluteOf(shown) {
      if (!first) throw new ToolError('No folder is open. Ask the user to open one.');
      if (others.length === 0) return join(first.path, shown);
      const [head = '', ...rest] = shown.split('/');
      const folder = folders.find(({ name }) => name === head);
      if (!folder) throw new ToolError(`No workspace folder is named "${head}".`);
      return join(folder.path, ...rest);
    },

    shownOf(absolute) {
      if (absolute === null) return null;
      // The innermost: a folder of the workspace may lie in another one.
      const inside = folders.filter(({ path }) => isInside(absolute, path));
      const folder = inside.sort((a, b) => b.path.length - a.path.length)[0];
      if (!folder) return null;
      const way = relative(folder.path, absolute).split(sep).join('/');
      return others.length === 0 ? way : `${folder.name}/${way}`;
    },
  };
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

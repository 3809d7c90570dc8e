/**
 * Searches workspace folders with ripgrep. Links are never followed: ripgrep only locates matches, and each line is
 * read here from the file at its checked path, like any file that is read.
 */

import { dirname } from 'node:path';
import { ToolError } from '../../core/errors.ts';
import { decodeFile } from '../../core/tools/text/decodeText.ts';
import type { EditorText, SearchMatch, SearchResult } from '../../core/workspace/files.ts';
import { readChecked } from './checkedFiles.ts';
import type { DeniedFolders } from './deniedFolders.ts';
import { hasCode } from './fileErrors.ts';
import type { SearchStart, Seen } from './runRipgrep.ts';
import { type FoundLine, type SearchQuery, searchWithRipgrep } from './searchWithRipgrep.ts';

export interface SearchOptions<Query> {
  readonly starts: readonly SearchStart[];
  readonly query: Query;
  readonly limit: number;
  readonly signal: AbortSignal;
  readonly ripgrep: string | null;
  readonly denied: DeniedFolders;
  readonly searchMs: number;
  readonly text?: EditorText | undefined;
}

export async function searchFiles(options: SearchOptions<SearchQuery>): Promise<SearchResult> {
  const { starts, query, limit, signal, ripgrep, denied, searchMs, text } = options;
  if (ripgrep === null) throw noRipgrep();
  const deadline = AbortSignal.timeout(searchMs);
  const found: SearchMatch[] = [];
  const lines = new CheckedLines(text);
  const seen: Seen = { unread: false };
  const end = (more: boolean, late: boolean): SearchResult => {
    const notes = [
      ...(late ? [`The search was ended after ${searchMs / 1000} s; narrow it with path or glob.`] : []),
      ...(seen.unread ? ['Some files or folders could not be read.'] : []),
      ...(seen.tooLong ? ['Matches in lines that are too long were left out.'] : []),
      ...(lines.leftOut > 0 ? [`${lines.leftOut} matches were left out: their files changed meanwhile.`] : []),
    ];
    return { matches: inOrder(found.slice(0, limit)), more, ...(notes.length > 0 ? { notes } : {}) };
  };
  try {
    for (const start of starts) {
      // Leaving the loop ends the search.
      for await (const match of searchWithRipgrep(ripgrep, start, query, AbortSignal.any([signal, deadline]), seen)) {
        if ((await denied.holdsFolder(dirname(match.real))) || (await denied.isLinked(match.real))) continue;
        const { path } = match;
        found.push(...(await lines.take(match, start.encoding)).map(({ line, text }) => ({ path, line, text })));
        if (found.length > limit) return end(true, false);
      }
    }
  } catch (thrown) {
    if (signal.aborted || !deadline.aborted || thrown instanceof ToolError) throw thrown;
    return end(false, true);
  }
  signal.throwIfAborted();
  return end(false, false);
}

export function noRipgrep(): ToolError {
  return new ToolError(
    'Files cannot be searched: ripgrep, which comes with VS Code, was not found there or in PATH. Ask the user to install ripgrep or to repair VS Code. Files can still be listed and read.',
  );
}

interface Line {
  readonly line: number;
  readonly text: string;
}

/** A file as ripgrep read it, and as tools read it, which may know its encoding better. */
interface ReadLines {
  readonly searched: readonly string[];
  readonly shown: readonly string[];
  /** It has no LF, so ripgrep treats it as a single line. */
  readonly onlyCr: boolean;
}

const NO_LINES: ReadLines = { searched: [], shown: [], onlyCr: false };

/** Looks up lines in files. All matches of one file come together, so only the newest file is cached. */
class CheckedLines {
  /** Number of matches that were not found in the file. */
  leftOut = 0;
  readonly #editor: EditorText | undefined;
  #real = '';
  #lines: ReadLines = NO_LINES;

  constructor(editor: EditorText | undefined) {
    this.#editor = editor;
  }

  /** The lines of the match as tools show them; empty when the file at this real path does not contain it. */
  async take({ real, path, line, text, starts }: FoundLine, encoding: string | null): Promise<readonly Line[]> {
    if (real !== this.#real) {
      this.#lines = await readLines(real, path, encoding, this.#editor);
      this.#real = real;
    }
    const { searched, shown, onlyCr } = this.#lines;
    if (searched[line - 1] !== text) {
      this.leftOut++;
      return [];
    }
    if (!onlyCr) return [{ line, text: shown[line - 1] ?? text }];
    const numbers = new Set(starts.map((at) => Buffer.from(text).subarray(0, at).toString().split('\r').length));
    return [...numbers].map((number) => ({ line: number, text: shown[number - 1] ?? '' }));
  }
}

/** Empty when the file is gone, inaccessible, or not the one found. */
async function readLines(
  real: string,
  path: string,
  encoding: string | null,
  editor: EditorText | undefined,
): Promise<ReadLines> {
  try {
    const bytes = await readChecked(real, path);
    const searched = splitLines(new TextDecoder(markOf(bytes) ?? encoding ?? 'utf-8').decode(bytes));
    const decoded = await decodeFile(real, bytes, editor);
    if (decoded.kind === 'binary') return { searched, shown: searched, onlyCr: false };
    return { searched, shown: splitLines(decoded.text), onlyCr: decoded.lineEnd === '\r' };
  } catch (thrown) {
    if (thrown instanceof ToolError || hasCode(thrown, 'ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES', 'EPERM'))
      return NO_LINES;
    throw thrown;
  }
}

function splitLines(text: string): readonly string[] {
  return text.split('\n').map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
}

/** The encoding that a byte order mark indicates to ripgrep. */
function markOf([first, second, third]: Uint8Array): 'utf-16le' | 'utf-16be' | 'utf-8' | null {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  return first === 0xef && second === 0xbb && third === 0xbf ? 'utf-8' : null;
}

/** Several threads report in any order, but the model should see the same text for the same files. */
function inOrder(matches: readonly SearchMatch[]): SearchMatch[] {
  return matches.toSorted((a, b) => (a.path === b.path ? a.line - b.line : a.path < b.path ? -1 : 1));
}

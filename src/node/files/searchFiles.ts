/**
 * Searches workspace folders with ripgrep. Links are never followed: ripgrep only locates matches, and each line is
 * read here from the file at its checked path, like any file that is read.
 */

import { dirname, join } from 'node:path';
import { ToolError } from '../../core/errors.ts';
import { decodeFile } from '../../core/tools/text/decodeText.ts';
import { showPath } from '../../core/tools/text/showHidden.ts';
import type { EditorText, SearchMatch, SearchResult } from '../../core/workspace/files.ts';
import { readChecked } from './checkedFiles.ts';
import type { DeniedFolders } from './deniedFolders.ts';
import { hasCode } from './fileErrors.ts';
import { findIgnored, listed } from './ignoredFiles.ts';
import { isMisnamed } from './misnamed.ts';
import type { SearchStart, Seen } from './runRipgrep.ts';
import { type FoundLine, MOST_BYTES, type SearchQuery, searchWithRipgrep } from './searchWithRipgrep.ts';
import { listFiles, shownPath, VisibleFiles } from './visibleFiles.ts';

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

/** Names in a sentence about files that were left out. */
const MOST_NAMED = 3;

export async function searchFiles(options: SearchOptions<SearchQuery>): Promise<SearchResult> {
  const { starts, query, signal, ripgrep, searchMs } = options;
  if (ripgrep === null) throw noRipgrep();
  const deadline = AbortSignal.timeout(searchMs);
  const until = AbortSignal.any([signal, deadline]);
  const found: SearchMatch[] = [];
  const notes: string[] = [];
  try {
    if (await searchAll(starts, ripgrep, options, until, found, notes)) return endOf(options, found, notes, true);
    if (found.length === 0 && query.path !== undefined) {
      const ignored = await findIgnored(starts, ripgrep, query.glob, options.denied, until);
      notes.push(...ignored.notes);
      if (await searchAll(ignored.starts, ripgrep, options, until, found, notes)) {
        return endOf(options, found, notes, true);
      }
    }
  } catch (thrown) {
    if (signal.aborted || !deadline.aborted || thrown instanceof ToolError) throw thrown;
    notes.unshift(`The search was ended after ${searchMs / 1000} s; narrow it with path or glob.`);
  }
  signal.throwIfAborted();
  return endOf(options, found, notes, false);
}

function endOf(
  { limit }: SearchOptions<SearchQuery>,
  found: readonly SearchMatch[],
  notes: readonly string[],
  more: boolean,
): SearchResult {
  return { matches: inOrder(found.slice(0, limit)), more, ...(notes.length > 0 ? { notes } : {}) };
}

/** Adds what is found, and what was not looked at. True when more is found than asked for. */
async function searchAll(
  starts: readonly SearchStart[],
  ripgrep: string,
  { query, limit, denied, text }: SearchOptions<SearchQuery>,
  until: AbortSignal,
  found: SearchMatch[],
  notes: string[],
): Promise<boolean> {
  const lines = new CheckedLines(text);
  const seen: Seen = { unread: false };
  const misnamed = new Set<string>();
  try {
    for (const start of starts) {
      seen.searched = 0;
      // Leaving the loop ends the search.
      for await (const match of searchWithRipgrep(ripgrep, start, query, until, seen)) {
        if ((await denied.holdsFolder(dirname(match.real))) || (await denied.isLinked(match.real))) continue;
        const { path } = match;
        if (await isMisnamed(match.real)) {
          misnamed.add(path);
          continue;
        }
        found.push(...(await lines.take(match, start.encoding)).map((line) => ({ path, ...line })));
        if (found.length > limit) return true;
      }
      const large = await findLarge(ripgrep, start, query.glob, denied, until, seen.searched);
      if (large.length > 0) notes.push(`Not searched, as they are over 10 MB: ${nameSome(large)}.`);
    }
    return false;
  } finally {
    if (seen.unread) notes.push('Some files or folders could not be read.');
    if (seen.tooLong) notes.push('Matches in lines that are too long were left out.');
    if (lines.leftOut > 0) notes.push(`${lines.leftOut} matches were left out: their files changed meanwhile.`);
    if (misnamed.size > 0) {
      notes.push(
        `Matches in files whose names are not valid UTF-8 are not shown, as no tool can open them: ${nameSome(misnamed)}.`,
      );
    }
    if (lines.behindNul.size > 0) {
      notes.push(
        `Matches behind a NUL character, which text has none of, are not shown: ${nameSome(lines.behindNul)}.`,
      );
    }
  }
}

function nameSome(paths: Iterable<string>): string {
  const all = [...paths].sort();
  const named = all.slice(0, MOST_NAMED).map(showPath).join(', ');
  return all.length > MOST_NAMED ? `${named} and ${all.length - MOST_NAMED} more` : named;
}

/** Shown paths of files that are larger than those searched. */
async function findLarge(
  ripgrep: string,
  start: SearchStart,
  glob: string | undefined,
  denied: DeniedFolders,
  until: AbortSignal,
  searched: number,
): Promise<readonly string[]> {
  const list = (more: readonly string[]) => listed(listFiles(ripgrep, start, glob, until, { unread: false }, more));
  const all = await list([]);
  if (all.size <= searched) return [];
  const small = await list([MOST_BYTES]);
  const visible = new VisibleFiles(ripgrep, start, until);
  const large: string[] = [];
  for (const path of all) {
    if (small.has(path) || (glob !== undefined && !(await visible.has(path)))) continue;
    if (!(await denied.holdsFolder(dirname(join(start.root, path))))) large.push(shownPath(start, path));
  }
  return large;
}

export function noRipgrep(): ToolError {
  return new ToolError(
    'Files cannot be searched: ripgrep, which comes with VS Code, was not found there or in PATH. Ask the user to install ripgrep or to repair VS Code. Files can still be listed and read.',
  );
}

interface Line {
  readonly line: number;
  readonly text: string;
  readonly at?: number;
}

/** A file as ripgrep read it, and as tools read it, which may know its encoding better. */
interface ReadLines {
  readonly searched: readonly string[];
  readonly shown: readonly string[];
  /** It has no LF, so ripgrep treats it as a single line. */
  readonly onlyCr: boolean;
  /** Number of the line that the first NUL ends; null without one. */
  readonly nul: number | null;
}

const NO_LINES: ReadLines = { searched: [], shown: [], onlyCr: false, nul: null };

/** Looks up lines in files. All matches of one file come together, so only the newest file is cached. */
class CheckedLines {
  /** Number of matches that were not found in the file. */
  leftOut = 0;
  /** Shown paths of files with matches behind their first NUL. */
  readonly behindNul = new Set<string>();
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
    const { searched, shown, onlyCr, nul } = this.#lines;
    if (nul !== null && line > nul) {
      this.behindNul.add(path);
      return [];
    }
    // In a large file, ripgrep may take a NUL for a part of its line.
    const [upToNul = ''] = text.split('\0');
    if (upToNul !== text && (starts[0] ?? 0) >= Buffer.byteLength(upToNul)) {
      this.behindNul.add(path);
      return [];
    }
    if (searched[line - 1] !== upToNul) {
      this.leftOut++;
      return [];
    }
    const bytes = Buffer.from(text);
    const before = (start: number) => bytes.subarray(0, start).toString();
    if (!onlyCr) return [{ line, text: shown[line - 1] ?? text, ...hitAt(before(starts[0] ?? 0).length) }];
    const hits = new Map<number, number>();
    for (const start of starts) {
      const passed = before(start).split('\r');
      if (!hits.has(passed.length)) hits.set(passed.length, passed.at(-1)?.length ?? 0);
    }
    return [...hits].map(([number, at]) => ({ line: number, text: shown[number - 1] ?? '', ...hitAt(at) }));
  }
}

const hitAt = (at: number) => (at > 0 ? { at } : {});

/** Empty when the file is gone, inaccessible, or not the one found. */
async function readLines(
  real: string,
  path: string,
  encoding: string | null,
  editor: EditorText | undefined,
): Promise<ReadLines> {
  try {
    const bytes = await readChecked(real, path);
    const whole = new TextDecoder(markOf(bytes) ?? encoding ?? 'utf-8').decode(bytes);
    const decoded = await decodeFile(real, bytes, editor);
    if (decoded.kind === 'binary') {
      // ripgrep takes a NUL for the end of a line.
      const searched = splitLines(whole.replaceAll('\0', '\n'));
      const nul = whole.indexOf('\0');
      return { searched, shown: searched, onlyCr: false, nul: nul < 0 ? null : splitLines(whole.slice(0, nul)).length };
    }
    const searched = splitLines(whole);
    return { searched, shown: splitLines(decoded.text), onlyCr: decoded.lineEnd === '\r', nul: null };
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

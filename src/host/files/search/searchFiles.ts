/**
 * Searches workspace folders with ripgrep. Links are never followed: ripgrep only says where to look, and each line is
 * taken from the file as it is opened here, by its checked path, like any file that is read.
 */

import { ToolError } from '../../../core/errors.ts';
import type { SearchMatch, SearchResult } from '../../../core/ports.ts';
import { hasCode } from '../fileErrors.ts';
import { isDenied } from '../pathGuard.ts';
import { readChecked } from '../readChecked.ts';
import type { SearchStart } from './runRipgrep.ts';
import { type FoundLine, type SearchQuery, searchWithRipgrep } from './searchWithRipgrep.ts';

export interface SearchOptions<Query> {
  readonly starts: readonly SearchStart[];
  readonly query: Query;
  readonly limit: number;
  readonly signal: AbortSignal;
  readonly ripgrep: string | null;
  readonly denied: readonly string[];
  readonly searchMs: number;
}

export async function searchFiles(options: SearchOptions<SearchQuery>): Promise<SearchResult> {
  const { starts, query, limit, signal, ripgrep, denied, searchMs } = options;
  if (ripgrep === null) throw noRipgrep();
  const deadline = AbortSignal.timeout(searchMs);
  const found: SearchMatch[] = [];
  const lines = new CheckedLines();
  const seen = { unread: false };
  const end = (more: boolean, late: boolean): SearchResult => {
    const notes = [
      ...(late ? [`The search was ended after ${searchMs / 1000} s; narrow it with path or glob.`] : []),
      ...(seen.unread ? ['Some files or folders could not be read.'] : []),
      ...(lines.leftOut > 0 ? [`${lines.leftOut} matches were left out: their files changed meanwhile.`] : []),
    ];
    return { matches: inOrder(found.slice(0, limit)), more, ...(notes.length > 0 ? { notes } : {}) };
  };
  try {
    for (const start of starts) {
      // Leaving the loop ends the search.
      for await (const match of searchWithRipgrep(ripgrep, start, query, AbortSignal.any([signal, deadline]), seen)) {
        if (isDenied(match.real, denied) || !(await lines.hold(match))) continue;
        found.push({ path: match.path, line: match.line, text: match.text });
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

/** Looks up lines in files. All matches of one file come together, so only the newest file is kept. */
class CheckedLines {
  /** Matches that were not found where they should be. */
  leftOut = 0;
  #real = '';
  #lines: readonly string[] = [];

  /** True when the file at this real path holds the line. */
  async hold({ real, path, line, text }: FoundLine): Promise<boolean> {
    if (real !== this.#real) {
      this.#lines = await readLines(real, path);
      this.#real = real;
    }
    const held = this.#lines[line - 1] === text;
    if (!held) this.leftOut++;
    return held;
  }
}

/** None when the file is gone, closed to us, or not the one that was found. */
async function readLines(real: string, shown: string): Promise<readonly string[]> {
  try {
    const bytes = await readChecked(real, shown);
    const text = new TextDecoder(encodingOf(bytes)).decode(bytes);
    return text.split('\n').map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
  } catch (thrown) {
    if (thrown instanceof ToolError || hasCode(thrown, 'ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES', 'EPERM')) return [];
    throw thrown;
  }
}

/** As ripgrep decides it, by the byte order mark. */
function encodingOf([first, second]: Uint8Array): 'utf-16le' | 'utf-16be' | 'utf-8' {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
}

/** Several threads report in any order, but the model should see the same text for the same files. */
function inOrder(matches: readonly SearchMatch[]): SearchMatch[] {
  return matches.toSorted((a, b) => (a.path === b.path ? a.line - b.line : a.path < b.path ? -1 : 1));
}

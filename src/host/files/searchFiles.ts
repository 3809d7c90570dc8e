/** Searches workspace folders with ripgrep, or without it where there is none. Links are never followed. */

import { ToolError } from '../../core/errors.ts';
import type { Files, SearchMatch } from '../../core/ports.ts';
import { isInside } from './pathGuard.ts';
import { searchByWalk } from './searchByWalk.ts';
import { searchWithRipgrep } from './searchWithRipgrep.ts';

export interface SearchStart {
  /** Real path of the workspace folder. */
  readonly root: string;
  /** Real path of the file or folder to search, inside of the root. */
  readonly target: string;
  /** Goes before each path that is shown. */
  readonly prefix: string;
}

export interface FoundLine extends SearchMatch {
  readonly real: string;
}

export type SearchQuery = Parameters<Files['search']>[0];

interface SearchOptions {
  readonly starts: readonly SearchStart[];
  readonly query: SearchQuery;
  readonly limit: number;
  readonly signal: AbortSignal;
  readonly ripgrep: string | null;
  readonly denied: readonly string[];
}

export async function searchFiles({ starts, query, limit, signal, ripgrep, denied }: SearchOptions) {
  if (ripgrep === null && query.regex) {
    // A pattern that backtracks for ever would stop the whole extension host; ripgrep's engine cannot.
    throw new ToolError('Regular expressions need ripgrep, which was not found. Search for plain text instead.');
  }
  const search = (start: SearchStart) =>
    ripgrep === null ? searchByWalk(start, query, signal) : searchWithRipgrep(ripgrep, start, query, signal);
  const found: SearchMatch[] = [];
  for (const start of starts) {
    // Leaving the loop ends the search behind it.
    for await (const { real, ...match } of search(start)) {
      if (denied.some((folder) => isInside(real, folder))) continue;
      found.push(match);
      if (found.length > limit) return { matches: inOrder(found.slice(0, limit)), more: true };
    }
  }
  signal.throwIfAborted();
  return { matches: inOrder(found), more: false };
}

/** Several threads find in any order; the model should see the same text for the same files. */
function inOrder(matches: readonly SearchMatch[]): SearchMatch[] {
  return matches.toSorted((a, b) => (a.path === b.path ? a.line - b.line : a.path < b.path ? -1 : 1));
}

/** Searches workspace folders with ripgrep. Links are never followed. */

import { ToolError } from '../../core/errors.ts';
import type { SearchMatch } from '../../core/ports.ts';
import { isDenied } from './pathGuard.ts';
import { type SearchQuery, type SearchStart, searchWithRipgrep } from './searchWithRipgrep.ts';

interface SearchOptions {
  readonly starts: readonly SearchStart[];
  readonly query: SearchQuery;
  readonly limit: number;
  readonly signal: AbortSignal;
  readonly ripgrep: string | null;
  readonly denied: readonly string[];
}

export async function searchFiles({ starts, query, limit, signal, ripgrep, denied }: SearchOptions) {
  if (ripgrep === null) {
    throw new ToolError(
      'Files cannot be searched: ripgrep, which comes with VS Code, was not found there or in PATH. Ask the user to install ripgrep or to repair VS Code. Files can still be listed and read.',
    );
  }
  const found: SearchMatch[] = [];
  for (const start of starts) {
    // Leaving the loop ends the search.
    for await (const { real, ...match } of searchWithRipgrep(ripgrep, start, query, signal)) {
      if (isDenied(real, denied)) continue;
      found.push(match);
      if (found.length > limit) return { matches: inOrder(found.slice(0, limit)), more: true };
    }
  }
  signal.throwIfAborted();
  return { matches: inOrder(found), more: false };
}

/** Several threads report in any order, but the model should see the same text for the same files. */
function inOrder(matches: readonly SearchMatch[]): SearchMatch[] {
  return matches.toSorted((a, b) => (a.path === b.path ? a.line - b.line : a.path < b.path ? -1 : 1));
}

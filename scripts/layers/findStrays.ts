/**
 * Finds files of `src/host` that reach no `vscode`, neither themselves nor through what they import, types included: they
 * run without VS Code, so that their place is `src/node`. Pure.
 */

import { listImports, type SourceText } from './listImports.ts';

const HOST = 'src/host/';

/** Their paths, in the order of `sources`. */
export function findStrays(sources: readonly SourceText[]): string[] {
  const imports = new Map(sources.map((source) => [source.path, listImports(source)]));
  const importers = new Map<string, string[]>();
  for (const [path, found] of imports) {
    for (const { target } of found)
      if (target !== null) importers.set(target, [...(importers.get(target) ?? []), path]);
  }
  const reached = new Set<string>();
  const waiting = [...imports].flatMap(([path, found]) =>
    found.some(({ specifier }) => specifier === 'vscode') ? [path] : [],
  );
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (reached.has(path)) continue;
    reached.add(path);
    waiting.push(...(importers.get(path) ?? []));
  }
  return [...imports.keys()].filter((path) => path.startsWith(HOST) && !reached.has(path));
}

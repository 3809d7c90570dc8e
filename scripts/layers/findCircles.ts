/**
 * Finds files that import each other, directly or through others; a type counts like a value, because a circle over types
 * shows that one lies beside its first user instead of its owner. Pure. Each circle is a strongly connected component of
 * the graph (Tarjan 1972), its files sorted by path.
 */

import { listImports, type SourceText } from './listImports.ts';

export function findCircles(sources: readonly SourceText[]): string[][] {
  const paths = new Set(sources.map(({ path }) => path));
  const imports = new Map(
    sources.map((source) => [
      source.path,
      listImports(source).flatMap(({ target }) => (target !== null && paths.has(target) ? [target] : [])),
    ]),
  );
  const order = new Map<string, number>();
  const stack: string[] = [];
  const circles: string[][] = [];
  const visit = (path: string): number => {
    const index = order.size;
    order.set(path, index);
    stack.push(path);
    let lowest = index;
    for (const target of imports.get(path) ?? []) {
      if (!order.has(target)) lowest = Math.min(lowest, visit(target));
      else if (stack.includes(target)) lowest = Math.min(lowest, order.get(target) ?? index);
    }
    if (lowest === index) {
      const circle = stack.splice(stack.indexOf(path));
      if (circle.length > 1) circles.push(circle.sort());
    }
    return lowest;
  };
  for (const path of paths) if (!order.has(path)) visit(path);
  return circles;
}

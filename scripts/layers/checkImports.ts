/** Finds imports that break the layer table. Pure: takes paths and texts, returns findings in file order. */

import { posix } from 'node:path';
import { type Import, listImports, type SourceText } from './listImports.ts';
import { LAYERS, type Layer } from './rules.ts';

export interface Finding {
  readonly path: string;
  /** From 1. */
  readonly line: number;
  readonly reason: string;
}

export function checkImports(sources: readonly SourceText[]): Finding[] {
  return sources.flatMap((source) => {
    const { path } = source;
    const layer = layerOf(path);
    if (layer === undefined) return [{ path, line: 1, reason: 'lies in no layer of scripts/layers/rules.ts' }];
    return listImports(source).flatMap((found) => {
      const reason = refusalOf(layer, found);
      return reason === null ? [] : [{ path, line: found.line, reason }];
    });
  });
}

function layerOf(path: string): Layer | undefined {
  return LAYERS.find(({ places }) => places.some((place) => holds(place, path)));
}

function holds(place: string, path: string): boolean {
  if (place.endsWith('/*')) return posix.dirname(path) === place.slice(0, -2);
  return place.endsWith('/') ? path.startsWith(place) : path === place;
}

/** Why `layer` may not have this import; null when it may. */
function refusalOf(layer: Layer, { specifier, target }: Import): string | null {
  if (target === null) {
    const name = specifier.startsWith('node:') ? 'node:*' : packageOf(specifier);
    return layer.packages.includes(name) ? null : `${layer.name} may not import the package ${name}`;
  }
  if (layerOf(target) === layer || layer.imports.some((place) => holds(place, target))) return null;
  return `${layer.name} may not import ${target}`;
}

function packageOf(specifier: string): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}

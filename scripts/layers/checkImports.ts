/** Finds imports that break the layer table. Pure: takes paths and texts, returns findings in file order. */

import { posix } from 'node:path';
import ts from 'typescript';
import { LAYERS, type Layer } from './rules.ts';

export interface SourceText {
  /** Relative to the repository, with `/`. */
  readonly path: string;
  readonly text: string;
}

export interface Finding {
  readonly path: string;
  /** From 1. */
  readonly line: number;
  readonly imported: string;
  readonly reason: string;
}

interface Import {
  readonly specifier: string;
  readonly line: number;
  readonly typeOnly: boolean;
}

export function checkImports(sources: readonly SourceText[]): Finding[] {
  return sources.flatMap(({ path, text }) => {
    const layer = layerOf(path);
    if (layer === undefined)
      return [{ path, line: 1, imported: '', reason: 'lies in no layer of scripts/layers/rules.ts' }];
    return listImports(path, text).flatMap((found) => {
      const reason = refusalOf(layer, path, found);
      return reason === null ? [] : [{ path, line: found.line, imported: found.specifier, reason }];
    });
  });
}

function layerOf(path: string): Layer | undefined {
  return LAYERS.find(({ place }) => holds(place, path));
}

function holds(place: string, path: string): boolean {
  return place.endsWith('/') ? path.startsWith(place) : path === place;
}

/** Why `layer` may not have this import; null when it may. */
function refusalOf(layer: Layer, path: string, { specifier, typeOnly }: Import): string | null {
  if (!specifier.startsWith('.')) {
    const name = specifier.startsWith('node:') ? 'node:*' : packageOf(specifier);
    return layer.packages.includes(name) ? null : `${layer.place} may not import the package ${name}`;
  }
  const target = posix.normalize(posix.join(posix.dirname(path), specifier));
  if (holds(layer.place, target) || layer.imports.some((place) => holds(place, target))) return null;
  if (!layer.typesOf?.some((place) => holds(place, target))) return `${layer.place} may not import ${target}`;
  return typeOnly ? null : `${layer.place} may import types only from ${target}`;
}

function packageOf(specifier: string): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}

function listImports(path: string, text: string): Import[] {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest);
  const found: Import[] = [];
  const add = (literal: ts.Node | undefined, typeOnly: boolean): void => {
    if (literal === undefined || !ts.isStringLiteralLike(literal)) return;
    const line = file.getLineAndCharacterOfPosition(literal.getStart(file)).line + 1;
    found.push({ specifier: literal.text, line, typeOnly });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node))
      add(node.moduleSpecifier, node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword);
    else if (ts.isExportDeclaration(node)) add(node.moduleSpecifier, node.isTypeOnly);
    else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) add(node.argument.literal, true);
    else if (ts.isCallExpression(node) && isModuleCall(node.expression)) add(node.arguments[0], false);
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

function isModuleCall(callee: ts.Expression): boolean {
  return callee.kind === ts.SyntaxKind.ImportKeyword || (ts.isIdentifier(callee) && callee.text === 'require');
}

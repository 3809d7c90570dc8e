/** Lists what a file imports, in any form: `import`, `export from`, an import type, `import()` or `require()`. Pure. */

import { posix } from 'node:path';
import ts from 'typescript';

export interface SourceText {
  /** Relative to the repository, with `/`. */
  readonly path: string;
  readonly text: string;
}

export interface Import {
  readonly specifier: string;
  /** The imported file, relative to the repository; null for a package. */
  readonly target: string | null;
  /** From 1. */
  readonly line: number;
  /** Nothing of it is left when the types are gone. */
  readonly typeOnly: boolean;
}

export function listImports({ path, text }: SourceText): Import[] {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest);
  const found: Import[] = [];
  const add = (literal: ts.Node | undefined, typeOnly = false): void => {
    if (literal === undefined || !ts.isStringLiteralLike(literal)) return;
    const specifier = literal.text;
    const target = specifier.startsWith('.') ? posix.normalize(posix.join(posix.dirname(path), specifier)) : null;
    const line = file.getLineAndCharacterOfPosition(literal.getStart(file)).line + 1;
    found.push({ specifier, target, line, typeOnly });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) add(node.moduleSpecifier, node.importClause?.isTypeOnly ?? false);
    else if (ts.isExportDeclaration(node)) add(node.moduleSpecifier, node.isTypeOnly);
    else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) add(node.argument.literal, true);
    else if (ts.isCallExpression(node) && isModuleCall(node.expression)) add(node.arguments[0]);
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

function isModuleCall(callee: ts.Expression): boolean {
  return callee.kind === ts.SyntaxKind.ImportKeyword || (ts.isIdentifier(callee) && callee.text === 'require');
}

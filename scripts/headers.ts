/**
 * Part of `npm run lint`: doc comments that do not fit what follows them. A file opens with a comment of its own; any other
 * doc comment stands directly above what it describes, alone, and speaks of it: a comment that says what something does
 * belongs above what can do something.
 */

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { ROOT } from './paths.ts';

/** How comments about functions, and about whole files, begin; no type or constant does any of it. */
const DEEDS =
  /^(Adds|Answers|Appends|Applies|Asks|Builds|Chooses|Collects|Compares|Computes|Converts|Counts|Creates|Cuts|Decides|Describes|Draws|Ends|Escapes|Fills|Finds|Follows|Formats|Hides|Lists|Loads|Looks|Makes|Measures|Merges|Moves|Opens|Parses|Prevents|Reads|Recognises|Removes|Renders|Replaces|Resolves|Returns|Runs|Scans|Searches|Sends|Shortens|Shows|Splits|Starts|Stops|Tells|Turns|Waits|Writes)\b/;

const NOTHING_BELOW = 'describes nothing below it: a second story, which wants a file of its own';

export interface Misplaced {
  /** From 1. */
  readonly line: number;
  readonly reason: string;
}

export function findMisplaced(path: string, text: string): Misplaced[] {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const found: Misplaced[] = [];
  const report = (position: number, reason: string): void => {
    found.push({ line: file.getLineAndCharacterOfPosition(position).line + 1, reason });
  };
  const header = docsBefore(text, 0)[0];
  if (!header || !isDetached(text, header))
    report(0, 'the file has no comment of its own, with an empty line after it');
  const visit = (node: ts.Node): void => {
    const docs = docsBefore(text, node.getFullStart()).filter(({ pos }) => pos !== header?.pos);
    if (node.getStart() > node.getFullStart() || docs.length > 0) judge(node, docs);
    ts.forEachChild(node, visit);
  };
  // Line comments between empty lines at the top level are headers, too.
  for (const { index } of text.matchAll(/(?<=\n\r?\n)\/\/.*\r?\n(?:\/\/.*\r?\n)*(?=\r?\n)/g))
    if (file.statements.some((node) => node.getFullStart() <= index && index < node.getStart()))
      report(index, NOTHING_BELOW);
  const judged = new Set<number>();
  const judge = (node: ts.Node, docs: readonly ts.CommentRange[]): void => {
    for (const [index, doc] of docs.entries()) {
      if (judged.has(doc.pos)) continue;
      judged.add(doc.pos);
      if (isDetached(text, doc)) report(doc.pos, NOTHING_BELOW);
      else if (index < docs.length - 1) report(doc.pos, 'another comment stands between it and what it describes');
      else if (isLifeless(node) && DEEDS.test(wordsOf(text, doc)))
        report(doc.pos, 'says what something does, above what does nothing');
    }
  };
  ts.forEachChild(file, visit);
  return found;
}

function docsBefore(text: string, position: number): ts.CommentRange[] {
  const all = ts.getLeadingCommentRanges(text, position) ?? [];
  return all.filter(({ pos }) => text.startsWith('/**', pos));
}

function isDetached(text: string, { end }: ts.CommentRange): boolean {
  return /^[ \t]*\r?\n[ \t]*\r?\n/.test(text.slice(end));
}

function wordsOf(text: string, { pos, end }: ts.CommentRange): string {
  return text
    .slice(pos + 3, end - 2)
    .replaceAll(/[\s*]+/g, ' ')
    .trim();
}

/** It does nothing: a type without methods, or a constant, which the house style writes in capitals. */
function isLifeless(node: ts.Node): boolean {
  if (ts.isInterfaceDeclaration(node)) return !node.members.some(isCallable);
  if (ts.isTypeAliasDeclaration(node)) return !ts.isFunctionTypeNode(node.type);
  if (!ts.isVariableStatement(node)) return false;
  return node.declarationList.declarations.every(({ name }) => /^[A-Z][A-Z0-9_]*$/.test(name.getText()));
}

function isCallable(member: ts.TypeElement): boolean {
  return (
    ts.isMethodSignature(member) ||
    (ts.isPropertySignature(member) && !!member.type && ts.isFunctionTypeNode(member.type))
  );
}

if (import.meta.main) {
  const found = globSync(['src/**/*.ts', 'webview/**/*.ts'], { cwd: ROOT })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => !path.endsWith('.d.ts'))
    .sort()
    .flatMap((path) =>
      findMisplaced(path, readFileSync(join(ROOT, path), 'utf8')).map(
        ({ line, reason }) => `${path}:${line}: ${reason}`,
      ),
    );
  for (const finding of found) console.error(finding);
  if (found.length > 0) process.exit(1);
}

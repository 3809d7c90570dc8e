/**
 * Finds the tests that carry tags: `{ tags: ['K5'] }` in Vitest, `{ tag: '@K5' }` in Playwright, `@K5` in a title of Mocha,
 * which has no tags. Those of a `describe` count for it as a whole. An example of a source document names its rows itself.
 */

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { ROOT } from '../paths.ts';

export interface TaggedTest {
  /** Relative to the repository. */
  readonly file: string;
  readonly name: string;
  /** Without the `@`. */
  readonly tags: readonly string[];
}

/** Its tests are the examples, and take their tags from them. */
const EXAMPLES = 'test/unit/examples.test.ts';

export function findTests(): readonly TaggedTest[] {
  const files = globSync('test/**/*.{test,e2e}.ts', { cwd: ROOT, exclude: [EXAMPLES] }).map((path) =>
    path.replaceAll('\\', '/'),
  );
  return [...files.sort().flatMap((file) => testsIn(file, read(file))), ...listExamples()];
}

export function testsIn(file: string, text: string): TaggedTest[] {
  const found: TaggedTest[] = [];
  if (!/\btags?: | @\w/.test(text)) return found;
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && /^(?:it|test|describe)\b(?!\.step)/.test(node.expression.getText(source))) {
      const [title, options] = node.arguments;
      const name = title?.getText(source).slice(1, -1) ?? '';
      const tags = file.startsWith('test/vscode/') ? (name.match(/(?<= @)\w+/g) ?? []) : tagsInOptions(options, source);
      if (tags.length > 0) found.push({ file, name, tags });
    }
    ts.forEachChild(node, visit);
  };
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest);
  visit(source);
  return found;
}

function tagsInOptions(options: ts.Node | undefined, source: ts.SourceFile): string[] {
  if (!options || !ts.isObjectLiteralExpression(options)) return [];
  const property = options.properties.find(({ name }) => name && ts.isIdentifier(name) && /^tags?$/.test(name.text));
  if (!property || !ts.isPropertyAssignment(property)) return [];
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    // A scenario may choose its tags by what it runs with.
    if (ts.isConditionalExpression(node)) for (const side of [node.whenTrue, node.whenFalse]) visit(side);
    else if (ts.isArrayLiteralExpression(node)) node.elements.forEach(visit);
    else if (ts.isStringLiteral(node)) found.push(node.text.replace(/^@/, ''));
    // Unparsable elements are not rows, and are reported as such.
    else found.push(node.getText(source));
  };
  visit(property.initializer);
  return found;
}

function listExamples(): TaggedTest[] {
  return globSync('test/examples/*.json', { cwd: ROOT }).flatMap((path) => {
    const { examples }: { examples: readonly { row: string; says: string }[] } = JSON.parse(read(path));
    return examples.map(({ row, says }) => ({ file: EXAMPLES, name: says, tags: row.split(' ') }));
  });
}

function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

/** Numbers have one form wherever a person sees one: `core/figures.ts` writes it. */

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { listTexts } from '../../../scripts/manifest/findTranslations.ts';
import { ROOT } from '../../../scripts/paths.ts';
import { formatShare } from '../../../src/core/figures.ts';

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

const paths = globSync(['src/**/*.ts', 'webview/**/*.ts'], { cwd: ROOT })
  .filter((path) => !path.endsWith('.d.ts'))
  .sort();

/** `83 %`, and the wide sign. */
const APART = /(?:\d|\}) +%(?![A-Za-z0-9])|％/;

test('no sentence, and no document, writes a percentage with a blank', () => {
  const chinese = Object.values(JSON.parse(read('l10n/bundle.l10n.zh-cn.json')) as Readonly<Record<string, string>>);
  expect([...listTexts(), ...chinese].filter((text) => APART.test(text))).toEqual([]);
  const documents = ['README.md', 'README.zh-CN.md', 'CHANGELOG.md', ...globSync('{docs,src}/**/*.md', { cwd: ROOT })];
  const lines = documents.flatMap((path) =>
    read(path)
      .split('\n')
      .map((line) => `${path}: ${line}`),
  );
  expect(lines.filter((line) => APART.test(line))).toEqual([]);
});

/** Lengths of a drawing. */
const isLength = (path: string, before: string) =>
  /(?:width|height|left|right|top|bottom):$/.test(before) || path === 'webview/pages/viewChart.ts';

test('no page makes a percentage of its own', () => {
  const found = paths.flatMap((path) =>
    path === 'src/core/figures.ts'
      ? []
      : partsOf(path).flatMap(({ before, after, tag }) => {
          const isOwn = /^ *%(?![A-Za-z0-9])/.test(after) && tag !== 'svg' && !isLength(path, before);
          return isOwn ? [`${path}: ${before}…${after}`] : [];
        }),
  );
  expect(found).toEqual([]);
});

/** The texts on both sides of each value in the templates of a file, and the tag of the template. */
function partsOf(path: string): { before: string; after: string; tag: string }[] {
  const found: { before: string; after: string; tag: string }[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isTemplateExpression(node)) {
      const tag = ts.isTaggedTemplateExpression(node.parent) ? node.parent.tag.getText() : '';
      const texts = [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)];
      for (const [at, after] of texts.entries()) if (at > 0) found.push({ before: texts[at - 1] ?? '', after, tag });
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, read(path), ts.ScriptTarget.Latest, true));
  return found;
}

/** `words` groups the digits of a number itself; a sentence that is translated at once gets its numbers written. */
test('no sentence gets a bare number, whose digits would not be grouped', { timeout: 120_000 }, () => {
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT);
  const program = ts.createProgram(
    paths.map((path) => join(ROOT, path)),
    { ...options, noEmit: true },
  );
  const checker = program.getTypeChecker();
  const found: string[] = [];
  const hasNumber = (type: ts.Type): boolean =>
    type.isUnion() ? type.types.some(hasNumber) : (type.flags & ts.TypeFlags.NumberLike) !== 0;
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && /^(vscode\.l10n\.t|t)$/.test(node.expression.getText()))
      for (const value of node.arguments.slice(1)) {
        const type = checker.getTypeAtLocation(ts.isSpreadElement(value) ? value.expression : value);
        const items = checker.isArrayLikeType(type) ? checker.getTypeArguments(type as ts.TypeReference) : [type];
        if (items.some(hasNumber)) found.push(`${node.arguments[0]?.getText()}: ${value.getText()}`);
      }
    ts.forEachChild(node, visit);
  };
  for (const path of paths) {
    const source = program.getSourceFile(join(ROOT, path));
    if (source) visit(source);
  }
  expect(found).toEqual([]);
});

test('a share that is there is not called none', () => {
  expect([0, 0.2, 0.6, 83, 100].map((part) => formatShare(part, 100))).toEqual(['0%', '<1%', '1%', '83%', '100%']);
});

/** Every text that a person is shown is there in both languages, with the same places for values. */

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../../../scripts/paths.ts';
import { factsOf, SLASH_COMMANDS } from '../../../src/protocol/commands.ts';

const readJson = (name: string): Record<string, string> => JSON.parse(readFileSync(join(ROOT, name), 'utf8'));
const places = (text: string) => [...text.matchAll(/\{\d+\}/g)].map(([place]) => place).sort();

/** The first argument of each `vscode.l10n.t(…)`, `t(…)` and `words(…)`, or its source text where it is no literal. */
function textsOf(path: string): string[] {
  const source = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    const [text] =
      ts.isCallExpression(node) && /^(vscode\.l10n\.t|t|words)$/.test(node.expression.getText()) ? node.arguments : [];
    if (text) found.push(ts.isStringLiteralLike(text) ? text.text : text.getText());
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** `say` hands on what others wrote with `words`; the manifest has what strategies are called, the table of commands their help and titles. */
const HANDED_ON = new Set(['text', 'label', 'description', 'help', 'title']);
const slashWords = SLASH_COMMANDS.flatMap((name) => factsOf(name).slash?.help ?? []);
const manifestTexts = Object.values(readJson('package.nls.json'));
const texts = [
  ...new Set([
    ...globSync(['src', 'webview'].map((folder) => join(ROOT, folder, '**/*.ts'))).flatMap(textsOf),
    ...slashWords,
    ...manifestTexts,
  ]),
]
  .filter((text) => !HANDED_ON.has(text))
  .sort();
const chinese = readJson('l10n/bundle.l10n.zh-cn.json');

describe('texts of host, panel and manifest, and words of the core and the providers', () => {
  it('are all translated, and nothing else is', () => {
    expect(Object.keys(chinese).sort()).toEqual(texts);
  });

  it('stand in the order of their English', () => {
    expect(Object.keys(chinese)).toEqual(Object.keys(chinese).sort());
  });

  it('have the same places for values in both languages', () => {
    expect(Object.entries(chinese).map(([text, translated]) => [text, places(translated)])).toEqual(
      Object.entries(chinese).map(([text]) => [text, places(text)]),
    );
  });
});

describe('texts of the manifest', () => {
  const english = readJson('package.nls.json');
  const manifest = readFileSync(join(ROOT, 'package.json'), 'utf8');
  const named = [...new Set([...manifest.matchAll(/"%([\w.-]+)%"/g)].map(([, key]) => key ?? ''))].sort();

  it('are all there in English, and none is left over', () => {
    expect(Object.keys(english).sort()).toEqual(named);
  });

  it('are all there in Chinese', () => {
    expect(Object.keys(readJson('package.nls.zh-cn.json')).sort()).toEqual(named);
  });
});

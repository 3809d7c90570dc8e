/**
 * Compares the English texts that a person is shown with the Chinese sentences of `l10n`, and the README with its Chinese one. Until a release both differ freely:
 * a text without a sentence is shown in English.
 */

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { factsOf, SLASH_COMMANDS } from '../../src/protocol/commands.ts';
import { ROOT } from '../paths.ts';
import { compareDocuments } from './compareDocuments.ts';
import { listManifestSentences } from './generateManifest.ts';

export const CHINESE = 'l10n/bundle.l10n.zh-cn.json';

export interface Translations {
  /** English texts without a Chinese sentence. */
  readonly missing: readonly string[];
  /** English texts of Chinese sentences that nothing shows any more. */
  readonly unused: readonly string[];
  /** Differences of the two READMEs, as `compareDocuments` tells them. */
  readonly documents?: readonly string[];
}

export function findTranslations(): Translations {
  const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
  return {
    ...compareTexts(listTexts(), Object.keys(JSON.parse(read(CHINESE)) as Readonly<Record<string, string>>)),
    documents: compareDocuments(read('README.md'), read('README.zh-CN.md')),
  };
}

export function compareTexts(shown: readonly string[], translated: readonly string[]): Translations {
  return {
    missing: shown.filter((text) => !translated.includes(text)),
    unused: translated.filter((text) => !shown.includes(text)),
  };
}

/** All of it in lines for a terminal; empty where there is nothing. */
export function describeTranslations({ missing, unused, documents = [] }: Translations): readonly string[] {
  return [
    ...(missing.length ? [`${CHINESE} has no sentence yet for these texts, which are shown in English:`] : []),
    ...missing.map((text) => `  ${text}`),
    ...(unused.length ? [`${CHINESE} has sentences for these texts, which are shown no more:`] : []),
    ...unused.map((text) => `  ${text}`),
    ...documents.map((line) => `README.md and README.zh-CN.md differ in ${line}`),
  ];
}

/** The texts of host, panel and manifest, and the words of everything else. */
export function listTexts(literals = listArguments().literals): readonly string[] {
  const slashWords = SLASH_COMMANDS.flatMap((name) => factsOf(name).slash?.help ?? []);
  return [...new Set([...literals, ...slashWords, ...listManifestSentences()])].sort();
}

/** The first arguments of `vscode.l10n.t(…)`, `t(…)` and `words(…)`; `others` are the source texts of those that are no literals. */
export function listArguments(): { readonly literals: readonly string[]; readonly others: readonly string[] } {
  const literals: string[] = [];
  const others: string[] = [];
  const visit = (node: ts.Node): void => {
    const [text] =
      ts.isCallExpression(node) && /^(vscode\.l10n\.t|t|words)$/.test(node.expression.getText()) ? node.arguments : [];
    if (text && ts.isStringLiteralLike(text)) literals.push(text.text);
    else if (text) others.push(text.getText());
    ts.forEachChild(node, visit);
  };
  for (const path of globSync(['src/**/*.ts', 'webview/**/*.ts'], { cwd: ROOT })) {
    const source = readFileSync(join(ROOT, path), 'utf8');
    visit(ts.createSourceFile(path, source, ts.ScriptTarget.Latest, true));
  }
  return { literals, others };
}

/**
 * Part of `npm run lint`: phrases that no native engineer writes, in documents, in texts that people see, and in the
 * comments of the product (with `--comments`). Each is a relative clause in the place of a subject, or a passive that hides
 * who acts.
 */

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './paths.ts';

const PHRASES: readonly (readonly [RegExp, string])[] = [
  [/\b(is|are) none\b/, 'say "is not one", or name what it is'],
  [/\bwhoever\b/i, 'name the person or the program'],
  [/(^|[.:!] )Who (?![^.]*\?)/, 'begin with "If you" or with the person'],
  [/\b(that|this|it|what [^.,;:]{1,60}) (is|are) (said|told)\b/i, 'say who says it to whom'],
  [/\bis believed\b/, 'say which value is used'],
  [/\b(all of it|what|most of the rest) must stay\b/i, 'say what is protected'],
  [/\btold beside\b/, 'say "in addition to"'],
  [/\bstands (here|there)\b/, 'say what it is'],
  [/\b(none|nothing) of (ours|theirs|yours)\b/, 'name it'],
  [/\bis no [a-z]+ of (ours|yours)\b/, 'say "is not part of"'],
];

/** Openings and phrases that comments avoid: a docstring names the thing, or begins with a verb. */
const COMMENT_PHRASES: readonly (readonly [RegExp, string])[] = [
  [/^(What|Whoever|Who|Whose|Whom)\b/, 'name the thing, or begin with a verb'],
  [/\bwhoever\b/i, 'name the person or the program'],
  [/\b(is|are) none (of|that|which)\b/, 'say "is not one", or name what it is'],
  [/\b(of|to|for) ours\b/, 'say "the product\'s"'],
  [/\bwhat (is|was|are|were) (said|told)\b/i, 'say who says it to whom'],
];

/** Comments of the product, each as one text with its place. */
function* readComments(): Generator<readonly [string, string]> {
  for (const path of globSync(['src/**/*.ts', 'webview/**/*.ts'], { cwd: ROOT }).sort()) {
    // Declarations of the API are made from the sources.
    if (path.endsWith('.d.ts')) continue;
    const source = read(path);
    for (const { 0: comment, index } of source.matchAll(COMMENT)) {
      const text = comment.replaceAll(/^\s*(?:\/\*\*?|\/\/|\*(?!\/))|\*\/$/gm, ' ').replaceAll(/\s+/g, ' ');
      yield [`${path}:${source.slice(0, index).split('\n').length}`, text.trim()];
    }
  }
}

/** A block comment, or consecutive line comments, at the beginning of a line. */
const COMMENT = /^[ \t]*(?:\/\*[\s\S]*?\*\/|\/\/.*(?:\n[ \t]*\/\/.*)*)/gm;

/** Texts that people see, each with its place. */
function* readTexts(): Generator<readonly [string, string]> {
  for (const path of [
    'README.md',
    'CONTRIBUTING.md',
    'CHANGELOG.md',
    ...globSync('docs/**/*.md', { cwd: ROOT }),
  ].sort())
    for (const [index, line] of read(path).split('\n').entries()) yield [`${path}:${index + 1}`, line];
  for (const [key, text] of Object.entries(JSON.parse(read('package.nls.json')) as Record<string, string>))
    yield [`package.nls.json, ${key}`, text];
  // The English sentence is the key of its translation.
  const bundle = 'l10n/bundle.l10n.zh-cn.json';
  for (const text of Object.keys(JSON.parse(read(bundle)) as object)) yield [bundle, text];
}

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

let found = 0;
check(readTexts(), PHRASES);
if (process.argv.includes('--comments')) check(readComments(), COMMENT_PHRASES);
if (found > 0) process.exit(1);

function check(texts: Iterable<readonly [string, string]>, phrases: typeof PHRASES): void {
  for (const [where, text] of texts)
    for (const [phrase, advice] of phrases) {
      const match = phrase.exec(text);
      if (!match) continue;
      found++;
      console.error(`${where}: "${match[0].trim()}": ${advice}\n  ${text.slice(0, 200)}`);
    }
}

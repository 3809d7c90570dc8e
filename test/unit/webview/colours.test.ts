/** Colours in the style sheets: whatever a theme does not have, something stands in for it. */

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../../../scripts/paths.ts';

const files = globSync('webview/**/*.css', { cwd: ROOT }).sort();
const sheets = files.map((file) => ({
  file,
  css: readFileSync(join(ROOT, file), 'utf8').replace(/\/\*[\s\S]*?\*\//g, ''),
}));
const defined = new Set(sheets.flatMap(({ css }) => [...css.matchAll(/(--[\w-]+)\s*:/g)].map(([, name]) => name)));

/** Each `var()` with its fallback; nested ones, too. Null: it has none. */
function listVariables(css: string): { name: string; fallback: string | null }[] {
  return [...css.matchAll(/var\(/g)].map(({ index }) => {
    let depth = 0;
    let end = index;
    do {
      if (css[end] === '(') depth++;
      if (css[end] === ')') depth--;
      end++;
    } while (depth > 0 || end <= index + 3);
    const inside = css.slice(index + 4, end - 1);
    const comma = inside.indexOf(',');
    const name = (comma < 0 ? inside : inside.slice(0, comma)).trim();
    return { name, fallback: comma < 0 ? null : inside.slice(comma + 1).trim() };
  });
}

test('the style sheets are found', () => {
  expect(files.length).toBeGreaterThan(10);
  expect(listVariables('a { color: var(--vscode-a, var(--b)) }')).toEqual([
    { name: '--vscode-a', fallback: 'var(--b)' },
    { name: '--b', fallback: null },
  ]);
});

test('each variable of the editor has a fallback, and each own one is defined somewhere or has one', () => {
  const without = sheets.flatMap(({ file, css }) =>
    listVariables(css)
      .filter(({ name, fallback }) => !fallback && (name.startsWith('--vscode-') || !defined.has(name)))
      .map(({ name }) => `${file}: ${name}`),
  );
  // Given by the script, by the size of the page.
  expect(without.filter((each) => !/: --(?:gutter|columns)$/.test(each))).toEqual([]);
});

test('no colour is written down: each is the theme’s or the system’s', () => {
  const literal = /#[\da-f]{3,8}\b|\b(?:rgba?|hsla?)\(|:\s*(?:red|green|blue|black|white|gray|grey|orange|yellow)\b/gi;
  const written = sheets.flatMap(({ file, css }) => [...css.matchAll(literal)].map(([found]) => `${file}: ${found}`));
  expect(written).toEqual([]);
});

/** Formulas and footnotes in answers, and what only looks like them. */

import type { Token } from 'marked';
import { expect, test } from 'vitest';
import { splitBlocks } from '../../../webview/markdown/blocks.ts';
import { parseMarkdown } from '../../../webview/markdown/parseMarkdown.ts';

/** The formulas and footnote marks of a text, in order, as `tex`, `[tex]` where they are drawn large, and `^label`. */
function marksOf(text: string): string[] {
  const walk = (tokens: readonly Token[]): string[] =>
    tokens.flatMap((token) => {
      const { type, tex, display, label, tokens: inner = [], items = [] } = token as Record<string, never> & Token;
      const own =
        type === 'formula' ? [display ? `[${tex}]` : `${tex}`] : type.startsWith('footnote') ? [`^${label}`] : [];
      return [...own, ...walk([...(inner as Token[]), ...(items as Token[])])];
    });
  return walk(parseMarkdown(text).tokens);
}

test.each([
  ['so $x$ and $a_1 + b$ hold', ['x', 'a_1 + b']],
  ['so \\(x^2\\) holds', ['x^2']],
  ['$$\n\\int_0^1 x\\,dx\n$$', ['[\\int_0^1 x\\,dx]']],
  ['Then\n\\[ y = 1 \\]\nend', ['[y = 1]']],
  ['- $n$ items', ['n']],
  ['a claim[^1] and another[^why].\n\n[^1]: the `first`\n  goes on\n[^why]: $x$', ['^1', '^why', '^1', '^why', 'x']],
])('%j has its formulas and footnotes', (text, marks) => {
  expect(marksOf(text)).toEqual(marks);
});

test.each([
  'It costs $5 and $10, or US$ 7.',
  'about $5 (US$)',
  'set $HOME/bin:$PATH',
  'cost $a and `b$`',
  '`$x$` and\n\n```\n$$\nx\n$$\n```',
  '$$\nopen\n\nclosed$$ is not one',
  'plain [^] and [^a b]',
  '[x]: https://example.org',
])('%j has none, and keeps its text', (text) => {
  expect(marksOf(text)).toEqual([]);
  expect(
    parseMarkdown(text)
      .tokens.map(({ raw }) => raw)
      .join(''),
  ).toBe(text);
});

test('a formula or a note that is still being written is text until it ends', () => {
  expect(splitBlocks('Then\n\n$$\nx').open?.type).toBe('paragraph');
  expect(splitBlocks('Then\n\n$$\nx\n$$').open?.type).toBe('formula');
  expect(splitBlocks('Then\n\n$$\nx\n$$\n\n[^1]: a').closed.map(({ type }) => type)).toEqual(['paragraph', 'formula']);
});

test.each(['$a', '$$', '\\(', '[^', '$a $b_'])('a paragraph of "%s" costs no more than its budget', (piece) => {
  const text = `x ${piece.repeat(32_000 / piece.length)}`;
  const { tokens, steps } = parseMarkdown(text);
  expect(steps).toBeLessThan(400);
  expect(tokens.map(({ raw }) => raw).join('')).toBe(text);
});

/** Texts that froze or blanked the panel: what is counted is the parser's steps, which do not depend on the machine. */

import type { Token } from 'marked';
import { expect, test } from 'vitest';
import { findOpenFence, fitsList, settleItems, splitBlocks } from '../../../webview/markdown/blocks.ts';
import { parseMarkdown } from '../../../webview/markdown/parseMarkdown.ts';

function depthOf(tokens: readonly Token[]): number {
  const inner = tokens.map((token) => {
    const { tokens: nested = [], items = [] } = token as { tokens?: Token[]; items?: Token[] };
    return depthOf([...nested, ...items]);
  });
  return tokens.length === 0 ? 0 : 1 + Math.max(...inner);
}

test.each(['> ', '> - ', '- > ', '1. '])('8 KB of "%s" nests so far and no further, and loses nothing', (mark) => {
  const text = `${mark.repeat(8_192 / mark.length)}end`;
  const { tokens } = parseMarkdown(text);
  expect(depthOf(tokens)).toBeLessThan(60);
  expect(JSON.stringify(tokens)).toContain('end');
});

test.each(['_a*', '*a_', '**a', '~a', '!', '[', '<', '_a__'])(
  'a paragraph of "%s" costs no more than its budget',
  (piece) => {
    const text = `x ${piece.repeat(32_000 / piece.length)}`;
    const { tokens, steps } = parseMarkdown(text);
    expect(steps).toBeLessThan(200);
    expect(tokens.map(({ raw }) => raw).join('')).toBe(text);
  },
);

test('an ordinary paragraph of 5,000 characters keeps all of its marks', () => {
  const text = 'Some **words** of `code` and [a link](https://example.org), as prose has them. '.repeat(63);
  const [paragraph] = parseMarkdown(text).tokens as readonly { tokens?: Token[] }[];
  expect(paragraph?.tokens?.filter(({ type }) => type === 'link')).toHaveLength(63);
});

test('a line of tildes is no fence until it ends, however long it is', () => {
  const tildes = '~'.repeat(100_000);
  expect(findOpenFence(tildes)).toBeNull();
  expect(findOpenFence(`${tildes}\na`)).toMatchObject({ marker: tildes, code: 'a' });
});

/** Takes a text in pieces, as the panel does with a list: what is settled is read no more. */
function stream(text: string, size: number) {
  const settled: string[] = [];
  let tail = '';
  let steps = 0;
  for (let at = 0; at < text.length; at += size) {
    tail += text.slice(at, at + size);
    const blocks = splitBlocks(tail);
    steps += blocks.steps;
    const done = blocks.open && settleItems(blocks.open, blocks.tail);
    if (!done) continue;
    settled.push(...done.items.items.map(({ raw }) => raw));
    tail = done.tail;
  }
  return { settled, tail, steps };
}

test('20 KB of numbered steps stream at the cost of the newest ones', () => {
  const lines = Array.from(
    { length: 400 },
    (_, n) => `${n + 1}. Step **${n}** with \`code\` and some more words in it`,
  );
  const text = lines.join('\n');
  const whole = parseMarkdown(text).steps;
  const { settled, tail, steps } = stream(text, 20);
  expect(settled.join('') + tail).toBe(text);
  expect(settled.length).toBe(398);
  // Three items are read again with each of the 1,000 pieces, not 400.
  expect(steps).toBeLessThan(whole * 15);
});

test('what is settled is what a text read whole has, also where a mark is not finished yet', () => {
  const text = '- a\n- b\n  more\n  - nested\n- c\n-d goes on\n- e\n\n  apart\n- f\n- [ ] g\n';
  for (const size of [1, 3, 7]) {
    const { settled } = stream(text, size);
    const [list] = parseMarkdown(text).tokens;
    const items = (list as { items?: Token[] }).items?.map(({ raw }) => raw) ?? [];
    expect(settled).toEqual(items.slice(0, settled.length));
    expect(settled.length).toBeGreaterThan(3);
  }
});

test('another mark begins another list, and an item that is spread out changes the ones before', () => {
  const first = (text: string) => splitBlocks(text).open as Parameters<typeof fitsList>[0];
  const fits = (a: string, b: string) => fitsList(first(a), first(b));
  expect([fits('- a', '- b'), fits('- a', '* b'), fits('1. a', '7. b'), fits('1. a', '2) b')]).toEqual([
    true,
    false,
    true,
    false,
  ]);
  expect([fits('- a', '- b\n\n- c'), fits('- a\n\n- b', '- c'), fits('- a', 'text')]).toEqual([false, true, false]);
});

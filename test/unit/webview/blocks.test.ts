import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { closesFence, findOpenFence, splitBlocks } from '../../../webview/markdown/blocks.ts';

/** Types of the closed blocks, type and text of the open one. */
function split(text: string) {
  const { closed, open, tail } = splitBlocks(text);
  return [closed.map(({ type }) => type), open?.type ?? null, tail];
}

describe('blocks', () => {
  test('the last block stays open, the ones before are closed', () => {
    expect(split('# Title\n\nFirst.\n\nSecond')).toEqual([['heading', 'paragraph'], 'paragraph', 'Second']);
  });

  test('a list stays open across blank lines', () => {
    expect(split('- a\n\n- b\n\n')).toEqual([[], 'list', '- a\n\n- b\n\n']);
  });

  test('the space after a list mark is not lost', () => {
    expect(split('Text\n\n1. ')).toEqual([['paragraph'], 'list', '1. ']);
  });

  test('nothing is not a block', () => {
    expect(split('')).toEqual([[], null, '']);
  });

  test('cutting loses nothing: closed blocks and tail are the text', () => {
    const piece = fc.constantFrom(
      '# h\n',
      'para ',
      '\n\n',
      '- item\n',
      '1. one\n',
      '```js\n',
      '```\n',
      '> quote\n',
      '| a | b |\n| - | - |\n| 1 | 2 |\n',
      '<b>x</b>',
      '  ',
      '\t',
      '[x]: y\n',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
        const text = pieces.join('');
        const { tail } = splitBlocks(text);
        expect(text.endsWith(tail)).toBe(true);
        expect(splitBlocks(tail).closed).toEqual([]);
      }),
      { numRuns: 300, seed: 7 },
    );
  });
});

describe('fences', () => {
  test('an open fence is found with its language and code', () => {
    expect(findOpenFence('```ts title="a"\nconst a = 1;\n')).toEqual({
      marker: '```',
      language: 'ts',
      info: 'ts title="a"',
      code: 'const a = 1;\n',
    });
    expect(findOpenFence('~~~~\n```\n')).toEqual({ marker: '~~~~', language: '', info: '', code: '```\n' });
  });

  test('a closed fence, a first line still being written and plain text are none', () => {
    expect([findOpenFence('```ts\na\n```\n'), findOpenFence('```ts'), findOpenFence('text\n')]).toEqual([
      null,
      null,
      null,
    ]);
  });

  test('only a line of at least as many marks closes', () => {
    expect(['```', '````', '  ``` ', '``', '~~~', '```js', ''].map((line) => closesFence(line, '```'))).toEqual([
      true,
      true,
      true,
      false,
      false,
      false,
      false,
    ]);
  });
});

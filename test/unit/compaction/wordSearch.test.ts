import { describe, expect, it } from 'vitest';
import { WordSearch } from '../../../src/core/compaction/draft/wholeWords.ts';
import { seededRandom } from '../../../src/core/seededRandom.ts';

describe('whole words in a text', () => {
  it.each([
    ['go to step 1 now', 'step 1', true],
    ['go to step 11 now', 'step 1', false],
    ['see lib/a.ts', 'a.ts', false],
    ['see a.tsx', 'a.ts', false],
    ['"src/core/part.ts",', 'src/core/part.ts', true],
    ['src/core/part.tsx and src/core/part.ts', 'src/core/part.ts', true],
    ['这是一个测试文件的名字', '测试文件的名字', true],
    ['', 'src/core/part.ts', false],
    ['src/core/part.ts', 'src/core/part.ts', true],
  ])('in %j %j: %s', (text, words, isThere) => {
    expect(new WordSearch(text).holds(words)).toBe(isThere);
  });

  it('are found as a plain search finds them', () => {
    const random = seededRandom(11);
    const pick = (from: string) => from[Math.floor(random() * from.length)] ?? '';
    const some = (most: number, of: string) =>
      Array.from({ length: 1 + Math.floor(random() * most) }, () => pick(of)).join('');
    const letter = /[\p{L}\p{N}_]/u;
    const plain = (text: string, words: string) => {
      for (let at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + 1)) {
        const before =
          text
            .slice(0, at)
            .replace(/[-./\\]$/, '')
            .at(-1) ?? ' ';
        const after = text.slice(at + words.length).replace(/^[-./\\]/, '')[0] ?? ' ';
        if (
          !(letter.test(words[0] ?? '') && letter.test(before)) &&
          !(letter.test(words.at(-1) ?? '') && letter.test(after))
        )
          return true;
      }
      return false;
    };
    let found = 0;
    for (let round = 0; round < 300; round++) {
      const text = some(400, 'ab1 ./');
      const search = new WordSearch(text);
      for (let nth = 0; nth < 8; nth++) {
        const from = Math.floor(random() * text.length);
        const words = nth % 2 === 0 ? text.slice(from, from + 1 + Math.floor(random() * 14)) : some(14, 'ab1 ./');
        if (words === '') continue;
        const expected = plain(text, words);
        if (expected) found++;
        expect(search.holds(words), JSON.stringify([text, words])).toBe(expected);
      }
    }
    expect(found).toBeGreaterThan(50);
  });
});

import { describe, expect, it } from 'vitest';
import {
  previewArguments,
  previewText,
  shortenMiddle,
  startOf,
} from '../../../../src/core/compaction/draft/shortTexts.ts';

/** One token a character, so that every figure can be seen. */
const count = (text: string) => text.length;
const alphabet = 'abcdefghijklmnopqrstuvwxyz';

describe('shortening', () => {
  it('the start of a text is worth exactly the tokens asked for, and a short text stays whole', {
    tags: ['C3'],
  }, () => {
    expect(startOf(alphabet, 10, count)).toBe('abcdefghij');
    expect(startOf(alphabet, 26, count)).toBe(alphabet);
    expect(startOf(alphabet, 0, count)).toBe('');
  });

  it('a start does not end in half a character', { tags: ['C3'] }, () => {
    expect(startOf('ab😀cd', 3, count)).toBe('ab');
    expect(startOf('ab😀cd', 4, count)).toBe('ab😀');
  });

  it('a preview says how much is missing and where it is', { tags: ['C3'] }, () => {
    expect(previewText(alphabet, 'm7', 10, count)).toBe(
      'abcdefghij\n[… 16 more characters were cut here by compaction; recall with id m7]',
    );
    expect(previewArguments(JSON.stringify({ text: alphabet }), 10, count)).toBe(
      JSON.stringify({ preview: '{"text":"a', cutCharacters: 27 }),
    );
  });

  it('of a message too long for a chunk head and tail stay, around a note of what is missing', {
    tags: ['C15'],
  }, () => {
    const text = alphabet.repeat(10);
    expect(shortenMiddle(text, 260, count)).toBe(text);
    const short = shortenMiddle(text, 100, count);
    expect(short.length).toBeLessThanOrEqual(100);
    const [, head = '', missing, tail = ''] = /^(.+)\n\[… (\d+) characters left out …\]\n(.+)$/.exec(short) ?? [];
    expect([text.startsWith(head), text.endsWith(tail)]).toEqual([true, true]);
    expect(head.length + tail.length + Number(missing)).toBe(text.length);
    expect(head.length).toBeGreaterThan(tail.length);
  });

  it('where not even the note fits the start alone is left', { tags: ['C15'] }, () => {
    expect(shortenMiddle(alphabet, 5, count)).toBe('abcdefghijklmnop');
  });
});

import { describe, expect, test } from 'vitest';
import { ModelError, wordsOf } from '../../src/core/errors.ts';
import { inEnglish, joinSentences, verbatim, words } from '../../src/core/words.ts';

describe('words for a person', () => {
  test('values go into their places once: what they hold is never taken for a place', () => {
    expect(inEnglish(words('{0} answered {1}. It said: {0}', '{1}', 401))).toBe('{1} answered 401. It said: {1}');
    expect(inEnglish(words('{0} and {3}', 'a'))).toBe('a and {3}');
  });

  test('somebody else’s text is shown as it is', () => {
    expect(inEnglish(verbatim('a {0} {1} $& b'))).toBe('a {0} {1} $& b');
  });

  test('sentences are joined by a space, but not behind a wide mark', () => {
    expect(joinSentences(['One.', 'Two.'])).toBe('One. Two.');
    expect(joinSentences(['一。', '二！', 'Three.', '四。'])).toBe('一。二！Three. 四。');
    expect(inEnglish([])).toBe('');
  });

  test('an error has them in both forms; anything else thrown is shown as it is', () => {
    const said = words('{0} answered {1}.', 'https://h', 500);
    expect(new ModelError('network', said)).toMatchObject({ message: 'https://h answered 500.', words: said });
    expect(inEnglish(wordsOf(new TypeError('x {0}')))).toBe('x {0}');
  });
});

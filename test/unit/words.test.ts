import { describe, expect, test } from 'vitest';
import { ModelError, wordsOf } from '../../src/core/errors.ts';
import { inEnglish, inLanguage, isWords, verbatim, words } from '../../src/core/words.ts';

describe('words for a person', () => {
  test('values go into their places once: what they hold is never taken for a place', () => {
    expect(inEnglish(words('{0} answered {1}. It said: {0}', '{1}', 401))).toBe('{1} answered 401. It said: {1}');
    expect(inEnglish(words('{0} and {3}', 'a'))).toBe('a and {3}');
  });

  test('somebody else’s text is shown as it is', () => {
    expect(inEnglish(verbatim('a {0} {1} $& b'))).toBe('a {0} {1} $& b');
  });

  test('sentences are joined by a space, but not after a wide mark or beside a line break', () => {
    expect(inEnglish([...words('One.'), ...words('Two.')])).toBe('One. Two.');
    const chinese: Record<string, string> = { One: '一。', Two: '二！', Three: 'Three.', Four: '四。' };
    const said = Object.keys(chinese).flatMap((text) => verbatim(text));
    expect(inLanguage(said, (_text, name) => chinese[String(name)] ?? '')).toBe('一。二！Three. 四。');
    expect(inEnglish([...words('One.'), ...verbatim('\n\n'), ...words('Two.')])).toBe('One.\n\nTwo.');
    expect(inEnglish([])).toBe('');
  });

  test('a value may be words itself, and is told in the same language', () => {
    const said = words('{0} failed: {1}', 'x', words('no {0}', 'model'));
    expect(inEnglish(said)).toBe('x failed: no model');
    const chinese: Record<string, string> = { '{0} failed: {1}': '{0} 失败：{1}', 'no {0}': '没有{0}' };
    const translate = (text: string, ...values: (string | number)[]) =>
      (chinese[text] ?? text).replace(/\{(\d)\}/g, (_, index) => String(values[index]));
    expect(inLanguage(said, translate)).toBe('x 失败：没有model');
  });

  test('words come back from a journal as they were, and nothing else passes for words', () => {
    const said = words('{0} failed: {1}', 3, words('no {0}', 'model'));
    expect(isWords(JSON.parse(JSON.stringify(said)))).toBe(true);
    for (const other of [
      null,
      'x',
      {},
      [1],
      [{ text: 'x' }],
      [{ text: 'x', values: [null] }],
      [{ text: 1, values: [] }],
    ])
      expect(isWords(other)).toBe(false);
  });

  test('an error has them in both forms; anything else thrown is shown as it is', () => {
    const said = words('{0} answered {1}.', 'https://h', 500);
    expect(new ModelError('network', said)).toMatchObject({ message: 'https://h answered 500.', words: said });
    expect(inEnglish(wordsOf(new TypeError('x {0}')))).toBe('x {0}');
  });
});

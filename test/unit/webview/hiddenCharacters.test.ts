import { expect, test } from 'vitest';
import { splitHidden } from '../../../webview/views/rows/hiddenCharacters.ts';

const reveal = (text: string) =>
  splitHidden(text)
    .map((segment) => (segment.hidden ? `[${segment.text}]` : segment.text))
    .join('');

test('what cannot be seen is shown as a code, layout and letters are left alone', () => {
  expect(reveal('rm\u202E -rf\u200B \u{E0041}x\u0007')).toBe('rm[U+202E] -rf[U+200B] [U+E0041]x[U+0007]');
  expect(reveal('a\tb\nç 日本 é 👍')).toBe('a\tb\nç 日本 é 👍');
});

test('every control, bidirectional mark, tag and variation selector is caught', () => {
  const range = (from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, n) => String.fromCodePoint(from + n));
  const hidden = [
    ...range(0x00, 0x08),
    ...range(0x0b, 0x1f),
    ...range(0x7f, 0x9f),
    '\u00AD\u034F\u061C\u3164\uFEFF',
    ...range(0x200b, 0x200f),
    ...range(0x2028, 0x202e),
    ...range(0x2060, 0x206f),
    ...range(0xfe00, 0xfe0f),
    ...range(0xe0000, 0xe007f),
    '\uD800',
  ];
  expect(hidden.flatMap((text) => [...text]).filter((char) => !splitHidden(char)[0]?.hidden)).toEqual([]);
});

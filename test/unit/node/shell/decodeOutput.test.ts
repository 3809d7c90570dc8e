/** Output of programs that do not agree on an encoding. */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createDecoder, encodingOf, readCodePage } from '../../../../src/node/shell/decodeOutput.ts';

/** In chunks of that many bytes. */
function decode(encoding: string | null, bytes: Uint8Array, size = bytes.length || 1): string {
  const decoder = createDecoder(encoding);
  let text = '';
  for (let at = 0; at < bytes.length; at += size) text += decoder.write(Buffer.from(bytes.subarray(at, at + size)));
  return text + decoder.end();
}

const GBK = [0xd6, 0xd0, 0xce, 0xc4];
const mixed = Buffer.concat([
  Buffer.from('ok 中文 é\n'),
  Buffer.from([...GBK, 0x0d, 0x0a]),
  Buffer.from('中 again, and '),
  Buffer.from([0xe4, 0xb8]),
]);

test.each([1, 2, 3, 7, 100])('each line is read as what it is, in chunks of %i', (size) => {
  expect(decode('gbk', mixed.subarray(0, -2), size)).toBe('ok 中文 é\n中文\r\n中 again, and ');
  expect(decode('shift_jis', Buffer.from([0x93, 0xfa, 0x96, 0x7b, 0x83, 0x5c, 0x0a]), size)).toBe('日本ソ\n');
  expect(decode('windows-1252', Buffer.from('h\xe9 \x80\n', 'latin1'), size)).toBe('hé €\n');
});

test('ASCII does not wait for the end of its line', () => {
  const decoder = createDecoder('gbk');
  expect(decoder.write(Buffer.from('50 % '))).toBe('50 % ');
  expect(decoder.write(Buffer.from([0xd6, 0xd0, 0x20]))).toBe('');
  expect(decoder.end()).toBe('中 ');
});

test('a line without an end is read before it fills the memory', () => {
  const line = Buffer.from('中'.repeat(50_000));
  expect(decode('gbk', line, 1_000)).toBe('中'.repeat(50_000));
  expect(decode('gbk', Buffer.concat(Array(40_000).fill(Buffer.from(GBK))), 1_001)).toBe('中文'.repeat(40_000));
});

test('text in UTF-8 is itself in any chunks, whatever the code page', { tags: ['long'] }, () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary' }).map((text) => text.toWellFormed()),
      fc.integer({ min: 1, max: 9 }),
      fc.constantFrom(null, 'gbk', 'windows-1252', 'shift_jis'),
      (text, size, encoding) => {
        expect(decode(encoding, Buffer.from(text), size)).toBe(text);
      },
    ),
  );
});

test('code pages have the names of web standards', () => {
  expect([1252, 936, 932, 949, 950, 874, 65001, 437].map(encodingOf)).toEqual([
    'windows-1252',
    'gbk',
    'shift_jis',
    'euc-kr',
    'big5',
    'windows-874',
    null,
    null,
  ]);
  expect(readCodePage('\r\nHKEY_LOCAL_MACHINE\\…\\CodePage\r\n    ACP    REG_SZ    936\r\n\r\n')).toBe('gbk');
  expect(readCodePage('ERROR: The system was unable to find the key.')).toBeNull();
});

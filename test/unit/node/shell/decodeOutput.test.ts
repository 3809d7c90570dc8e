/** Output of programs that do not agree on an encoding. */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decoderOf, encodingOf, readCodePages } from '../../../../src/node/shell/codePages.ts';
import { createDecoder } from '../../../../src/node/shell/decodeOutput.ts';
import { DOS_PAGES } from '../../../../src/node/shell/dosPages.ts';

/** In chunks of that many bytes. */
function decode(encodings: string | readonly string[], bytes: Uint8Array, size = bytes.length || 1): string {
  const decoder = createDecoder([encodings].flat());
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
  const decoder = createDecoder(['gbk']);
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
      fc.constantFrom([], ['gbk'], ['windows-1252', 'cp850'], ['shift_jis']),
      (text, size, encodings) => {
        expect(decode(encodings, Buffer.from(text), size)).toBe(text);
      },
    ),
  );
});

test('code pages have the names of web standards, or of their own', () => {
  expect([1252, 936, 932, 949, 950, 874, 866, 65001, 437, 37].map(encodingOf)).toEqual([
    'windows-1252',
    'gbk',
    'shift_jis',
    'euc-kr',
    'big5',
    'windows-874',
    'ibm866',
    null,
    'cp437',
    null,
  ]);
  const printed = (ansi: number, oem: number) =>
    `\r\nHKEY_LOCAL_MACHINE\\…\\CodePage\r\n    ACP    REG_SZ    ${ansi}\r\n    MACCP    REG_SZ    10000\r\n    OEMCP    REG_SZ    ${oem}\r\n`;
  expect(readCodePages(printed(936, 936))).toEqual(['gbk']);
  expect(readCodePages(printed(1252, 850))).toEqual(['windows-1252', 'cp850']);
  expect(readCodePages(printed(1251, 866))).toEqual(['windows-1251', 'ibm866']);
  expect(readCodePages(printed(65001, 65001))).toEqual([]);
  expect(readCodePages('ERROR: The system was unable to find the key.')).toEqual([]);
});

/** The bytes of a text in one of the pages of consoles. */
function inPage(page: number, text: string): Buffer {
  const upper =
    DOS_PAGES[page] ??
    [...Array(128).keys()].map((at) => decoderOf(encodingOf(page) ?? '').decode(Buffer.from([at + 128]))).join('');
  return Buffer.from([...text].map((each) => (each <= '\x7f' ? each.charCodeAt(0) : upper.indexOf(each) + 0x80)));
}

test('the pages are those of Windows', () => {
  for (const upper of Object.values(DOS_PAGES)) expect(upper).toHaveLength(128);
  expect(decode('cp437', Buffer.from([0x9b, 0xe1, 0xe4, 0xfb, 0xfd]))).toBe('¢ßΣ√²');
  expect(decode('cp850', Buffer.from([0x9b, 0xb5, 0xd5, 0xe4, 0xf5]))).toBe('øÁıõ§');
  expect(decode('cp852', Buffer.from([0x86, 0x9f, 0xa9, 0xbe, 0xfd]))).toBe('ćčężř');
  expect(decode('cp858', Buffer.from([0xd5]))).toBe('€');
});

test.each<readonly [string, number, number, string]>([
  ['German', 1252, 850, 'Zugriff verweigert für Größe und Übung'],
  ['French', 1252, 850, 'Accès refusé à la mémoire, élément créé'],
  ['Spanish', 1252, 437, 'Acceso denegado: configuración de la contraseña ¿año?'],
  ['Portuguese', 1252, 860, 'Operação não concluída'],
  ['Polish', 1250, 852, 'Nie można odnaleźć określonego pliku'],
  ['Czech', 1250, 852, 'Přístup byl odepřen, soubor nelze číst'],
  ['Hungarian', 1250, 852, 'A művelet sikeresen végrehajtódott'],
  ['Russian', 1251, 866, 'Не удается найти указанный файл. ОШИБКА'],
  ['Serbian', 1251, 855, 'Датотека није пронађена'],
  ['Greek', 1253, 737, 'Δεν είναι δυνατή η πρόσβαση'],
  ['Greek', 1253, 869, 'Δεν είναι δυνατή η πρόσβαση'],
  ['Turkish', 1254, 857, 'Erişim engellendi, dosya bulunamadı'],
  ['Lithuanian', 1257, 775, 'Prieiga uždrausta, failų nėra'],
  ['Hebrew', 1255, 862, 'הגישה נדחתה'],
  ['Icelandic', 1252, 861, 'Aðgangi hafnað, skráin þín'],
  ['Canadian French', 1252, 863, 'Accès refusé à la mémoire'],
  ['Norwegian', 1252, 865, 'Finner ikke filen på området, prøv én gang'],
  ['Arabic', 1256, 720, 'تم رفض الوصول'],
])('%s is read in the page that it was written in: %i, or %i', (_, ansi, oem, text) => {
  const encodings = [ansi, oem].map((page) => encodingOf(page) ?? '');
  expect(decode(encodings, Buffer.concat([inPage(oem, text), Buffer.from('\r\n'), inPage(ansi, text)]), 3)).toBe(
    `${text}\r\n${text}`,
  );
});

test('frames are read in the page of the console, and single signs in that of the system', () => {
  const encodings = ['windows-1252', 'cp850'];
  expect(decode(encodings, inPage(850, '┌──────┐\n│ Name │\n└──────┘\n'))).toBe('┌──────┐\n│ Name │\n└──────┘\n');
  for (const line of ['20 °C, 5 € « é »', '5 m³, 3 µ, © 2026', 'à 20 °C'])
    expect(decode(encodings, inPage(1252, line))).toBe(line);
});

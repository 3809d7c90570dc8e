/** One cleaner for every text that leaves: what it hides, what it leaves alone, and that it reads a text once. */

import { describe, expect, test } from 'vitest';
import { openCleaner } from '../../../src/node/secrets/openCleaner.ts';
import { HARMLESS, type Secret, VENDORS, WRAPPED, WRITTEN } from '../../support/secrets/corpus.ts';

const cleaner = await openCleaner();

/** Whether any line of the secret is still there, as it is or escaped. */
function leaks(cleaned: string, secret: string): boolean {
  return secret
    .split('\n')
    .some((line) => cleaned.includes(line) || cleaned.includes(JSON.stringify(line).slice(1, -1)));
}

const namesOf = (secrets: readonly Secret[], wrap: (text: string) => string) =>
  secrets.filter(([, text, secret]) => leaks(cleaner.clean(wrap(text)), secret)).map(([name]) => name);

const lines = (mark: (line: string, nth: number) => string) => (text: string) => text.split('\n').map(mark).join('\n');

/** In what a text stands when it is exported. */
const AROUND: Readonly<Record<string, (text: string) => string>> = {
  'as it is': (text) => text,
  'among lines': (text) => `first\n\n${text}\nlast`,
  'with the line ends of Windows': (text) => text.replaceAll('\n', '\r\n'),
  indented: lines((line) => `    ${line}`),
  'as a file that was read': lines((line, nth) => `${nth + 1}\t${line}`),
  'as lines that were found': lines((line, nth) => `src/x.yaml:${nth + 1}: ${line}`),
  'as a change': lines((line) => `+${line}`),
  'as a quotation': lines((line) => `> ${line}`),
};

const JSON_AROUND: Readonly<Record<string, (text: string) => string>> = {
  'in JSON': (text) => JSON.stringify({ text }),
  'among lines in JSON': (text) => JSON.stringify({ text: `first\n${text}\nlast` }),
  'in JSON twice': (text) => JSON.stringify({ arguments: JSON.stringify({ text }) }),
  'in JSON three times': (text) => JSON.stringify([JSON.stringify({ arguments: JSON.stringify({ text }) })]),
};

describe.each(Object.entries({ ...AROUND, ...JSON_AROUND }))('%s', (_, wrap) => {
  test('every secret goes', () => {
    expect(VENDORS.length + WRITTEN.length + WRAPPED.length).toBeGreaterThan(300);
    expect(namesOf([...VENDORS, ...WRITTEN, ...WRAPPED], wrap)).toEqual([]);
  });

  test('what only looks like one stays, to the character', () => {
    expect(HARMLESS.length).toBeGreaterThan(100);
    expect(HARMLESS.filter((text) => cleaner.clean(wrap(text)) !== wrap(text))).toEqual([]);
  });
});

test.each(Object.entries(JSON_AROUND))('%s, it is still JSON afterwards', (_, wrap) => {
  for (const [, text] of [...VENDORS, ...WRITTEN]) expect(() => JSON.parse(cleaner.clean(wrap(text)))).not.toThrow();
});

test('all are as harmless together as alone', () => {
  const text = HARMLESS.join('\n\n');
  expect(cleaner.clean(text)).toBe(text);
});

test('a secret that the product knows goes in every form, and a word stays', async () => {
  const { clean } = await openCleaner(['correct"horse', 'ok', '']);
  expect(clean(`it is correct"horse, ${JSON.stringify({ a: 'correct"horse' })} is ok`)).toBe(
    'it is [hidden], {"a":"[hidden]"} is ok',
  );
});

test('nothing in a text can switch the rules off', () => {
  for (const [, text, secret] of VENDORS) {
    const commented = `/* secretlint-disable */\n# secretlint-disable-next-line\n${text} // secretlint-disable-line`;
    expect(leaks(cleaner.clean(commented), secret)).toBe(false);
  }
});

test('a value keeps its shape, and a field is read with its name', () => {
  const value = { kind: 'x', at: 3, password: 'hunter22hunter', list: [`API_${'KEY'}=abc123def456`], token: 'string' };
  expect(cleaner.cleanValue(value)).toEqual({
    kind: 'x',
    at: 3,
    password: '[hidden]',
    list: [`API_${'KEY'}=[hidden]`],
    token: 'string',
  });
});

test('a header is hidden as a field, and as a pair of fields', () => {
  const given = 'q7Rt9Kd2Lm4Xw8Zp';
  const headers = [{ authorization: given }, { name: 'x-api-key', value: given }, { key: 'DB_PASSWORD', value: given }];
  expect(JSON.stringify(cleaner.cleanValue(headers))).not.toContain(given);
  const harmless = [{ authorization: 'Bearer $TOKEN' }, { name: 'accept', value: given }, { key: 'a', value: given }];
  expect(cleaner.cleanValue(harmless)).toEqual(harmless);
});

test('cleaning twice is cleaning once', () => {
  for (const [, text] of [...VENDORS, ...WRITTEN, ...WRAPPED]) {
    const once = cleaner.clean(text);
    expect(cleaner.clean(once)).toBe(once);
  }
});

/** What a pattern that tries again at every place takes long for. */
const REPEATED: readonly string[] = [
  ...['a', '/', '\\', '"', '-', '\n', ' ', '%2F', '%25', '\\"', '\\n', 'a.b-', 'a:b', '-a', '密码', '//a', 'a@'],
  ...[
    'token',
    'token=',
    'token=$a',
    'password:',
    'password: ',
    'password="',
    `password='password="`,
    '--token ',
    '<token ',
  ],
  ...[
    'http://a',
    ' aaaa:aaaa:aaaa',
    'curl -u ',
    'mysql -p',
    'eyJ',
    'eyJabcdefgh.',
    'sk-',
    `gh${'s'}_1_`,
    `xo${'xb'}-`,
    `S${'G'}.aa`,
  ],
  ...[
    '-----BEGIN PRIVATE KEY',
    '-----BEGIN PRIVATE KEY-----',
    'user a password ',
    'tokens:\n  - ',
    'token: |\n',
    '$1$',
    'Basic abcdefgh',
  ],
  ...['Cookie: ', 'key:"', '\u001B[1m', 'password |', 'password **', 'password: a<'],
  ...['{"a":"b",', '"password":"hunter22",', 'token ,value', 'iVBORw0KGgo', 'machine a login b password '],
];

const timeOf = (text: string): number => {
  const begun = performance.now();
  cleaner.clean(text);
  return performance.now() - begun;
};

test.each(REPEATED)('%j without end takes time in proportion', (part) => {
  const text = part.repeat(Math.ceil(20_000 / part.length));
  const longer = text.repeat(16);
  // Sixteen times as long takes sixteen times as long, and two hundred and fifty-six where it is read again and again.
  const ratio = () => timeOf(longer) / Math.max(timeOf(text), 1);
  const once = ratio();
  expect(once < 100 ? once : Math.min(ratio(), ratio())).toBeLessThan(100);
});

test('one line of forty megabytes is read', { tags: ['long'] }, () => {
  const [, text, secret] = WRITTEN[0] ?? ['', '', ''];
  const line = `${'{"a":"some words of a text, and a number 12",'.repeat(900_000)}\n${text}`;
  expect(line.length).toBeGreaterThan(40_000_000);
  expect(leaks(cleaner.clean(line), secret)).toBe(false);
});

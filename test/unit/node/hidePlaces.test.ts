/** Folders and names of a person stay hidden in every spelling. */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hideName, hidePlaces } from '../../../src/node/secrets/hidePlaces.ts';

const HOME = 'C:\\Users\\Ada Lovelace';

test.each([
  'C:\\Users\\Ada Lovelace\\work',
  'c:\\users\\ADA LOVELACE\\work',
  JSON.stringify({ path: 'C:\\Users\\Ada Lovelace\\work' }),
  JSON.stringify(JSON.stringify({ path: 'C:\\Users\\Ada Lovelace\\work' })),
  'file:///C:/Users/Ada%20Lovelace/work',
  'file:///c%3A/Users/Ada%20Lovelace/work',
  'vscode-webview://x?path=c%253A%255CUsers%255CAda%2520Lovelace',
  'C%3A%5CUsers%5CAda%20Lovelace%5Cwork',
  'C:\\Users\\ADALOV~1\\AppData\\Local\\Temp',
  'C:\\Users\\AD3F2C~2\\AppData',
  '\\\\?\\C:\\Users\\Ada Lovelace\\work',
  '/c/Users/Ada Lovelace/work',
  '/mnt/c/Users/Ada Lovelace/work',
])('the home folder in %s', (text) => {
  const hidden = hidePlaces(text, [[HOME, '~']]);
  expect(hidden).toContain('~');
  expect(hidden).not.toMatch(/ada|lovelace|ad3f/i);
});

test.each([
  ['/home/ada', 'open /home/ada/x, /home/adam/x and /home/ada', 'open ~/x, /home/adam/x and ~'],
  ['/Users/José', '/Users/Jose\u0301/x, /Users/Jos%C3%A9, "/Users/Jos\\u00e9"', '~/x, ~, "~"'],
  ['C:\\', 'C:\\ and D:\\', 'C:\\ and D:\\'],
  ['\\\\server\\ada$', '\\\\server\\ada$\\x //SERVER/ada$/x', '~\\x ~/x'],
  ['/a+b(c)', '/a+b(c)/x /aab(c)', '~/x /aab(c)'],
])('%s', (folder, text, hidden) => {
  expect(hidePlaces(text, [[folder, '~']])).toBe(hidden);
});

test('what lies in another folder is named first', () => {
  const places = [
    ['/home/ada', '~'],
    ['/home/ada/secret-project', '[folder 1]'],
  ] as const;
  expect(hidePlaces('/home/ada/secret-project/a.ts', places)).toBe('[folder 1]/a.ts');
});

test('a name is hidden as a word, and one that anybody may have is not', () => {
  expect(hideName('ada, ADA@host, adapter, \\ada\\ of Ada', 'ada')).toBe(
    '[user], [user]@host, adapter, \\[user]\\ of [user]',
  );
  expect(hideName('root and node run', 'node')).toBe('root and node run');
});

test('no way of writing a path lets it through', () => {
  const name = fc
    .array(fc.constantFrom(...'abcXYZ019 ._-é漢😀+$()[]'), { minLength: 1, maxLength: 12 })
    .map((all) => `q${all.join('')}q`);
  const ways: readonly ((path: string) => string)[] = [
    (path) => path,
    (path) => path.toUpperCase(),
    (path) => JSON.stringify(path),
    (path) => JSON.stringify(JSON.stringify(path)),
    (path) => path.replaceAll('\\', '/'),
    (path) => encodeURIComponent(path),
    (path) => encodeURIComponent(encodeURIComponent(path)),
    (path) => `file:///${path.replaceAll('\\', '/').split('/').map(encodeURIComponent).join('/')}`,
    (path) => path.normalize('NFD'),
    (path) => path.replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  ];
  fc.assert(
    fc.property(
      fc.array(name, { minLength: 1, maxLength: 4 }),
      fc.constantFrom(...ways),
      fc.boolean(),
      (names, way, windows) => {
        const path = windows ? `D:\\${names.join('\\')}` : `/${names.join('/')}`;
        const hidden = hidePlaces(`before ${way(path)} after`, [[path, '~']]);
        expect(hidden).toMatch(/^before .*~.* after$/s);
        expect(hidden).not.toMatch(/q/i);
      },
    ),
  );
});

import { expect, it } from 'vitest';
import { scrubPage, scrubText } from '../../../src/node/pages/scrubPage.ts';
import { openCleaner } from '../../../src/node/secrets/openCleaner.ts';

const SCRUBBED = {
  places: [['/home/ada', '~']] as const,
  names: ['ada'],
  cleaner: await openCleaner(['correct-horse-battery']),
};

it.each([
  ['cat /home/ada/work/shop/src/totals.ts', 'cat …/totals.ts'],
  ['src/totals.ts and ../lib/a/b.py', '…/totals.ts and …/b.py'],
  ['C:\\Users\\Ada Lovelace\\shop\\a.ts', '…/a.ts'],
  ['API_KEY=abcdef123456 npm test', 'API_KEY=[hidden] npm test'],
  ['"password": "hunter2hunter2"', '"password": "[hidden]"'],
  ['Authorization: Bearer abc.def.ghi', 'Authorization: Bearer [hidden]'],
  ['key sk-proj-aaaaaaaaaaaaaaaa', 'key [hidden]'],
  ['it is correct-horse-battery', 'it is [hidden]'],
  ['-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----', '[hidden]'],
  ['git@example.org by ada', 'git@example.org by [user]'],
  ['// a comment, x / y and "a\\nb"', '// a comment, x / y and "a\\nb"'],
  ['https://user:secret@example.org', 'https://example.org'],
])('%s is shown as %s', (text, shown) => {
  expect(scrubText(text, SCRUBBED)).toBe(shown);
});

it('every text of a page is scrubbed, and nothing else of it', () => {
  const page = {
    title: '/home/ada/x',
    subtitle: 'ada',
    blocks: [
      { kind: 'section' as const, id: 'src/a', title: 'src/a', fold: 'none' as const, blocks: [] },
      {
        kind: 'table' as const,
        label: 'src/a',
        columns: [{ title: 'src/a' }],
        rows: [[{ text: 'src/a', act: 'need 1/2' }]],
      },
    ],
  };
  expect(scrubPage(page, SCRUBBED)).toEqual({
    title: '…/x',
    subtitle: '[user]',
    blocks: [
      { kind: 'section', id: 'src/a', title: '…/a', fold: 'none', blocks: [] },
      { kind: 'table', label: '…/a', columns: [{ title: '…/a' }], rows: [[{ text: '…/a', act: 'need 1/2' }]] },
    ],
  });
});

import { expect, test } from 'vitest';
import { withoutLinks } from '../../../src/host/notices/notify.ts';

/** As VS Code finds links in the text of a notification. */
const LINK = /\[([^\]]+)\]\(((?:https?:\/\/|command:|file:)[^)\s]+)(?: (["'])(.+?)(\3))?\)/gi;

test.each([
  'It said: “[Open settings](command:workbench.action.terminal.sendSequence?%7B%22text%22%3A%22id%5Cu000D%22%7D)”',
  'The setting palimpsest.compaction.strategy has the value "[fix](command:x)", which cannot be used.',
  '/tmp/[a](file:///etc/passwd)/b cannot be read',
  '[a](https://evil.example "title")[b](command:x)',
  '[[a](command:x)](command:y)',
])('no link is left in %j', (text) => {
  expect([text.match(LINK) !== null, withoutLinks(text).match(LINK)]).toEqual([true, null]);
});

test('other text stays as it is', () => {
  const text = 'Checkpoint [3] (a.ts) https://host.example/v1 answered 401.';
  expect(withoutLinks(text)).toBe(text);
});

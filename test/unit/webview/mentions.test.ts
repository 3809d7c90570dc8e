/** Which mention the cursor stands in, and answers of the host that come late. */

import { expect, test } from 'vitest';
import { MentionList, mentionAt, splitAtMentions } from '../../../webview/page/mentions.ts';

/** `|` is the cursor. */
const at = (text: string) => mentionAt(text.replace('|', ''), text.indexOf('|'));

test('a mention is what stands between its sign and the cursor, with the rest of its word', () => {
  expect(at('see @|')).toEqual({ from: 4, to: 5, typed: '' });
  expect(at('see @src/re|try.ts now')).toEqual({ from: 4, to: 17, typed: 'src/re' });
  expect(at('@"my no|')).toEqual({ from: 0, to: 7, typed: 'my no' });
  expect(at('看@src|')).toEqual({ from: 1, to: 5, typed: 'src' });
  for (const none of ['me@example|', '@src/a.ts |', 'no|ne', '@"done"|']) expect(at(none)).toBeNull();
});

const choice = { insert: '@a.ts', label: 'a.ts', detail: '', icon: 'file' as const, more: false };

test('the host is asked once for what was typed, and only its newest answer counts', () => {
  const list = new MentionList();
  expect(list.follow('@', 1)).toBe('');
  expect(list.follow('@', 1)).toBeNull();
  expect(list.follow('@a', 2)).toBe('a');
  list.take('', [choice, choice]);
  expect(list.choices).toEqual([]);
  expect(list.take('a', [choice])).toBe(true);
  // A second answer, of servers that were slow, does not move what is chosen.
  expect(list.take('a', [choice, choice])).toBe(false);
  expect(list.choices).toHaveLength(2);
  // Until the answer comes, what no longer fits is not offered: Enter would choose it.
  list.follow('@a.', 3);
  expect(list.choices).toHaveLength(2);
  list.follow('@a.x', 4);
  expect(list.choices).toEqual([]);
});

test('a list that was left stays closed until the cursor has left the mention', () => {
  const list = new MentionList();
  list.follow('@a', 2);
  list.leave();
  expect(list.follow('@ab', 3)).toBeNull();
  expect(list.at).toBeNull();
  list.follow('@ab ', 4);
  expect(list.follow('@ab @', 5)).toBe('');
});

test('a message waits for the word on it, and is sent as it is once its doubts were told', () => {
  const list = new MentionList();
  const doubts = [{ mention: '@x/y', kind: 'missing' as const, reason: [] }];
  expect([list.needsCheck('no mention'), list.needsCheck('@x/y')]).toEqual([false, true]);
  list.check('@x/y');
  expect(list.checked('@other', doubts)).toBe(false);
  expect(list.checked('@x/y', doubts)).toBe(true);
  expect([list.needsCheck('@x/y'), list.wasTold('@x/y'), list.needsCheck('@x/y!')]).toEqual([false, true, true]);
});

test('a text is split at its mentions, the longest first, and not inside another word', () => {
  const split = (text: string) => splitAtMentions(text, ['@src/', '@src/a.ts', '@"my notes.md"']);
  expect(split('See @src/a.ts, @src/ and @"my notes.md".')).toEqual([
    'See ',
    '@src/a.ts',
    ', ',
    '@src/',
    ' and ',
    '@"my notes.md"',
    '.',
  ]);
  expect(split('@src/a.tsx and @src/b')).toEqual(['@src/a.tsx and @src/b']);
  expect(splitAtMentions('a (b', [])).toEqual(['a (b']);
});

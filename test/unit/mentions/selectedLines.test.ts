/** Selected lines become a mention that reads the same lines again, and a file that may hold secrets is never offered. */

import { describe, expect, test } from 'vitest';
import { locateMention } from '../../../src/core/mentions/locateMention.ts';
import { findMentions } from '../../../src/core/mentions/mention.ts';
import { describeSelected } from '../../../src/core/mentions/selectedLines.ts';
import { messageText } from '../../../src/protocol/rows.ts';
import { createMemoryFiles } from '../../support/ports/memoryFiles.ts';

const FILES = {
  'src/a.ts': 'one\ntwo\nthree\n',
  'src/my notes.md': 'remember the milk\n',
  '.env': 'TOKEN=hunter2\n',
  '.ssh/config': 'Host a\n',
  'config/prod.pem': 'key\n',
};
const ports = { files: createMemoryFiles(FILES) };
const selected = (path: string, lines = { first: 1, last: 2 }, text = 'one\ntwo', most = 8_000) =>
  describeSelected(path, { lines, text, total: 3 }, ports, most);

describe('selected lines', () => {
  test.each([
    ['src/a.ts', { first: 2, last: 3 }, '@src/a.ts:2-3'],
    ['src/a.ts', { first: 2, last: 2 }, '@src/a.ts:2'],
    ['src/my notes.md', { first: 1, last: 1 }, '@"src/my notes.md:1"'],
  ])('of %s %o are the mention %s', async (path, lines, mention) => {
    const described = await selected(path, lines);
    expect(described?.mention).toBe(mention);
    const [found] = findMentions(`Why?\n\n${mention}`);
    const located = found && (await locateMention(found, ports, {}));
    expect(located).toMatchObject({ kind: 'found', thing: { place: { path } } });
  });

  test('count their text, up to the limit of a mention', async () => {
    const few = await selected('src/a.ts', undefined, 'one\ntwo');
    const many = await selected('src/a.ts', undefined, 'word '.repeat(2_000));
    expect(few?.tokens).toBeLessThan(100);
    expect(many?.tokens).toBeGreaterThan(1_500);
    expect((await selected('src/a.ts', undefined, 'word '.repeat(2_000), 500))?.tokens).toBe(500);
  });

  test.each(['.env', '.ssh/config', 'config/prod.pem', 'src/gone.ts', '../outside.ts'])(
    'of %s are not offered',
    async (path) => expect(await selected(path)).toBeNull(),
  );
});

describe('the text of a message', () => {
  const mentions = [{ mention: '@src/a.ts:1-2', tokens: 9, fate: 'kept' as const, pinned: false }];

  test('leaves out the mention at its end that stands below it', () => {
    expect(messageText({ text: 'Why?\n\n@src/a.ts:1-2', mentions })).toBe('Why?');
  });

  test.each(['Why @src/a.ts:1-2', '@src/a.ts:1-2', 'Why?\n\n@src/b.ts', 'Why?\n\nSee @src/a.ts:1-2'])(
    'keeps what a person wrote: %s',
    (text) => expect(messageText({ text, mentions })).toBe(text),
  );
});

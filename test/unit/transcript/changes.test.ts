/** What a card says of a change or a command: what really happened, and nothing that was only asked for. */

import { describe, expect, test } from 'vitest';
import type { EntryDraft } from '../../../src/core/journal/entry.ts';
import type { Row } from '../../../src/protocol/rows.ts';
import { createWorkbench, useTool } from '../tools/useTool.ts';
import { answer, call, fold } from './foldEntries.ts';

const detail = (row: Row | null) => (row?.type === 'tool' ? row.detail : null);

/** The card of a call that was run in a workspace with these files. */
async function cardOf(files: Readonly<Record<string, string>>, name: string, input: Record<string, unknown>) {
  const outcome = await useTool(createWorkbench(files), name, input);
  const result = answer('c1', name, outcome.text, outcome.isError) as Extract<EntryDraft, { type: 'message' }>;
  const change = outcome.change ? { change: outcome.change } : {};
  return detail(
    fold(call('c1', name, input), { ...result, message: { ...result.message, ...change } } as EntryDraft).row('m0.0'),
  );
}

describe('a change', () => {
  test('that overwrites a file shows what it took away, and says that it overwrote', async () => {
    const files = { 'a.ts': 'one\ntwo\nthree\n' };
    expect(await cardOf(files, 'write_file', { path: 'a.ts', content: 'one\n2\n' })).toEqual({
      kind: 'edit',
      path: 'a.ts',
      added: 1,
      removed: 2,
      diff: '@@ -1,3 +1,2 @@\n one\n-two\n-three\n+2\n',
      effect: 'overwritten',
    });
    expect(await cardOf({}, 'write_file', { path: 'b.ts', content: 'new\n' })).toMatchObject({
      added: 1,
      effect: 'created',
    });
  });

  test('to several places counts every one of them, and not the text that was given', async () => {
    const files = { 'a.ts': 'x = 1\ny = 1\nz = 1\n' };
    const input = { path: 'a.ts', old_string: '= 1', new_string: '= 2', replace_all: true };
    expect(await cardOf(files, 'edit_file', input)).toMatchObject({ added: 3, removed: 3, effect: 'changed' });
  });

  test('that deletes a file shows what it held', async () => {
    expect(await cardOf({ 'a.ts': 'one\ntwo\n' }, 'delete_file', { path: 'a.ts' })).toMatchObject({
      kind: 'edit',
      added: 0,
      removed: 2,
    });
  });

  test('that was declined, failed or never ran has no counts, and keeps what was asked for', () => {
    const asked = call('c1', 'edit_file', { path: 'a.ts', old_string: 'a', new_string: 'b' });
    for (const text of ['The person declined this call.', 'edit_file: old_string was not found.']) {
      expect(detail(fold(asked, answer('c1', 'edit_file', text, true)).row('m0.0'))).toMatchObject({
        added: 0,
        removed: 0,
        diff: '-a\n+b\n',
        effect: 'none',
      });
    }
    expect(detail(fold(asked).row('m0.0'))).toMatchObject({ added: 0, removed: 0 });
  });

  test('of a session in which it was not recorded has only the counts that are known', () => {
    const input = { path: 'a.ts', content: 'a\nb\n' };
    const card = (text: string) =>
      detail(fold(call('c1', 'write_file', input), answer('c1', 'write_file', text)).row('m0.0'));
    expect(card('Created a.ts (4 bytes).')).toMatchObject({ added: 2, removed: 0, effect: 'created' });
    expect(card('Replaced a.ts (4 bytes).')).toMatchObject({ added: 0, removed: 0, effect: 'overwritten' });
  });
});

test('a command that ended with another code than 0 has failed', () => {
  const status = (text: string) => {
    const row = fold(call('c1', 'run_command', { command: 'x' }), answer('c1', 'run_command', text)).row('m0.0');
    return row?.type === 'tool' && row.status;
  };
  expect(['exit code 1\nno', 'exit code 0\nyes', 'stopped'].map(status)).toEqual(['failed', 'done', 'done']);
});

import { expect, test } from 'vitest';
import { KEEP } from '../../../src/core/compaction/sections/generalSettings.ts';
import { findExpired } from '../../../src/core/compaction/trigger/expiredResults.ts';
import { createMemoryGit } from '../../support/ports/memoryGit.ts';
import { createMemoryLanguage } from '../../support/ports/memoryLanguage.ts';
import { createMemoryShell } from '../../support/ports/memoryShell.ts';
import { memoryJournal } from '../../support/ports/memoryStore.ts';
import { createWorkbench, useTool } from '../tools/useTool.ts';

/** The same folder listed twice; the first result has so many tokens. */
async function listedTwice(tokens: number) {
  const { journal } = await memoryJournal();
  for (const [id, size] of [
    ['a', tokens],
    ['b', 10],
  ] as const) {
    const toolCalls = [{ id, name: 'list_files', arguments: '{"path":"src"}' }];
    await journal.append({ type: 'message', message: { role: 'assistant', text: '', toolCalls }, tokens: 5 });
    const ephemeral = { keepNewest: 1, of: 'call' } as const;
    const result = { role: 'tool', toolCallId: id, toolName: 'list_files', text: 'a.ts', ephemeral } as const;
    await journal.append({ type: 'message', message: result, tokens: size });
  }
  return journal.context.conversation;
}

test('what a later call brought up to date goes once it holds 2,000 tokens, unless set otherwise', {
  tags: ['C12'],
}, async () => {
  const { default: outdated } = KEEP.fields.outdatedTokens;
  expect(findExpired(await listedTwice(1_999), outdated)).toEqual([]);
  expect(findExpired(await listedTwice(2_000), outdated)).toEqual([1]);
  expect(findExpired(await listedTwice(9), null)).toEqual([1]);
  expect(findExpired(await listedTwice(90_000), 0)).toEqual([]);
});

test.each(['list_files', 'run_command', 'read_problems', 'git_changes'])(
  'what %s answered is out of date after the same call, not after one about something else',
  { tags: ['C12'] },
  async (toolName) => {
    const ports = {
      ...createWorkbench({ 'a/one.ts': '', 'b/two.ts': '' }, createMemoryShell({ 'ls a': {}, 'ls b': {} })),
      git: createMemoryGit({}),
      language: createMemoryLanguage(),
    };
    const { journal } = await memoryJournal();
    for (const [id, path] of ['a', 'b', 'a'].entries()) {
      const input = toolName === 'run_command' ? { command: `ls ${path}` } : { path };
      const toolCalls = [{ id: `${id}`, name: toolName, arguments: JSON.stringify(input) }];
      const { ephemeral } = await useTool(ports, toolName, input);
      expect(ephemeral).toBeDefined();
      await journal.append({ type: 'message', message: { role: 'assistant', text: '', toolCalls }, tokens: 5 });
      const result = {
        role: 'tool',
        toolCallId: `${id}`,
        toolName,
        text: '',
        ...(ephemeral && { ephemeral }),
      } as const;
      await journal.append({ type: 'message', message: result, tokens: 5 });
    }
    expect(findExpired(journal.context.conversation, null)).toEqual([1]);
  },
);

import { expect, test } from 'vitest';
import { KEEP } from '../../../src/core/compaction/draft/keepingSettings.ts';
import { findExpired } from '../../../src/core/compaction/when/findExpired.ts';
import { memoryJournal } from '../../support/ports/memoryStore.ts';

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

test('C12: what a later call brought up to date goes once it holds 2,000 tokens, unless set otherwise', async () => {
  const { default: outdated } = KEEP.fields.outdatedTokens;
  expect(findExpired(await listedTwice(1_999), outdated)).toEqual([]);
  expect(findExpired(await listedTwice(2_000), outdated)).toEqual([1]);
  expect(findExpired(await listedTwice(9), null)).toEqual([1]);
  expect(findExpired(await listedTwice(90_000), 0)).toEqual([]);
});

/**
 * A server without a parser for what its model writes: thinking comes in the text, with its beginning or without, and so does
 * a call. The panel shows what was thought as thinking, through a compaction, and no request and no summary holds it.
 */

import assert from 'node:assert/strict';
import { startModelServer } from '../../support/modelServer/modelServer.ts';
import type { Reply } from '../../support/modelServer/modelServerReply.ts';
import { entriesOf } from '../support/journals.ts';
import { ask, send, waitUntilIdle } from '../support/panel.ts';
import { expect, test } from '../support/scenario.ts';

const FILES = { 'one.md': 'The first note.\n'.repeat(900) };
const CALL = '<tool_call>\n{"name": "read_file", "arguments": {"path": "one.md"}}\n</tool_call>';

test('a server that leaves thinking and calls in the text', async ({ startHost, makeFolder, atEnd, capture }) => {
  const planned: string[] = [];
  const server = await startModelServer({
    script: ({ body }): Reply => {
      const asksForSummary = body.tool_choice === 'none' || body.tools === undefined;
      if (asksForSummary) return { kind: 'answer', text: '<think>\nI sum up.\n</think>\n\nThey had one note read.' };
      return { kind: 'answer', text: planned.shift() ?? 'Nothing was planned.' };
    },
  });
  atEnd(() => server.close());
  const host = await startHost({
    share: true,
    folder: makeFolder(FILES),
    settings: {
      'palimpsest.endpoints': [{ id: 'plain', baseUrl: server.baseUrl, models: ['thinker'] }],
      'palimpsest.model': 'thinker@plain',
      'palimpsest.contextWindow': 100_000,
      'palimpsest.compaction.strategy': 'llm-summary',
      'palimpsest.compaction.keep.recent': '500 tokens',
    },
  });
  const { panel } = host;
  const answer = (text: string) => panel.locator('.row.assistant', { hasText: text }).last();
  const shows = async (text: string, thought: string) => {
    const row = answer(text);
    await row.waitFor();
    await expect(row).not.toContainText('think>');
    await row
      .locator('button', { hasText: /thinking|thought/i })
      .first()
      .click();
    await expect(row.locator('.reasoning')).toContainText(thought);
  };

  planned.push(`<think>\nI read one.\n</think>\n\nI look.\n\n${CALL}`, 'I know it now.\n</think>\n\nIt is read.');
  await ask(panel, 'read the note');
  await shows('I look.', 'I read one.');
  await shows('It is read.', 'I know it now.');
  await expect(panel.locator('.row.tool')).toHaveCount(1);
  await capture('text-thinking-01-steps');

  await send(panel, '/compact');
  await panel.locator('.row.compaction').waitFor();
  await waitUntilIdle(panel);
  planned.push('<think>Once more.</think>It is still read.');
  await ask(panel, 'and now?');
  await shows('It is still read.', 'Once more.');
  await capture('text-thinking-02-compacted');

  server.assertDone();
  assert.equal(server.requests.length, 4);
  for (const { body } of server.requests)
    assert.doesNotMatch(JSON.stringify(body.messages), /think>|I read one|I know it now|I sum up/);
  const compactions = entriesOf(host, 'compaction');
  assert.equal(compactions.length, 1);
  assert.match(JSON.stringify(compactions), /They had one note read\./);
  assert.doesNotMatch(JSON.stringify(compactions), /think>|I sum up/);
});

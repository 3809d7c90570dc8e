/**
 * A session with Claude in its own dialect: thinking, calls, an image, a compaction and its undo, and a restart, against a
 * server with the real one's rules and a prompt cache as published.
 */

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pngOf } from '../../support/images.ts';
import { MessagesCache } from '../../support/modelServer/messagesCache.ts';
import { startModelServer } from '../../support/modelServer/modelServer.ts';
import type { Reply } from '../../support/modelServer/modelServerReply.ts';
import { expectSetting, openContext, pageFrame, reloadWindow } from '../support/host.ts';
import { entriesOf } from '../support/journals.ts';
import { ask, send, undoCompaction, waitUntilIdle } from '../support/panel.ts';
import { expect, test } from '../support/scenario.ts';
import { answerQuickInput, closeEditors, quickPick, runCommand } from '../support/workbench.ts';

const FILES = {
  'one.md': 'The first note.\n'.repeat(900),
  'two.md': 'The second note.\n'.repeat(900),
};
const thinks = (of: string, more: Partial<Extract<Reply, { kind: 'answer' }>>): Reply => ({
  kind: 'answer',
  reasoning: { field: 'thinking', text: `I think of ${of}.` },
  ...more,
});
const lossOfMove = /^Going back in the conversation gives up the prompt cache: up to \$0\.\d+ to read/;
const read = (path: string) => [{ name: 'read_file', arguments: { path } }];

test('a session with Claude: thinking, calls, an image, a compaction, its undo, and a restart', {
  tag: ['@item:1'],
}, async ({ startHost, makeFolder, atEnd, capture }) => {
  const planned: Reply[] = [];
  const cache = new MessagesCache({ now: Date.now });
  const server = await startModelServer({
    script: ({ body, text }) => {
      const usage = cache.count(body);
      const asksForSummary = /about to be compacted|record to be summarised/.test(text);
      const reply = asksForSummary ? { kind: 'answer', text: 'They had two notes read.' } : planned.shift();
      return { ...(reply ?? { kind: 'answer', text: 'Nothing was planned.' }), usage } as Reply;
    },
  });
  atEnd(() => server.close());
  const price = { input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25 };
  const host = await startHost({
    share: true,
    folder: makeFolder(FILES),
    settings: {
      'palimpsest.endpoints': [
        {
          id: 'claude',
          baseUrl: server.baseUrl,
          dialect: 'messages',
          models: [{ name: 'claude-opus-5', contextWindow: 200_000, images: true, price }],
        },
      ],
      'palimpsest.model': 'claude-opus-5@claude',
      'palimpsest.effort': 'high',
      'palimpsest.compaction.strategy': 'llm-summary',
      'palimpsest.compaction.keep.recent': '500 tokens',
    },
  });
  const { page, panel, folder } = host;
  writeFileSync(join(folder, 'chart.png'), pngOf(320, 200, 90));
  const answered = (text: string) => panel.locator('.row.assistant', { hasText: text }).last().waitFor();

  await test.step('it thinks, calls tools in parallel and looks at an image', async () => {
    planned.push(
      thinks('the notes', { calls: [...read('one.md'), ...read('two.md')] }),
      thinks('the chart', { text: 'Now the chart.', calls: read('chart.png') }),
      thinks('all of it', { text: 'A grey chart, and two notes.' }),
    );
    await ask(panel, 'read both notes and look at chart.png');
    await answered('A grey chart, and two notes.');
    assert.deepEqual(server.failures, []);
    const body = JSON.stringify(server.requests[2]?.body);
    assert.ok(body.includes('"thinking":"I think of the notes."') && body.includes('"media_type":"image/png"'));
    // Each request read all that the one before it had written.
    assert.equal(cache.counts[1]?.read, cache.counts[0]?.input);
    assert.equal(cache.counts[2]?.read, cache.counts[1]?.input);
    await capture('claude-01-steps');
  });

  await test.step('the cost and the cached share are on screen', async () => {
    await panel.locator('button.meter').click();
    await panel.getByText(/This session has cost \$0\.\d+/).waitFor();
    // Five minutes, as the server reported of what it wrote.
    const clock = panel.locator('.fact.cache');
    await expect(clock).toHaveText(
      /Cached until .+, 5 min after its last use · \d+% of the last request came from the provider’s cache · next message about \$0\.0\d+ cached, \$0\.\d+ not/,
    );
    await capture('claude-02-cost');
    await page.keyboard.press('Escape');
    const [first, , third] = entriesOf(host, 'usage');
    assert.ok((third?.cost?.amount ?? 1) < (first?.cost?.amount ?? 0), 'a request from the cache costs less');
  });

  await test.step('another model, an edit and an undo say what throwing the cache away costs', async () => {
    const loss = /Gives up the prompt cache: up to about \$0\.\d+ to read all of it again\./;
    await panel.getByRole('button', { name: /^Model: / }).click();
    await panel.locator('.picker .fact', { hasText: loss }).waitFor();
    await capture('claude-03-switch');
    await page.keyboard.press('Escape');
    const asked = panel.locator('.row.user').first();
    await asked.hover();
    await asked.getByRole('button', { name: 'Edit' }).click();
    await panel.locator('.edit-note', { hasText: loss }).waitFor();
    await capture('claude-04-edit');
    await panel.getByRole('button', { name: 'Cancel' }).click();
    const checkpoint = panel.locator('.row.user').first();
    await checkpoint.hover();
    await checkpoint.getByRole('button', { name: /^Restore/ }).click();
    // Once for all choices, of which only some go back.
    await expect(page.locator('.quick-input-widget input')).toHaveAttribute('placeholder', lossOfMove);
    await expect(page.locator('.quick-input-widget').getByText(loss)).toHaveCount(0);
    await capture('claude-05-restore');
    await page.keyboard.press('Escape');
  });

  await test.step('a summary goes on from the cache, with no tool forbidden by a parameter', async () => {
    const before = cache.counts.length;
    await send(panel, '/compact');
    await panel.locator('.row.compaction').waitFor();
    await waitUntilIdle(panel);
    const [summary] = cache.counts.slice(before);
    // The goal F20 of the speed table.
    assert.ok((summary?.read ?? 0) > 0.95 * (cache.counts[before - 1]?.input ?? 0));
    assert.ok(server.requests.every(({ body }) => !('tool_choice' in body)));
    planned.push(thinks('the notes again', { text: 'They were about notes.' }));
    await ask(panel, 'what were they about?');
    await answered('They were about notes.');
    assert.ok(!JSON.stringify(server.requests.at(-1)?.body).includes('The second note.'));
    await capture('claude-06-compacted');
  });

  await test.step('its undo brings back what was read, with the signatures of its thinking', async () => {
    const undo = panel.locator('.row.compaction').getByRole('button', { name: /^Undo this compaction/ });
    await expect(undo).toHaveAttribute('title', /back to \d+k. Gives up the prompt cache/);
    await undoCompaction(panel);
    planned.push(thinks('the undo', { text: 'I have them again.' }));
    await ask(panel, 'and now?');
    await answered('I have them again.');
    const body = JSON.stringify(server.requests.at(-1)?.body);
    assert.ok(body.includes('The second note.') && body.includes('"thinking":"I think of the chart."'));
    assert.deepEqual(server.failures, []);
  });

  await test.step('after a restart it goes on where it was', async () => {
    await reloadWindow(host);
    planned.push(thinks('the restart', { text: 'Still here.' }));
    await ask(panel, 'are you there?');
    await answered('Still here.');
    assert.ok((cache.counts.at(-1)?.read ?? 0) >= (cache.counts.at(-2)?.input ?? 1));
    assert.deepEqual(server.failures, []);
    await (await openContext(host, 'Timeline')).getByRole('heading', { name: 'Cache and cost' }).waitFor();
    await capture('claude-07-timeline');
    await closeEditors(page);
  });

  await test.step('a return to another branch says so too, in the list and on its page', async () => {
    const checkpoint = panel.locator('.row.user').last();
    await checkpoint.hover();
    await checkpoint.getByRole('button', { name: /^Restore/ }).click();
    await page.locator('.quick-input-titlebar').getByRole('button', { name: 'Conversation only' }).click();
    await page.locator('.quick-input-widget .monaco-button', { hasText: 'OK' }).click();
    planned.push(thinks('the way back', { text: 'Asked in another way.' }));
    await ask(panel, 'are you there again?');
    await answered('Asked in another way.');
    await runCommand(page, 'Palimpsest: Show Branches');
    await expect(page.locator('.quick-input-widget input')).toHaveAttribute('placeholder', lossOfMove);
    await capture('claude-08-branches');
    const branch = page.locator('.quick-input-list .monaco-list-row').first();
    await branch.hover();
    await branch.getByRole('button', { name: /^View This Branch/ }).click();
    await pageFrame(host).getByText(lossOfMove).waitFor();
    await capture('claude-09-branch');
    await page.keyboard.press('Escape');
    await closeEditors(page);
  });
  await expect(panel.locator('.row.notice.error')).toHaveCount(0);
});

test('a gateway that speaks the Messages API is recognised when it is set up', {
  tag: ['@item:1'],
}, async ({ startHost, makeFolder, atEnd, capture }) => {
  const server = await startModelServer({
    key: 'sk-gate-0123456789',
    models: [{ id: 'claude-opus-5' }, { id: 'other' }],
    script: () => ({ kind: 'answer', text: 'Said in its own dialect.' }),
  });
  atEnd(() => server.close());
  const host = await startHost({ folder: makeFolder({}) });
  const { page, panel } = host;
  await runCommand(page, 'Palimpsest: Set Up Model Endpoint');
  await answerQuickInput(page, '(1 of 3)', server.baseUrl);
  await answerQuickInput(page, '(2 of 3)', 'sk-gate-0123456789');
  await quickPick(page, 'claude-opus-5').click();
  await answerQuickInput(page, 'Context Window of claude-opus-5', '200k');
  await panel.getByRole('button', { name: 'Model: claude-opus-5' }).waitFor();
  await expectSetting(host, 'palimpsest.endpoints', [
    {
      id: 'local',
      baseUrl: server.baseUrl,
      models: [{ name: 'claude-opus-5', contextWindow: 200_000 }, 'other'],
      dialect: 'messages',
    },
  ]);
  await ask(panel, 'hello');
  await panel.locator('.row.assistant', { hasText: 'Said in its own dialect.' }).waitFor();
  await capture('claude-10-gateway');
  assert.deepEqual(
    server.requests.map(({ path, headers }) => [path, headers['x-api-key']]),
    [['/v1/messages', 'sk-gate-0123456789']],
  );
  assert.deepEqual(server.failures, []);
});

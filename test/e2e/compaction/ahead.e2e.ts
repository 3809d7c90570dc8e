/**
 * What a compaction costs in time and in cache, as a person sees it: the summary is there before the limit is reached, and
 * a cache that is of no use any more is left at once. The server keeps a prompt cache.
 */

import assert from 'node:assert/strict';
import type { FrameLocator } from '@playwright/test';
import { listOf, objectOf } from '../../../src/core/json.ts';
import { type ModelServer, startModelServer } from '../../support/modelServer/modelServer.ts';
import { PromptCache } from '../../support/modelServer/promptCache.ts';
import { isSummaryRequest } from '../../support/modelServer/summaryRequest.ts';
import { editFolderSettings, openContext } from '../support/host.ts';
import { entriesOf } from '../support/journals.ts';
import { ask, newSession, undoCompaction } from '../support/panel.ts';
import { expect, test } from '../support/scenario.ts';
import { quickPick, runCommand } from '../support/workbench.ts';

const WINDOW = 40_000;
const FILES = { 'notes.md': '- retries wait longer each time, up to a minute\n'.repeat(300) };

let server: ModelServer;
test.afterEach(() => server.close());

/** Each message is answered with a reading of the notes, and each reading with a word. */
async function startReader(): Promise<void> {
  const cache = new PromptCache('automatic');
  server = await startModelServer({
    models: [{ id: 'reader' }, { id: 'other' }],
    script: ({ body }) => {
      const usage = cache.count(body);
      if (isSummaryRequest(body)) return { kind: 'answer', text: 'Notes: retries wait longer each time.', usage };
      if (objectOf(listOf(body.messages).at(-1)).role === 'tool') return { kind: 'answer', text: 'Read.', usage };
      return { kind: 'answer', calls: [{ name: 'read_file', arguments: { path: 'notes.md' } }], usage };
    },
  });
}

const summaries = () => server.requests.filter(({ body }) => isSummaryRequest(body)).length;

/** Asks until `done`. */
async function readUntil(panel: FrameLocator, done: () => boolean): Promise<void> {
  for (let turn = 0; !done(); turn++) {
    assert.ok(turn < 12, 'it takes too many turns');
    await ask(panel, 'read the notes');
  }
}

test('compaction without a wait: a summary prepared ahead, and a cold cache left at once', {
  tag: ['@B9', '@B8'],
}, async ({ startHost, makeFolder, capture }) => {
  await startReader();
  const price = { input: 3, output: 15, cacheRead: 0.3 };
  const model = (name: string) => ({ name, contextWindow: WINDOW, price });
  const host = await startHost({
    folder: makeFolder(FILES),
    settings: {
      'palimpsest.endpoints': [{ id: 'local', baseUrl: server.baseUrl, models: [model('reader'), model('other')] }],
      'palimpsest.model': 'reader@local',
      'palimpsest.compaction.strategy': 'llm-summary',
    },
  });
  const { page, panel } = host;
  const newestDetails = async () => {
    await panel.locator('.compaction-toggle').last().click();
    return panel.locator('.compaction-body').last();
  };

  await test.step('a summary that is prepared is thrown away after an undo, and its row says what it used', async () => {
    await ask(panel, 'read the notes');
    await ask(panel, 'read the notes again');
    await ask(panel, '/compact');
    await panel.locator('.row.compaction').first().waitFor();
    const before = summaries();
    await readUntil(panel, () => summaries() > before);
    await expect.poll(() => entriesOf(host, 'summaryUsage').filter(({ ahead }) => ahead).length).toBe(1);
    assert.equal(entriesOf(host, 'compaction').length, 1);
    await undoCompaction(panel);
    await panel.getByRole('button', { name: 'Jump to latest' }).click();
    const notice = panel.locator('.row.notice', { hasText: 'A summary that was prepared was thrown away' });
    await expect(notice).toContainText(/the conversation was changed\. It used about [\d,]+ tokens\./);
    await capture('ahead-01-thrown-away');
  });

  await test.step('the summary is asked for before the limit; there no request is made, and nobody waits', async () => {
    await newSession(host);
    const before = summaries();
    await readUntil(panel, () => summaries() > before);
    await readUntil(panel, () => entriesOf(host, 'compaction').length > 0);
    assert.equal(summaries(), before + 1);
    const [asked] = entriesOf(host, 'summaryUsage');
    const [made] = entriesOf(host, 'compaction');
    assert.ok(asked?.ahead && made?.prepared, 'the summary was there before it was needed');
    const details = await newestDetails();
    await expect(details).toContainText(/Prepared\s*in the background, in/);
    await expect(details).toContainText(/Summarised by\s*reader · [\d.,k]+ tokens/);
    await expect(details).toContainText(/Cost of the summary\s*\$0\.\d+/);
    await details.getByText('in the background').scrollIntoViewIfNeeded();
    await capture('ahead-02-row');
    const statistics = await openContext(host, 'Totals');
    await statistics.getByText('Tokens of unused summaries').waitFor();
    await capture('ahead-03-statistics');
    await runCommand(page, 'View: Close All Editors');
  });

  await test.step('with another model chosen it compacts at once, far below the limit, and the row says why', async () => {
    editFolderSettings(host, { 'palimpsest.compaction.strategy': 'layered' });
    await newSession(host);
    await panel.getByRole('button', { name: /Compaction strategy.*Layered/ }).waitFor();
    for (let turn = 0; turn < 5; turn++) await ask(panel, 'read the notes');
    assert.deepEqual(entriesOf(host, 'compaction'), []);
    await runCommand(page, 'Palimpsest: Choose Model…');
    await quickPick(page, 'other').click();
    await panel.getByRole('button', { name: 'Model: other' }).waitFor();
    await ask(panel, 'go on');
    await panel.locator('.row.compaction').first().waitFor();
    const details = await newestDetails();
    await expect(details).toContainText('before the limit: another model was chosen');
    await details.getByText('before the limit').scrollIntoViewIfNeeded();
    await capture('ahead-04-early');
    const [made] = entriesOf(host, 'compaction');
    assert.equal(made?.strategy, 'layered');
    assert.ok((made?.tokensBefore ?? 0) < 0.8 * WINDOW);
  });
});

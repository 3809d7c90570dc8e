/**
 * Compaction while the person is away: an extension of the test sets the clock on, and the session is compacted shortly
 * before the cache of a server with Claude's rules goes cold, once, with a row that says why and its undo.
 */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { ROOT } from '../../../scripts/paths.ts';
import { MessagesCache } from '../../support/modelServer/messagesCache.ts';
import { startModelServer } from '../../support/modelServer/modelServer.ts';
import type { Reply } from '../../support/modelServer/modelServerReply.ts';
import { entriesOf } from '../support/journals.ts';
import { ask, undoCompaction, waitUntilIdle } from '../support/panel.ts';
import { expect, test } from '../support/scenario.ts';
import { runCommand } from '../support/workbench.ts';

const NAMES = Array.from({ length: 6 }, (_, i) => `part${i}.md`);
const FILES = Object.fromEntries(NAMES.map((name) => [name, `${`Notes of ${name}. `.repeat(40)}\n`.repeat(60)]));

test('compacted while the person is away, before the cache goes cold, and undone', {
  tag: ['@B8'],
}, async ({ startHost, makeFolder, atEnd, capture }) => {
  const cache = new MessagesCache({ now: Date.now });
  const summaries: number[] = [];
  const planned: Reply[] = [
    { kind: 'answer', calls: NAMES.map((path) => ({ name: 'read_file', arguments: { path } })) },
    { kind: 'answer', text: 'All six are read.' },
  ];
  const server = await startModelServer({
    script: ({ body, text, number }) => {
      const usage = cache.count(body);
      const isSummary = /about to be compacted/.test(text);
      if (isSummary) summaries.push(number);
      const reply = isSummary ? { kind: 'answer', text: 'They had six parts read.' } : planned.shift();
      return { ...(reply ?? { kind: 'answer', text: 'Said.' }), usage } as Reply;
    },
  });
  atEnd(() => server.close());
  const price = { input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25 };
  const host = await startHost({
    linked: [join(ROOT, 'test/support/later')],
    folder: makeFolder(FILES),
    settings: {
      'palimpsest.endpoints': [
        {
          id: 'claude',
          baseUrl: server.baseUrl,
          dialect: 'messages',
          models: [{ name: 'claude-opus-5', contextWindow: 400_000, price }],
        },
      ],
      'palimpsest.model': 'claude-opus-5@claude',
      'palimpsest.compaction.strategy': 'llm-summary',
      'palimpsest.compaction.trigger.beforeCold': true,
      'palimpsest.compaction.keep.recent': '500 tokens',
    },
  });
  const { page, panel } = host;
  await ask(panel, 'read all six parts');
  await ask(panel, 'and now?');
  await ask(panel, 'and then?');
  assert.deepEqual(summaries, []);
  const before = cache.counts.at(-1);

  await runCommand(page, 'Later: Let Three and a Half Minutes Pass');
  const row = panel.locator('.row.compaction');
  await row.waitFor();
  await waitUntilIdle(panel);
  // The ledger has the longest of the three requests word for word.
  await expect(row).toContainText(/while you were away\s·\s+[^·]+·\s+1 kept in lines\s·\s+7 read by the summary/);
  await row.locator('[aria-expanded=false]').first().click();
  await expect(row).toContainText(
    "before the provider's cache went cold: idle for 4 of 5 min, and reading all of it anew would have cost more",
  );
  assert.equal(summaries.length, 1);
  assert.ok(
    (cache.counts.at(-1)?.read ?? 0) > 0.95 * (before?.input ?? Number.NaN),
    'the summary reads from the cache',
  );
  await capture('before-cold-01-row');

  await undoCompaction(panel);
  await runCommand(page, 'Later: Let Three and a Half Minutes Pass');
  await ask(panel, 'are you there?');
  assert.equal(summaries.length, 1, 'it is not made again in that pause');
  assert.equal(entriesOf(host, 'compaction').length, 1);
  assert.ok(JSON.stringify(server.requests.at(-1)?.body).includes('Notes of part0.md.'));
  assert.deepEqual(server.failures, []);
  await capture('before-cold-02-undone');
});

/** What tools give back, as a person sets it: limits that hold for files too, ranges put aside, and results out of date. */

import assert from 'node:assert/strict';
import { editFolderSettings } from '../support/host.ts';
import { entriesOf } from '../support/journals.ts';
import { ask, askAndAllow } from '../support/panel.ts';
import { lastTurn } from '../support/requests.ts';
import { expect, test } from '../support/scenario.ts';

const lines = (count: number) => Array.from({ length: count }, (_, i) => `- note ${i}: retries wait longer`).join('\n');

test('limits for files and for one tool, a range put aside, a command run again', {
  tag: ['@N1', '@N9', '@C10', '@C11', '@C12'],
}, async ({ startHost, startSteeredModel, makeFolder, capture }) => {
  const model = await startSteeredModel();
  const host = await startHost({
    share: true,
    folder: makeFolder({ 'long.md': lines(400) }),
    settings: {
      ...model.settings,
      'palimpsest.contextWindow': 100_000,
      'palimpsest.agent.output.maxLines': 300,
      'palimpsest.agent.output.perTool': { run_command: 'maxLines 5000, maxKilobytes 100' },
    },
  });
  const { panel } = host;
  const results = () => lastTurn(model.server).messages.flatMap(({ role, text }) => (role === 'tool' ? [text] : []));

  await test.step('a tool has its own limit; what the next run brings up to date becomes a preview', async () => {
    for (const nth of ['first', 'second']) {
      model.planCall('run_command', { command: 'seq 1 4000' }, `Counted, ${nth}.`);
      await askAndAllow(panel, `count, ${nth}`);
    }
    const [first = '', second = ''] = results().slice(-2);
    assert.match(first, /^exit code 0\n1\n2\n.*\[palimpsest:\w+ tool result offloaded.*recall/s);
    assert.match(second, /\n2500\n.*\n4000/s);
    assert.deepEqual(
      entriesOf(host, 'compaction').map(({ trigger }) => trigger),
      ['ephemeral'],
    );
    await capture('reading-results-out-of-date');
  });

  await test.step('the range that the model asked for is put aside', async () => {
    editFolderSettings(host, {
      // The meter tells when the settings are in force.
      'palimpsest.contextWindow': 90_000,
      'palimpsest.compaction.offload.onReturn': true,
    });
    await expect(panel.locator('.meter-numbers')).toHaveText(/90k/);
    model.planCall('read_file', { path: 'long.md', offset: 11, limit: 250 }, 'Read on.');
    await ask(panel, 'read a range');
    assert.match(results().at(-1) ?? '', /^long\.md: lines 11-260 of 400.*tool result offloaded/s);
  });

  await test.step('the limit of the settings cuts a file, and what was cut is not put aside', async () => {
    model.planCall('read_file', { path: 'long.md' }, 'Read.');
    await ask(panel, 'read it');
    assert.match(results().at(-1) ?? '', /^long\.md: lines 1-300 of 400, .*read on with offset 301\n.*note 299:/s);
  });

  await test.step('a range that was asked for is put aside', async () => {
    model.planCall('read_file', { path: 'long.md', offset: 11, limit: 250 }, 'Read on.');
    await ask(panel, 'read a range');
    assert.match(results().at(-1) ?? '', /^long\.md: lines 11-260 of 400.*tool result offloaded/s);
  });
});

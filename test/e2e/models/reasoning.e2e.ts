/**
 * A model that thinks, over the responses form: what it thought goes back to it over several steps and a compaction, goes
 * to no other model, which the panel says, and is found nowhere outside of the session's own files.
 */

import assert from 'node:assert/strict';
import { globSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { asText } from '../../../src/core/json.ts';
import { startModelServer } from '../../support/modelServer/modelServer.ts';
import type { AnswerReply, Reply } from '../../support/modelServer/modelServerReply.ts';
import { choosePath } from '../support/fileDialog.ts';
import { openContext } from '../support/host.ts';
import { entriesOf, readLog } from '../support/journals.ts';
import { ask, send, waitUntilIdle } from '../support/panel.ts';
import { expect, test } from '../support/scenario.ts';
import { closeEditors, quickPick, runCommand, waitForToast } from '../support/workbench.ts';

const canary = (mark: string) => `gAAAAACanary${mark}`.padEnd(1_400, 'Qz7_');
const thinking = (mark: string, more: Partial<AnswerReply>): Reply => ({
  kind: 'answer',
  reasoning: { field: 'summary', text: `I think of ${mark}.` },
  encrypted: canary(mark),
  ...more,
});
const read = (path: string) => [{ name: 'read_file', arguments: { path } }];
const FILES = {
  'one.md': 'The first note.\n'.repeat(900),
  'two.md': 'The second note.\n'.repeat(900),
};

test('a model that thinks: several steps, a compaction, another model, and back', async ({
  startHost,
  makeFolder,
  atEnd,
  capture,
}) => {
  const planned: Reply[] = [];
  const server = await startModelServer({
    script: ({ body }) => {
      const asksForSummary = body.tool_choice === 'none' || body.tools === undefined;
      if (asksForSummary) return { kind: 'answer', text: 'They had two notes read.' };
      return planned.shift() ?? { kind: 'answer', text: 'Nothing was planned.' };
    },
  });
  atEnd(() => server.close());
  const host = await startHost({
    share: true,
    folder: makeFolder(FILES),
    settings: {
      'palimpsest.endpoints': [
        { id: 'thinks', baseUrl: server.baseUrl, dialect: 'responses', models: ['thinker', 'plain'] },
      ],
      'palimpsest.model': 'thinker@thinks',
      'palimpsest.effort': 'high',
      'palimpsest.contextWindow': 100_000,
      'palimpsest.compaction.strategy': 'llm-summary',
      'palimpsest.compaction.keep.recent': '500 tokens',
      'files.simpleDialog.enable': true,
    },
  });
  const { page, panel, folder } = host;
  const answered = (text: string) => panel.locator('.row.assistant', { hasText: text }).last().waitFor();
  const requests = () =>
    server.requests.map(({ body }) => ({ model: asText(body.model), text: JSON.stringify(body.input), body }));

  // Several steps: each request goes on from the one before it, with what was thought in between.
  planned.push(
    thinking('one', { calls: read('one.md') }),
    thinking('two', { text: 'Now the other.', calls: read('two.md') }),
    thinking('three', { text: 'Both are read.' }),
  );
  await ask(panel, 'read both notes');
  await answered('Both are read.');
  assert.deepEqual(server.failures, []);
  const [first, second, third] = requests();
  assert.deepEqual(first?.body.reasoning, { effort: 'high', summary: 'auto' });
  assert.deepEqual([first?.body.store, first?.body.include], [false, ['reasoning.encrypted_content']]);
  assert.ok(second?.text.startsWith(first?.text.slice(0, -1) ?? '?'));
  assert.ok(third?.text.startsWith(second?.text.slice(0, -1) ?? '?'));
  assert.ok(third?.text.includes(canary('one')) && third.text.includes(canary('two')));
  await capture('reasoning-01-steps');

  // The model view says that it is there, and no more.
  await (await openContext(host, 'Now'))
    .locator('summary', { hasText: '[encrypted reasoning, 1,400 characters]' })
    .first()
    .waitFor();
  await capture('reasoning-02-model-view');

  // A compaction in between: what is kept still goes back whole, and what is gone is gone.
  await send(panel, '/compact');
  await panel.locator('.row.compaction').waitFor();
  await waitUntilIdle(panel);
  planned.push(thinking('four', { calls: read('one.md') }), thinking('five', { text: 'Read once more.' }));
  await ask(panel, 'and the first again');
  await answered('Read once more.');
  assert.deepEqual(server.failures, []);
  assert.ok(requests().at(-1)?.text.includes(canary('four')));

  // Another model gets none of it, and the panel says so; the first one gets it back.
  await closeEditors(page);
  await runCommand(page, 'Palimpsest: Choose Model…');
  await quickPick(page, 'plain').click();
  const note = panel.locator('.row.notice', { hasText: 'is no longer sent' });
  await note.waitFor();
  await capture('reasoning-03-another-model');
  planned.push({ kind: 'answer', text: 'Plain words.' });
  await ask(panel, 'and you?');
  await answered('Plain words.');
  const plain = requests().at(-1);
  assert.equal(plain?.model, 'plain');
  assert.doesNotMatch(plain?.text ?? '', /gAAAAA|I think of/);
  await runCommand(page, 'Palimpsest: Choose Model…');
  await quickPick(page, 'thinker').click();
  planned.push(thinking('six', { text: 'I am back.' }));
  await ask(panel, 'and you again?');
  await answered('I am back.');
  assert.ok(requests().at(-1)?.text.includes(canary('four')));
  await expect(note).toHaveCount(1);
  assert.deepEqual(server.failures, []);

  // Nothing of it anywhere but in the session's own files: not in an export, in the log, or in what the editor keeps.
  const out = join(folder, 'out.json');
  await runCommand(page, 'Palimpsest: Export Session');
  await quickPick(page, 'JSON').click();
  await choosePath(page, out, 'save');
  await waitForToast(page, out);
  const exported = readFileSync(out, 'utf8');
  assert.match(exported, /I think of two/);
  assert.doesNotMatch(exported, /gAAAAACanary/);
  assert.doesNotMatch(readLog(host), /gAAAAACanary/);
  assert.doesNotMatch((await panel.locator('body').textContent()) ?? '', /gAAAAACanary/);
  const { userDataDir } = host.server;
  const holding = globSync('**/*', { cwd: userDataDir })
    .map((name) => join(userDataDir, name))
    .filter((path) => statSync(path).isFile() && readFileSync(path).includes('gAAAAACanary'));
  assert.ok(entriesOf(host, 'message').length > 0 && holding.length > 0);
  assert.deepEqual(
    holding.filter((path) => basename(path) !== 'journal.jsonl' && !path.includes('/blobs/')),
    [],
  );
});

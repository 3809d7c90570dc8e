/** What can go wrong from outside: each is said with the thing, the reason and a way out, and nothing is lost by it. */

import assert from 'node:assert/strict';
import { after } from 'node:test';
import { startModelServer } from '../support/modelServer.ts';
import { eventually, openPanel, waitForToast } from './support/actions.ts';
import { panelFrame } from './support/host.ts';
import { ask, send, waitUntilIdle } from './support/panel.ts';
import { fullScenario, scenario } from './support/scenario.ts';

const server = await startModelServer({
  script: [
    {
      kind: 'error',
      status: 401,
      body: { error: { message: 'Incorrect API key provided.', code: 'invalid_api_key' } },
    },
    { kind: 'error', status: 404, body: { error: { message: 'Unknown request URL' } } },
    { kind: 'raw', pieces: ['data: {"choices":[{"index":0,"delta":{"content":"Half an ans"}}]}\n\n'], end: 'cut' },
    { kind: 'answer', text: 'A bad call.', calls: [{ name: 'read_file', arguments: '{"path": ' }] },
    { kind: 'answer', text: 'Then without.' },
  ],
});
after(() => server.close());

const endpoint = { 'palimpsest.endpoint.baseUrl': server.baseUrl, 'palimpsest.model': 'test-model' };

scenario('an endpoint that refuses, breaks off and goes away', { settings: endpoint }, async ({ page }, screenshot) => {
  await openPanel(page);
  const panel = panelFrame(page);
  const says = (text: RegExp) => panel.locator('.row.notice', { hasText: text }).last().waitFor();
  const answers = (text: string) => panel.locator('.row.assistant', { hasText: text }).waitFor();

  await ask(panel, 'one: with the wrong key');
  await says(/key/i);
  await panel.getByRole('button', { name: 'Set API key' }).waitFor();
  await screenshot('bad-1-wrong-key');

  await ask(panel, 'two: at the wrong address');
  await says(/404|URL/);

  await ask(panel, 'three: cut in the middle');
  await answers('Half an ans');
  await says(/cut off/i);

  await ask(panel, 'four: malformed arguments');
  await answers('Then without.');
  await screenshot('bad-2-cut-and-malformed');
  server.assertDone();

  await server.close();
  await send(panel, 'five: nobody there');
  // A server that is not there may come back, so it is asked again; stopping ends the wait at once.
  await panel
    .getByText(/Trying again/)
    .first()
    .waitFor();
  await screenshot('bad-3-refused');
  await panel.getByRole('button', { name: 'Stop' }).click();
  await waitUntilIdle(panel);

  const asked = await panel.locator('.row.user').allInnerTexts();
  assert.deepEqual(
    asked.map((text) => text.match(/(one|two|three|four|five):/)?.[1]),
    ['one', 'two', 'three', 'four', 'five'],
  );
});

scenario(
  'no key, and settings that cannot be used',
  {
    settings: {
      'palimpsest.endpoint.baseUrl': 'https://models.invalid/v1',
      'palimpsest.model': 'some-model',
      'palimpsest.compaction.strategy': 'no-such-strategy',
      'palimpsest.contextWindow': 'wide',
    },
  },
  async ({ page }, screenshot) => {
    await openPanel(page);
    const panel = panelFrame(page);
    await waitForToast(page, 'no-such-strategy');
    await waitForToast(page, 'palimpsest.contextWindow');
    await screenshot('bad-4-settings');
    await panel.getByRole('button', { name: /strategy: Summary/ }).waitFor();

    await send(panel, 'Is anybody there?');
    await panel.locator('.row.notice', { hasText: 'There is no API key for https://models.invalid' }).waitFor();
    await panel.getByRole('button', { name: 'Set API key' }).last().waitFor();
    // What could not be sent is back where it was written.
    const composer = panel.getByRole('combobox', { name: 'Message' });
    await eventually(
      () => composer.inputValue(),
      (text) => text === 'Is anybody there?',
    );
    await screenshot('bad-5-no-key');
  },
);

fullScenario(
  'without a folder',
  { folder: null, settings: { 'palimpsest.model': 'demo' } },
  async ({ page }, screenshot) => {
    await openPanel(page);
    const panel = panelFrame(page);
    await ask(panel, 'What is here?');
    await panel
      .getByText(/no folder/i)
      .first()
      .waitFor();
    await screenshot('bad-6-no-folder');
  },
);

scenario(
  'in an untrusted workspace: reading only',
  { workspaceTrust: true, settings: { 'palimpsest.model': 'demo' } },
  async ({ page }, screenshot) => {
    await openPanel(page);
    const panel = panelFrame(page);
    await panel
      .getByText(/Restricted Mode|not trusted/i)
      .first()
      .waitFor();
    await ask(panel, 'Look around');
    assert.equal(await panel.locator('.row.tool', { hasText: 'edit_file' }).count(), 0);
    assert.ok((await panel.locator('.row.tool', { hasText: 'read_file' }).count()) > 0);
    await screenshot('bad-7-untrusted');
  },
);

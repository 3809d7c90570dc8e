/** What can go wrong outside the product. Each message names the thing, the reason and a way out, and nothing is lost. */

import assert from 'node:assert/strict';
import { startModelServer } from '../../support/modelServer/modelServer.ts';
import { entriesOf } from '../support/journals.ts';
import { ask, passStops, send, waitUntilIdle } from '../support/panel.ts';
import { expect, test } from '../support/scenario.ts';
import { expectNotifications } from '../support/workbench.ts';

test('an endpoint that refuses, breaks off and goes away', async ({ startHost, capture }) => {
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
  const host = await startHost({
    share: true,
    settings: {
      'palimpsest.endpoints': [{ id: 'local', baseUrl: server.baseUrl, models: ['test-model'] }],
      'palimpsest.model': 'test-model',
    },
  });
  const { panel } = host;
  const says = (text: RegExp) => panel.locator('.row.notice', { hasText: text }).last().waitFor();
  const answers = (text: string) => panel.locator('.row.assistant', { hasText: text }).waitFor();

  await ask(panel, 'one: with the wrong key');
  await says(/key/i);
  await panel.getByRole('button', { name: 'Set API key' }).waitFor();
  await capture('bad-1-wrong-key');

  await ask(panel, 'two: at the wrong address');
  await says(/404|URL/);

  await ask(panel, 'three: cut in the middle');
  await answers('Half an ans');
  await says(/cut off/i);

  await ask(panel, 'four: malformed arguments');
  await answers('Then without.');
  await capture('bad-2-cut-and-malformed');
  server.assertDone();

  await server.close();
  await send(panel, 'five: nobody there');
  // A server that is away may come back, so the request is tried again. Stop ends the wait at once.
  await panel
    .getByText(/Trying again/)
    .first()
    .waitFor();
  await capture('bad-3-refused');
  await panel.getByRole('button', { name: 'Stop' }).click();
  await waitUntilIdle(panel);

  const said = entriesOf(host, 'message').flatMap(({ message }) =>
    message.role === 'user' && message.kind === 'user' ? message.text : [],
  );
  expect(said.map((text) => text.split(':')[0])).toEqual(['one', 'two', 'three', 'four', 'five']);
});

test('no key, and settings that cannot be used', { tag: ['@item:15', '@K3'] }, async ({ startHost, capture }) => {
  const { page, panel } = await startHost({
    share: true,
    settings: {
      'palimpsest.endpoints': [{ id: 'away', baseUrl: 'https://models.invalid/v1', models: ['some-model'] }],
      'palimpsest.model': 'some-model',
      'palimpsest.compaction.strategy': 'no-such-strategy',
      'palimpsest.contextWindow': 'wide',
    },
  });
  await capture('bad-4-settings');
  await test.step('a strategy that does not exist is named, and the default is used', async () => {
    await expectNotifications(page, 'no-such-strategy', 'palimpsest.contextWindow');
    await panel.getByRole('button', { name: /strategy: Layered/ }).waitFor();
  });

  await send(panel, 'Is anybody there?');
  await panel.locator('.row.notice', { hasText: 'There is no API key for https://models.invalid' }).waitFor();
  await panel.getByRole('button', { name: 'Set API key' }).last().waitFor();
  // The message that could not be sent is in the composer again.
  await expect(panel.getByRole('combobox', { name: 'Message' })).toHaveValue('Is anybody there?');
  await capture('bad-5-no-key');
});

test('without a folder', async ({ startHost, capture }) => {
  const { panel } = await startHost({ folder: null, settings: { 'palimpsest.model': 'demo' } });
  await ask(panel, 'What is here?');
  await panel
    .getByText(/no folder/i)
    .first()
    .waitFor();
  await capture('bad-6-no-folder');
});

test('in an untrusted workspace: reading only', { tag: ['@everyday', '@item:20'] }, async ({ startHost, capture }) => {
  const { panel } = await startHost({ workspaceTrust: true, settings: { 'palimpsest.model': 'demo' } });
  await panel
    .getByText(/Restricted Mode|not trusted/i)
    .first()
    .waitFor();
  await send(panel, 'Look around');
  await panel.locator('.row.tool', { hasText: 'Read' }).first().waitFor();
  await passStops(panel, panel.getByRole('button', { name: 'Send (Enter)' }));
  assert.equal(await panel.locator('.row.tool', { hasText: 'Edit' }).count(), 0);
  assert.ok((await panel.locator('.row.tool', { hasText: 'Read' }).count()) > 0);
  await capture('bad-7-untrusted');
});

/** What can go wrong from outside: each is said with the thing, the reason and a way out, and nothing is lost by it. */

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { after } from 'node:test';
import type { ModelServer } from '../support/modelServer.ts';
import { startModelServer } from '../support/modelServer.ts';
import { eventually, openPanel, waitForToast } from './support/actions.ts';
import { type Host, panelFrame, readSettings } from './support/host.ts';
import { ask, send, waitUntilIdle } from './support/panel.ts';
import { scenario } from './support/scenario.ts';

const servers: ModelServer[] = [];
after(() => Promise.all(servers.map((server) => server.close())));

async function serve(...args: Parameters<typeof startModelServer>): Promise<ModelServer> {
  const server = await startModelServer(...args);
  servers.push(server);
  return server;
}

let edits = 0;

/**
 * As a person editing settings.json does it; VS Code takes it up without a reload. The window changes with each edit, so
 * that the meter shows when it has been taken up.
 */
async function editSettings(host: Host, changes: Readonly<Record<string, unknown>>): Promise<void> {
  const thousands = 20 + edits++;
  const all = { ...readSettings(host), ...changes, 'palimpsest.contextWindow': thousands * 1_000 };
  writeFileSync(host.server.settingsFile, JSON.stringify(all, null, 2));
  await panelFrame(host.page)
    .locator('.meter-numbers', { hasText: `${thousands}k` })
    .waitFor();
}

const endpoint = (baseUrl: string) => ({
  'palimpsest.endpoint.baseUrl': baseUrl,
  'palimpsest.model': 'scripted-model',
});

scenario(
  'endpoints that refuse, break off or are not there',
  { settings: endpoint('https://models.invalid/v1') },
  async (host, screenshot) => {
    const { page } = host;
    await openPanel(page);
    const panel = panelFrame(page);
    const says = (text: RegExp) => panel.locator('.row.notice', { hasText: text }).last().waitFor();

    await send(panel, 'Is anybody there?');
    await says(/no API key for https:\/\/models\.invalid/i);
    await panel.getByRole('button', { name: 'Set API key' }).last().waitFor();
    await screenshot('bad-1-no-key');
    // What could not be sent is back where it was written.
    await eventually(
      () => panel.getByRole('combobox', { name: 'Message' }).inputValue(),
      (text) => text === 'Is anybody there?',
    );

    const locked = await serve({ script: [], key: 'the-right-one' });
    await editSettings(host, endpoint(locked.baseUrl));
    await ask(panel, 'And now?');
    await says(/401|key/i);
    await screenshot('bad-2-wrong-key');

    const gone = await serve({ script: [] });
    await gone.close();
    await editSettings(host, endpoint(gone.baseUrl));
    await send(panel, 'Hello?');
    // A server that is not there may come back, so it is asked again; stopping ends the wait at once.
    await panel.getByText(/refused.*Trying again/i).waitFor();
    await screenshot('bad-2-refused');
    await panel.getByRole('button', { name: 'Stop' }).click();
    await waitUntilIdle(panel);

    const page404 = await serve({ script: [] });
    await editSettings(host, endpoint(page404.baseUrl.replace('/v1', '/wrong')));
    await ask(panel, 'Wrong address');
    await says(/404|URL/);

    const cut = await serve({
      script: [
        { kind: 'raw', pieces: ['data: {"choices":[{"index":0,"delta":{"content":"Half an ans"}}]}\n\n'], end: 'cut' },
        { kind: 'answer', text: 'A bad call.', calls: [{ name: 'read_file', arguments: '{"path": ' }] },
        { kind: 'answer', text: 'Then without.' },
      ],
    });
    await editSettings(host, endpoint(cut.baseUrl));
    await ask(panel, 'Answer me');
    await panel.getByText('Half an ans').waitFor();
    await says(/cut off/i);
    await ask(panel, 'Try a tool');
    await panel.getByText('Then without.').waitFor();
    await screenshot('bad-3-cut-and-malformed');
    cut.assertDone();
    // Everything a person wrote is still there, in order.
    const asked = await panel.locator('.row.user').allInnerTexts();
    assert.deepEqual(
      asked.map((text) => text.split('\n').at(-1)),
      ['And now?', 'Hello?', 'Wrong address', 'Answer me', 'Try a tool'],
    );
  },
);

scenario(
  'settings that cannot be used are named',
  { settings: { 'palimpsest.compaction.strategy': 'no-such-strategy', 'palimpsest.contextWindow': 'wide' } },
  async ({ page }, screenshot) => {
    await openPanel(page);
    await waitForToast(page, 'no-such-strategy');
    await waitForToast(page, 'palimpsest.contextWindow');
    await screenshot('bad-4-settings');
    await panelFrame(page)
      .getByRole('button', { name: /strategy: Summary/ })
      .waitFor();
  },
);

scenario(
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
    await screenshot('bad-5-no-folder');
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
    await screenshot('bad-6-untrusted');
  },
);

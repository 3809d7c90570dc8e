/** Sessions follow their folder: renamed, then moved. Several folders and workspace files are in test/unit/host. */

import { renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Host, makeSiblingFolder, openFolder } from '../support/host.ts';
import { ask, newSession, openHistory, openSession } from '../support/panel.ts';
import { expect, test } from '../support/scenario.ts';

async function showsAll(host: Host, ...texts: string[]): Promise<void> {
  await openHistory(host);
  await expect(host.panel.locator('.session')).toHaveCount(texts.length);
  for (const text of texts) await host.panel.locator('.session', { hasText: text }).waitFor();
}

const continueHere = ({ panel }: Host) => panel.getByRole('button', { name: 'Continue Here' });

async function agree({ page }: Host): Promise<void> {
  const dialog = page.locator('.monaco-dialog-box');
  await dialog.getByText('Continue the sessions of').waitFor();
  await dialog.getByRole('button', { name: 'Continue Here' }).click();
}

test('sessions follow a folder that is renamed and moved', async ({ startHost, startScriptedModel, capture }) => {
  const { settings } = await startScriptedModel();
  const host = await startHost({ settings });
  const { panel } = host;
  const first = makeSiblingFolder(host, 'alder');
  await openFolder(host, first);
  await ask(panel, 'list the folder for alder');
  await newSession(host);
  await ask(panel, 'list the folder for ash');

  const renamed = join(dirname(first), 'alder-2');
  renameSync(first, renamed);
  await openFolder(host, renamed);
  await test.step('renamed: they are in the list, asked about once, and go on', async () => {
    await showsAll(host, 'for alder', 'for ash');
    await panel.locator('.session-open', { hasText: 'for alder' }).click();
    await panel.locator('.banner', { hasText: first }).waitFor();
    await capture('follow-1-begun-elsewhere');
    await continueHere(host).click();
    await agree(host);
    await expect(continueHere(host)).toHaveCount(0);
    await ask(panel, 'list it again');
    await expect(panel.locator('.row.user')).toHaveCount(2);
    await openSession(host, 'for ash');
    await panel.locator('.row.user', { hasText: 'for ash' }).waitFor();
    await expect(panel.locator('.banner')).toHaveCount(0);
  });

  const moved = join(makeSiblingFolder(host, 'elsewhere'), 'alder');
  renameSync(renamed, moved);
  await openFolder(host, moved);
  await test.step('moved: they are there again, asked about once more', async () => {
    await openSession(host, 'for alder');
    await continueHere(host).click();
    await agree(host);
    await ask(panel, 'list it once more');
    await expect(panel.locator('.row.user')).toHaveCount(3);
    await capture('follow-2-moved');
  });
});

/** Sessions follow their folder: renamed, moved, opened together with another, under a workspace file of another name. */

import { renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Host, makeSiblingFolder, openFolder, openSecondWindow } from '../support/host.ts';
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

test('sessions follow a folder that is renamed, moved, and opened with another', async ({
  startHost,
  startScriptedModel,
  capture,
}) => {
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
  makeSiblingFolder(host, 'birch');
  const file = join(dirname(first), 'both.code-workspace');
  writeFileSync(file, JSON.stringify({ folders: [{ path: 'elsewhere/alder' }, { path: 'birch' }] }));
  await openFolder(host, file);
  await test.step('moved, and opened with another: those of both earlier places are there', async () => {
    await openSession(host, 'for alder');
    await continueHere(host).click();
    await agree(host);
    await ask(panel, 'list both');
    await expect(panel.locator('.row.user')).toHaveCount(3);
    await capture('follow-2-with-another');
  });

  await test.step('a second window on the first folder alone has them in its list, too', async () => {
    const alone = await openSecondWindow({ ...host, folder: moved });
    await openSession(alone, 'for alder');
    await alone.panel.getByRole('button', { name: 'Continue Here' }).waitFor();
    await alone.page.close();
  });

  await test.step('a workspace file with another name', async () => {
    const other = join(dirname(first), 'other.code-workspace');
    renameSync(file, other);
    await openFolder(host, other);
    await openSession(host, 'for alder');
    await continueHere(host).click();
    await agree(host);
    await ask(panel, 'list once more');
    await expect(panel.locator('.row.user')).toHaveCount(4);
  });
});

/**
 * Sessions follow their folder: renamed, moved, opened as part of a workspace of several, with a workspace file that is
 * renamed, and in two windows at a time.
 */

import { readdirSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { RESULTS } from '../../../scripts/paths.ts';
import {
  expectSetting,
  type Host,
  makeSiblingFolder,
  makeWorkspaceFile,
  openFolder,
  openPanel,
  openSecondWindow,
} from '../support/host.ts';
import { ask, newSession, openHistory, openSession } from '../support/panel.ts';
import { expect, test } from '../support/scenario.ts';
import { closeSettings, openSettings, runCommand, waitForToast } from '../support/workbench.ts';

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

test('sessions follow a folder into a workspace of several, whose file is renamed, and into two windows', async ({
  startHost,
  startScriptedModel,
  capture,
}) => {
  const { settings } = await startScriptedModel();
  const host = await startHost({ settings });
  const { page, panel } = host;
  const [alder, birch] = [makeSiblingFolder(host, 'alder'), makeSiblingFolder(host, 'birch')];
  const questions = (text: string) => panel.locator('.row.user', { hasText: text });
  await openFolder(host, alder);
  await ask(panel, 'list the folder for alder');

  const pair = makeWorkspaceFile(host, 'pair', [birch, alder]);
  await openFolder(host, pair);
  await test.step('opened with another folder: in the list, asked about once, and goes on', async () => {
    await expect(page).toHaveTitle(/pair \(Workspace\)/);
    await showsAll(host, 'for alder');
    await panel.locator('.session-open', { hasText: 'for alder' }).click();
    await panel.locator('.banner', { hasText: alder }).waitFor();
    await capture('follow-3-with-another');
    await continueHere(host).click();
    await agree(host);
    await ask(panel, 'list both for alder');
    await expect(questions('for alder')).toHaveCount(2);
    await newSession(host);
    await ask(panel, 'list the folders for the pair');
  });

  const couple = join(dirname(pair), 'couple.code-workspace');
  renameSync(pair, couple);
  await openFolder(host, couple);
  await test.step('the workspace file is renamed: one question for all that the workspace had', async () => {
    await expect(page).toHaveTitle(/couple \(Workspace\)/);
    await showsAll(host, 'for alder', 'for the pair');
    await panel.locator('.session-open', { hasText: 'for the pair' }).click();
    await continueHere(host).click();
    await agree(host);
    await ask(panel, 'list them again for the pair');
    await expect(questions('for the pair')).toHaveCount(2);
    await openSession(host, 'for alder');
    await expect(questions('for alder')).toHaveCount(2);
    await expect(panel.locator('.banner')).toHaveCount(0);
    await capture('follow-4-renamed-file');
  });

  await test.step('a second window on one of its folders: one of them writes', async () => {
    const second = await openSecondWindow(host, alder);
    const banner = second.panel.locator('.banner', { hasText: 'another window' });
    await openSession(second, 'for alder');
    await banner.waitFor();
    await second.page.screenshot({ path: join(RESULTS, 'screenshots/follow-5-second-window.png') });
    await expect(second.panel.getByRole('combobox', { name: 'Message' })).toBeDisabled();
    await second.panel.getByRole('button', { name: 'Take over' }).click();
    await expect(banner).toHaveCount(0);
    await panel.locator('.banner', { hasText: 'another window' }).waitFor();
    await ask(second.panel, 'list it once more for alder');
    await expect(second.panel.locator('.row.user')).toHaveCount(3);
  });
});

test('sessions stay with their folder when another place is chosen for them, and when it is taken back', async ({
  startHost,
  startScriptedModel,
  capture,
}) => {
  const { settings } = await startScriptedModel();
  // A server of its own: the setting is the person's.
  const host = await startHost({ settings, linked: [] });
  const { page, panel, folder } = host;
  const text = 'from the next window on';
  /** Types each place into the Settings editor, and stays there. */
  const choose = async (...places: readonly string[]) => {
    const editor = await openSettings(page, '@id:palimpsest.sessions.folder');
    for (const place of places) {
      await editor.locator('.setting-item-contents input').first().fill(place);
      await waitForToast(page, text);
      if (place !== '') await expectSetting(host, 'palimpsest.sessions.folder', place);
    }
  };
  const reload = async () => {
    await closeSettings(page);
    await runCommand(page, 'Notifications: Show Notifications');
    const told = page.locator('.notifications-center .notification-list-item', { hasText: text });
    await expect(told).toHaveCount(1);
    await told.getByRole('button', { name: 'Reload Window' }).click();
    await expect(told).toHaveCount(0);
    await openPanel(page);
  };
  const goesOn = async (text: string) => {
    await openSession(host, text);
    await panel.locator('.row.user', { hasText: text }).first().waitFor();
    await expect(panel.locator('.banner')).toHaveCount(0);
    await ask(panel, `once more ${text}`);
  };
  await ask(panel, 'list the folder for alder');

  const place = join(dirname(folder), 'volume');
  await test.step('it says once, while the setting is typed, that this takes a new window', async () => {
    await choose(`${place}-1`, place);
    await capture('follow-6-another-place');
  });
  await test.step('in the next window the session goes on without a question, and new ones are there', async () => {
    await reload();
    await showsAll(host, 'for alder');
    await goesOn('for alder');
    await newSession(host);
    await ask(panel, 'list the folder for birch');
    const [workspace = ''] = readdirSync(place).filter((name) => name !== 'workspaces');
    expect(readdirSync(join(place, workspace, 'sessions')).filter((name) => !name.startsWith('draft'))).toHaveLength(1);
    await capture('follow-7-in-another-place');
  });
  await test.step('and back', async () => {
    await choose('');
    await reload();
    await showsAll(host, 'for alder', 'for birch');
    await goesOn('for birch');
    await goesOn('for alder');
  });
});

/**
 * Several endpoints at once: two that want keys are set up, one by mouse and one by keyboard, and a server on this machine
 * is found, but only when that is asked for. Turns go to one, summaries to another; what is removed says so.
 */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { Page } from '@playwright/test';
import { LOCAL_MODEL } from '../../support/localServers/localServer.ts';
import { type ModelServer, startModelServer } from '../../support/modelServer/modelServer.ts';
import { answerByWords } from '../../support/modelServer/modelServerScript.ts';
import { expectSetting, reloadWindow } from '../support/host.ts';
import { entriesOf, journalPath } from '../support/journals.ts';
import { ask, send, waitUntilIdle } from '../support/panel.ts';
import { expect, test } from '../support/scenario.ts';
import { startAtUsualPort } from '../support/usualPort.ts';
import { answerQuickInput, expectNotifications, quickPick, runCommand } from '../support/workbench.ts';

const TURN_KEY = 'sk-turns-0123456789';
const SUMMARY_KEY = 'sk-summaries-0123456789';
const input = (page: Page) => page.locator('.quick-input-widget');
const keysSeen = ({ requests }: ModelServer) => [...new Set(requests.map(({ headers }) => headers.authorization))];

test('several endpoints, each with its key: for turns, for summaries, and one on this machine', {
  tag: ['@item:1', '@B11'],
}, async ({ startHost, makeFolder, capture, atEnd }) => {
  const { local, preset } = await startAtUsualPort({
    startsWith: 32_000,
    answer: () => ({ kind: 'answer', text: 'An answer from this machine.' }),
  });
  const turns = await startModelServer({
    key: TURN_KEY,
    models: [{ id: 'big' }, { id: 'other' }],
    script: ({ body }) => answerByWords(body),
  });
  const summaries = await startModelServer({
    key: SUMMARY_KEY,
    models: [{ id: 'small' }],
    script: () => ({ kind: 'answer', text: 'A short summary by the small model.' }),
  });
  const servers = [turns, summaries, local.server];
  atEnd(() => Promise.all(servers.map((server) => server.close())));

  const host = await startHost({
    folder: makeFolder({ 'notes.md': 'retries wait longer each time\n'.repeat(40) }),
    settings: { 'palimpsest.compaction.strategy': 'llm-summary' },
  });
  const { page, panel } = host;
  const modelButton = (name: string) => panel.getByRole('button', { name: `Model: ${name}` });

  await test.step('the first, by mouse: a key that is refused is asked for again', async () => {
    await panel.getByText('Set up an endpoint').click();
    await quickPick(page, 'OpenRouter').waitFor();
    await capture('endpoints-01-presets');
    // Without `/v1`: where it answers is found.
    await answerQuickInput(page, '(1 of 3)', turns.baseUrl.replace(/\/v1$/, ''));
    await answerQuickInput(page, '(2 of 3)', 'sk-wrong');
    await input(page).getByText('Incorrect API key provided.').waitFor();
    await capture('endpoints-02-key-refused');
    await answerQuickInput(page, '(2 of 3)', TURN_KEY);
    await quickPick(page, 'other').waitFor();
    await capture('endpoints-03-models');
    await quickPick(page, 'big').click();
    // Its server does not say how much it holds; it is set up without an answer too.
    await input(page).getByText('The server does not say how many tokens it holds').waitFor();
    await capture('endpoints-03-window');
    await answerQuickInput(page, 'Context Window of big', '');
    await modelButton('big').waitFor();
    await expectSetting(host, 'palimpsest.endpoints', [
      { id: 'local', baseUrl: turns.baseUrl, models: ['big', 'other'] },
    ]);
  });

  await test.step('the second, by keyboard', async () => {
    await runCommand(page, 'Palimpsest: Set Up Model Endpoint');
    await answerQuickInput(page, '(1 of 3)', summaries.baseUrl);
    await answerQuickInput(page, '(2 of 3)', SUMMARY_KEY);
    await answerQuickInput(page, '(3 of 3)', 'small');
    await answerQuickInput(page, 'Context Window of small', '64k');
    await modelButton('small').waitFor();
    await expect(panel.locator('.meter')).toContainText('64k');
  });

  await test.step('one on this machine: nothing is asked before the click, and no key is', async () => {
    assert.deepEqual(local.asked, []);
    await runCommand(page, 'Palimpsest: Set Up Model Endpoint');
    await quickPick(page, 'Find model servers on this machine').waitFor();
    assert.deepEqual(local.asked, []);
    await quickPick(page, 'Find model servers on this machine').click();
    await input(page).getByText('Model Servers on This Machine').waitFor();
    await quickPick(page, `the usual port of ${preset.label}`).waitFor();
    assert.deepEqual(local.asked, ['GET /v1/models']);
    await capture('endpoints-04-found');
    await quickPick(page, `the usual port of ${preset.label}`).click();
    await input(page).getByText('(3 of 3)').waitFor();
    await quickPick(page, LOCAL_MODEL).click();
    await modelButton(LOCAL_MODEL).waitFor();
    await expectSetting(host, 'palimpsest.model', `${LOCAL_MODEL}@${preset.id}`);
  });

  await test.step('the chooser groups the models by endpoint', async () => {
    await modelButton(LOCAL_MODEL).click();
    await expect(panel.locator('.picker .choice')).toHaveText([/big/, /other/, /small/, /coder:7b/, /Scripted demo/]);
    await expect(panel.locator('.choice-group')).toHaveText([
      /^local · 127/,
      /^local-2 · 127/,
      new RegExp(`^${RegExp.escape(preset.label)} · 127`),
      'Demo',
    ]);
    await capture('endpoints-05-chooser');
    // The list is used with the keyboard as well: Home is the first model.
    await panel.locator('.choice').first().press('Enter');
    await modelButton('big').waitFor();
  });

  await test.step('the model for summaries is chosen', async () => {
    await runCommand(page, 'Palimpsest: Choose Model for Summaries');
    await input(page).getByText('Model for Summaries', { exact: true }).waitFor();
    await quickPick(page, 'The session’s own model').waitFor();
    await capture('endpoints-06-for-summaries');
    await quickPick(page, 'small').click();
    await expectSetting(host, 'palimpsest.compaction.summary.model', 'small@local-2');
  });

  await test.step('turns go to one endpoint, their summary to another, each with its own key', async () => {
    for (const text of ['read notes.md', 'read notes.md again', 'be long']) await ask(panel, text);
    await send(panel, '/compact');
    await panel.locator('.row.compaction').first().getByRole('button').first().click();
    await panel.getByText('A short summary by the small model.').first().waitFor();
    await waitUntilIdle(panel);
    await capture('endpoints-07-summary-elsewhere');
    assert.equal(entriesOf(host, 'compaction')[0]?.summaryModel, 'small');
    assert.deepEqual(keysSeen(turns), [`Bearer ${TURN_KEY}`]);
    assert.deepEqual(keysSeen(summaries), [`Bearer ${SUMMARY_KEY}`]);
    assert.ok(turns.requests.every(({ body }) => body.model === 'big'));
    assert.deepEqual(local.server.requests, []);
  });

  await test.step('the choice of the session outlives the window', async () => {
    await reloadWindow(host);
    await modelButton('big').waitFor();
    assert.equal(entriesOf(host, 'configured').at(-1)?.model, 'big@local');
    const before = turns.requests.length;
    await ask(panel, 'list the folder');
    assert.ok(turns.requests.length > before);
  });

  await test.step('one of several endpoints is chosen and its connection tested', async () => {
    await runCommand(page, 'Palimpsest: Manage Endpoints');
    await quickPick(page, 'local-2').waitFor();
    await capture('endpoints-08-which');
    await quickPick(page, 'local-2').click();
    await quickPick(page, 'Test the connection').click();
    await expectNotifications(page, 'small answered');
  });

  await test.step('an endpoint that is removed takes its key with it, and its models say what to do', async () => {
    await modelButton('big').click();
    await panel.getByRole('button', { name: 'Manage endpoints' }).click();
    await quickPick(page, 'in use').click();
    await quickPick(page, 'Remove the endpoint').waitFor();
    await capture('endpoints-09-manage');
    await quickPick(page, 'Remove the endpoint').click();
    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    await modelButton('big@local').waitFor();
    await send(panel, 'Still there?');
    await panel.locator('.row.notice', { hasText: 'which is no longer set up' }).waitFor();
    await expect(panel.getByRole('combobox', { name: 'Message' })).toHaveValue('Still there?');
    await capture('endpoints-10-removed');
    await panel.getByRole('button', { name: 'Choose a model' }).click();
    await quickPick(page, LOCAL_MODEL).waitFor();
    await capture('endpoints-11-palette');
    await quickPick(page, LOCAL_MODEL).click();
    await modelButton(LOCAL_MODEL).waitFor();
    await panel.getByRole('combobox', { name: 'Message' }).press('Enter');
    await panel.getByText('An answer from this machine.').first().waitFor();
    await waitUntilIdle(panel);
    assert.deepEqual(keysSeen(local.server), [undefined]);
  });

  const journal = readFileSync(journalPath(host), 'utf8');
  for (const key of [TURN_KEY, SUMMARY_KEY]) assert.equal(journal.includes(key), false);
  for (const server of servers) assert.deepEqual(server.failures, []);
});

/**
 * The models of another extension in the real product: found only when asked for, used with VS Code's own consent, with
 * tools, streaming, stop and failures; remembered after a reload, and told when they are gone.
 */

import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../../../scripts/paths.ts';
import { listOf, objectOf } from '../../../src/core/json.ts';
import { reloadWindow, removeFolder } from '../support/host.ts';
import { entriesOf, readLines } from '../support/journals.ts';
import { ask, send, waitUntilIdle } from '../support/panel.ts';
import { expect, test } from '../support/scenario.ts';
import { quickPick, runCommand } from '../support/workbench.ts';

test('models of another extension: found when asked for, consent, tools, stop, quota, remembered, withdrawn', {
  tag: '@item:1',
}, async ({ startHost, makeFolder, atEnd, capture }) => {
  const scratch = mkdtempSync(join(tmpdir(), 'pal-lm-'));
  atEnd(() => removeFolder(scratch));
  const seen = join(scratch, 'seen.jsonl');
  const told = () => (existsSync(seen) ? readLines(seen).map((line) => objectOf(JSON.parse(line))) : []);
  const requests = () => told().filter(({ type }) => type === 'request');
  const host = await startHost({
    folder: makeFolder({ 'one.md': '# First\n', 'two.md': '# Second\n' }),
    linked: [join(ROOT, 'test/extensions/model-provider')],
    env: { MODEL_PROVIDER_FILE: seen },
  });
  const { page, panel } = host;
  const dialog = page.locator('.monaco-dialog-box');
  const notice = (text: string) => panel.locator('.row.notice', { hasText: text });
  const chooser = panel.locator('button[title^="Model:"]');

  // Nothing of another extension is started before the person asks for its models.
  await chooser.click();
  await panel.getByRole('dialog', { name: 'Model' }).waitFor();
  await expect(panel.locator('.choice', { hasText: 'Acme' })).toHaveCount(0);
  expect(told()).toEqual([]);
  await panel.getByRole('button', { name: 'Models of other extensions…' }).click();
  await quickPick(page, 'Acme Guarded').waitFor();
  await capture('lm-01-found');
  await quickPick(page, 'Acme Guarded').click();
  await expect(chooser).toHaveAttribute('title', /Acme Guarded/);

  // Refused: nothing is sent, and the panel says what to do. Asked again, VS Code asks again.
  await send(panel, 'hello');
  await dialog.waitFor();
  await capture('lm-02-consent');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await notice('You have not allowed Palimpsest to use acme/guarded').waitFor();
  expect(requests()).toEqual([]);
  await capture('lm-03-refused');
  await panel.getByRole('button', { name: 'Try again' }).click();
  await dialog.getByRole('button', { name: 'Allow' }).click();
  await panel.locator('.row.assistant', { hasText: 'streams its answer in small pieces' }).waitFor();
  await waitUntilIdle(panel);

  // The header goes first, as a user message that says what it is; figures are estimates by the model's own tokenizer.
  const [first] = requests();
  const messages = listOf(first?.messages).map(objectOf);
  expect(messages.map(({ role }) => role)).toEqual(['user', 'user']);
  expect(listOf(messages[0]?.parts)[0]).toMatch(/^<instructions>\nThese are your instructions\./);
  expect(messages[1]?.parts).toEqual(['hello']);
  expect(first?.tools).toContain('read_file');
  expect(entriesOf(host, 'usage').at(-1)).toMatchObject({ model: 'acme/guarded', estimated: true, counted: true });
  expect(entriesOf(host, 'configured').at(-1)).toMatchObject({ model: 'acme/guarded@vscode', endpoint: 'vscode.lm:' });
  await panel
    .getByRole('button', { name: /^Context/ })
    .first()
    .click();
  await panel
    .getByText('Estimated: the provider has reported no token count that can be true for this context')
    .waitFor();
  await capture('lm-04-estimated');
  await page.keyboard.press('Escape');

  // Two calls of one answer are run, and their results go back together.
  await ask(panel, 'please read two files');
  await panel.locator('.row.assistant', { hasText: 'The files begin so: # First and # Second.' }).waitFor();
  const results = objectOf(listOf(requests().at(-1)?.messages).at(-1));
  expect(listOf(results.parts)).toEqual([
    expect.stringMatching(/^result call_1: /),
    expect.stringMatching(/^result call_2: /),
  ]);

  // Stop reaches the extension, and what was said stays.
  await send(panel, 'now never end');
  await panel.locator('.row.assistant', { hasText: 'This goes on and on' }).waitFor();
  await panel.getByRole('button', { name: 'Stop (Esc)' }).click();
  await waitUntilIdle(panel);
  await expect.poll(() => told().at(-1)?.type).toBe('cancelled');

  // What fails in passing is tried again by itself; spent quota is not.
  await ask(panel, 'fail once');
  await panel.locator('.row.assistant', { hasText: 'The second try went well.' }).waitFor();
  const before = requests().length;
  await ask(panel, 'spend the quota');
  await notice('The quota of acme/guarded is used up').waitFor();
  await expect(notice('You have used all of your premium requests')).toBeVisible();
  expect(requests().length).toBe(before + 1);
  await ask(panel, 'be blocked');
  await notice('acme/guarded received too many requests').waitFor();
  expect(requests().length).toBe(before + 2);
  await capture('lm-05-quota');

  // A new window knows the models without asking for them again, and asks for the one that it uses.
  await reloadWindow(host);
  await chooser.click();
  await panel.locator('.choice', { hasText: 'Acme Open' }).waitFor();
  await capture('lm-06-remembered');
  await panel.locator('.choice', { hasText: 'Acme Open' }).click();
  await ask(panel, 'hello again');
  expect(requests().at(-1)?.model).toBe('open');

  // Withdrawn, they leave the chooser, and the session says that its model is gone.
  await runCommand(page, 'Acme: Withdraw the Models');
  await ask(panel, 'are you there?');
  await notice('No extension offers acme/open now').waitFor();
  await chooser.click();
  await expect(panel.locator('.choice', { hasText: 'Acme Guarded' })).toHaveCount(0);
  await capture('lm-07-withdrawn');
});

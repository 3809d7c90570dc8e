/** A notebook is read as its cells and changed by cell: the card, the bytes around it; one that is unsaved is left alone. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ask, send, waitUntilIdle } from '../support/panel.ts';
import { lastTurn } from '../support/requests.ts';
import { expect, test } from '../support/scenario.ts';
import { quickPick } from '../support/workbench.ts';

test('a notebook is changed by cell, and left alone while it is unsaved', async ({
  startHost,
  startSteeredModel,
  makeFolder,
  capture,
}) => {
  const model = await startSteeredModel();
  const cells = [
    { cell_type: 'markdown', id: 'aa', metadata: {}, source: ['# Title'] },
    {
      cell_type: 'code',
      execution_count: 1,
      id: 'bb',
      metadata: { tags: ['x'] },
      outputs: [{ name: 'stdout', output_type: 'stream', text: ['1\n'] }],
      source: ['x = 1\n', 'print(x)'],
    },
  ];
  const before = `${JSON.stringify({ cells, metadata: {}, nbformat: 4, nbformat_minor: 5 }, null, 1)}\n`;
  const host = await startHost({
    folder: makeFolder({ 'a.ipynb': before }),
    settings: { ...model.settings, 'files.autoSave': 'off' },
  });
  const { page, panel } = host;
  const onDisk = () => readFileSync(join(host.folder, 'a.ipynb'), 'utf8');
  const told = () => lastTurn(model.server).messages.findLast(({ role }) => role === 'tool')?.text ?? '';

  model.planCall('read_file', { path: 'a.ipynb' }, 'Read.');
  await ask(panel, 'What is in the notebook?');
  expect(told()).toContain('[cell 2: code, run 1]\nx = 1\nprint(x)\n[output of cell 2]\n1');

  const edits = [{ old_string: 'x = 1', new_string: 'x = 2' }];
  model.planCall('edit_file', { path: 'a.ipynb', edits }, 'Changed.');
  await send(panel, 'Make it two');
  await expect(panel.locator('.approval .diff')).toContainText('x = 2');
  // The lines of the cell, not of the file.
  await expect(panel.locator('.approval .diff')).toContainText('[cell 2: code, run 1]');
  await expect(panel.locator('.approval .diff')).not.toContainText('"x = 2');
  await capture('notebooks-1-card');
  await panel.getByRole('button', { name: 'Allow', exact: true }).click();
  await waitUntilIdle(panel);
  expect(told()).toContain('a.ipynb: changed cell 2.');
  expect(onDisk()).toBe(before.replace('x = 1', 'x = 2'));

  // What is typed into its editor and not saved is neither read past nor overwritten.
  await page.keyboard.press('ControlOrMeta+P');
  await page.locator('.quick-input-widget input.input').fill('a.ipynb');
  await quickPick(page, 'a.ipynb').click();
  const editor = page.locator('.notebookOverlay .code .monaco-editor .view-lines').first();
  await expect(editor).toContainText('x = 2');
  await editor.click();
  await page.keyboard.press('ControlOrMeta+Home');
  await page.keyboard.type('typed = 1; ');
  await page.locator('.tab.dirty', { hasText: 'a.ipynb' }).waitFor();
  await capture('notebooks-2-unsaved');
  model.planCall('edit_file', { path: 'a.ipynb', edits: [{ old_string: 'x = 2', new_string: 'x = 3' }] }, 'Not now.');
  await ask(panel, 'Make it three');
  expect(told()).toContain('a.ipynb is open as a notebook with changes that are not saved. Ask the user to save it.');
  expect(onDisk()).toBe(before.replace('x = 1', 'x = 2'));
});

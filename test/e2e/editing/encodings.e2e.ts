/**
 * A folder whose files are written in GBK: the agent reads, searches and edits one in it, is refused what GBK cannot hold,
 * and a restore gives back the very bytes, also where an editor holds the file unsaved.
 */

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ask, send, waitUntilIdle } from '../support/panel.ts';
import { lastTurn } from '../support/requests.ts';
import { expect, test } from '../support/scenario.ts';
import { quickPick, runCommand } from '../support/workbench.ts';

/** 中文, 编码 and 说明 in GBK. */
const [CHINESE, ENCODING, EXPLAINED] = ['d6d0cec4', 'b1e0c2eb', 'cbb5c3f7'];
const bytes = (...parts: readonly string[]) =>
  Buffer.concat(parts.map((part) => Buffer.from(part, /^(?:[0-9a-f]{2}){4}$/u.test(part) ? 'hex' : 'latin1')));

const BEFORE = bytes('first ', CHINESE, '\r\nsecond ', ENCODING, '\r\nlast');

test('a file in GBK is read, searched, edited and restored in GBK', async ({
  startHost,
  startSteeredModel,
  makeFolder,
  capture,
}) => {
  const model = await startSteeredModel();
  const folder = makeFolder({});
  writeFileSync(join(folder, 'notes.txt'), BEFORE);
  const settings = { ...model.settings, 'files.encoding': 'gbk', 'files.autoSave': 'off' };
  const host = await startHost({ folder, settings });
  const { page, panel } = host;
  const onDisk = () => readFileSync(join(host.folder, 'notes.txt'));
  const told = () => lastTurn(model.server).messages.at(-1)?.text ?? '';
  const card = panel.locator('.approval');

  model.planCall('read_file', { path: 'notes.txt' }, 'Read.');
  await ask(panel, 'What do my notes say?');
  expect(told()).toContain('notes.txt: lines 1-3 of 3, in gbk, CRLF, no final line end\nfirst 中文\nsecond 编码\nlast');

  model.planCall('search_text', { pattern: '编码' }, 'Found.');
  await ask(panel, 'Where is it?');
  expect(told()).toContain('notes.txt:2: second 编码');

  // Refused before the question: GBK has no bytes for it.
  const refused = [{ old_string: 'last', new_string: 'last 😀' }];
  model.planCall('edit_file', { path: 'notes.txt', edits: refused }, 'It cannot be.');
  await ask(panel, 'Be happy');
  expect(told()).toContain('notes.txt is written in gbk. The text holds “😀”, which gbk has no bytes for.');
  await expect(card).toHaveCount(0);
  assert.deepEqual(onDisk(), BEFORE);

  const edits = [{ old_string: 'last', new_string: '说明\nlast' }];
  model.planCall('edit_file', { path: 'notes.txt', edits }, 'Changed.');
  await send(panel, 'Explain it');
  await expect(card.locator('.diff')).toContainText('+说明');
  await capture('encodings-1-question');
  await card.getByRole('button', { name: 'Allow', exact: true }).click();
  await waitUntilIdle(panel);
  assert.deepEqual(onDisk(), bytes('first ', CHINESE, '\r\nsecond ', ENCODING, '\r\n', EXPLAINED, '\r\nlast'));

  // What is typed and not saved is overwritten in the editor too, when the person says so.
  await runCommand(page, 'Go to File');
  await page.locator('.quick-input-widget input.input').fill('notes.txt');
  await quickPick(page, 'notes.txt').click();
  await page.locator('.tab', { hasText: 'notes.txt' }).waitFor();
  await expect(page.locator('.editor-instance .view-lines').first()).toContainText('说明');
  await page.locator('.editor-instance .view-lines').first().click();
  await page.keyboard.press('ControlOrMeta+Home');
  await page.keyboard.type('typed ');
  await page.locator('.tab.dirty', { hasText: 'notes.txt' }).waitFor();
  await runCommand(page, 'Palimpsest: Restore Checkpoint');
  const rows = page.locator('.quick-input-list .monaco-list-row');
  await rows.filter({ hasText: 'Explain it' }).first().click();
  await page.locator('.quick-input-titlebar').getByRole('button', { name: 'Files only' }).click();
  await page
    .locator('.quick-input-list')
    .getByRole('checkbox', { name: /Tick it to overwrite/ })
    .click();
  await page.locator('.quick-input-widget', { hasText: '1 Selected' }).waitFor();
  await page.locator('.quick-input-widget .monaco-button', { hasText: 'OK' }).click();
  await expect.poll(() => onDisk().toString('hex')).toBe(BEFORE.toString('hex'));
  await page.locator('.tab.dirty', { hasText: 'notes.txt' }).waitFor({ state: 'detached' });
  await capture('encodings-2-restored');
});

/**
 * The strategy lab on a session of another program: it is imported, replayed under some strategies in a worker, and what
 * came out is looked at, saved and put to use.
 */

import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { choosePath } from '../support/fileDialog.ts';
import { expectSetting, pageFrame } from '../support/host.ts';
import { expect, test } from '../support/scenario.ts';
import { quickPick, runCommand } from '../support/workbench.ts';

const FILES = 24;
const WINDOW = 8_000;

/** Claude Code's form: many files are read, and the first ones are edited again at the end. */
function recorded(): string {
  const lines: object[] = [];
  let last: string | null = null;
  const say = (type: 'user' | 'assistant', content: unknown) => {
    const uuid = String(lines.length);
    const message = { role: type, content, ...(type === 'assistant' ? { id: `m${uuid}` } : {}) };
    lines.push({ type, uuid, parentUuid: last, isSidechain: false, sessionId: 's', version: '2.0.0', message });
    last = uuid;
  };
  const call = (id: string, name: string, input: object, result: string) => {
    say('assistant', [{ type: 'tool_use', id, name, input }]);
    say('user', [{ type: 'tool_result', tool_use_id: id, content: result }]);
  };
  const bodyOf = (file: number) =>
    Array.from({ length: 60 }, (_, i) => `export const retryLimit${file}x${i} = computeLimit(${file}, ${i});`);
  say('user', 'Make every limit in the settings files configurable.');
  for (let file = 0; file < FILES; file++)
    call(`r${file}`, 'Read', { file_path: `/w/src/limits${file}.ts` }, bodyOf(file).join('\n'));
  for (let file = 0; file < FILES; file += 2) {
    const [line = ''] = bodyOf(file).slice(7);
    const input = { file_path: `/w/src/limits${file}.ts`, old_string: line, new_string: `${line} // configurable` };
    call(`e${file}`, 'Edit', input, 'The file was changed.');
  }
  say('assistant', [{ type: 'text', text: 'All limits can be configured now.' }]);
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

test('B6: strategies are compared on an imported session, and one is used', async ({
  startHost,
  makeFolder,
  capture,
}) => {
  const folder = makeFolder();
  const path = join(folder, 'recorded.jsonl');
  writeFileSync(path, recorded());
  const host = await startHost({
    settings: { 'palimpsest.model': 'demo', 'files.simpleDialog.enable': true },
  });
  const { page, panel } = host;
  await runCommand(page, 'Palimpsest: Import Session');
  await choosePath(page, path);
  await panel.locator('.row.user', { hasText: 'Make every limit' }).waitFor();

  await runCommand(page, 'Palimpsest: Open Strategy Lab');
  const lab = pageFrame(host);
  const input = page.locator('.quick-input-widget:visible');
  const press = (name: string) => lab.getByRole('button', { name, exact: true }).first().click();

  await test.step('sessions, strategies and window are chosen', async () => {
    await press('Sessions…');
    await quickPick(page, 'Make every limit').click();
    await input.getByRole('button', { name: 'OK' }).click();
    await press('Strategies…');
    await quickPick(page, 'none').click();
    await input.getByRole('button', { name: 'OK' }).click();
    await press('Window…');
    await input.locator('input').fill(String(WINDOW));
    await page.keyboard.press('Enter');
  });

  const figures = lab.getByRole('table', { name: 'Figures of each strategy' });
  await test.step('they are replayed, and the figures stand beside the chart', async () => {
    await press('Replay');
    await expect(lab.getByRole('button', { name: 'Replay', exact: true })).toBeVisible();
    const none = figures.getByRole('row', { name: /none/ });
    await expect(none).toContainText('100.0');
    const cells = await figures.getByRole('row').allInnerTexts();
    const costs = cells.slice(1).map((line) => Number.parseFloat(line.split('\t')[1] ?? ''));
    assert.ok(costs.filter((cost) => cost < 100).length >= 3, `no strategy saves anything: ${costs.join(', ')}`);
    await expect(lab.locator('figure.chart')).toHaveCount(2);
    await capture('strategy-lab');
  });

  await test.step('what a strategy lacked is listed step by step', async () => {
    await figures.getByRole('button', { name: 'Hide tool results' }).click();
    const missing = lab.getByRole('table', { name: 'Missing at each step' });
    await expect(missing.getByRole('row').nth(1)).toContainText('retryLimit');
  });

  await test.step('the figures are saved', async () => {
    await press('Save as CSV…');
    await choosePath(page, join(folder, 'figures.csv'), 'save');
    await expect.poll(() => existsSync(join(folder, 'figures.csv'))).toBe(true);
    assert.match(readFileSync(join(folder, 'figures.csv'), 'utf8'), /^strategy,inputPercent,.*\n(.*\n)*none,100,/);
  });

  await test.step('a strategy is put to use', async () => {
    await figures
      .getByRole('row', { name: /Hide tool results/ })
      .getByRole('button', { name: 'Use' })
      .click();
    await expectSetting(host, 'palimpsest.compaction.strategy', 'tool-result-hiding');
  });
});

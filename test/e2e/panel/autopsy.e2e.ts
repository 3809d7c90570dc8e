/**
 * The autopsy of an imported session that its program compacted: what was lost is said first, a step that needed it is looked
 * at, the page is saved to share, and a new session goes on from before the compaction.
 */

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { choosePath } from '../support/fileDialog.ts';
import { lastPageFrame, pageFrame } from '../support/host.ts';
import { expect, test } from '../support/scenario.ts';
import { quickPick, runCommand } from '../support/workbench.ts';

const FILES = 30;

/** Claude Code's form: files are read, the context is compacted, and the first files are read again and edited. */
function recorded(): string {
  const lines: object[] = [];
  let last: string | null = null;
  const say = (type: 'user' | 'assistant', content: unknown, more: object = {}) => {
    const uuid = String(lines.length);
    const message = { role: type, content, ...(type === 'assistant' ? { id: `m${uuid}` } : {}) };
    lines.push({
      type,
      uuid,
      parentUuid: last,
      isSidechain: false,
      sessionId: 's',
      version: '2.0.0',
      message,
      ...more,
    });
    last = uuid;
  };
  const call = (id: string, name: string, input: object, result: string) => {
    say('assistant', [{ type: 'tool_use', id, name, input }]);
    say('user', [{ type: 'tool_result', tool_use_id: id, content: result }]);
  };
  const lineOf = (file: number) => `export const computePart${file} = (orders) => {`;
  const place = (file: number) => ({ file_path: `/w/shop/src/part${file}.ts` });
  const read = (id: string, file: number) => call(id, 'Read', place(file), `${lineOf(file)}\n`.repeat(20));
  say('user', 'Mend every part of the shop.');
  for (let file = 0; file < FILES; file++) read(`r${file}`, file);
  const compactMetadata = { trigger: 'auto', preTokens: 9_000 };
  const boundary = {
    type: 'system',
    subtype: 'compact_boundary',
    uuid: 'b',
    parentUuid: null,
    logicalParentUuid: last,
  };
  lines.push({ ...boundary, compactMetadata });
  last = 'b';
  const summary = 'This session is being continued from a previous conversation: they mend parts.';
  say('user', summary, { isCompactSummary: true });
  for (let file = 0; file < 5; file++) {
    read(`s${file}`, file);
    call(`e${file}`, 'Edit', { ...place(file), old_string: lineOf(file), new_string: 'mended' }, 'Done.');
  }
  return lines.map((each) => `${JSON.stringify(each)}\n`).join('');
}

test('the autopsy of an imported session says what was lost, and goes on from before it', { tag: ['@B6'] }, async ({
  startHost,
  makeFolder,
  capture,
}) => {
  const folder = makeFolder();
  const path = join(folder, 'recorded.jsonl');
  writeFileSync(path, recorded());
  const host = await startHost({ settings: { 'files.simpleDialog.enable': true } });
  const { page, panel } = host;
  await runCommand(page, 'Palimpsest: Import Session');
  await choosePath(page, path);
  await panel.locator('.row.user', { hasText: 'Mend every part' }).first().waitFor();

  await runCommand(page, 'Palimpsest: Open Autopsy');
  const autopsy = pageFrame(host);
  await expect(autopsy.getByText(/^Compactions: 1\. Of 15 paths, names and lines .* 15 were gone/)).toBeVisible();
  const held = autopsy.getByRole('table', { name: 'At the same cost' }).first();
  await expect(held.getByRole('row', { name: /Layered/ })).toBeVisible();
  await capture('autopsy');

  await test.step('it is saved without folders', async () => {
    await autopsy.getByRole('button', { name: 'Save as HTML…' }).click();
    await quickPick(page, 'Without secrets').click();
    const target = join(folder, 'autopsy.html');
    await choosePath(page, target, 'save');
    await expect.poll(() => existsSync(target)).toBe(true);
    const html = readFileSync(target, 'utf8');
    expect(html).toContain('computePart0');
    expect(html).not.toMatch(/shop\/|src\/part/);
  });

  await test.step('a step that needed something is looked at', async () => {
    await autopsy.locator('summary', { hasText: 'Needed later and gone' }).click();
    await autopsy.getByRole('table', { name: 'Needed later and gone' }).getByRole('button').first().press('Enter');
    await expect(lastPageFrame(host).getByRole('heading', { name: /^Step \d+$/ })).toBeVisible();
    await page.getByRole('tab', { name: /^Step \d+/ }).click({ button: 'middle' });
  });

  await test.step('a new session goes on from before the compaction', async () => {
    await autopsy.getByRole('button', { name: 'Continue from Here, Restored' }).click();
    await expect(panel.locator('.row.user', { hasText: 'Mend every part' }).first()).toBeVisible();
    await expect(panel.getByText('before compaction 1').first()).toBeVisible();
  });
});

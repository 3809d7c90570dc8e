/**
 * Whole sessions are exported in every form, and the files hold what they should; they are checked, repaired and redacted,
 * each with a report; and one window lists those of two folders.
 */

import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Page } from '@playwright/test';
import { nodeCrypto } from '../../../src/node/storage/disk/fileBlobStore.ts';
import { decodeLine } from '../../support/decodeLine.ts';
import { choosePath } from '../support/fileDialog.ts';
import { type Host, makeSiblingFolder, openFolder, pageFrame } from '../support/host.ts';
import { journalPath, readJournals } from '../support/journals.ts';
import { ask, newSession, openHistory, openSession, scrollUpTo, send, waitUntilIdle } from '../support/panel.ts';
import { expect, type ScriptedModel, test } from '../support/scenario.ts';
import { quickPick, runAndChoose, runCommand, waitForToast } from '../support/workbench.ts';

const settingsFor = ({ settings }: ScriptedModel) => ({
  ...settings,
  'palimpsest.contextWindow': 100_000,
  'files.simpleDialog.enable': true,
});

/** Exports the session on screen and returns what was written. */
async function exportAs({ page, folder }: Host, format: string, name: string): Promise<string> {
  const target = join(folder, name);
  await runCommand(page, 'Palimpsest: Export Session');
  await quickPick(page, format).click();
  await choosePath(page, target, 'save');
  const toast = await waitForToast(page, target);
  await toast.hover();
  await toast.getByRole('button', { name: /Clear Notification/ }).click();
  await toast.waitFor({ state: 'detached' });
  return readFileSync(target, 'utf8');
}

const report = (page: Page, text: string) => pageFrame({ page }).getByText(text).first().waitFor();

test('a session exported in every form', async ({ startHost, startScriptedModel, capture }) => {
  const host = await startHost({ settings: settingsFor(await startScriptedModel()) });
  const { page, panel, folder } = host;
  writeFileSync(join(folder, 'fence.md'), 'a ``` fence inside\n');
  await ask(panel, 'read fence.md');
  await ask(panel, 'list the folder and be long');
  await ask(panel, 'be long once more');
  await send(panel, '/compact');
  await panel.locator('.row.compaction').waitFor();
  await waitUntilIdle(panel);

  const markdown = await exportAs(host, 'Markdown', 'out.md');
  assert.match(markdown, /^# read fence\.md\n/);
  assert.equal(markdown.match(/^## You, /gm)?.length, 3);
  // The result holds a fence of three backticks, so the fence around it has four.
  assert.match(markdown, /<summary>Result of read_file<\/summary>\n\n````\n[\s\S]*a ``` fence inside[\s\S]*\n````\n/);
  assert.match(markdown, /> Context compacted \([a-z-]+, manual\): \d+ → \d+ tokens\./);

  const json = JSON.parse(await exportAs(host, 'JSON', 'out.json'));
  const journal = readJournals(host).at(-1) ?? [];
  assert.deepEqual([json.format, json.version, json.session.id], ['palimpsest-session', 1, sessionId(host)]);
  const tree = journal.filter((entry) => 'parent' in entry);
  assert.deepEqual(
    json.entries.map(({ seq, type }: { seq: number; type: string }) => `${seq} ${type}`),
    tree.map(({ seq, type }) => `${seq} ${type}`),
  );
  assert.ok(!JSON.stringify(json).includes('"crc"'));

  const chat = (await exportAs(host, 'Chat completions', 'out.chat.jsonl')).trim().split('\n');
  const messages = chat.map((line) => JSON.parse(line));
  assert.deepEqual(
    messages.filter(({ role }) => role === 'user').map(({ content }) => content),
    ['read fence.md', 'list the folder and be long', 'be long once more'],
  );
  const called = messages.flatMap(({ tool_calls: calls = [] }) => calls.map(({ id }: { id: string }) => id));
  assert.deepEqual(
    messages.filter(({ role }) => role === 'tool').map(({ tool_call_id }) => tool_call_id),
    called,
  );
  assert.equal(called.length, 2);

  assert.equal(await exportAs(host, 'Journal', 'out.jsonl'), readFileSync(journalPath(host), 'utf8'));
  await capture('care-1-exported');

  // The journal can be imported whole only when the session is no longer there.
  const again = async () => {
    await runCommand(page, 'Palimpsest: Import Session');
    await choosePath(page, join(folder, 'out.jsonl'));
  };
  await again();
  await waitForToast(page, 'this session is already here');
  const session = (await openHistory(host)).locator('.session', { hasText: 'read fence.md' });
  await session.hover();
  await session.getByRole('button', { name: /Move to the trash/ }).click();
  // The list closes with the session on screen, which is there until the move is told.
  await waitForToast(page, 'was moved to the trash');
  await again();
  await panel.locator('.row.compaction').waitFor();
  await scrollUpTo(panel, panel.locator('.row.user', { hasText: 'be long once more' }));

  // What was exported can be read again.
  await runCommand(page, 'Palimpsest: Import Session');
  await choosePath(page, join(folder, 'out.chat.jsonl'));
  await panel.locator('.row.assistant', { hasText: 'filler' }).first().waitFor();
  for (const said of ['be long once more', 'list the folder and be long', 'read fence.md'])
    await scrollUpTo(panel, panel.locator('.row.user', { hasText: said }));
  await panel.locator('.row.tool', { hasText: 'fence.md' }).waitFor();
});

function sessionId(host: Host): string {
  return journalPath(host).split('/').at(-2) ?? '';
}

test('a damaged session checked and repaired, and a secret taken out', async ({
  startHost,
  startScriptedModel,
  capture,
}) => {
  const host = await startHost({ settings: settingsFor(await startScriptedModel()) });
  const { page, panel } = host;
  await ask(panel, 'list the alder folder');
  await ask(panel, 'the key is sk-canary-4711, list again');
  const path = journalPath(host);
  await newSession(host);

  // A line in the middle loses a letter, and the last line loses its end.
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  const at = lines.findIndex((line) => line.includes('"type":"usage"'));
  const damaged = lines.with(at, lines[at]?.replace('usage', 'usge') ?? '');
  writeFileSync(path, `${damaged.join('\n')}\n{"seq":${lines.length},"torn`);
  await openSession(host, 'alder');
  await waitForToast(page, 'damaged lines: 1');
  await panel.locator('.row.user', { hasText: 'sk-canary' }).waitFor();
  await capture('care-2-damaged');

  await runAndChoose(page, 'Palimpsest: Care of Sessions', 'Check a session');
  await report(page, `Line ${at + 1}`);
  await capture('care-3-check');
  await pageFrame({ page }).getByRole('button', { name: 'Show the file' }).click();
  await page.locator('.editor-instance', { hasText: '"type":"session"' }).waitFor();
  await runAndChoose(page, 'Palimpsest: Care of Sessions', 'Check a session');
  await pageFrame({ page }).getByRole('button', { name: 'Repair' }).click();
  await report(page, `Entry ${at} is lost.`);
  await capture('care-4-repair');
  const folder = dirname(path);
  const kept = readdirSync(folder).filter((name) => name.startsWith('journal.jsonl.'));
  assert.ok(kept.some((name) => name.includes('before-repair')) && kept.includes('journal.jsonl.damaged'), kept.join());
  const repaired = readFileSync(path, 'utf8').trimEnd().split('\n');
  assert.ok(repaired.every((line) => decodeLine(line, nodeCrypto).kind === 'entry'));
  await panel.locator('.row.user', { hasText: 'sk-canary' }).waitFor();

  await runAndChoose(page, 'Palimpsest: Care of Sessions', 'Redact a session');
  // The list before it has a field of its own.
  const secret = page.locator('.quick-input-widget', { hasText: 'The text to remove' }).locator('input.input');
  await secret.fill('sk-canary-4711');
  await secret.press('Enter');
  await page.getByRole('dialog').getByRole('button', { name: 'Redact' }).click();
  await report(page, 'Places replaced by');
  await capture('care-5-redacted');
  await panel.locator('.row.user', { hasText: 'the key is [redacted], list again' }).waitFor();
  const left = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((item) => item.isFile())
    .filter((item) => readFileSync(join(item.parentPath, item.name)).includes('sk-canary-4711'));
  assert.deepEqual(left, []);
  await ask(panel, 'and on from here');
  await runAndChoose(page, 'Palimpsest: Care of Sessions', 'Check a session');
  await report(page, 'Findings');
});

test('sessions of two folders in one window', async ({ startHost, startScriptedModel, capture }) => {
  const host = await startHost({ settings: settingsFor(await startScriptedModel()) });
  const { page, panel, folder } = host;
  await ask(panel, 'list the alder folder');
  await openFolder(host, makeSiblingFolder(host, 'other'));
  await ask(panel, 'list the birch folder');
  await openHistory(host);
  const session = (text: string) => panel.locator('.session', { hasText: text });
  await expect(session('alder')).toHaveCount(0);
  await panel.getByRole('button', { name: 'All folders' }).click();
  await session('alder').waitFor();
  await expect(session('alder')).toContainText(folder.split('/').at(-1) ?? '');
  await capture('care-6-all-folders');
  await session('alder').locator('.session-open').click();
  await panel.locator('.banner', { hasText: 'belongs to' }).waitFor();
  await panel.locator('.row.user', { hasText: 'alder' }).waitFor();
  await capture('care-7-of-another-folder');
  await expect(panel.getByRole('combobox', { name: 'Message' })).toBeDisabled();
  // It can be read and exported, and it is not listed among this folder's own sessions.
  await runAndChoose(page, 'Palimpsest: Care of Sessions', 'Check a session');
  await report(page, 'Everything is as it should be.');
  assert.match(await exportAs(host, 'Markdown', 'of-other.md'), /list the alder folder/);
  await runCommand(page, 'Palimpsest: New Session');
  await openHistory(host);
  await expect(panel.locator('.session')).toHaveCount(2);
  await panel.getByRole('button', { name: 'This folder', exact: true }).click();
  await expect(panel.locator('.session')).toHaveCount(1);
});

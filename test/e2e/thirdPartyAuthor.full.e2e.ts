/**
 * A strategy of another extension from an empty folder to its end: made of the files of the author's guide, checked in
 * plain Node, packaged, installed into a window that runs, used, set, taken away while it runs, and uninstalled. What
 * happened is shown each time, another extension hears of it in numbers, and the conversation goes on.
 */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import type { Page } from 'playwright-core';
import { ROOT, VSIX } from '../../scripts/paths.ts';
import type { CompactionEvent } from '../../src/api/index.ts';
import { eventually, openPanel, openSettings, runCommand } from './support/actions.ts';
import { type Host, panelFrame, readSettings } from './support/host.ts';
import { entriesOf } from './support/journals.ts';
import { ask, send } from './support/panel.ts';
import { type Screenshot, scenario } from './support/scenario.ts';
import { startSteeredModel } from './support/steeredModel.ts';

const scratch = mkdtempSync(join(tmpdir(), 'pal-author-'));
const folder = join(scratch, 'workspace');
const heard = join(scratch, 'heard.jsonl');
mkdirSync(folder);
const lines = Array.from({ length: 120 }, (_, i) => `- note ${i}: retries wait longer each time`);
writeFileSync(join(folder, 'notes.md'), lines.join('\n'));
const model = await startSteeredModel();
after(async () => {
  await model.server.close();
  rmSync(scratch, { recursive: true });
});

const witness = join(ROOT, 'test/extensions/witness');
const env = { WITNESS_FILE: heard };
const settings = { ...model.settings, 'palimpsest.contextWindow': 64_000, 'acmeKeepTests.longest': 100_000 };
const GUIDE = 'acme.keep-tests/keep-tests';

/** Follows the guide to the letter, and gives the extension's package. */
function makeExtension(): string {
  const extension = join(scratch, 'keep-tests');
  const vsix = join(extension, 'keep-tests-1.0.0.vsix');
  if (existsSync(vsix)) return vsix;
  mkdirSync(extension);
  const guide = readFileSync(join(ROOT, 'docs/writing-a-strategy.md'), 'utf8');
  const files = [...guide.matchAll(/^`([\w.]+)`\n\n```\w+\n(.*?)^```/gms)];
  for (const [, name = '', text = ''] of files) writeFileSync(join(extension, name), text);
  const run = (cwd: string, program: string, ...args: readonly string[]) =>
    execFileSync(program, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  run(join(ROOT, 'src/api'), 'npm', 'pack', '--pack-destination', scratch);
  run(extension, 'npm', 'install', '--offline', '--save-dev', '../palimpsest-api-1.0.0.tgz');
  assert.match(run(extension, process.execPath, 'check.js'), /broken: \[\]/);
  const [, flags = ''] = /^npx @vscode\/vsce (.*)$/m.exec(guide) ?? [];
  run(extension, process.execPath, join(ROOT, 'node_modules/@vscode/vsce/vsce'), ...flags.split(' '));
  return vsix;
}

/** By the command, as a person would: the file is named in the dialog of the workbench. */
async function installVsix(page: Page, file: string): Promise<void> {
  await runCommand(page, 'Extensions: Install from VSIX...');
  const input = page.locator('.quick-input-widget input.input');
  await page.locator('.quick-input-widget', { hasText: 'Install from VSIX' }).waitFor();
  await input.fill(file);
  await page.locator('.quick-input-list .monaco-list-row', { hasText: 'keep-tests-1.0.0.vsix' }).first().waitFor();
  await input.press('Enter');
}

const readHeard = (): CompactionEvent[] =>
  existsSync(heard)
    ? readFileSync(heard, 'utf8')
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line))
    : [];

/** What a scenario does with the panel's menu of strategies, and what it waits for. */
function strategiesOf({ page }: Host) {
  const panel = panelFrame(page);
  const picker = panel.locator('button[title^="Compaction strategy"]').first();
  const choices = panel.locator('.choice');
  return {
    panel,
    picker,
    choices,
    notice: (text: string) => panel.locator('.row.notice', { hasText: text }),
    choose: async (label: string) => {
      await picker.click();
      await choices.filter({ hasText: label }).first().click();
      await panel.getByRole('button', { name: new RegExp(`Compaction strategy.*${label}`) }).waitFor();
    },
    undo: async () => {
      await panel.getByRole('button', { name: /^Undo this compaction/ }).click();
      await panel.getByRole('button', { name: /^Redo this compaction/ }).waitFor();
    },
  };
}

scenario(
  'a strategy made of the guide, installed and set while running',
  { folder, linked: [witness], settings, env },
  async (host: Host, screenshot: Screenshot) => {
    const { page } = host;
    const vsix = makeExtension();
    await openPanel(page);
    const { panel, picker, choices, notice, choose, undo } = strategiesOf(host);
    model.plan('notes.md', 4, 'Four readings.');
    await ask(panel, 'read the notes');

    // Installed into the running window: the menu has it without a reload.
    await picker.click();
    await choices.filter({ hasText: 'Waits' }).waitFor();
    assert.equal(await choices.filter({ hasText: 'Keep failing tests' }).count(), 0);
    await picker.click();
    await installVsix(page, vsix);
    await page
      .locator('.notification-toast', { hasText: /Completed installing/ })
      .first()
      .waitFor();
    await screenshot('author-01-installed');
    await choose('Keep failing tests');
    assert.equal(readSettings(host)['palimpsest.compaction.contributedStrategy'], GUIDE);

    // Consented to; by its setting there is nothing to do. The setting is changed while it runs.
    await send(panel, '/compact');
    await page.locator('.monaco-dialog-box').getByRole('button', { name: 'Allow' }).click();
    await notice('found nothing to compact').waitFor();
    const editor = await openSettings(page, 'acmeKeepTests.longest');
    const row = editor.locator('.setting-item-contents', { hasText: 'with more characters than this are hidden' });
    await row.locator('input').fill('1000');
    await eventually(
      () => readSettings(host)['acmeKeepTests.longest'],
      (longest) => longest === 1_000,
    );
    // Settings open in a modal editor here; Escape leaves the search, then the editor.
    await eventually(
      async () => {
        await page.keyboard.press('Escape');
        return page.locator('.monaco-modal-editor-block').isVisible();
      },
      (visible) => !visible,
    );
    await send(panel, '/compact');
    await panel.locator('.row.compaction', { hasText: '4 hidden' }).waitFor();
    await screenshot('author-02-used');
    await undo();

    // Another extension hears of it, in numbers.
    const events = await eventually(readHeard, ({ length }) => length === 2);
    assert.deepEqual(
      events.map(({ kind, strategy, trigger }) => [kind, strategy, trigger]),
      [
        ['compacted', GUIDE, 'manual'],
        ['undone', GUIDE, 'manual'],
      ],
    );
    for (const event of events) {
      const { kind, strategy, trigger, ...numbers } = event;
      assert.deepEqual(Object.keys(numbers).sort(), ['durationMs', 'tokensAfter', 'tokensBefore']);
      assert.ok(Object.values(numbers).every(Number.isFinite), JSON.stringify(event));
    }
    assert.deepEqual(model.server.failures, []);
  },
);

scenario(
  'a strategy uninstalled while it is in use',
  async () => ({
    folder,
    vsix: [VSIX, makeExtension()],
    linked: [witness],
    settings: { ...settings, 'acmeKeepTests.longest': 1_000 },
    env,
  }),
  async (host: Host, screenshot: Screenshot) => {
    const { page } = host;
    await openPanel(page);
    const { panel, picker, choices, notice, choose, undo } = strategiesOf(host);
    model.plan('notes.md', 4, 'Four readings.');
    await ask(panel, 'read the notes');
    await choose('Keep failing tests');
    await send(panel, '/compact');
    await page.locator('.monaco-dialog-box').getByRole('button', { name: 'Allow' }).click();
    await panel.locator('.row.compaction', { hasText: '4 hidden' }).waitFor();
    await undo();

    // Uninstalled in the Extensions view. Its code is there until the extension host restarts, and works until then.
    await runCommand(page, 'Extensions: Show Installed Extensions');
    await page.locator('.extensions-viewlet .extension-list-item', { hasText: 'Keep Tests' }).first().click();
    const action = (name: RegExp) => page.locator('.extension-editor .action-label:visible', { hasText: name }).first();
    await action(/^Uninstall$/).click();
    await action(/Restart Extensions|Reload Window/).waitFor();
    await screenshot('author-03-uninstalled');
    await send(panel, '/compact');
    await eventually(
      () => entriesOf(host, 'compaction').length,
      (count) => count === 2,
    );
    await undo();

    // Then it is gone: that is said, the default does the work, and the conversation goes on.
    await action(/Restart Extensions|Reload Window/).click();
    await screenshot('author-04-restarting');
    await openPanel(page);
    await send(panel, '/compact');
    await notice('acme.keep-tests is not installed or is disabled').waitFor();
    await eventually(
      () => entriesOf(host, 'compaction').at(-1)?.strategy,
      (strategy) => strategy === 'llm-summary',
    );
    await picker.click();
    await choices.filter({ hasText: 'Waits' }).waitFor();
    assert.equal(await choices.filter({ hasText: 'Keep failing tests' }).count(), 0);
    await screenshot('author-05-gone');
    await picker.click();
    model.plan('notes.md', 1, 'One more reading.');
    await ask(panel, 'read them again');
    await panel.locator('.row.assistant', { hasText: 'One more reading.' }).waitFor();
    assert.deepEqual(model.server.failures, []);
  },
);

scenario(
  'a strategy taken away while it compacts, and back',
  { folder, linked: [witness, join(ROOT, 'test/extensions/keep-tests')], settings, env },
  async (host: Host, screenshot: Screenshot) => {
    const { page } = host;
    rmSync(heard, { force: true });
    await openPanel(page);
    const { panel, choose } = strategiesOf(host);
    model.plan('notes.md', 2, 'Two readings.');
    await ask(panel, 'read the notes');
    await choose('Waits');
    await send(panel, '/compact');
    await page.locator('.monaco-dialog-box').getByRole('button', { name: 'Allow' }).click();
    await panel.getByText('Compacting with Waits').first().waitFor();
    await screenshot('author-06-waiting');

    // Taken away while it runs: said at once, nothing changed, another extension told.
    await runCommand(page, 'Witness: Take the Strategy Away');
    const told = panel.locator('.row.notice', { hasText: 'its extension took it away while it ran' });
    await told.first().waitFor();
    assert.equal(entriesOf(host, 'compaction').length, 0);
    const [failed] = await eventually(readHeard, ({ length }) => length === 1);
    assert.deepEqual([failed?.kind, failed?.strategy], ['failed', 'acme.witness/waits']);
    assert.equal(failed?.tokensBefore, failed?.tokensAfter);
    await screenshot('author-07-taken-away');

    // Chosen still, and not there: said, and the default does the work.
    await send(panel, '/compact');
    await panel.locator('.row.notice', { hasText: 'is active but did not register it' }).waitFor();
    await eventually(
      () => entriesOf(host, 'compaction').at(-1)?.strategy,
      (strategy) => strategy === 'llm-summary',
    );

    // Back again: used as before. Stopped by the person, the conversation goes on.
    await runCommand(page, 'Witness: Bring the Strategy Back');
    await send(panel, '/compact');
    await panel.getByText('Compacting with Waits').first().waitFor();
    await runCommand(page, 'Palimpsest: Stop');
    await panel.getByText('Compacting with Waits').first().waitFor({ state: 'hidden' });
    model.plan('notes.md', 1, 'One more reading.');
    await ask(panel, 'read them again');
    await panel.locator('.row.assistant', { hasText: 'One more reading.' }).waitFor();
    await screenshot('author-08-goes-on');

    // Registered by another extension before its own was needed: its own finds the id taken, and nothing of it is used.
    await runCommand(page, "Witness: Register Another's Strategy");
    await choose('Keep failing tests');
    await send(panel, '/compact');
    await panel.locator('.row.notice', { hasText: 'could not be activated' }).waitFor();
    await eventually(
      () => entriesOf(host, 'compaction').map(({ strategy }) => strategy),
      (strategies) => strategies.length === 2 && strategies.every((strategy) => strategy === 'llm-summary'),
    );
    await screenshot('author-09-impersonated');
    assert.deepEqual(model.server.failures, []);
  },
);

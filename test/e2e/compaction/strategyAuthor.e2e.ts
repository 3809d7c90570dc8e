/**
 * The life of a strategy in another extension: it is made from the files of the author's guide, checked in plain Node,
 * packaged, installed into a running window, used, set, taken away while it runs, and uninstalled. Each time the panel
 * says what happened, a second extension is told the numbers, and the conversation goes on.
 */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packApi } from '../../../scripts/api/packPackage.ts';
import { ROOT, VSIX } from '../../../scripts/paths.ts';
import type { CompactionEvent, CompactionPhase } from '../../../src/api/index.ts';
import { choosePath } from '../support/fileDialog.ts';
import { expectSetting, type Host, openPanel } from '../support/host.ts';
import { entriesOf, readLines } from '../support/journals.ts';
import { ask, chooseStrategy, send, undoCompaction } from '../support/panel.ts';
import { test as base, expect } from '../support/scenario.ts';
import type { SteeredModel } from '../support/steeredModel.ts';
import { closeSettings, openSettings, runCommand, waitForToast } from '../support/workbench.ts';

const witness = join(ROOT, 'test/extensions/witness');
const GUIDE = 'acme.keep-tests/keep-tests';
const lines = Array.from({ length: 120 }, (_, i) => `- note ${i}: retries wait longer each time`);

interface AuthorGiven {
  readonly model: SteeredModel;
  /** The events that the witness extension wrote to a file. */
  readonly heard: { readonly path: string; read(): CompactionEvent[]; readPhases(): CompactionPhase[] };
  /** Starts the product with the witness and these extensions. */
  readonly startWith: (options: {
    readonly vsix?: readonly string[];
    readonly linked?: readonly string[];
    readonly longest?: number;
  }) => Promise<Host>;
}

const test = base.extend<AuthorGiven>({
  model: async ({ startSteeredModel }, use) => use(await startSteeredModel()),
  heard: async ({ makeFolder }, use) => {
    const path = join(makeFolder(), 'heard.jsonl');
    const read = (file: string) => (existsSync(file) ? readLines(file).map((line) => JSON.parse(line)) : []);
    await use({ path, read: () => read(path), readPhases: () => read(`${path}.phases`) });
  },
  startWith: async ({ startHost, model, heard, makeFolder }, use) => {
    await use(({ vsix = [], linked = [], longest = 100_000 }) =>
      startHost({
        folder: makeFolder({ 'notes.md': lines.join('\n') }),
        vsix: [VSIX, ...vsix],
        linked: [witness, ...linked],
        settings: { ...model.settings, 'palimpsest.contextWindow': 64_000, 'acmeKeepTests.longest': longest },
        env: { WITNESS_FILE: heard.path },
      }),
    );
  },
});

/** Follows the guide to the letter, and returns the path of the extension's package. */
async function makeExtension(scratch: string): Promise<string> {
  const extension = join(scratch, 'keep-tests');
  mkdirSync(extension);
  const guide = readFileSync(join(ROOT, 'docs/writing-a-strategy.md'), 'utf8');
  const files = [...guide.matchAll(/^`([\w.]+)`\n\n```\w+\n(.*?)^```/gms)];
  for (const [, name = '', text = ''] of files) writeFileSync(join(extension, name), text);
  const run = (cwd: string, program: string, ...args: readonly string[]) =>
    execFileSync(program, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  await packApi(scratch);
  run(extension, 'npm', 'install', '--offline', '--save-dev', '../palimpsest-api-1.0.0.tgz');
  assert.match(run(extension, process.execPath, 'check.js'), /broken: \[\]/);
  const [, flags = ''] = /^npx @vscode\/vsce (.*)$/m.exec(guide) ?? [];
  run(extension, process.execPath, join(ROOT, 'node_modules/@vscode/vsce/vsce'), ...flags.split(' '));
  return join(extension, 'keep-tests-1.0.0.vsix');
}

/** The panel's menu of strategies and its notices. */
function strategiesOf({ panel }: Host) {
  const picker = panel.locator('button[title^="Compaction strategy"]').first();
  const choices = panel.locator('.choice');
  return {
    picker,
    choices,
    notice: (text: string) => panel.locator('.row.notice', { hasText: text }),
    choose: (label: string) => chooseStrategy(panel, label),
    undo: () => undoCompaction(panel),
  };
}

test('a strategy made of the guide, installed and set while running', async ({
  model,
  heard,
  startWith,
  makeFolder,
  capture,
}) => {
  const vsix = await makeExtension(makeFolder());
  const host = await startWith({});
  const { page, panel } = host;
  const { picker, choices, notice, choose, undo } = strategiesOf(host);
  model.plan('notes.md', 4, 'Four readings.');
  await ask(panel, 'read the notes');

  // Installed into the running window: the menu has it without a reload.
  await picker.click();
  await choices.filter({ hasText: 'Waits' }).waitFor();
  assert.equal(await choices.filter({ hasText: 'Keep failing tests' }).count(), 0);
  await picker.click();
  await runCommand(page, 'Extensions: Install from VSIX...');
  await choosePath(page, vsix);
  await waitForToast(page, /Completed installing/);
  await capture('author-01-installed');
  await choose('Keep failing tests');
  await expect.poll(() => entriesOf(host, 'strategy').at(-1)?.strategy).toBe(GUIDE);

  // Allowed. With its present setting there is nothing to do, so the setting is changed while the extension runs.
  await send(panel, '/compact');
  await page.locator('.monaco-dialog-box').getByRole('button', { name: 'Allow' }).click();
  await notice('found nothing to compact').waitFor();
  const editor = await openSettings(page, 'acmeKeepTests.longest');
  const row = editor.locator('.setting-item-contents', { hasText: 'with more characters than this are hidden' });
  await row.locator('input').fill('1000');
  await expectSetting(host, 'acmeKeepTests.longest', 1_000);
  await closeSettings(page);
  await send(panel, '/compact');
  await panel.locator('.row.compaction', { hasText: '4 hidden' }).waitFor();
  await capture('author-02-used');
  await undo();

  // Another extension is told, in numbers; of the phases too, because it listens. The first run found nothing.
  const phases = heard.readPhases().map(({ strategy, phase, tokensBefore, tokensAfter }) => {
    assert.equal(strategy, GUIDE);
    return [phase, tokensAfter < tokensBefore];
  });
  const found = ['selective_start', false];
  assert.deepEqual(phases, [found, ['selective_done', false], found, ['selective_done', true]]);
  await expect.poll(() => heard.read().length).toBe(3);
  const events = heard.read();
  assert.deepEqual(
    events.map(({ kind, strategy, trigger, reason }) => [kind, strategy, trigger, reason]),
    [
      ['unchanged', GUIDE, 'manual', 'nothing'],
      ['compacted', GUIDE, 'manual', undefined],
      ['undone', GUIDE, 'manual', undefined],
    ],
  );
  for (const event of events) {
    const { kind, strategy, trigger, reason, ...numbers } = event;
    const cost = ['completionTokens', 'modelCalls', 'promptTokens'];
    assert.deepEqual(Object.keys(numbers).sort(), [...cost, 'durationMs', 'tokensAfter', 'tokensBefore'].sort());
    assert.ok(Object.values(numbers).every(Number.isFinite), JSON.stringify(event));
  }
});

test('a strategy uninstalled while it is in use', async ({ model, startWith, makeFolder, capture }) => {
  const host = await startWith({ vsix: [await makeExtension(makeFolder())], longest: 1_000 });
  const { page, panel } = host;
  const { picker, choices, notice, choose, undo } = strategiesOf(host);
  model.plan('notes.md', 4, 'Four readings.');
  await ask(panel, 'read the notes');
  await choose('Keep failing tests');
  await send(panel, '/compact');
  await page.locator('.monaco-dialog-box').getByRole('button', { name: 'Allow' }).click();
  await panel.locator('.row.compaction', { hasText: '4 hidden' }).waitFor();
  await undo();

  // Uninstalled in the Extensions view. Its code stays and works until the extension host restarts.
  await runCommand(page, 'Extensions: Show Installed Extensions');
  await page.locator('.extensions-viewlet .extension-list-item', { hasText: 'Keep Tests' }).first().click();
  const action = (name: RegExp) => page.locator('.extension-editor .action-label:visible', { hasText: name }).first();
  await action(/^Uninstall$/).click();
  await action(/Restart Extensions|Reload Window/).waitFor();
  await capture('author-03-uninstalled');
  await send(panel, '/compact');
  await expect.poll(() => entriesOf(host, 'compaction').length).toBe(2);
  await undo();

  // Now it is gone: a notice says so, the default does the work, and the conversation goes on.
  await action(/Restart Extensions|Reload Window/).click();
  await openPanel(page);
  await send(panel, '/compact');
  await notice('acme.keep-tests is not installed or is disabled').waitFor();
  await expect.poll(() => entriesOf(host, 'compaction').at(-1)?.strategy).toBe('layered');
  await picker.click();
  await choices.filter({ hasText: 'Waits' }).waitFor();
  assert.equal(await choices.filter({ hasText: 'Keep failing tests' }).count(), 0);
  await capture('author-04-gone');
  await picker.click();
  model.plan('notes.md', 1, 'One more reading.');
  await ask(panel, 'read them again');
  await panel.locator('.row.assistant', { hasText: 'One more reading.' }).waitFor();
});

test('a strategy taken away while it compacts, and back', async ({ model, heard, startWith, capture }) => {
  const host = await startWith({ linked: [join(ROOT, 'test/extensions/keep-tests')] });
  const { page, panel } = host;
  const { choose } = strategiesOf(host);
  model.plan('notes.md', 2, 'Two readings.');
  await ask(panel, 'read the notes');
  await choose('Waits');
  await send(panel, '/compact');
  await page.locator('.monaco-dialog-box').getByRole('button', { name: 'Allow' }).click();
  await panel.getByText('Compacting with Waits').first().waitFor();
  await capture('author-06-waiting');

  // Taken away while it runs: a notice says so at once, nothing changes, and the other extension is told.
  await runCommand(page, 'Witness: Take the Strategy Away');
  const told = panel.locator('.row.notice', { hasText: 'it was removed or replaced while it ran' });
  await told.first().waitFor();
  assert.equal(entriesOf(host, 'compaction').length, 0);
  await expect.poll(() => heard.read().length).toBe(1);
  const [failed] = heard.read();
  assert.deepEqual([failed?.kind, failed?.strategy], ['failed', 'acme.witness/waits']);
  assert.equal(failed?.tokensBefore, failed?.tokensAfter);
  await capture('author-07-taken-away');

  // Still chosen, but not there: a notice says so, and the default does the work.
  await send(panel, '/compact');
  await panel.locator('.row.notice', { hasText: 'is active but did not register it' }).waitFor();
  await expect.poll(() => entriesOf(host, 'compaction').at(-1)?.strategy).toBe('layered');

  // Back again, it is used as before. The person stops it, and the conversation goes on.
  await runCommand(page, 'Witness: Bring the Strategy Back');
  await send(panel, '/compact');
  await panel.getByText('Compacting with Waits').first().waitFor();
  await runCommand(page, 'Palimpsest: Stop');
  await panel.getByText('Compacting with Waits').first().waitFor({ state: 'hidden' });
  model.plan('notes.md', 1, 'One more reading.');
  await ask(panel, 'read them again');
  await panel.locator('.row.assistant', { hasText: 'One more reading.' }).waitFor();
  await capture('author-08-goes-on');

  // Another extension has registered the id. The extension that declares it fails to register, and neither is used.
  await runCommand(page, "Witness: Register Another's Strategy");
  await choose('Keep failing tests');
  await send(panel, '/compact');
  await panel.locator('.row.notice', { hasText: 'could not be activated' }).waitFor();
  await expect
    .poll(() => entriesOf(host, 'compaction').map(({ strategy }) => strategy))
    .toEqual(['layered', 'layered']);
  await capture('author-09-impersonated');
});

test('the template that authors copy runs its own test in a real VS Code', async ({ makeFolder }) => {
  const scratch = makeFolder();
  const extension = join(scratch, 'my-strategy');
  cpSync(join(ROOT, 'docs/strategy-template'), extension, { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(extension, 'node_modules'));
  // Where desktop VS Code lies, with its command beside it. Here both are the browser-served one.
  mkdirSync(join(scratch, 'vscode/bin'), { recursive: true });
  const shim = `#!/bin/sh\nexec '${process.execPath}' '${join(ROOT, 'scripts/host/codeShim.ts')}' "$@"\n`;
  for (const path of ['vscode/code', 'vscode/bin/code']) writeFileSync(join(scratch, path), shim, { mode: 0o755 });
  const env = { ...process.env, PALIMPSEST_VSIX: VSIX, VSCODE_EXECUTABLE: join(scratch, 'vscode/code') };
  const run = () =>
    execFileSync('npm', ['run', 'test:vscode'], { cwd: extension, env, encoding: 'utf8', stdio: 'pipe' });
  assert.match(run(), /Exit code: *0/);

  // It fails where what it asserts is not so.
  const suite = join(extension, 'test/vscode/suite.js');
  writeFileSync(suite, readFileSync(suite, 'utf8').replace('/already registered/', '/something else/'));
  assert.throws(run, /something else/);
});

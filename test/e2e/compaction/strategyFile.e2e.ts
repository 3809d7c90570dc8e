/**
 * A person's strategy in one file: chosen in the panel, allowed, used, broken and mended while the window is open. What a
 * workspace names is not loaded, and nothing is in Restricted Mode.
 */

import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { choosePath } from '../support/fileDialog.ts';
import { expectSetting, pageFrame } from '../support/host.ts';
import { entriesOf } from '../support/journals.ts';
import { ask, chooseStrategy, send, undoCompaction } from '../support/panel.ts';
import { expect, test } from '../support/scenario.ts';
import { runCommand } from '../support/workbench.ts';

const lines = Array.from({ length: 120 }, (_, i) => `- note ${i}: retries wait longer each time`).join('\n');

const HIDES = `
export default {
  needs: [],
  create: () => ({
    async compact({ history, hide }) {
      return history.map((message) => (message.role === 'tool' ? hide(message) : message));
    },
  }),
};
`;

/** Leaves a trace when it is loaded. */
const tracing = (trace: string) => `import { writeFileSync } from 'node:fs';
writeFileSync(${JSON.stringify(trace)}, '');
${HIDES}`;

test('a strategy file is allowed, used, broken, mended; a workspace cannot name one', { tag: '@K11' }, async ({
  startHost,
  startSteeredModel,
  makeFolder,
  capture,
}) => {
  const model = await startSteeredModel();
  const own = makeFolder({ 'mine.js': HIDES });
  const path = join(own, 'mine.js');
  const trace = join(own, 'trace');
  const evil = join(own, 'evil.js');
  writeFileSync(evil, tracing(trace));
  const folder = makeFolder({ 'notes.md': lines });
  mkdirSync(join(folder, '.vscode'));
  const chosen = {
    'palimpsest.compaction.strategy': 'contributed',
    'palimpsest.compaction.contributedStrategy': 'file/evil',
  };
  const named = { 'palimpsest.compaction.strategyFiles': [evil], ...chosen };
  writeFileSync(join(folder, '.vscode/settings.json'), JSON.stringify(named));
  const host = await startHost({
    folder,
    settings: { ...model.settings, 'palimpsest.compaction.strategyFiles': [path] },
  });
  const { page, panel } = host;
  const dialog = page.locator('.monaco-dialog-box');
  const notice = (text: string | RegExp) => panel.locator('.row.notice', { hasText: text });
  const compactions = () => entriesOf(host, 'compaction').map(({ strategy }) => strategy);
  model.plan('notes.md', 4, 'Four readings.');
  await ask(panel, 'read the notes');

  // The workspace names a file: it is not known, and the default is used.
  await send(panel, '/compact');
  await notice('palimpsest.compaction.strategyFiles names no file for it').waitFor();
  await expect.poll(compactions).toEqual(['layered']);
  assert.equal(existsSync(trace), false);
  await undoCompaction(panel);

  // The person's own file: in the menu as theirs, asked about with its path and its rights, used.
  const picker = panel.locator('button[title^="Compaction strategy"]').first();
  await picker.click();
  await panel.locator('.choice', { hasText: `Yours, from ${path}` }).waitFor();
  assert.equal(await panel.locator('.choice', { hasText: 'evil' }).count(), 0);
  await capture('strategy-file-01-picker');
  await picker.click();
  await chooseStrategy(panel, 'mine');
  await send(panel, '/compact');
  await dialog.filter({ hasText: path }).filter({ hasText: 'extension host with all its rights' }).waitFor();
  await capture('strategy-file-02-consent');
  await dialog.getByRole('button', { name: 'Allow' }).click();
  await expect.poll(compactions).toEqual(['layered', 'file/mine']);
  await undoCompaction(panel);

  // Broken: the line is told, and the version before is not used in its place.
  writeFileSync(path, `${HIDES}\nconst broken = ;\n`);
  await send(panel, '/compact');
  await notice(/has a syntax error in line 11: Unexpected token/).waitFor();
  await expect.poll(compactions).toEqual(['layered', 'file/mine', 'layered']);
  await capture('strategy-file-03-syntax-error');
  await undoCompaction(panel);

  // Mended, with other contents: asked about again.
  writeFileSync(path, `// mended\n${HIDES}`);
  await send(panel, '/compact');
  await dialog.getByRole('button', { name: 'Allow' }).click();
  await expect.poll(compactions).toEqual(['layered', 'file/mine', 'layered', 'file/mine']);
});

test('a program compacts once it is allowed, and its fault is told', { tag: '@K11' }, async ({
  startHost,
  startSteeredModel,
  makeFolder,
  capture,
}) => {
  const model = await startSteeredModel();
  const program = (body: string) => `#!/usr/bin/env node
process.stdin.once('data', (bytes) => {
  const { history } = JSON.parse(bytes);
  ${body}
});
`;
  const hides = `const messages = history.map(({ role, id }) => (role === 'tool' ? { hide: id } : id));
  console.log(JSON.stringify({ type: 'result', messages }));`;
  const path = join(makeFolder({ 'mine.tool': program(hides) }), 'mine.tool');
  const host = await startHost({
    folder: makeFolder({ 'notes.md': lines }),
    settings: { ...model.settings, 'palimpsest.compaction.strategyFiles': [path] },
  });
  const { page, panel } = host;
  const dialog = page.locator('.monaco-dialog-box');
  const compactions = () => entriesOf(host, 'compaction').map(({ strategy }) => strategy);
  model.plan('notes.md', 4, 'Four readings.');
  await ask(panel, 'read the notes');
  await chooseStrategy(panel, 'mine');
  await send(panel, '/compact');
  await dialog.filter({ hasText: path }).filter({ hasText: 'is run by node with all your rights' }).waitFor();
  await capture('strategy-program-01-consent');
  await dialog.getByRole('button', { name: 'Allow' }).click();
  await expect.poll(compactions).toEqual(['file/mine']);
  await undoCompaction(panel);

  writeFileSync(path, program("console.log('no idea');"));
  await send(panel, '/compact');
  await dialog.getByRole('button', { name: 'Allow' }).click();
  await panel.locator('.row.notice', { hasText: 'it wrote a line that is no JSON: no idea' }).waitFor();
  await capture('strategy-program-02-fault');
});

test('no strategy file is loaded in Restricted Mode', { tag: '@K11' }, async ({
  startHost,
  startSteeredModel,
  makeFolder,
}) => {
  const model = await startSteeredModel();
  const own = makeFolder();
  const path = join(own, 'mine.js');
  const trace = join(own, 'trace');
  writeFileSync(path, tracing(trace));
  const host = await startHost({
    folder: makeFolder({ 'notes.md': lines }),
    workspaceTrust: true,
    settings: { ...model.settings, 'palimpsest.compaction.strategyFiles': [path] },
  });
  const { panel } = host;
  model.plan('notes.md', 4, 'Four readings.');
  await ask(panel, 'read the notes');
  await chooseStrategy(panel, 'mine');
  await send(panel, '/compact');
  await panel.locator('.row.notice', { hasText: 'are not loaded in Restricted Mode' }).waitFor();
  await expect.poll(() => entriesOf(host, 'compaction').map(({ strategy }) => strategy)).toEqual(['layered']);
  assert.equal(existsSync(trace), false);
});

test('a new strategy file is tried on the session, again at each save', { tag: '@K11' }, async ({
  startHost,
  startSteeredModel,
  makeFolder,
  capture,
}) => {
  const model = await startSteeredModel();
  const path = join(makeFolder(), 'fresh.js');
  const host = await startHost({
    folder: makeFolder({ 'notes.md': lines }),
    // A line that is wrapped is drawn as several.
    settings: { ...model.settings, '[markdown]': { 'editor.wordWrap': 'off' } },
  });
  const { page, panel } = host;
  const dialog = page.locator('.monaco-dialog-box');
  const allow = () => dialog.getByRole('button', { name: 'Allow' }).click();
  const shows = (text: string) => pageFrame(host).getByText(text).first().waitFor();
  model.plan('notes.md', 4, 'Four readings.');
  await ask(panel, 'read the notes');

  await runCommand(page, 'Palimpsest: New Strategy…');
  await choosePath(page, path, 'save');
  await expectSetting(host, 'palimpsest.compaction.strategyFiles', [path]);
  await page
    .locator('.editor-instance .view-lines', { hasText: 'A compaction strategy for Palimpsest, in one file.' })
    .waitFor();
  await runCommand(page, 'Palimpsest: Try on This Session');
  await allow();
  await shows('Hidden behind a placeholder');
  await capture('strategy-file-04-tried');

  const written = readFileSync(path, 'utf8');
  writeFileSync(path, written.replace('default: 4000', 'default: 400000'));
  await allow();
  await shows('The strategy found nothing to compact.');
  writeFileSync(path, written.replace('default: 4000', 'default: ;'));
  await shows('has a syntax error in line 21: Unexpected token');
  await capture('strategy-file-05-syntax-error');
  // As it was at first: allowed already, so nobody is asked.
  writeFileSync(path, written);
  await shows('Hidden behind a placeholder');
  assert.equal(entriesOf(host, 'compaction').length, 0);

  // Its own setting: typed it holds for the page, kept it is the person's, with the fault of another named.
  const field = pageFrame(host).getByLabel('fresh.longest');
  await field.fill('50');
  await field.press('Enter');
  await shows('It must be at least 100.');
  await field.fill('400000');
  await field.press('Enter');
  await shows('The strategy found nothing to compact.');
  await capture('strategy-file-06-settings');
  await pageFrame(host).getByRole('button', { name: 'Keep These Settings' }).click();
  await expectSetting(host, 'palimpsest.compaction.fileSettings', { 'fresh.longest': 400_000 });
});

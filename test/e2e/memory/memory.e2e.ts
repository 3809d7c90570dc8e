/**
 * What the model is always told: memory files of the folder, deeper ones when a file below them is read, and standing
 * orders, which outlive a compaction, are listed, changed and moved to AGENTS.md.
 */

import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ask, send, waitUntilIdle } from '../support/panel.ts';
import { lastTurn } from '../support/requests.ts';
import { expect, test } from '../support/scenario.ts';
import { answerQuickInput, editorText, quickPick, runCommand } from '../support/workbench.ts';

const NOTES = 'remember the milk\n'.repeat(400);
const ORDER = 'Never touch the parser.';

test('memory files and standing orders', { tag: ['@everyday', '@C1', '@B14', '@item:14', '@item:22'] }, async ({
  startHost,
  startSteeredModel,
  makeFolder,
  capture,
}) => {
  const model = await startSteeredModel();
  model.summary = 'Files were read.';
  const host = await startHost({
    share: true,
    folder: makeFolder({ 'AGENTS.md': '# Rules\n\nUse tabs.\n', 'notes.md': NOTES }),
    // The message that said it must leave.
    settings: { ...model.settings, 'palimpsest.compaction.strategy': 'llm-summary' },
  });
  const { page, panel, folder } = host;
  mkdirSync(join(folder, 'packages'));
  writeFileSync(join(folder, 'packages/AGENTS.md'), 'Packages are private.\n');
  writeFileSync(join(folder, 'packages/index.ts'), 'export {};\n');
  const told = () => lastTurn(model.server).messages[0]?.text ?? '';
  // A compaction leaves the header as it is: the list of orders stands in the conversation.
  const listed = () =>
    lastTurn(model.server).messages.find(({ text }) => text.includes('standing orders from earlier'))?.text ?? '';

  model.plan('packages/index.ts', 1, 'It is empty.');
  await ask(panel, `Look at packages/index.ts. ${ORDER}`);
  expect(told()).toContain('Use tabs.');
  expect(told()).not.toContain('Packages are private.');

  // A deeper file is told from the next turn on, and the panel says so.
  model.plan('notes.md', 5, 'Milk.');
  await ask(panel, 'and the notes?');
  await panel.locator('.row.notice', { hasText: 'packages/AGENTS.md' }).waitFor();
  expect(told()).toContain('Packages are private.');
  expect(told()).not.toContain(ORDER);
  await capture('memory-1-noted');

  await send(panel, '/memory');
  await quickPick(page, 'packages/AGENTS.md').waitFor();
  await quickPick(page, ORDER).waitFor();
  await capture('memory-2-list');
  await quickPick(page, 'packages/AGENTS.md').click();
  await expect.poll(() => editorText(page)).toContain('Packages are private.');

  // The message that said it leaves, and the order stays.
  await send(panel, '/compact');
  await panel.locator('.row.compaction').first().waitFor();
  await waitUntilIdle(panel);
  model.plan('notes.md', 1, 'Still milk.');
  await ask(panel, 'once more');
  expect(listed()).toContain(`- ${ORDER}`);
  expect(told()).not.toContain(ORDER);

  // Changed from the list by keyboard.
  await runCommand(page, 'Palimpsest: Show Memory');
  await quickPick(page, ORDER).click();
  await quickPick(page, 'Change…').click();
  await answerQuickInput(page, 'Change Standing Order', 'Never touch the parser or the lexer.');
  model.plan('notes.md', 1, 'Milk again.');
  await ask(panel, 'and now?');
  expect(lastTurn(model.server).text).toContain('- Never touch the parser or the lexer.');

  // Moved to AGENTS.md, it is a rule of the folder and no longer this session’s.
  await runCommand(page, 'Palimpsest: Show Memory');
  await quickPick(page, 'the lexer').click();
  await capture('memory-3-order');
  await quickPick(page, 'Move to AGENTS.md').click();
  await expect
    .poll(() => readFileSync(join(folder, 'AGENTS.md'), 'utf8'))
    .toBe('# Rules\n\nUse tabs.\n- Never touch the parser or the lexer.\n');
  model.plan('notes.md', 1, 'Milk for ever.');
  await ask(panel, 'the last time');
  const header = told();
  assert.equal(header.split('Never touch the parser or the lexer.').length, 2);
  expect(header).toContain('Use tabs.\n- Never touch');
  await capture('memory-4-promoted');
});

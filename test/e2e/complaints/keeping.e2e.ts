/** Complaints about what is lost: work, rules, history, and the say of the person in it. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openContext, pageFrame } from '../support/host.ts';
import { entriesOf } from '../support/journals.ts';
import {
  ask,
  askAndAllow,
  countEntries,
  scrollToStart,
  send,
  undoCompaction,
  waitUntilIdle,
} from '../support/panel.ts';
import { lastTurn } from '../support/requests.ts';

import { expect, note, test } from './complaint.ts';

test('finished work is not done again after a compaction', { tag: ['@everyday', '@complaint:1'] }, async ({
  begin,
  capture,
}) => {
  const { model, host, read } = await begin();
  const { panel } = host;
  model.planCall('write_file', { path: 'done.md', content: 'Done once.\n' }, 'The first task is done.');
  await askAndAllow(panel, 'The first task: write done.md.');
  await read('The second task: read the notes.', [0, 1, 2, 3, 4, 5], 'The second task is done.');
  expect(entriesOf(host, 'compaction').length).toBeGreaterThan(0);
  await read('The third task: say hello.', [], 'Hello.');
  await capture('complaint-01-done-once');

  const { messages, text } = lastTurn(model.server);
  expect(text, 'the model is told what was written').toContain('done.md');
  expect(messages.at(-1)?.text, 'and asked for what the person wants now').toContain('The third task: say hello.');
  const written = entriesOf(host, 'message').filter(
    ({ message }) => message.role === 'tool' && message.toolName === 'write_file',
  );
  expect(written).toHaveLength(1);
  expect(readFileSync(join(host.folder, 'done.md'), 'utf8')).toBe('Done once.\n');
  // Two requests for the first task, seven for the second, one for the third: a compaction asks for nothing more.
  expect(entriesOf(host, 'request').filter(({ purpose }) => purpose === 'turn')).toHaveLength(10);
});

test('rules, AGENTS.md and standing orders are told after every compaction', {
  tag: ['@everyday', '@complaint:2'],
}, async ({ begin, capture }) => {
  const { model, host, read } = await begin({}, { 'AGENTS.md': '# Rules\n\nUse tabs.\n' });
  await read('Never touch the parser. Read the notes.', [0, 1, 2, 3, 4, 5], 'All are read.');
  await read('And the others.', [6, 7, 8, 0, 1, 2], 'Those, too.');
  expect(entriesOf(host, 'compaction').length).toBeGreaterThan(1);
  await read('What are the rules?', [], 'Tabs, and no parser.');
  await capture('complaint-02-rules');
  const { messages, text } = lastTurn(model.server);
  expect(messages[0]?.role).toBe('system');
  expect(messages[0]?.text).toContain('Use tabs.');
  expect(text).toContain('Never touch the parser.');
});

test('a compaction is taken back, and the context is the one before it', {
  tag: ['@everyday', '@complaint:6', '@item:9'],
}, async ({ begin, capture }) => {
  const { model, host, read } = await begin();
  const { panel } = host;
  await read('Read two notes.', [0, 1], 'Two are read.');
  const before = lastTurn(model.server).messages.map(({ whole }) => whole);
  await send(panel, '/compact');
  await panel.locator('.row.compaction').waitFor();
  await waitUntilIdle(panel);
  await undoCompaction(panel);
  await panel.getByRole('button', { name: /^Redo this compaction/ }).click();
  await undoCompaction(panel);
  await read('Go on.', [], 'I am.');
  await capture('complaint-06-taken-back');
  const after = lastTurn(model.server).messages.map(({ whole }) => whole);
  expect(after.slice(0, before.length)).toEqual(before);
});

test('what is kept is seen and changed before it is applied, and seen after', {
  tag: ['@everyday', '@complaint:7'],
}, async ({ begin, capture }) => {
  // Three notes are little, and this server has no cache: else they are compacted while they are read.
  const { model, host, read } = await begin({ 'palimpsest.compaction.layered.whenItPays': false });
  const { panel } = host;
  await read('Read three notes.', [0, 1, 2], 'Three are read.');
  const preview = await openContext(host, 'Preview');
  await preview.getByRole('button', { name: 'Layered', exact: true }).click();
  const first = preview.getByRole('group', { name: /^Result of “Read file”/ }).first();
  await first.getByRole('button', { name: 'Keep' }).click();
  await expect(first.locator('[aria-pressed=true]')).toHaveText('Keep');
  await capture('complaint-07-changed');
  expect(entriesOf(host, 'compaction')).toEqual([]);
  await preview.getByRole('button', { name: 'Apply' }).click();
  const row = panel.locator('.row.compaction');
  await expect(row).toContainText('changed by hand');
  await row.getByRole('button').first().click();
  await row.getByRole('button', { name: 'What the model sees…' }).click();
  await pageFrame(host).getByRole('cell', { name: 'System prompt', exact: true }).waitFor();
  await capture('complaint-07-what-the-model-sees');
  await read('Go on.', [], 'I am.');
  expect(lastTurn(model.server).text).toContain('- note 0.200: retries wait longer each time');
});

test('what was compacted away is found again by the model and by the person', {
  tag: ['@everyday', '@complaint:10', '@B22'],
}, async ({ begin, capture }) => {
  const { model, host, read } = await begin();
  const { panel } = host;
  await read('Read the notes.', [0, 1, 2, 3, 4, 5], 'All are read.');
  await read('And these.', [6, 7, 8], 'These, too.');
  expect(entriesOf(host, 'compaction').length).toBeGreaterThan(0);
  const line = 'note 0.137: retries wait longer each time';
  expect(lastTurn(model.server).text).not.toContain(line);

  model.planCall('recall', { query: 'note 0.137' }, 'Found.');
  await ask(panel, 'What did line 137 of the first note say?');
  expect(lastTurn(model.server).messages.at(-1)?.text).toContain(line);

  // The file has changed since it was read: the refusal of an edit says what it holds now, and what it held.
  const path = join(host.folder, note(0));
  writeFileSync(path, readFileSync(path, 'utf8').replaceAll('longer each time', 'longer, up to a minute'));
  model.planCall('edit_file', { path: note(0), old_string: `- ${line}`, new_string: '-' }, 'It changed.');
  await ask(panel, 'Take line 137 out.');
  const refusal = lastTurn(model.server).messages.at(-1)?.text;
  expect(refusal).toContain('- note 0.137: retries wait longer, up to a minute');
  expect(refusal).toMatch(/m\d+ \(result of read_file\), which a compaction took from view/);
  expect(refusal).toContain(`- ${line}`);

  // The row of a compaction counts what is read again because of it.
  await read('Read the last again.', [6, 7], 'Read again.');
  const repeated = panel.locator('.row.compaction', { hasText: /\d reads? repeated, [\d,.]+k? tokens/ });
  await repeated.last().waitFor();
  await capture('complaint-10-read-again');

  expect(await countEntries(panel)).toBeGreaterThan(9);
  await scrollToStart(panel);
  await panel.locator('.row.user', { hasText: 'Read the notes.' }).waitFor();
  await panel
    .locator('.row.tool', { hasText: note(0) })
    .first()
    .locator('.tool-toggle')
    .press('Enter');
  await panel.getByText('note 0.3: retries').first().waitFor();
  await capture('complaint-10-looked-up');
});

test('a single result is pinned, another one dropped', { tag: ['@everyday', '@complaint:15'] }, async ({
  begin,
  capture,
}) => {
  // As above: nothing but the person compacts here.
  const { model, host, read } = await begin({ 'palimpsest.compaction.layered.whenItPays': false });
  const { panel } = host;
  await read('Read three notes.', [0, 1, 2], 'Three are read.');

  const pinned = panel.locator('.row.tool', { hasText: note(0) });
  await scrollToStart(panel);
  await pinned.hover();
  await pinned.getByRole('button', { name: 'Pin: no compaction may touch this' }).click();
  await pinned.getByRole('button', { name: 'Unpin' }).waitFor();

  const preview = await openContext(host, 'Preview');
  await preview.getByRole('button', { name: 'Layered', exact: true }).click();
  const shown = preview.getByRole('group', { name: /^Result of “Read file”/ });
  await shown.nth(1).getByRole('button', { name: 'Drop' }).click();
  await shown.nth(2).getByRole('button', { name: 'Keep' }).click();
  await capture('complaint-15-one-by-one');
  await pageFrame(host).getByRole('button', { name: 'Apply' }).click();
  await panel.locator('.row.compaction').waitFor();

  await read('Go on.', [], 'I am.');
  const results = lastTurn(model.server).messages.filter(({ role }) => role === 'tool');
  const text = results.map((result) => result.text).join('\n');
  expect([0, 1, 2].map((nth) => text.includes(`- note ${nth}.200:`))).toEqual([true, false, true]);
});

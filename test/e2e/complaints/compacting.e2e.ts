/** Complaints about when and how a compaction runs: too early, in a loop, for ever, against a person's will. */

import { entriesOf } from '../support/journals.ts';
import { ask, send, waitUntilIdle } from '../support/panel.ts';
import { lastTurn } from '../support/requests.ts';
import { quickPick, runCommand } from '../support/workbench.ts';
import { expect, reading, saying, test, WINDOW } from './complaint.ts';

test('a compaction that fails leaves no session stuck', { tag: ['@everyday', '@complaint:3'] }, async ({
  begin,
  capture,
}) => {
  const { model, host, read } = await begin();
  model.failSummaries = true;
  await read('Read the notes.', [0, 1, 2, 3, 4, 5], 'All are read.');
  expect(model.summaries).toBeGreaterThan(0);
  expect(entriesOf(host, 'compaction').length).toBeGreaterThan(0);
  await read('Once more, the last two.', [6, 7], 'They are read, too.');
  await capture('complaint-03-not-stuck');
  expect(lastTurn(model.server).messages.at(-1)?.role).toBe('tool');
});

test('a compaction that cannot free enough does not loop', { tag: ['@everyday', '@complaint:4'] }, async ({
  begin,
  capture,
}) => {
  const { model, host } = await begin();
  const { panel } = host;
  const composer = panel.getByRole('combobox', { name: 'Message' });
  // What a person has just written stays, and this alone is more than the window.
  await composer.fill(`${'Nothing of this may be left out. '.repeat(3_000)}What do you say?`);
  await composer.press('Enter');
  await panel.locator('.meter-fixed', { hasText: /Your latest message takes .* no compaction removes it/ }).waitFor();
  await waitUntilIdle(panel);
  await capture('complaint-04-no-loop');
  expect(entriesOf(host, 'compaction').length).toBeLessThanOrEqual(1);
  expect(model.server.requests.filter(({ body }) => body.messages !== undefined).length).toBeLessThanOrEqual(2);
});

test('it runs when the window of the model in use is nearly full, not before', {
  tag: ['@everyday', '@complaint:5'],
}, async ({ serve, open, capture }) => {
  const { server, planned } = await serve('large', 'small');
  const models = [
    { name: 'large', contextWindow: 200_000 },
    { name: 'small', contextWindow: WINDOW },
  ];
  const host = await open({
    'palimpsest.endpoints': [{ id: 'two', baseUrl: server.baseUrl, models }],
    'palimpsest.model': 'large@two',
  });
  const { page, panel } = host;
  const meter = panel.locator('.meter-numbers');

  planned.push(...[0, 1, 2, 3, 4, 5].map(reading), saying('All are read.'));
  await ask(panel, 'Read the notes.');
  await expect(meter).toHaveText(/\/ 200k/);
  expect(entriesOf(host, 'compaction'), 'more than the small window, and a tenth of this one').toEqual([]);

  await runCommand(page, 'Palimpsest: Choose Model…');
  await quickPick(page, 'small').click();
  await expect(meter).toHaveText(/\/ 16k/);
  planned.push(saying('Good.'));
  await ask(panel, 'Thank you.');
  const [made, ...more] = entriesOf(host, 'compaction');
  expect(made?.tokensBefore).toBeGreaterThan(WINDOW);
  expect(made?.tokensAfter).toBeLessThan(WINDOW);
  expect(more).toEqual([]);

  // From here on it runs where the meter has its mark: not at the half, and before the end.
  planned.push(...[6, 7, 8, 0, 1, 2].map(reading), saying('Read on.'));
  await ask(panel, 'Read on.');
  await capture('complaint-05-the-right-window');
  const later = entriesOf(host, 'compaction').slice(1);
  expect(later.length).toBeGreaterThan(0);
  for (const { tokensBefore } of later) expect(tokensBefore).toBeGreaterThan(0.6 * WINDOW);
});

test('there is a threshold, and a switch', { tag: ['@everyday', '@complaint:8'] }, async ({ begin, capture }) => {
  const off = await begin({ 'palimpsest.compaction.auto': false });
  // This server takes more than its window says, so nothing but the person decides.
  await off.read('Read the notes.', [0, 1, 2, 3, 4, 5], 'All are read.');
  await capture('complaint-08-switched-off');
  expect(entriesOf(off.host, 'compaction')).toEqual([]);

  const early = await begin({ 'palimpsest.contextWindow': 40_000, 'palimpsest.compaction.trigger.ratio': 0.4 });
  await early.read('Read the notes.', [0, 1, 2, 3, 4, 5], 'All are read.');
  await capture('complaint-08-at-forty-percent');
  const [made] = entriesOf(early.host, 'compaction');
  expect(made?.tokensBefore).toBeGreaterThan(0.4 * 40_000);
  expect(made?.tokensBefore).toBeLessThan(0.6 * 40_000);
});

test('a person goes on writing while it compacts, and can stop it', {
  tag: ['@everyday', '@complaint:12', '@item:3'],
}, async ({ serve, open, capture }) => {
  const served = await serve('writer');
  const { server, planned } = served;
  served.summary = { kind: 'silence' };
  const host = await open({
    'palimpsest.endpoints': [
      { id: 'one', baseUrl: server.baseUrl, models: [{ name: 'writer', contextWindow: WINDOW }] },
    ],
    'palimpsest.model': 'writer@one',
    'palimpsest.compaction.strategy': 'llm-summary',
  });
  const { panel } = host;
  const composer = panel.getByRole('combobox', { name: 'Message' });
  planned.push(reading(0), reading(1), saying('Two are read.'));
  await ask(panel, 'Read two notes.');

  await send(panel, '/compact');
  await panel.getByRole('button', { name: /^Stop/ }).waitFor();
  await composer.fill('What I thought of meanwhile');
  await capture('complaint-12-writing-meanwhile');
  await panel.getByRole('button', { name: /^Stop/ }).click();
  await waitUntilIdle(panel);
  await expect(composer).toHaveValue('What I thought of meanwhile');
  expect(entriesOf(host, 'compaction'), 'nothing was done by halves').toEqual([]);
  planned.push(saying('That is good.'));
  await composer.press('Enter');
  await panel.locator('.row.assistant', { hasText: 'That is good.' }).waitFor();
});

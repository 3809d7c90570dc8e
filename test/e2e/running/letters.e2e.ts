/**
 * Forty sentences in VS Code itself, typed at random moments before, while and after something is asked: nothing is answered, and
 * no letter is lost. Then one key leads to the card, and one answers it.
 */

import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { ROOT } from '../../../scripts/paths.ts';
import type { Random } from '../../../src/core/seededRandom.ts';
import type { Reply } from '../../support/modelServer/modelServerReply.ts';
import type { Window } from '../support/host.ts';
import { CARD_KEY, send, waitUntilIdle } from '../support/panel.ts';
import { expect, test } from '../support/scenario.ts';
import { chooseSeed, SENTENCES, Writer } from '../support/sentences.ts';

const EVERYTHING = join(ROOT, 'node_modules/@modelcontextprotocol/server-everything/dist/index.js');

/** Pieces of text before a call, and the pause between two, so that the card comes at some moment of a sentence. */
const MOST_PIECES = 12;
const PIECE_MS = 40;

function begin() {
  const { seed, random } = chooseSeed();
  console.log(`seed ${seed}`);
  test.info().annotations.push({ type: 'seed', description: String(seed) });
  return random;
}

/** A text of random length, and then the call. */
function callLater(random: Random, name: string, input: object): Reply {
  const text = 'word '.repeat(1 + Math.floor(random() * MOST_PIECES));
  return { kind: 'answer', text, pieceDelayMs: PIECE_MS, calls: [{ name, arguments: input }] };
}

/** Types one sentence while the card comes and one before it, and declines by key. */
async function typeAround({ page, panel }: Window, writer: Writer, pair: typeof SENTENCES): Promise<void> {
  const composer = panel.getByRole('combobox', { name: 'Message' });
  const card = panel.locator('[data-asks]');
  let text = '';
  for (const sentence of pair) {
    await writer.write(sentence, async () => undefined);
    text += sentence.text;
    await card.waitFor();
    expect(await composer.inputValue()).toBe(text);
  }
  await expect(composer).toBeFocused();
  expect(await panel.locator('.approval-rule').count()).toBe(0);
  await page.keyboard.press(CARD_KEY);
  await expect(panel.locator('[data-entered]')).toHaveCount(1);
  await composer.fill('');
}

test('forty sentences around cards of every kind answer nothing and lose no letter', { tag: '@item:7' }, async ({
  startHost,
  startSteeredModel,
  makeFolder,
  atEnd,
  capture,
}) => {
  const random = begin();
  const fetched: string[] = [];
  const server = createServer(({ url = '' }, response) => {
    fetched.push(url);
    response.end('text');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(() => server.close());
  const { port } = server.address() as AddressInfo;
  const model = await startSteeredModel();
  const host = await startHost({
    folder: makeFolder({ 'a.txt': 'a\n' }),
    settings: {
      ...model.settings,
      'palimpsest.mcp.servers': { everything: { command: process.execPath, args: [EVERYTHING] } },
    },
  });
  const { page, panel, folder } = host;
  const composer = panel.getByRole('combobox', { name: 'Message' });
  const writer = await Writer.at(page, random);
  const kinds: readonly (readonly [name: string, input: object])[] = [
    ['run_command', { command: 'node -p 6*7 && node --version' }],
    ['edit_file', { path: 'a.txt', edits: [{ old_string: 'a', new_string: 'b' }] }],
    ['delete_file', { path: 'a.txt' }],
    ['fetch_url', { url: `http://127.0.0.1:${port}/page` }],
    ['mcp__everything__get-sum', { a: 2, b: 40 }],
    ['ask_user', { question: 'Which one?', choices: [{ label: 'This' }, { label: 'That' }] }],
    ['present_plan', { plan: '# Write b' }],
  ];
  for (let round = 0; round < SENTENCES.length / 2; round++) {
    const [name, input] = kinds[round % kinds.length] ?? ['', {}];
    await test.step(`${round}: ${name}`, async () => {
      if (name === 'present_plan') await send(panel, '/mode plan');
      model.planReplies(callLater(random, name, input), { kind: 'answer', text: `Round ${round} is over.` });
      await send(panel, `Round ${round}`);
      await typeAround(host, writer, SENTENCES.slice(round * 2, round * 2 + 2));
      if (round < kinds.length) await capture(`letters-${name}`);
      const card = panel.locator('[data-asks]');
      if (name === 'ask_user') await card.getByRole('button', { name: 'No answer' }).click();
      else {
        await page.keyboard.press(CARD_KEY);
        await page.keyboard.press('n');
      }
      await panel.locator('.row.assistant', { hasText: `Round ${round} is over.` }).waitFor();
      await waitUntilIdle(panel);
      await expect(composer).toBeFocused();
      expect(await composer.inputValue()).toBe('');
      if (name === 'present_plan') await send(panel, '/mode act');
    });
  }
  expect([readFileSync(join(folder, 'a.txt'), 'utf8'), fetched]).toEqual(['a\n', []]);
  const results = model.server.requests.flatMap(({ body }) => JSON.stringify(body));
  expect(results.filter((text) => /The sum of 2 and 40|The person answered|Exit code/.test(text))).toEqual([]);

  // Two keys are all that an answer takes.
  model.planReplies(callLater(random, 'run_command', { command: 'node -p 6*7' }), { kind: 'answer', text: 'It ran.' });
  await send(panel, 'Run it');
  await panel.locator('.approval').waitFor();
  await page.keyboard.press(CARD_KEY);
  await page.keyboard.press('y');
  await panel.locator('.row.assistant', { hasText: 'It ran.' }).waitFor();
  await expect(composer).toBeFocused();
});

test('sentences around the question before a compaction drop nothing', async ({
  startHost,
  startSteeredModel,
  makeFolder,
  capture,
}) => {
  const random = begin();
  const model = await startSteeredModel();
  const host = await startHost({
    share: true,
    folder: makeFolder({ 'long.md': 'note: what was decided on that day, in a line of some length\n'.repeat(260) }),
    settings: {
      ...model.settings,
      'palimpsest.contextWindow': 16_000,
      'palimpsest.compaction.strategy': 'llm-summary',
      'palimpsest.compaction.requireConfirmation': true,
      'palimpsest.compaction.trigger.perModel': { '*': 'holdGrowth 0.01' },
    },
  });
  const { page, panel } = host;
  const composer = panel.getByRole('combobox', { name: 'Message' });
  const writer = await Writer.at(page, random);
  model.plan('long.md', 20, 'Never reached.');
  await send(panel, 'Read the notes');
  for (let round = 0; round < 5; round++) {
    await typeAround(host, writer, SENTENCES.slice(round * 4, round * 4 + 2));
    if (round === 0) await capture('letters-consent');
    // The step before dropping takes no letter either: they go to the message field.
    await page.keyboard.press(CARD_KEY);
    await page.keyboard.press('d');
    await panel.locator('.approval-rule').waitFor();
    await page.keyboard.type('does that matter');
    expect(await composer.inputValue()).toBe('does that matter');
    await composer.fill('');
    await panel.locator('[data-answer=back]').click();
    const id = await panel.locator('.row.consent').getAttribute('data-asks');
    await page.keyboard.press('n');
    await panel.locator(`[data-asks="${id}"]`).waitFor({ state: 'detached' });
  }
  expect(await panel.locator('.row.compaction').count()).toBe(0);
  await panel.getByRole('button', { name: 'Stop (Esc)' }).click();
  await waitUntilIdle(panel);
});

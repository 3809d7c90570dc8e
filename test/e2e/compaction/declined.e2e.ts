/**
 * *Cancel* in the consent for a person's own strategy ends the compaction that asked for it: nothing else compacts in its
 * place unasked, by hand or by itself.
 */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { entriesOf } from '../support/journals.ts';
import { ask, send, waitUntilIdle } from '../support/panel.ts';
import { expect, test } from '../support/scenario.ts';

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
const lines = Array.from({ length: 120 }, (_, i) => `- note ${i}: retries wait longer each time`).join('\n');

test('Cancel in the consent for a strategy compacts nothing; what is too full is asked about in words', {
  tag: ['@everyday', '@K11'],
}, async ({ startHost, startSteeredModel, makeFolder, capture }) => {
  const model = await startSteeredModel();
  const path = join(makeFolder({ 'mine.js': HIDES }), 'mine.js');
  const host = await startHost({
    folder: makeFolder({ 'notes.md': lines }),
    settings: {
      ...model.settings,
      'palimpsest.compaction.strategyFiles': [path],
      'palimpsest.compaction.strategy': 'contributed',
      'palimpsest.compaction.contributedStrategy': 'file/mine',
    },
  });
  const { page, panel } = host;
  const dialog = page.locator('.monaco-dialog-box');
  const cancel = async () => {
    await dialog.filter({ hasText: path }).getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
  };
  const compactions = () => entriesOf(host, 'compaction').map(({ strategy }) => strategy);
  model.plan('notes.md', 4, 'Four readings.');
  await ask(panel, 'read the notes');
  const before = entriesOf(host, 'note').length;

  await send(panel, '/compact');
  await cancel();
  await waitUntilIdle(panel);
  await send(panel, '/compact keep the names');
  await dialog.filter({ hasText: path }).waitFor();
  await capture('declined-1-consent');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await waitUntilIdle(panel);
  assert.deepEqual([compactions(), entriesOf(host, 'note').length], [[], before]);
  assert.equal(await panel.locator('.row.notice').count(), 0);

  // Allowed the next time, as if nothing had been.
  await send(panel, '/compact');
  await dialog.getByRole('button', { name: 'Allow' }).click();
  await expect.poll(compactions).toEqual(['file/mine']);
});

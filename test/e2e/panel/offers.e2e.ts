/** Lines above the conversation that offer something or tell of other sessions: what they say, and what they ask of the host. */

import { deepEqual, equal } from 'node:assert/strict';
import type { PanelState } from '../../../src/protocol/messages.ts';
import { CONVERSATION, compaction, READY } from '../../support/panelScenes.ts';
import { type OpenPanel, test } from './panelTest.ts';

const ROOM: NonNullable<PanelState['room']> = {
  compaction: 9,
  model: 'gpt-5.5',
  before: 31_400,
  after: 142_000,
  price: { amount: 0.178, currency: 'USD' },
};
const rows = [...CONVERSATION, compaction('e40')];
const lines = ({ page }: OpenPanel) => page.locator('.banner .grow').allInnerTexts();

test.describe('a model with room for what was compacted', () => {
  for (const width of [280, 480, 660, 900]) {
    test.describe(`at ${width} pixels`, () => {
      test.use({ viewport: { width, height: 720 } });

      test('is one line with tokens and price, that brings it back or is not shown again', {
        tag: ['@everyday', '@item:27'],
      }, async ({ panel }) => {
        await panel.show({ ...READY, room: ROOM }, rows);
        deepEqual(await lines(panel), [
          'gpt-5.5 has room for what the last compaction took: 31k → 142k tokens, about $0.18 for the next message.',
        ]);
        await panel.posted();
        await panel.page.getByRole('button', { name: 'Bring back' }).click();
        await panel.page.getByRole('button', { name: 'Do not offer this again' }).click();
        deepEqual(await panel.posted(), [
          { type: 'roomAgain', compaction: 9, act: 'bringBack' },
          { type: 'roomAgain', compaction: 9, act: 'dismiss' },
        ]);
        const over = await panel.page.locator('.banner *').evaluateAll((all) => {
          return all.filter((each) => each.getBoundingClientRect().right > innerWidth).length;
        });
        equal(over, 0);
        await panel.show({ ...READY, room: { ...ROOM, price: null } }, rows);
        deepEqual(await lines(panel), [
          'gpt-5.5 has room for what the last compaction took: 31k → 142k tokens, at a price that is not known.',
        ]);
      });
    });
  }
});

test('another session that has ended has a line, after those that wait', { tag: '@item:16' }, async ({ panel }) => {
  const finished = { id: 's2', state: 'finished' } as const;
  await panel.show({ ...READY, others: [finished] }, CONVERSATION);
  deepEqual(await lines(panel), ['Another session has answered.']);
  await panel.posted();
  await panel.page.getByRole('button', { name: 'Show', exact: true }).click();
  deepEqual(await panel.posted(), [{ type: 'openSession', sessionId: 's2' }]);
  await panel.show({ ...READY, others: [finished, { id: 's3', state: 'stopped' }] }, CONVERSATION);
  deepEqual(await lines(panel), ['2 other sessions have ended.']);
  await panel.show({ ...READY, others: [finished, { id: 's3', state: 'waiting' }] }, CONVERSATION);
  deepEqual(await lines(panel), ['Another session waits for your answer.']);
  await panel.show({ ...READY, others: [{ id: 's3', state: 'working' }] }, CONVERSATION);
  deepEqual(await lines(panel), []);
});

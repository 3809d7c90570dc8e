/** Finding in the conversation, by key, in rows that are on the page, off it, and not loaded. */

import { deepEqual, equal, ok } from 'node:assert/strict';
import { findInRows } from '../../../src/node/session/findInRows.ts';
import type { Row } from '../../../src/protocol/rows.ts';
import { assistant, READY, tool, user } from '../../support/panelScenes.ts';
import { type OpenPanel, ofType, test } from './panelTest.ts';

const ALL: readonly Row[] = Array.from({ length: 400 }, (_, n): Row => {
  if (n === 20) return assistant('m20', 'An **owl** in the oldest part.');
  if (n === 150) return tool('m150', 'read_file', 'src/a.ts', { result: `${'line\n'.repeat(30)}the owl\n` });
  if (n === 399) return user('m399', 'Owl, and one more owl.');
  return n % 2 === 0 ? user(`m${n}`, `Question ${n}`) : tool(`m${n}`, 'read_file', `src/part${n}.ts`);
});

/** Answers what the panel asks as the extension does. */
async function answer(panel: OpenPanel): Promise<void> {
  const pageBefore = (id: string | null, count: number) => {
    const end = id === null ? ALL.length : ALL.findIndex((row) => row.id === id);
    const start = Math.max(0, end - count);
    return { rows: ALL.slice(start, end), more: start > 0 };
  };
  for (let turn = 0; turn < 10; turn++) {
    await panel.deliver();
    for (const message of await panel.posted()) {
      if (message.type === 'find') {
        const hits = await findInRows(message.query, pageBefore, () => true);
        await panel.deliver({ type: 'found', query: message.query, hits });
      } else if (message.type === 'loadRows') {
        const { rows, more } = pageBefore(message.beforeId, message.count);
        await panel.deliver({ type: 'olderRows', beforeId: message.beforeId, rows: [...rows], more });
      }
    }
  }
}

/** What is marked as looked at, with the text around it, if it is in sight. */
const looked = ({ page }: OpenPanel) =>
  page.evaluate(() => {
    const [range] = [...(CSS.highlights.get('sought') ?? [])] as Range[];
    const frame = document.querySelector('.conversation')?.getBoundingClientRect();
    const rect = range?.getBoundingClientRect();
    const row = range?.startContainer.parentElement?.closest<HTMLElement>('[data-row]')?.dataset.row;
    return {
      row,
      text: range?.toString(),
      inSight: !!rect && !!frame && rect.top >= frame.top && rect.bottom <= frame.bottom,
    };
  });

async function seek(panel: OpenPanel, text: string): Promise<void> {
  await panel.deliver({ type: 'act', act: 'find' });
  await panel.page.getByRole('textbox', { name: 'Find in the conversation' }).fill(text);
  await panel.page.waitForTimeout(250);
  await answer(panel);
}

const count = ({ page }: OpenPanel) => page.locator('.find-count').innerText();

test('all places are counted and gone through, also where rows are off the page or not loaded', {
  tag: ['@everyday', '@item:24'],
}, async ({ panel }) => {
  const { page } = panel;
  await panel.show(READY, ALL.slice(-120), true);
  await seek(panel, 'OWL');
  equal(await count(panel), '3 of 4');
  deepEqual(await looked(panel), { row: 'm399', text: 'Owl', inSight: true });
  const seen: unknown[] = [];
  for (let n = 0; n < 4; n++) {
    await page.keyboard.press('Enter');
    await answer(panel);
    seen.push([await count(panel), (await looked(panel)).row, (await looked(panel)).inSight]);
  }
  deepEqual(seen, [
    ['4 of 4', 'm399', true],
    ['1 of 4', 'm20', true],
    ['2 of 4', 'm150', true],
    ['3 of 4', 'm399', true],
  ]);
  await page.keyboard.press('Shift+Enter');
  await answer(panel);
  equal(await count(panel), '2 of 4');
  ok((await page.evaluate(() => document.querySelectorAll('*').length)) < 1_500);
});

test('nothing found says so; Esc closes the bar, takes the marks away and leaves the reader there', async ({
  panel,
}) => {
  const { page } = panel;
  await panel.show(READY, ALL.slice(-120), true);
  await seek(panel, 'kookaburra');
  equal(await count(panel), 'Nothing found');
  await seek(panel, 'owl');
  await page.getByRole('button', { name: 'Previous (Shift+Enter)' }).click();
  await answer(panel);
  const place = await page.locator('.conversation').evaluate((element) => element.scrollTop);
  await page.getByRole('textbox', { name: 'Find in the conversation' }).press('Escape');
  await panel.deliver();
  equal(await page.locator('.find').count(), 0);
  deepEqual(await page.evaluate(() => [...CSS.highlights.keys()]), []);
  ok(Math.abs((await page.locator('.conversation').evaluate((element) => element.scrollTop)) - place) <= 40);
  equal(ofType(await panel.posted(), 'stop').length, 0);
});

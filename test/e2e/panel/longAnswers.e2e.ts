/** Answers of thousands of paragraphs, items and cells: little of them is on the page, and nothing of them is lost. */

import { deepEqual, equal, ok } from 'node:assert/strict';
import { expect } from '@playwright/test';
import type { Row } from '../../../src/protocol/rows.ts';
import { assistant, READY, RUNNING, user } from '../../support/panelScenes.ts';
import { type OpenPanel, test } from './panelTest.ts';

const numbered = (count: number, line: (n: number) => string, between: string) =>
  Array.from({ length: count }, (_, n) => line(n + 1)).join(between);

const PARAGRAPHS = numbered(3_000, (n) => `Paragraph ${n} reads \`file${n}.ts\` and says **why** it waits.`, '\n\n');
const ITEMS = numbered(2_500, (n) => `${n}. item **${n}**`, '\n');
const TABLE = `| a | b | c |\n| - | - | - |\n${numbered(1_500, (n) => `| left ${n} | *middle* | right ${n} |`, '\n')}`;
const MARKS = numbered(4_000, (n) => `\`m${n}\``, ' ');
const ANSWERS = { paragraphs: PARAGRAPHS, items: ITEMS, table: TABLE, marks: MARKS };

const LIMIT = 1_500;

const elements = ({ page }: OpenPanel) =>
  page.evaluate(() =>
    Math.max(...[...document.querySelectorAll('.row')].map((row) => row.querySelectorAll('*').length)),
  );

const scrollTo = async (panel: OpenPanel, share: number) => {
  await panel.page
    .locator('.conversation')
    .evaluate((element, part) => element.scrollTo(0, (element.scrollHeight - element.clientHeight) * part), share);
  await panel.deliver();
};

test.describe('an answer without end', () => {
  for (const [name, text] of Object.entries(ANSWERS)) {
    test(`of ${name} takes no more than ${LIMIT} elements, wherever the reader is`, async ({ panel }) => {
      await panel.show(READY, [user('m0', 'All of it'), assistant('m1', text)]);
      const counts = [await elements(panel)];
      for (const share of [0.9, 0.5, 0.2, 0, 1]) {
        await scrollTo(panel, share);
        counts.push(await elements(panel));
      }
      ok(Math.max(...counts) <= LIMIT, `${counts}`);
      const words = (await panel.page.locator('.markdown').textContent())?.match(/\w+/g)?.length;
      equal(words, text.replaceAll(/^\d+\. /gm, '').match(/\w+/g)?.length);
    });
  }

  test('is drawn in full where it is read, and its items keep their numbers', async ({ panel }) => {
    await panel.show(READY, [assistant('m1', ITEMS)]);
    await scrollTo(panel, 0.5);
    const list = panel.page.locator('.markdown ol').first();
    await expect
      .poll(() =>
        list.evaluate((element) => {
          const edge = document.querySelector('.conversation')?.getBoundingClientRect();
          const seen = [...element.children].filter((item) => {
            const { top, bottom } = item.getBoundingClientRect();
            return bottom > (edge?.top ?? 0) && top < (edge?.bottom ?? 0);
          });
          return seen.some((item) => item.matches('.away'));
        }),
      )
      .toBe(false);
    // The number that the browser counts follows from the values of what stands for others.
    const wrong = await list.evaluate((element) => {
      let number = 0;
      return [...element.children].filter((item) => {
        number = (item as HTMLLIElement).value || number + 1;
        return !item.matches('.away') && item.textContent?.trim() !== `item ${number}`;
      }).length;
    });
    equal(wrong, 0);
  });

  test('is found in, however far away that is', async ({ panel }) => {
    const { page } = panel;
    await panel.show(READY, [assistant('m1', PARAGRAPHS)]);
    await panel.deliver({ type: 'act', act: 'find' });
    await page.locator('.find-text').fill('file700.ts');
    await expect.poll(async () => (await panel.posted()).some(({ type }) => type === 'find')).toBe(true);
    await panel.deliver({ type: 'found', query: 'file700.ts', hits: [{ rowId: 'm1', count: 1 }] });
    const code = page.locator('.markdown code', { hasText: /^file700\.ts$/ });
    await expect(code).toBeInViewport();
  });

  test('is copied whole, and a selection in it stays', async ({ panel }) => {
    const { page } = panel;
    await panel.show(READY, [assistant('m1', PARAGRAPHS)]);
    await page.locator('.row.assistant').hover();
    await panel.posted();
    await page.getByRole('button', { name: 'Copy answer' }).click();
    const copied = (await panel.posted()).find(({ type }) => type === 'copy');
    deepEqual(copied, { type: 'copy', text: PARAGRAPHS });
    await page.evaluate(() => document.getSelection()?.selectAllChildren(document.querySelector('.markdown') as Node));
    const selected = await page.evaluate(() => String(document.getSelection()));
    ok(selected.includes('Paragraph 1 reads file1.ts') && selected.includes('Paragraph 3000 reads'));
    await scrollTo(panel, 0.3);
    equal(await page.evaluate(() => String(document.getSelection())), selected);
  });

  test('is scrolled without a jump', async ({ panel }) => {
    await panel.show(READY, [assistant('m1', PARAGRAPHS)]);
    const jumps: number[] = [];
    const places = () =>
      panel.page.evaluate(() =>
        Object.fromEntries(
          [...document.querySelectorAll('.markdown > p')].map((each) => [
            each.textContent ?? '',
            each.getBoundingClientRect().top,
          ]),
        ),
      );
    for (let step = 0; step < 40; step++) {
      const before = await places();
      const by = step < 30 ? -260 : 170;
      await panel.page.locator('.conversation').evaluate((element, pixels) => element.scrollBy(0, pixels), by);
      await panel.deliver();
      const after = await places();
      for (const [text, top] of Object.entries(after)) {
        const moved = text in before ? Math.round(top - (before[text] ?? 0)) : -by;
        if (Math.abs(moved + by) > 1) jumps.push(moved);
      }
    }
    deepEqual(jumps, []);
  });

  test('streams into a page that stays small, with its end in sight', async ({ panel }) => {
    await panel.show(RUNNING, [{ ...assistant('live', ''), live: true } as Row]);
    const text = `${PARAGRAPHS}\n\n${ITEMS}`;
    let most = 0;
    for (let at = 0; at < text.length; at += 4_000) {
      await panel.deliver({ type: 'delta', rowId: 'live', text: text.slice(at, at + 4_000), reasoning: '' });
      most = Math.max(most, await elements(panel));
    }
    // What has just come in is put away a frame later.
    ok(most <= LIMIT + 1_000, String(most));
    await expect.poll(() => elements(panel)).toBeLessThanOrEqual(LIMIT);
    await expect(panel.page.locator('.markdown li', { hasText: 'item 2500' }).last()).toBeInViewport();
  });
});

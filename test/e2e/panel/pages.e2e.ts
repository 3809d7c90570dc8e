/** Pages in editor tabs: drawn from blocks in four themes, wide and narrow, and nothing in them runs. */

import { deepEqual, equal, ok } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type Axe from 'axe-core';
import { RESULTS } from '../../../scripts/paths.ts';
import { ATTACKS } from './attacks.ts';
import { type Bridge, choiceRow, EDITED, fieldOf, LAB, PAGE, tabbed, test } from './pageTest.ts';
import { settled } from './panelTest.ts';

for (const theme of ['dark', 'light', 'contrast', 'contrastLight'] as const) {
  test.describe(`in the theme ${theme}`, () => {
    test.use({ theme });

    for (const [name, shown] of [
      ['page', PAGE],
      ['preview', EDITED],
      ['lab', LAB],
      ['page among tabs', tabbed(PAGE, 'timeline')],
    ] as const) {
      test(`a ${name} is read by everyone, wide and narrow, and nothing reaches over its edge`, async ({ tab }) => {
        const { page } = tab;
        await tab.deliver(shown);
        if (shown === PAGE) await page.locator('summary').click();
        await settled(page);
        await page.evaluate(readFileSync(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8'));
        for (const width of [900, 280]) {
          await page.setViewportSize({ width, height: 1_200 });
          await settled(page);
          const found = await page.evaluate(async () => {
            const { violations } = await (window as unknown as { axe: typeof Axe }).axe.run();
            return violations.map(
              ({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`,
            );
          });
          deepEqual(found, [], `axe at ${width} px`);
          const over = await page.evaluate(() =>
            [...document.querySelectorAll<HTMLElement>('.report *')]
              // What is wider is read by going along it.
              .filter((each) => !each.closest('.plot, pre, .along'))
              .filter((each) => each.getBoundingClientRect().right > innerWidth + 1)
              .map((each) => `${each.localName}.${each.className}`),
          );
          deepEqual(over, [], `${width} px wide`);
          await page.screenshot({
            path: join(RESULTS, 'screenshots', `${name}-${theme}-${width}.png`),
            fullPage: true,
          });
        }
      });
    }
  });
}

test('its buttons say what was pressed, by keyboard too', async ({ tab }) => {
  const { page } = tab;
  await tab.deliver(PAGE);
  await tab.posted();
  await page.getByRole('button', { name: 'Apply' }).press('Enter');
  await page.getByRole('button', { name: 'Undo', exact: true }).press('Enter');
  await page.getByRole('button', { name: 'Compaction: 61k → 31k', exact: true }).press(' ');
  await page.getByRole('button', { name: 'Open as text' }).click();
  deepEqual(await tab.posted(), [
    { type: 'act', id: 'apply' },
    { type: 'act', id: 'undo' },
    { type: 'act', id: 'mark3' },
    { type: 'text' },
  ]);
});

test('what was opened and where the reader was are there again after the tab was hidden, and when it is drawn anew', async ({
  tab,
}) => {
  const { page } = tab;
  await page.setViewportSize({ width: 900, height: 300 });
  await tab.deliver(PAGE);
  equal(await page.locator('pre').count(), 0, 'what is closed is not drawn');
  await page.locator('summary').focus();
  await page.keyboard.press('Enter');
  await page.locator('pre').waitFor();
  await page.locator('.report').evaluate((element) => element.scrollTo(0, 200));
  await settled(page);
  await page.reload();
  await page.waitForFunction(() => (window as unknown as Bridge).posted.length > 0);
  await tab.deliver(PAGE);
  await page.locator('pre').waitFor();
  equal(await page.locator('.report').evaluate((element) => element.scrollTop), 200);
  await tab.deliver({ ...PAGE, subtitle: 'tried again' });
  equal(await page.locator('.report').evaluate((element) => element.scrollTop), 200);
  ok(await page.locator('pre').isVisible());
});

test('foreign text runs nothing and asks for nothing, wherever it stands', async ({ tab }) => {
  const { page } = tab;
  await page.evaluate(() => {
    Object.assign(window, { pwned: () => Object.assign(window, { harmed: true }) });
  });
  await tab.deliver(PAGE);
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  for (const attack of ATTACKS) {
    await tab.deliver({
      title: attack,
      subtitle: attack,
      blocks: [
        { kind: 'text', text: attack },
        { kind: 'facts', facts: [{ name: attack, value: attack }] },
        { kind: 'list', items: [attack] },
        { kind: 'code', text: attack },
        {
          kind: 'table',
          label: attack,
          columns: [{ title: attack }],
          rows: [[attack], [{ text: attack, act: attack.slice(0, 200) }], [{ text: attack, tone: 'user', share: 0.5 }]],
        },
        {
          kind: 'pinned',
          blocks: [
            {
              kind: 'meter',
              label: attack,
              of: 10,
              bars: [{ name: attack, parts: [{ label: attack, value: 3, tone: 'same' }] }],
              marks: [{ at: 5, label: attack }],
            },
            { kind: 'actions', actions: [{ id: attack.slice(0, 200), label: attack, off: true }] },
          ],
        },
        {
          kind: 'choices',
          label: attack,
          options: [{ id: 'keep', label: attack, key: 'k' }],
          rows: [
            choiceRow(attack.slice(0, 200), {
              title: attack,
              note: attack,
              text: attack,
              refused: [['keep', attack]],
              said: attack,
            }),
          ],
        },
        { kind: 'input', id: attack.slice(0, 200), label: attack, text: attack, version: 0 },
        {
          kind: 'fields',
          label: attack,
          fields: [
            fieldOf({ id: attack.slice(0, 200), label: attack, description: attack, value: attack, problem: attack }),
            fieldOf({ id: 'c', label: attack, input: 'choice', choices: [{ value: attack, label: attack }] }),
          ],
        },
        {
          kind: 'section',
          id: attack.slice(0, 200),
          title: attack,
          note: attack,
          fold: 'open',
          blocks: [{ kind: 'text', text: attack }],
        },
      ],
    });
  }
  deepEqual(asked, []);
  equal(await page.evaluate(() => 'harmed' in window), false);
});

test('tabs are gone along with the arrow keys, and the host shows what each is about', async ({ tab }) => {
  const { page } = tab;
  await tab.deliver(tabbed(PAGE, 'now'));
  await tab.posted();
  const named = (name: string) => page.getByRole('tab', { name });
  const isAt = async (name: string) => {
    equal(await page.evaluate(() => document.activeElement?.textContent), name);
    deepEqual(await tab.posted(), [{ type: 'tab', id: name.toLowerCase() }]);
    await tab.deliver(tabbed(name === 'Preview' ? EDITED : PAGE, name.toLowerCase()));
    equal(await named(name).getAttribute('aria-selected'), 'true');
    equal(await page.evaluate(() => document.activeElement?.textContent), name);
    equal(await page.getByRole('tabpanel', { name }).count(), 1);
  };
  await named('Now').focus();
  await page.keyboard.press('ArrowRight');
  await isAt('Timeline');
  await page.keyboard.press('End');
  await isAt('Totals');
  await page.keyboard.press('ArrowLeft');
  await isAt('Preview');
  await page.keyboard.press('Home');
  await isAt('Now');
  await page.keyboard.press('ArrowLeft');
  await isAt('Totals');
  // One stop of the Tab key for all of them.
  deepEqual(await page.locator('[role=tab][tabindex="0"]').allTextContents(), ['Totals']);
  // Another page is read from its beginning, and the same one from where the reader is.
  await page.setViewportSize({ width: 900, height: 300 });
  await tab.deliver(tabbed(LAB, 'totals'));
  const report = page.locator('.report');
  await report.evaluate((element) => element.scrollTo(0, 120));
  await tab.deliver(tabbed(LAB, 'totals'));
  equal(await report.evaluate((element) => element.scrollTop), 120);
  await tab.deliver(tabbed(LAB, 'timeline'));
  equal(await report.evaluate((element) => element.scrollTop), 0);
});

test('bars stand on each other, a sign says why, and the window is told from where a compaction starts', async ({
  page,
  tab,
}) => {
  const bars = (label: string, ...heights: number[]) => ({
    label,
    shape: 'bars' as const,
    points: heights.map((height, at): [number, number] => [at + 1, height]),
  });
  await tab.deliver({
    title: 'Timeline',
    subtitle: '',
    blocks: [
      {
        kind: 'chart',
        label: 'Reads',
        x: 'Requests',
        y: 'Tokens',
        series: [bars('New', 100, 40), bars('From the cache', 0, 60)],
        levels: [
          { y: 120, label: 'Compaction starts here' },
          { y: 160, label: 'Window: 160', limit: true },
        ],
        marks: [
          { x: 2, label: 'the tools changed', warning: true },
          { x: 1, label: 'only a line' },
        ],
      },
    ],
  });
  const drawn = await page.locator('.chart .stretched .bar').evaluateAll((all) =>
    all.map((bar) => {
      const number = (name: string) => Number(bar.getAttribute(name));
      return {
        x: Math.round(number('x')),
        bottom: Math.round(number('y') + number('height')),
        title: bar.textContent?.trim(),
      };
    }),
  );
  deepEqual(
    drawn.map(({ title }) => title),
    ['1 · New: 100', '2 · New: 40', '1 · From the cache: 0', '2 · From the cache: 60'],
  );
  const [first, second, , above] = drawn;
  equal(first?.bottom, second?.bottom);
  equal(above?.x, second?.x);
  ok((above?.bottom ?? 0) < (second?.bottom ?? 0));
  equal(await page.getByRole('img', { name: 'the tools changed' }).count(), 1);
  equal(await page.getByRole('img', { name: 'only a line' }).count(), 0);
  const strokes = await page
    .locator('.chart .level')
    .evaluateAll((all) => all.map((line) => getComputedStyle(line).strokeDasharray));
  equal(new Set(strokes).size, 2);
});

test('no sign of a chart lies over a name, wide and narrow', async ({ page, tab }) => {
  const points = Array.from({ length: 20 }, (_, at): [number, number] => [at, at * 1_000]);
  await tab.deliver({
    title: 'Timeline',
    subtitle: '',
    blocks: [
      {
        kind: 'chart',
        label: 'Timeline',
        x: 'Requests',
        y: 'Tokens',
        series: [{ label: 'Context', shape: 'line', points }],
        levels: [
          { y: 19_200, label: 'Compaction starts here' },
          { y: 24_000, label: 'Window: 24,000', limit: true },
        ],
        marks: [1, 10, 18.5].map((x) => ({ x, label: `Layered ${x}`, act: `look ${x}` })),
      },
    ],
  });
  for (const width of [900, 280]) {
    await page.setViewportSize({ width, height: 900 });
    await settled(page);
    const boxOf = async (name: string) => page.getByText(name, { exact: true }).boundingBox();
    for (const name of ['Window: 24,000', 'Compaction starts here', 'Context', 'Requests', 'Tokens']) {
      const box = await boxOf(name);
      ok(box, name);
      for (const sign of await page.locator('.moment-button').all()) {
        const over = await sign.boundingBox();
        const apart =
          !over ||
          over.x >= box.x + box.width ||
          over.x + over.width <= box.x ||
          over.y >= box.y + box.height ||
          over.y + over.height <= box.y;
        ok(apart, `${name} at ${width} px`);
      }
    }
  }
});

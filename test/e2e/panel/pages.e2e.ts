/** Pages in editor tabs: drawn from blocks in four themes, wide and narrow, read and used by keyboard. */

import { deepEqual, equal, ok } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page as BrowserPage } from '@playwright/test';
import type Axe from 'axe-core';
import { RESULTS } from '../../../scripts/paths.ts';
import type { FromPage, Page } from '../../../src/protocol/pages.ts';
import { ATTACKS } from './attacks.ts';
import { servedTest, settled } from './panelTest.ts';

const WORD = 'Donaudampfschifffahrtsgesellschaftskapitän'.repeat(2);

const PAGE: Page = {
  title: 'Preview of Hide tool results',
  subtitle: '61,200 → 31,000 tokens: 30,200 freed (49 %)',
  blocks: [
    { kind: 'text', text: 'Nothing changes until you apply it, and applying it can be undone.' },
    { kind: 'text', text: 'Another version of Palimpsest sent it.', tone: 'warning' },
    {
      kind: 'actions',
      actions: [
        { id: 'apply', label: 'Apply', primary: true },
        { id: 'other', label: 'Look at another strategy' },
      ],
    },
    {
      kind: 'facts',
      facts: [
        { name: 'Requests', value: '12' },
        { name: 'Cost', value: '$0.42' },
      ],
    },
    {
      kind: 'chart',
      label: 'Size of the session',
      x: 'Requests',
      y: 'Tokens',
      series: [
        {
          label: 'Context',
          shape: 'step',
          points: [
            [0, 3_000],
            [1, 22_000],
            [2, 61_000],
            [3, 31_000],
            [4, 44_000],
          ],
        },
        {
          label: 'From the cache',
          shape: 'line',
          points: [
            [0, 0],
            [1, 18_000],
            [2, 50_000],
            [3, 9_000],
            [4, 30_000],
          ],
        },
      ],
      levels: [{ y: 51_200, label: 'Compaction starts here' }],
      marks: [
        { x: 3, label: 'Compaction: 61k → 31k', act: 'mark3' },
        { x: 1.5, label: 'Undone compaction: 30k → 20k', act: 'mark1', faded: true },
      ],
    },
    {
      kind: 'table',
      label: 'Messages',
      columns: [
        { title: 'When' },
        { title: 'Tokens', align: 'right' },
        { title: 'Cached', align: 'right' },
        { title: 'Cause' },
        { title: '' },
      ],
      rows: [
        ['09:30', '1,200', '300', WORD, { text: 'Undo', act: 'undo' }],
        ['09:31', '31,200', '–', 'compaction (Hide tool results); system prompt or tools changed', ''],
      ],
    },
    {
      kind: 'beside',
      blocks: [
        {
          kind: 'section',
          id: 'goes',
          title: 'What is removed',
          fold: 'none',
          blocks: [{ kind: 'list', items: ['one', WORD] }],
        },
        {
          kind: 'section',
          id: 'stays',
          title: 'What stays',
          fold: 'none',
          blocks: [{ kind: 'text', text: 'the rest' }],
        },
      ],
    },
    {
      kind: 'section',
      id: 'part1',
      title: '1 · user',
      note: '40 tokens · m4 (user)',
      fold: 'closed',
      blocks: [{ kind: 'code', text: `Hello\n  there ${WORD}` }],
    },
  ],
};

interface Bridge {
  posted: FromPage[];
  violations: string[];
  deliver(message: unknown): void;
}

interface OpenPage {
  readonly page: BrowserPage;
  deliver(page: Page): Promise<void>;
  posted(): Promise<FromPage[]>;
}

const test = servedTest.extend<{ tab: OpenPage }>({
  viewport: { width: 900, height: 1_200 },
  tab: async ({ page, served, theme }, use) => {
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(error.message));
    page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
    await page.goto(served.url({ theme, script: 'pages' }));
    await page.waitForFunction(() => (window as unknown as Bridge).posted.length > 0);
    await use({
      page,
      deliver: async (shown) => {
        await page.evaluate((sent) => (window as unknown as Bridge).deliver(sent), { type: 'page', page: shown });
        await settled(page);
      },
      posted: () => page.evaluate(() => (window as unknown as Bridge).posted.splice(0)),
    });
    deepEqual(errors, []);
    deepEqual(await page.evaluate(() => (window as unknown as Bridge).violations), []);
  },
});

for (const theme of ['dark', 'light', 'contrast', 'contrastLight'] as const) {
  test.describe(`in the theme ${theme}`, () => {
    test.use({ theme });

    test('a page is read by everyone, wide and narrow, and nothing reaches over its edge', async ({ tab }) => {
      const { page } = tab;
      await tab.deliver(PAGE);
      await page.locator('summary').click();
      await settled(page);
      await page.evaluate(readFileSync(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8'));
      for (const width of [900, 280]) {
        await page.setViewportSize({ width, height: 1_200 });
        await settled(page);
        const found = await page.evaluate(async () => {
          const { violations } = await (window as unknown as { axe: typeof Axe }).axe.run();
          return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`);
        });
        deepEqual(found, [], `axe at ${width} px`);
        const over = await page.evaluate(() =>
          [...document.querySelectorAll<HTMLElement>('.report *')]
            .filter((each) => !each.closest('.plot, pre'))
            .filter((each) => each.getBoundingClientRect().right > innerWidth + 1)
            .map((each) => `${each.localName}.${each.className}`),
        );
        deepEqual(over, [], `${width} px wide`);
        await page.screenshot({ path: join(RESULTS, 'screenshots', `page-${theme}-${width}.png`), fullPage: true });
      }
    });
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
          rows: [[attack], [{ text: attack, act: attack.slice(0, 200) }]],
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

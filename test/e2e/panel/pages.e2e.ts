/** Pages in editor tabs: drawn from blocks in four themes, wide and narrow, read and used by keyboard. */

import { deepEqual, equal, ok } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page as BrowserPage } from '@playwright/test';
import type Axe from 'axe-core';
import { RESULTS } from '../../../scripts/paths.ts';
import type { FromPage, Page, PageChoices, PageField, ToPage } from '../../../src/protocol/pages.ts';
import { ATTACKS } from './attacks.ts';
import { servedTest, settled } from './panelTest.ts';

const WORD = 'Donaudampfschifffahrtsgesellschaftskapitän'.repeat(2);

const OPTIONS = [
  { id: 'keep', label: 'Keep', key: 'k' },
  { id: 'hide', label: 'Hide', key: 'h' },
  { id: 'shorten', label: 'Shorten', key: 's' },
  { id: 'drop', label: 'Drop', key: 'd' },
];
type ChoiceRow = PageChoices['rows'][number];
const choiceRow = (id: string, more: Partial<ChoiceRow> = {}): ChoiceRow => ({
  id,
  title: 'Result of read_file',
  note: '1,200 → 40 tokens',
  text: `export const retryLater = ${WORD}`,
  chosen: 'keep',
  changed: false,
  refused: [],
  ...more,
});

const EDITED: Page = {
  title: 'Preview of Hide tool results',
  subtitle: 'Nothing changes until you apply it, and applying it can be undone.',
  blocks: [
    {
      kind: 'pinned',
      blocks: [
        {
          kind: 'meter',
          label: '61,200 → 31,000 tokens: 30,200 freed (49 %)',
          of: 128_000,
          parts: [
            { tone: 'same', value: 12_000, label: '12,000 unchanged at the beginning: these stay in the cache' },
            { tone: 'new', value: 19_000, label: '19,000 after the first change: read again once' },
            { tone: 'gone', value: 30_200, label: '30,200 freed' },
          ],
          marks: [{ at: 110_000, label: 'Window: 128,000' }],
        },
        {
          kind: 'actions',
          actions: [
            { id: 'apply', label: 'Apply', primary: true, off: true },
            { id: 'reset', label: 'Reset' },
          ],
        },
        { kind: 'text', text: 'It would free nothing. Hide, shorten or drop something.', tone: 'warning' },
      ],
    },
    {
      kind: 'input',
      id: '0',
      label: 'Summary: change its text as you like',
      text: `Done: the retry.\n${WORD}`,
      version: 0,
    },
    {
      kind: 'section',
      id: 'from-m2',
      title: 'Fix the flaky retry test',
      note: '3 messages',
      fold: 'open',
      blocks: [
        {
          kind: 'choices',
          label: 'Fix the flaky retry test',
          options: OPTIONS,
          rows: [
            choiceRow('from-m2', { title: 'All of these', text: '', note: '3 messages', chosen: '', head: true }),
            choiceRow('m2', {
              title: 'You',
              refused: [['drop', 'Your latest message always stays.']],
              said: 'Your latest message always stays.',
            }),
            choiceRow('m3', { title: 'Answer', chosen: 'drop', changed: true }),
            choiceRow('m4', { chosen: 'hide', joined: true }),
          ],
        },
      ],
    },
  ],
};

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

const FIGURES = ['Cost %', 'Recall %', 'Word for word %', 'Whole lines %', 'Pairs %', 'Yours %', 'Files %', 'Rewrites'];
const fieldOf = (more: Partial<PageField>): PageField => ({
  id: 'set 0 layered.keptShare',
  label: 'palimpsest.compaction.layered.keptShare',
  description: 'Share of the window that kept lines and messages may take at most.',
  value: '0.31',
  input: 'number',
  choices: [],
  ...more,
});

const LAB: Page = {
  title: 'Strategy lab',
  subtitle: 'Sessions: 2 · strategies: 3 · window: 64,000 tokens',
  blocks: [
    {
      kind: 'chart',
      label: 'Cost against recall',
      x: 'Cost, % of no compaction',
      y: 'Recall, %',
      series: [
        { label: 'Layered', shape: 'dots', points: [[37.9, 95]], spans: [[31, 50, 92, 97]] },
        { label: `Layered (keptShare 0.2) ${WORD}`, shape: 'dots', points: [[33.7, 89.5]], spans: [[27, 45, 86, 93]] },
        { label: 'Selective', shape: 'dots', points: [[32.8, 69.9]] },
      ],
      levels: [],
      marks: [],
    },
    {
      kind: 'table',
      label: 'Figures of each strategy',
      columns: [{ title: 'Strategy' }, ...FIGURES.map((title) => ({ title, align: 'right' as const })), { title: '' }],
      rows: [
        [
          { text: 'Layered', act: 'strategy 0' },
          ...FIGURES.map(() => '37.9 (31.0–50.0)'),
          { text: 'Use', act: 'use 0' },
        ],
      ],
    },
    {
      kind: 'section',
      id: 'strategies',
      title: 'Strategies and their settings',
      note: '3',
      fold: 'open',
      blocks: [
        {
          kind: 'fields',
          label: 'Settings of Layered',
          fields: [
            fieldOf({}),
            fieldOf({ id: 'faulty', label: WORD, value: 'many', problem: 'It must be a number.' }),
            fieldOf({ id: 'when', label: 'layered.whenItPays', input: 'check', value: 'true' }),
            fieldOf({
              id: 'prefer',
              label: 'layered.prefer',
              input: 'choice',
              value: 'messages',
              choices: [
                { value: 'lines', label: 'Lines' },
                { value: 'messages', label: 'Whole messages' },
              ],
            }),
            fieldOf({ id: 'recent', label: 'keep.recent', input: 'text', value: '' }),
          ],
        },
      ],
    },
    {
      kind: 'chart',
      label: 'Tokens over the steps of mine',
      x: 'Step',
      y: 'Tokens',
      series: ['Layered', 'Selective', 'none'].map((label, at) => ({
        label,
        shape: 'line' as const,
        points: Array.from({ length: 40 }, (_, i): [number, number] => [
          i + 1,
          9_000 + ((i * 3_000) % (20_000 + at * 9_000)),
        ]),
      })),
      levels: [{ y: 64_000, label: 'Window' }],
      marks: [{ x: 14, label: 'Layered compacts' }],
    },
  ],
};

const TABS = ['Now', 'Timeline', 'Preview', 'Totals'].map((label) => ({ id: label.toLowerCase(), label }));
const tabbed = (page: Page, chosen: string): Page => ({ ...page, tabs: { label: 'Context', chosen, list: TABS } });

interface Bridge {
  posted: FromPage[];
  violations: string[];
  deliver(message: unknown): void;
}

interface OpenPage {
  readonly page: BrowserPage;
  deliver(page: Page): Promise<void>;
  send(message: ToPage): Promise<void>;
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
    const send = async (message: ToPage) => {
      await page.evaluate((sent) => (window as unknown as Bridge).deliver(sent), message);
      await settled(page);
    };
    await use({
      page,
      send,
      deliver: (shown) => send({ type: 'page', page: shown }),
      posted: () => page.evaluate(() => (window as unknown as Bridge).posted.splice(0)),
    });
    deepEqual(errors, []);
    deepEqual(await page.evaluate(() => (window as unknown as Bridge).violations), []);
  },
});

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

test('choices are made by keyboard alone: rows by arrows, options by letter or arrow', { tag: '@B16' }, async ({
  tab,
}) => {
  const { page } = tab;
  await tab.deliver(EDITED);
  await tab.posted();
  const focus = () =>
    page.evaluate(() => {
      const { activeElement } = document;
      const row = activeElement?.closest('li')?.querySelector('.choice-title')?.textContent ?? '';
      return `${row}: ${activeElement?.textContent?.trim()}`;
    });
  await page.locator('summary').focus();
  await page.keyboard.press('Tab');
  equal(await focus(), 'All of these: Keep');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowRight');
  equal(await focus(), 'Answer: Hide');
  await page.keyboard.press('Enter');
  await page.keyboard.press('k');
  await page.keyboard.press('End');
  equal(await focus(), 'Result of read_file: Hide');
  await page.keyboard.press('d');
  deepEqual(await tab.posted(), [
    { type: 'choose', row: 'm3', option: 'hide' },
    { type: 'choose', row: 'm3', option: 'keep' },
    { type: 'choose', row: 'm4', option: 'drop' },
  ]);
  // One Tab stop for the whole list: the way back leads to where the focus was.
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Tab');
  equal(await focus(), 'Result of read_file: Hide');
  await page.getByRole('button', { name: 'Apply' }).click({ force: true });
  deepEqual(await tab.posted(), [], 'what is off does nothing');
  equal(await page.getByRole('group', { name: /^You/ }).locator('[aria-pressed=true]').innerText(), 'Keep');
});

test('what is typed into a summary is told after a pause, and stays while the page is drawn anew', {
  tag: '@B16',
}, async ({ tab }) => {
  const { page } = tab;
  await tab.deliver(EDITED);
  await tab.posted();
  const summary = page.getByLabel('Summary: change its text as you like');
  await summary.fill('my notes');
  await page.waitForFunction(() => (window as unknown as Bridge).posted.length > 0);
  deepEqual(await tab.posted(), [{ type: 'write', id: '0', text: 'my notes' }]);
  await summary.press('End');
  await summary.pressSequentially(' go on');
  // The host's answer to the first pause comes late.
  const at = 1;
  const block = { kind: 'input', id: '0', label: 'Summary: change its text as you like', text: 'my notes' } as const;
  const { title, subtitle } = EDITED;
  await tab.send({ type: 'blocks', title, subtitle, blocks: [{ at, block: { ...block, version: 0 } }] });
  equal(await summary.inputValue(), 'my notes go on');
  await page.getByRole('button', { name: 'Reset' }).click();
  deepEqual(await tab.posted(), [
    { type: 'write', id: '0', text: 'my notes go on' },
    { type: 'act', id: 'reset' },
  ]);
  await tab.send({
    type: 'blocks',
    title,
    subtitle,
    blocks: [{ at, block: { ...block, text: 'as it was', version: 1 } }],
  });
  equal(await summary.inputValue(), 'as it was');
});

test('values are set by keyboard alone, and what cannot be used stays in its field with the reason', {
  tag: ['@everyday', '@B6', '@item:19'],
}, async ({ tab }) => {
  const { page } = tab;
  await tab.deliver(LAB);
  await tab.posted();
  const share = page.getByLabel('palimpsest.compaction.layered.keptShare');
  await share.focus();
  await share.fill('0.2');
  await share.press('Enter');
  await page.getByLabel('layered.whenItPays').press(' ');
  await page.getByLabel('layered.prefer').selectOption('Lines');
  deepEqual(await tab.posted(), [
    { type: 'write', id: 'set 0 layered.keptShare', text: '0.2' },
    { type: 'write', id: 'when', text: 'false' },
    { type: 'write', id: 'prefer', text: 'lines' },
  ]);
  const faulty = page.getByRole('textbox', { name: WORD });
  equal(await faulty.getAttribute('aria-invalid'), 'true');
  const about = await faulty.getAttribute('aria-describedby');
  ok((await page.locator(`[id="${about}"]`).innerText()).startsWith('It must be a number.'));
  // What comes and goes above it takes neither the focus nor what is typed.
  await faulty.focus();
  await faulty.fill('7');
  await tab.deliver({ ...LAB, blocks: [{ kind: 'text', text: 'more', tone: 'warning' }, ...LAB.blocks.slice(1)] });
  equal(await page.evaluate(() => document.activeElement?.getAttribute('aria-invalid')), 'true');
  ok(await page.getByText('more').isVisible());
  // What had the focus is gone: the page has it, and not the whole window.
  await tab.deliver({ ...LAB, blocks: LAB.blocks.slice(0, 1) });
  equal(await page.evaluate(() => document.activeElement?.className), 'report');
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
          kind: 'pinned',
          blocks: [
            {
              kind: 'meter',
              label: attack,
              of: 10,
              parts: [{ label: attack, value: 3, tone: 'same' }],
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

/** Pages of each kind, and a test that has one of them open in a browser. */

import { deepEqual } from 'node:assert/strict';
import type { Page as BrowserPage } from '@playwright/test';
import type { FromPage, Page, PageChoices, PageField, ToPage } from '../../../src/protocol/pages.ts';
import { servedTest, settled } from './panelTest.ts';

export const WORD = 'Donaudampfschifffahrtsgesellschaftskapitän'.repeat(2);

const OPTIONS = [
  { id: 'keep', label: 'Keep', key: 'k' },
  { id: 'hide', label: 'Hide', key: 'h' },
  { id: 'shorten', label: 'Shorten', key: 's' },
  { id: 'drop', label: 'Drop', key: 'd' },
];
type ChoiceRow = PageChoices['rows'][number];
export const choiceRow = (id: string, more: Partial<ChoiceRow> = {}): ChoiceRow => ({
  id,
  title: 'Result of read_file',
  note: '1,200 → 40 tokens',
  text: `export const retryLater = ${WORD}`,
  chosen: 'keep',
  changed: false,
  refused: [],
  ...more,
});

export const EDITED: Page = {
  title: 'Preview of Hide tool results',
  subtitle: 'Nothing changes until you apply it, and applying it can be undone.',
  blocks: [
    {
      kind: 'pinned',
      blocks: [
        {
          kind: 'meter',
          label: '30,200 of 61,200 tokens freed (49%) · 23 hidden',
          of: 128_000,
          bars: [
            {
              name: 'Before 61,200',
              parts: [
                { tone: 'tools', value: 4_000, label: '' },
                { tone: 'user', value: 8_000, label: '' },
                { tone: 'toolResults', value: 49_200, label: '' },
              ],
            },
            {
              name: 'After 31,000',
              parts: [
                { tone: 'tools', value: 4_000, label: '' },
                { tone: 'user', value: 8_000, label: '' },
                { tone: 'toolResults', value: 19_000, label: '' },
              ],
            },
          ],
          marks: [
            { at: 110_000, label: 'Compaction starts at 110,000' },
            { at: 128_000, label: 'Window: 128,000', limit: true },
          ],
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
      kind: 'table',
      label: 'Tokens before and after',
      columns: [
        { title: 'Tokens' },
        { title: 'Before', align: 'right' },
        { title: 'After', align: 'right' },
        { title: 'Freed', align: 'right' },
      ],
      rows: [
        [{ text: 'Tools', tone: 'tools' }, '4,000', '4,000', '–'],
        [{ text: 'Your messages', tone: 'user' }, '8,000', '8,000', '–'],
        [{ text: 'Tool results', tone: 'toolResults' }, '49,200', '19,000', '30,200'],
        ['Total', '61,200', '31,000', '30,200'],
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

export const PAGE: Page = {
  title: 'Preview of Hide tool results',
  subtitle: '61,200 → 31,000 tokens: 30,200 freed (49%)',
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

const FIGURES = [
  'Cost %',
  'Recall %',
  'Word for word %',
  'Whole lines %',
  'Pairs %',
  'Yours %',
  'Files %',
  'Rereads',
  'Cost with rereads %',
  'Edits %',
  'Rewrites',
];
export const fieldOf = (more: Partial<PageField>): PageField => ({
  id: 'set 0 layered.keptShare',
  label: 'palimpsest.compaction.layered.keptShare',
  description: 'Share of the window that kept lines and messages may take at most.',
  value: '0.31',
  input: 'number',
  choices: [],
  ...more,
});

export const LAB: Page = {
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
export const tabbed = (page: Page, chosen: string): Page => ({
  ...page,
  tabs: { label: 'Context', chosen, list: TABS },
});

export interface Bridge {
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

export const test = servedTest.extend<{ tab: OpenPage }>({
  viewport: { width: 900, height: 1_200 },
  tab: async ({ page, served, theme, language }, use) => {
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(error.message));
    page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
    await page.goto(served.url({ theme, language, script: 'pages' }));
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

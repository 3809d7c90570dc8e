/** Tables of pages in narrow editor tabs: what they hold at each width, in both languages and in four themes. */

import { deepEqual, equal, ok } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page as BrowserPage } from '@playwright/test';
import type Axe from 'axe-core';
import { RESULTS, ROOT } from '../../../scripts/paths.ts';
import type { EstimateOutcome } from '../../../src/core/compaction/consent/preview.ts';
import type { FateCount } from '../../../src/core/fates.ts';
import { NO_COSTS } from '../../../src/core/money.ts';
import { type Translate, words } from '../../../src/core/words.ts';
import { column, minor, right, table } from '../../../src/node/pages/blocks.ts';
import { comparePreviews } from '../../../src/node/preview/comparePreviews.ts';
import type { Prospects } from '../../../src/node/preview/previewCosts.ts';
import type { Page } from '../../../src/protocol/pages.ts';
import { test } from './pageTest.ts';
import { settled } from './panelTest.ts';

const CHINESE: Readonly<Record<string, string>> = JSON.parse(
  readFileSync(join(ROOT, 'l10n/bundle.l10n.zh-cn.json'), 'utf8'),
);
const untranslated = new Set<string>();
const translate =
  (language: string): Translate =>
  (text, ...values) => {
    const found = language === 'en' ? text : CHINESE[text];
    if (found === undefined) untranslated.add(text);
    return (found ?? text).replaceAll(/\{(\d)\}/g, (_, at) => String(values[Number(at)] ?? ''));
  };

const PROSPECTS: Prospects = {
  tokens: 118_400,
  cached: 110_000,
  header: 9_000,
  growth: 2_140,
  full: 163_840,
  price: { input: 3, cacheRead: 0.3, output: 15, currency: 'USD', source: 'table', asOf: '2026-09-01' },
  cache: { says: 'reported', writes: false, usedAt: 1, livesMs: 300_000 },
};

function tried(tokensAfter: number, fates: readonly FateCount[], requests = 0): EstimateOutcome {
  const costs = requests > 0 ? { known: [{ amount: 0.046 * requests, currency: 'USD' }], unknown: 0 } : NO_COSTS;
  const usage = requests > 0 ? { input: 120_000, cached: 110_000, output: 600, reasoning: 0 } : null;
  const items = [{ id: 'm1', fate: 'kept', whole: false, tokens: 109_400 }] as const;
  const figures = { tokensBefore: 118_400, tokensAfter, items, firstChanged: 0, fates, requests, costs, usage };
  return { kind: requests > 0 ? 'estimate' : 'preview', strategy: '', ...figures } as unknown as EstimateOutcome;
}

const fate = (name: FateCount['fate'], count: number): FateCount => ({ fate: name, messages: count, inPart: 0 });

/** As the product lists them. */
const OUTCOMES: readonly (readonly [label: string, outcome: EstimateOutcome | null])[] = [
  ['Layered', tried(36_210, [fate('inLines', 148), fate('hidden', 23), fate('read', 20)], 1)],
  ['Selective', tried(52_900, [fate('hidden', 96), fate('read', 31)], 1)],
  ['Summary', tried(9_870, [fate('read', 214)], 3)],
  ['Hide tool results', tried(61_300, [fate('hidden', 118)])],
  ['Hide, then summary', tried(61_300, [fate('hidden', 118)])],
  ['Prune, then summary', { kind: 'none', reason: words('The strategy found nothing to compact.') }],
  ['Round summary', { kind: 'unknown' }],
];

function previewPage(language: string, more: Partial<Prospects> = {}): Page {
  const t = translate(language);
  const rows = OUTCOMES.map(([label, outcome], at) => ({ label: t(label), act: `try ${at}`, outcome, untried: '' }));
  const title = t('Preview Compaction');
  const subtitle = t(
    'The context has {0} tokens. Choose a strategy to see what it would leave of them; nothing is changed.',
    '118,400',
  );
  return { title, subtitle, blocks: comparePreviews(title, rows, { ...PROSPECTS, ...more }, t) };
}

function timelinePage(language: string): Page {
  const t = translate(language);
  const titles = ['When', 'Tokens', 'Cached', 'Written', 'Fresh', 'Answer', 'Cost'].map((title) => t(title));
  const [when = '', tokens = '', cached = '', written = '', fresh = '', answer = '', cost = ''] = titles;
  const columns = [
    right('#'),
    column(when),
    right(tokens),
    right(cached),
    minor(right(written)),
    minor(right(fresh)),
    minor(right(answer)),
    right(cost),
    minor(column(t('For'))),
    column(t('Prefix')),
  ];
  const rows = Array.from({ length: 6 }, (_, at) => [
    String(at + 1),
    `12:0${at}`,
    '118,400',
    '110,000',
    '8,400',
    '0',
    '1,204',
    '$0.061',
    t('a turn'),
    at === 3 ? t('broken: {0}', t('compaction ({0})', t('Layered'))) : '',
  ]);
  return { title: t('Timeline'), subtitle: '', blocks: [table(t('Every request'), columns, rows)] };
}

const WIDTHS = [280, 480, 660, 900];

/** The columns that a reader sees at once or by going along. */
const shownColumns = (page: BrowserPage) =>
  page
    .locator('thead th')
    .evaluateAll((all) => all.flatMap((each) => (each.getClientRects().length > 0 ? [each.textContent?.trim()] : [])));

/** Characters that a reader cannot see, because something else covers them or they are cut off. */
const overlaps = (page: BrowserPage) =>
  page.locator('.report table td, .report table th').evaluateAll((all) =>
    all.flatMap((cell) => {
      const box = cell.getBoundingClientRect();
      const over = [...cell.children].some((child) => {
        const inner = child.getBoundingClientRect();
        return inner.width > 0 && (inner.right > box.right + 1 || inner.left < box.left - 1);
      });
      return over ? [cell.textContent?.trim()] : [];
    }),
  );

for (const theme of ['dark', 'light', 'contrast', 'contrastLight'] as const) {
  for (const language of ['en', 'zh-cn']) {
    test.describe(`in ${theme} and ${language}`, () => {
      test.use({ theme, language });

      test('a comparison of strategies stays one table down to 480 px', async ({ tab }) => {
        const { page } = tab;
        untranslated.clear();
        await tab.deliver(previewPage(language));
        deepEqual([...untranslated], []);
        await page.evaluate(readFileSync(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8'));
        for (const width of WIDTHS) {
          await page.setViewportSize({ width, height: 900 });
          await settled(page);
          const display = await page
            .locator('tbody tr')
            .first()
            .evaluate((row) => getComputedStyle(row).display);
          equal(display, width < 480 ? 'block' : 'table-row', `${width} px`);
          deepEqual(await overlaps(page), [], `${width} px`);
          const [page_, along] = await page.evaluate(() => [
            document.documentElement.scrollWidth - innerWidth,
            Math.max(...[...document.querySelectorAll('.along')].map((each) => each.scrollWidth - each.clientWidth)),
          ]);
          equal(page_, 0, 'nothing but the table is wider than the page');
          ok((along ?? 0) <= 0, `at ${width} px all of it is seen at once, but for ${along} px`);
          const violations = await page.evaluate(async () => {
            const { violations: found } = await (window as unknown as { axe: typeof Axe }).axe.run();
            return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`);
          });
          deepEqual(violations, [], `axe at ${width} px`);
          await page.screenshot({
            path: join(RESULTS, 'screenshots', `compared-${theme}-${language}-${width}.png`),
            fullPage: true,
          });
        }
      });
    });
  }
}

test('a wide table leaves out what matters less before it is read by going along it', async ({ tab }) => {
  const { page } = tab;
  await tab.deliver(timelinePage('en'));
  await settled(page);
  equal((await shownColumns(page)).length, 10);
  await page.setViewportSize({ width: 480, height: 900 });
  await settled(page);
  deepEqual(await shownColumns(page), ['#', 'When', 'Tokens', 'Cached', 'Cost', 'Prefix']);
  await page.screenshot({ path: join(RESULTS, 'screenshots', 'timeline-table-480.png'), fullPage: true });
  await page.setViewportSize({ width: 280, height: 900 });
  await settled(page);
  const [row = ''] = await page.locator('tbody tr').allInnerTexts();
  // A list has room for all.
  ok(row.includes('1,204'), row);
  await page.screenshot({ path: join(RESULTS, 'screenshots', 'timeline-table-280.png'), fullPage: true });
});

const TOTALS: Page = {
  title: 'Totals',
  subtitle: '',
  blocks: [
    ['Compactions', 'Tokens freed', 'Freed per compaction'],
    ['Tokens read by summaries', 'Of these, from the cache'],
  ].map((names) =>
    table(
      names[0] ?? '',
      [column(''), right('This session'), right('All sessions (12)')],
      names.map((name) => [name, '2,283', '1,182,283']),
    ),
  ),
};

test('a narrow table cuts no word in two, and columns of two tables stand below each other', async ({ tab }) => {
  const { page } = tab;
  await tab.deliver(TOTALS);
  await settled(page);
  const edges = () =>
    page
      .locator('table')
      .evaluateAll((all) =>
        all.map((each) =>
          [...each.querySelectorAll('tbody tr:first-child td')].map((cell) =>
            Math.round(cell.getBoundingClientRect().right),
          ),
        ),
      );
  const [first, second] = await edges();
  deepEqual(first, second);
  await page.setViewportSize({ width: 280, height: 900 });
  await settled(page);
  const cut = await page.locator('td:first-child span, th').evaluateAll((all) =>
    all.flatMap((each) => {
      const node = each.firstChild;
      const found = [...(node?.textContent ?? '').matchAll(/\S+/g)];
      return found
        .filter(({ index, 0: word }) => {
          const range = document.createRange();
          range.setStart(node as Text, index);
          range.setEnd(node as Text, index + word.length);
          return range.getClientRects().length > 1;
        })
        .map(([word]) => word);
    }),
  );
  deepEqual(cut, []);
  const [one, two] = await edges();
  deepEqual(one, two);
  ok((one?.at(-1) ?? 0) <= 280 - 14, `${one}`);
});

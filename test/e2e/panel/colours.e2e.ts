/**
 * Whatever is drawn can be seen in six themes: figures have three times the light of their ground or a third of it, small texts
 * four and a half times; what has the focus shows it; and in high contrast nothing is told apart by its colour alone.
 */

import { deepEqual, equal } from 'node:assert/strict';
import { join } from 'node:path';
import { RESULTS } from '../../../scripts/paths.ts';
import { FATES } from '../../../src/core/fates.ts';
import type { Page as ShownPage } from '../../../src/protocol/pages.ts';
import { PART_IDS } from '../../../src/protocol/parts.ts';
import {
  CONSENT,
  CONVERSATION,
  changes,
  compaction,
  EDIT_APPROVAL,
  notice,
  READY,
  SELECTED,
  tool,
  user,
} from '../../support/panelScenes.ts';
import { listPale } from './contrast.ts';
import { EDITED, LAB, PAGE, test as pageTest } from './pageTest.ts';
import { openAll, test } from './panelTest.ts';

const FIGURE = 3;
const TEXT = 4.5;
const THEMES = ['dark', 'light', 'darkModern', 'lightModern', 'contrast', 'contrastLight'] as const;

const lost = FATES.filter((fate) => fate !== 'kept').map(
  (fate) => ({ fate, kind: 'toolResult', messages: 1, inPart: 0, tokens: 10_000, left: 0 }) as const,
);
const ROWS = [
  ...CONVERSATION,
  tool('m80.0', 'run_command', 'npm test', {
    status: 'failed',
    detail: { kind: 'command', command: 'npm test', exitCode: 1 },
  }),
  changes('e81', '8 files, +120 −34'),
  notice('e82', 'warning', 'The window is nearly full.'),
  notice('e83', 'error', 'The key was not accepted.', { action: 'setKey' }),
  user('m84', 'go on'),
  compaction('e85', { tokensBefore: 100_000, lost }),
];
const PARTS = PART_IDS.map((name) => ({ name, tokens: 9_000 }));
const STATE = { ...READY, selection: SELECTED, meter: { ...READY.meter, parts: PARTS } };

for (const theme of THEMES) {
  test.describe(`in the theme ${theme}`, () => {
    test.use({ theme });

    test('figures and small texts of the panel stand out from their ground', { tag: ['@item:17'] }, async ({
      panel,
    }) => {
      const { page } = panel;
      await panel.show(STATE, ROWS);
      await page.locator('textarea').fill('/frobnicate');
      await page.locator('textarea').press('Enter');
      await panel.deliver();
      await page.locator('.meter').click();
      await panel.deliver();
      const pale = [
        ...(await listPale(page, '.bar .part, .bar .trigger', 'fill', FIGURE)),
        ...(await listPale(page, '.breakdown .swatch:not(.free)', 'backgroundColor', FIGURE)),
        ...(await listPale(page, '.fates .fate', 'stroke', FIGURE)),
        ...(await listPale(page, '.notice > .codicon, .row .status, .mark', 'color', FIGURE)),
        ...(await listPale(page, '.notice.warning, .notice.error', 'borderTopColor', FIGURE)),
        ...(await listPale(page, '.hint', 'color', TEXT)),
        ...(await listPale(page, '.tag, .added, .removed, .tool-outcome, .compaction-count', 'color', TEXT)),
        ...(await listPale(page, '.meter-numbers, .breakdown td, .chip, .picker-button, .row-tokens', 'color', TEXT)),
      ];
      deepEqual(pale, []);
      await page.screenshot({ path: join(RESULTS, 'screenshots', `colours-${theme}.png`) });
    });

    test('what the Tab key comes to shows that it has the focus', { tag: ['@item:17'] }, async ({ panel }) => {
      const { page } = panel;
      await panel.show(STATE, ROWS);
      await openAll(panel, '.row.compaction [aria-expanded=false]');
      await page.locator('.title-button').focus();
      const unseen = new Set<string>();
      for (let n = 0; n < 60; n++) {
        const name = await page.evaluate(() => {
          const inner = document.activeElement?.shadowRoot?.activeElement ?? document.activeElement;
          // The frame around the message field has the ring of the field.
          const ring = inner?.closest('.composer-box:has(textarea:focus)') ?? inner;
          ring?.setAttribute('data-ring', '');
          return ring === document.body ? '' : `${ring?.localName}.${ring?.className}`;
        });
        if (name === '') break;
        const drawn = await page.evaluate(() => {
          const ring = document.querySelector('[data-ring]');
          if (!ring) return 'in a shadow';
          const { outlineStyle, outlineWidth, outlineColor, borderTopColor } = getComputedStyle(ring);
          const focus = document.createElement('i');
          focus.style.color = 'var(--focus)';
          document.body.append(focus);
          const wanted = getComputedStyle(focus).color;
          focus.remove();
          ring.removeAttribute('data-ring');
          const outlined = outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 1 && outlineColor === wanted;
          return outlined || borderTopColor === wanted ? '' : `${outlineStyle} ${outlineColor}`;
        });
        if (drawn !== '' && drawn !== 'in a shadow') unseen.add(`${name}: ${drawn}`);
        await page.keyboard.press('Tab');
      }
      deepEqual([...unseen], []);
      await page.evaluate(() => {
        for (const ground of document.querySelectorAll('.rows, .row.user, .composer-box')) {
          const ring = document.createElement('i');
          ring.className = 'a-ring';
          ring.style.color = 'var(--focus)';
          ground.append(ring);
        }
      });
      deepEqual(await listPale(page, '.a-ring', 'color', FIGURE), []);
    });

    test('a question, and what stands in an empty field, can be seen', { tag: ['@item:7', '@item:17'] }, async ({
      panel,
    }) => {
      const { page } = panel;
      await panel.show({ ...STATE, status: 'waiting' }, [user('m1', 'go on'), EDIT_APPROVAL]);
      deepEqual(await listPale(page, '.approval', 'borderTopColor', FIGURE), []);
      deepEqual(await listPale(page, '.composer textarea, .deny-reason', 'placeholder', TEXT), []);
      await panel.show({ ...STATE, status: 'waiting', consent: CONSENT }, [user('m1', 'go on')]);
      deepEqual(await listPale(page, '.consent', 'borderTopColor', FIGURE), []);
    });

    test('in high contrast each part and each fate has a texture of its own', {
      tag: ['@item:17', '@item:25'],
    }, async ({ panel }) => {
      const { page } = panel;
      await panel.show(STATE, ROWS);
      await page.locator('.meter').click();
      await panel.deliver();
      const texture = (selector: string) =>
        page.locator(selector).evaluateAll((all) =>
          all
            .filter((each) => each.checkVisibility())
            .map((each) => {
              const { strokeDasharray, strokeWidth } = getComputedStyle(each);
              return `${strokeDasharray} of ${strokeWidth}`;
            }),
        );
      const drawn = await texture('.meter .texture');
      // Elsewhere only what is kept for the answer has one.
      equal(drawn.length, theme.startsWith('contrast') ? PART_IDS.length + 1 : 1);
      equal(new Set(drawn).size, drawn.length, drawn.join('\n'));
      const fates = await texture('[data-row="e85"] .fate');
      equal(fates.length, FATES.length);
      equal(new Set(fates).size, fates.length, fates.join('\n'));
      if (!theme.startsWith('contrast')) return;
      const swatches = await page.locator('.breakdown tr .swatch:not(.free)').evaluateAll((all) =>
        all.map((each) => {
          const { backgroundImage, backgroundSize } = getComputedStyle(each);
          return `${backgroundImage} ${backgroundSize}`;
        }),
      );
      equal(new Set(swatches).size, swatches.length, swatches.join('\n'));
    });
  });

  pageTest.describe(`on a page in the theme ${theme}`, () => {
    pageTest.use({ theme });

    pageTest('charts, bars and marks stand out from their ground', { tag: ['@item:17'] }, async ({ tab }) => {
      const { page } = tab;
      const pale: string[] = [];
      const look = async (shown: ShownPage, parts: readonly (readonly [string, 'fill' | 'stroke'])[]) => {
        await tab.deliver(shown);
        for (const [selector, ink] of parts) pale.push(...(await listPale(page, selector, ink, FIGURE)));
      };
      await look(PAGE, [['.chart .line, .chart .level, .chart .moment', 'stroke']]);
      await look(LAB, [
        ['.chart .dot, .chart .sample', 'fill'],
        ['.chart .span', 'stroke'],
      ]);
      await look(EDITED, [
        ['.gauge .part', 'fill'],
        ['.gauge line:not(.texture)', 'stroke'],
      ]);
      const series = Array.from({ length: 5 }, (_, n) => ({
        label: `s${n}`,
        shape: 'bars' as const,
        points: [[1, 10 + n] as [number, number], [2, 20 - n] as [number, number]],
      }));
      const bars: ShownPage = {
        title: 'Bars',
        subtitle: '',
        blocks: [{ kind: 'chart', label: 'Bars', x: 'Requests', y: 'Tokens', series, levels: [], marks: [] }],
      };
      await look(bars, [['.chart .bar', 'fill']]);
      deepEqual(pale, []);
      await page.screenshot({ path: join(RESULTS, 'screenshots', `bars-${theme}.png`) });
      if (!theme.startsWith('contrast')) return;
      const textures = await page
        .locator('.chart .keys .texture')
        .evaluateAll((all) => all.map((each) => getComputedStyle(each).strokeDasharray));
      equal(new Set(textures).size, series.length, textures.join('\n'));
    });
  });
}

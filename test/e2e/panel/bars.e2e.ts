/** The bars: what fills the window, and what became of it in a compaction, can be told apart in every theme, also without colour. */

import { deepEqual, equal, ok } from 'node:assert/strict';
import type { Fate } from '../../../src/core/fates.ts';
import { compaction, READY } from '../../support/panelScenes.ts';
import { type OpenPanel, test } from './panelTest.ts';

const FATES: readonly Fate[] = ['inLines', 'shortened', 'hidden', 'read', 'unread'];

/** Computed, so that a colour the theme does not have shows as what the browser makes of it. */
const coloursOf = ({ page }: OpenPanel, selector: string, property: 'fill' | 'stroke') =>
  page.locator(selector).evaluateAll((parts, name) => parts.map((part) => getComputedStyle(part)[name]), property);

for (const theme of ['dark', 'light', 'contrast', 'contrastLight'] as const) {
  test.describe(`in the theme ${theme}`, () => {
    test.use({ theme });

    test('each part of the window has a colour of its own', { tag: '@item:25' }, async ({ panel }) => {
      const names = [
        'system',
        'memory',
        'tools',
        'user',
        'assistant',
        'toolResults',
        'summaries',
        'skills',
        'mentions',
        'other',
      ];
      const parts = names.map((name) => ({ name, tokens: 8_000 })) as typeof READY.meter.parts;
      await panel.show({ ...READY, meter: { ...READY.meter, parts } }, []);
      const colours = await coloursOf(panel, '.bar .part', 'fill');
      equal(new Set(colours).size, names.length, colours.join('\n'));
      const page = await panel.page.evaluate(() => getComputedStyle(document.body).backgroundColor);
      for (const colour of colours) ok(colour !== page && colour !== 'rgb(0, 0, 0)', `${colour} on ${page}`);
    });

    test('each fate has a colour or dashes of its own', { tag: '@item:25' }, async ({ panel }) => {
      const lost = FATES.map(
        (fate) => ({ fate, kind: 'toolResult', messages: 1, inPart: 0, tokens: 10_000, left: 0 }) as const,
      );
      await panel.show(READY, [compaction('e1', { tokensBefore: 100_000, lost })]);
      const looks = await panel.page.locator('.fates .fate').evaluateAll((lines) =>
        lines.map((line) => {
          const { stroke, strokeWidth, strokeDasharray } = getComputedStyle(line);
          return `${stroke} ${strokeWidth} ${strokeDasharray}`;
        }),
      );
      equal(looks.length, FATES.length + 1);
      equal(new Set(looks).size, looks.length, looks.join('\n'));
    });
  });
}

test('the bar of a compaction has what became of each token', { tag: ['@everyday', '@item:25'] }, async ({ panel }) => {
  const lost = [
    { fate: 'read', kind: 'assistant', messages: 9, inPart: 0, tokens: 20_000, left: 0 },
    { fate: 'hidden', kind: 'toolResult', messages: 4, inPart: 0, tokens: 30_000, left: 100 },
    { fate: 'read', kind: 'user', messages: 1, inPart: 0, tokens: 5_000, left: 0 },
  ] as const;
  await panel.show(READY, [compaction('e1', { tokensBefore: 100_000, lost: [...lost] })]);
  const bar = panel.page.getByRole('img', {
    name: 'Kept as they are: 45% · Hidden behind a placeholder: 30% · Read by the summary: 25%',
  });
  await bar.waitFor();
  const ends = await bar
    .locator('line')
    .evaluateAll((lines) => lines.map((line) => [line.getAttribute('x1'), line.getAttribute('x2')]));
  deepEqual(ends, [
    ['0%', '45%'],
    ['45%', '75%'],
    ['75%', '100%'],
  ]);
});

/** The line under the meter of a window that is full of what no compaction removes: whole, readable and at one edge everywhere. */

import { deepEqual, equal, ok } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type Axe from 'axe-core';
import { RESULTS, ROOT } from '../../../scripts/paths.ts';
import { describeFixedPart } from '../../../src/core/compaction/trigger/fixedPart.ts';
import type { Context } from '../../../src/core/context/item.ts';
import { inEnglish, inLanguage, type Translate } from '../../../src/core/words.ts';
import type { PanelState } from '../../../src/protocol/messages.ts';
import { CONVERSATION, READY } from '../../support/panelScenes.ts';
import { type OpenPanel, settled, test } from './panelTest.ts';

const WINDOW = 32_768;
/** Of the header: 23,900 tokens of tools beside 2,100 of instructions. */
const HEADER = { items: [{ kind: 'systemPrompt', tokens: 2_100 }], tokens: 26_000 };
const FIXED = describeFixedPart(
  { header: HEADER, conversation: [] } as unknown as Context,
  { factor: 1 },
  { window: WINDOW, trigger: 26_200, hard: 28_000, gain: 1_638 },
);

function scene(fixed: string): PanelState {
  const meter = {
    ...READY.meter,
    window: WINDOW,
    tokens: 27_300,
    trigger: 26_200,
    reserve: 4_768,
    parts: [
      { name: 'system', tokens: 2_100 },
      { name: 'tools', tokens: 23_900 },
      { name: 'user', tokens: 1_300 },
    ] as const,
  };
  return { ...READY, meter: { ...meter, parts: meter.parts.map((part) => ({ ...part })), fixed } };
}

const translations: Readonly<Record<string, string>> = JSON.parse(
  readFileSync(join(ROOT, 'l10n/bundle.l10n.zh-cn.json'), 'utf8'),
);
const inChinese: Translate = (text, ...values) =>
  (translations[text] ?? text).replace(/\{(\d+)\}/g, (_, nth) => String(values[Number(nth)]));

async function check({ page }: OpenPanel, text: string, picture: string): Promise<void> {
  const line = page.getByRole('status').filter({ hasText: text });
  equal(await line.count(), 1);
  await page.evaluate(readFileSync(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8'));
  for (const width of [340, 280]) {
    await page.setViewportSize({ width, height: 720 });
    await settled(page);
    await page.screenshot({ path: join(RESULTS, 'screenshots', `full-window-${picture}-${width}.png`) });
    const boxes = await page.evaluate(() => {
      const box = (selector: string) => document.querySelector(selector)?.getBoundingClientRect();
      const [meter, line, conversation] = [box('.meter'), box('.meter-fixed'), box('.conversation')];
      return { meter, line, conversation };
    });
    const { meter, line: under, conversation } = boxes;
    ok(meter && under && conversation);
    deepEqual([under.left, under.right], [meter.left, meter.right], `${width} px wide`);
    ok(under.top >= meter.bottom && under.bottom <= conversation.top);
    const found = await page.evaluate(async () => {
      const { violations } = await (window as unknown as { axe: typeof Axe }).axe.run('.head');
      return violations.map(({ id }) => id);
    });
    deepEqual(found, [], `axe at ${width} px`);
  }
}

for (const theme of ['dark', 'light', 'contrast', 'contrastLight'] as const) {
  test.describe(`in the theme ${theme}`, () => {
    test.use({ theme });

    test('a full window says what fills it, and what helps', async ({ panel }) => {
      ok(FIXED);
      const text = inEnglish(FIXED);
      await panel.show(scene(text), CONVERSATION);
      await check(panel, 'The tools take 23,900 of the window’s 32,768 tokens, and no compaction removes them.', theme);
      await panel.page.locator('.meter').click();
      await settled(panel.page);
      await panel.page.screenshot({ path: join(RESULTS, 'screenshots', `full-window-${theme}-opened.png`) });
      await panel.show(scene(''), CONVERSATION);
      equal(await panel.page.locator('.meter-fixed').count(), 0);
    });
  });
}

test.describe('in Chinese', () => {
  test.use({ language: 'zh-cn' });

  test('a full window says what fills it, and what helps', async ({ panel }) => {
    ok(FIXED);
    const text = inLanguage(FIXED, inChinese);
    await panel.show(scene(text), CONVERSATION);
    await check(panel, '工具占用窗口 32,768 个 token 中的 23,900 个，任何压缩都无法移除它们。请关闭', 'chinese');
  });
});

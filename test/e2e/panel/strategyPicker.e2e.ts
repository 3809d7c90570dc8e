/** The picker of strategies says what a choice changes: this session, or all of them. A compaction leads to its row. */

import { deepEqual, equal, ok } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type Axe from 'axe-core';
import { RESULTS } from '../../../scripts/paths.ts';
import type { PanelState } from '../../../src/protocol/messages.ts';
import { CONVERSATION, READY } from '../../support/panelScenes.ts';
import { type OpenPanel, settled, test } from './panelTest.ts';

const CHOICES: Readonly<Record<string, PanelState['strategyChoice']>> = {
  en: {
    note: 'Chosen for this session only. The default for all is Layered.',
    forAll: 'Use for all sessions (user settings)',
    back: 'Back to the default: Layered',
  },
  'zh-cn': {
    note: '仅为本会话选择。所有会话的默认策略是 分层。',
    forAll: '用于所有会话（用户设置）',
    back: '恢复默认策略：分层',
  },
};
const picker = ({ page }: OpenPanel) => page.locator('.title-row .picker-button');

for (const [language, strategyChoice] of Object.entries(CHOICES))
  test.describe(`in ${language}`, () => {
    test.use({ language });

    test('a session with a choice of its own shows it, at every width', async ({ panel }) => {
      const { page } = panel;
      await panel.show({ ...READY, strategyChoice }, CONVERSATION);
      ok((await picker(panel).getAttribute('title'))?.endsWith(`\n${strategyChoice.note}`));
      await picker(panel).click();
      await page.evaluate(readFileSync(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8'));
      for (const width of [280, 480, 660, 900]) {
        await page.setViewportSize({ width, height: 720 });
        await settled(page);
        await page.screenshot({ path: join(RESULTS, 'screenshots', `strategy-picker-${language}-${width}.png`) });
        equal(await page.locator('.picker').evaluate((each) => each.scrollWidth > each.clientWidth), false);
        const found = await page.evaluate(async () => {
          const { violations } = await (window as unknown as { axe: typeof Axe }).axe.run('.head');
          return violations.map(({ id }) => id);
        });
        deepEqual(found, [], `axe at ${width} px`);
      }
    });
  });

test('the choice is for the session; the buttons are for all, and back to the default', async ({ panel }) => {
  const { page } = panel;
  const { en: strategyChoice } = CHOICES;
  ok(strategyChoice);
  await panel.show({ ...READY, strategyChoice }, CONVERSATION);
  await panel.posted();
  for (const name of ['Summary', strategyChoice.forAll, strategyChoice.back]) {
    await picker(panel).click();
    await panel.deliver();
    await page.getByRole('dialog').getByRole('button', { name }).first().click();
    await panel.deliver();
  }
  deepEqual(await panel.posted(), [
    { type: 'chooseStrategy', strategy: 'llm-summary' },
    { type: 'chooseStrategy', strategy: 'hiding-then-summary', forAll: true },
    { type: 'chooseStrategy', strategy: '' },
  ]);
  // A session that follows the default has nothing to write, and nowhere to go back to.
  await panel.show(READY, CONVERSATION);
  await picker(panel).click();
  await panel.deliver();
  deepEqual(await page.locator('.picker .popover-actions').innerText(), 'Parameters of Hide, then summarise…');
});

test('leads to the row that an act made, and takes no key from who is writing', async ({ panel }) => {
  const { page } = panel;
  const [row] = CONVERSATION.filter(({ type }) => type === 'compaction');
  ok(row);
  const ids = () =>
    page.evaluate(() => {
      const slot = document.activeElement;
      const box = slot?.getBoundingClientRect();
      const frame = document.querySelector('.conversation')?.getBoundingClientRect();
      const inView = !!box && !!frame && box.bottom > frame.top && box.top < frame.bottom;
      return [slot?.querySelector<HTMLElement>('[data-row]')?.dataset.row, inView];
    });
  await page.setViewportSize({ width: 340, height: 420 });
  await panel.show(READY, CONVERSATION);
  await page.locator('textarea').focus();
  for (const top of [0, 100_000]) {
    await page.locator('.conversation').evaluate((element, to) => element.scrollTo(0, to), top);
    await panel.deliver();
    await panel.deliver({ type: 'lead', rowId: row.id });
    await panel.deliver();
    deepEqual(await ids(), [row.id, true]);
  }
  await page.locator('textarea').fill('and then');
  await panel.deliver({ type: 'lead', rowId: row.id });
  await panel.deliver();
  equal(await page.evaluate(() => document.activeElement?.localName), 'textarea');
});

test('what is typed on a row that the panel led to is a message', async ({ panel }) => {
  const { page } = panel;
  const field = page.locator('.composer textarea');
  const [row] = CONVERSATION.filter(({ type }) => type === 'compaction');
  ok(row);
  await panel.show(READY, CONVERSATION);
  for (const text of ['and then?', '/compact', 'y', 'n']) {
    await field.fill('');
    await panel.deliver({ type: 'lead', rowId: row.id });
    await panel.deliver();
    equal(await page.evaluate(() => document.activeElement?.localName === 'textarea'), false);
    await page.keyboard.type(text);
    await panel.deliver();
    equal(await field.inputValue(), text);
  }
  const isThere = () => field.evaluate((element) => element === document.activeElement);
  const written: [string, Readonly<Record<string, string | number | boolean>>][] = [
    ['a letter of AltGr', { key: '@', ctrlKey: true, altKey: true, modifierAltGraph: true }],
    ['the first key of an input method', { key: 'Process', keyCode: 229 }],
    ['a dead key', { key: 'Dead' }],
    ['a paste', { key: 'v', ctrlKey: true }],
    ['no letter', { key: 'b', ctrlKey: true }],
  ];
  for (const [what, init] of written) {
    await field.fill('');
    await panel.deliver({ type: 'lead', rowId: row.id });
    await panel.deliver();
    await page.evaluate((given) => {
      const event = new KeyboardEvent('keydown', { ...given, bubbles: true, cancelable: true });
      document.activeElement?.dispatchEvent(event);
    }, init);
    equal(await isThere(), what !== 'no letter', what);
  }
});

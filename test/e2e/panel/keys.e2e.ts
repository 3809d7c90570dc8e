/** The conversation by keyboard: one stop of the Tab key, arrow keys from row to row, Enter to open. */

import { deepEqual, equal, ok } from 'node:assert/strict';
import type { PageAct } from '../../../src/protocol/commands.ts';
import type { Row } from '../../../src/protocol/rows.ts';
import { assistant, READY, tool, user } from '../../support/panelScenes.ts';
import { type OpenPanel, test } from './panelTest.ts';

const ROWS: readonly Row[] = Array.from({ length: 300 }, (_, n): Row => {
  if (n % 3 === 0) return user(`m${n}`, `Question ${n}`);
  return n % 3 === 1
    ? assistant(`m${n}`, `Answer ${n} with [a link](https://example.org/)`)
    : tool(`m${n}`, 'read_file', `src/${n}.ts`);
});

/** The row that has the focus, and whether it is the row itself. */
const focused = ({ page }: OpenPanel) =>
  page.evaluate(() => {
    const slot = document.activeElement?.closest<HTMLElement>('.slot');
    if (!slot) return document.activeElement?.className || document.activeElement?.localName;
    return `${slot.dataset.key}${slot === document.activeElement ? '' : ' inside'}`;
  });
const inSight = ({ page }: OpenPanel) =>
  page.evaluate(() => {
    const frame = document.querySelector('.conversation')?.getBoundingClientRect() as DOMRect;
    const { top, bottom } = (document.activeElement as Element).getBoundingClientRect();
    return top >= frame.top && bottom <= frame.bottom;
  });

async function press(panel: OpenPanel, ...keys: string[]): Promise<void> {
  for (const key of keys) {
    await panel.page.keyboard.press(key);
    await panel.deliver();
  }
}

/** A command of the editor, as its key runs it. */
async function act(panel: OpenPanel, name: PageAct): Promise<void> {
  await panel.deliver({ type: 'act', act: name });
  await panel.deliver();
}

test('Tab and a command come to the newest row, arrows go on from there, and the focus is always in sight', async ({
  panel,
}) => {
  await panel.show(READY, ROWS);
  await panel.page.locator('textarea').focus();
  await act(panel, 'focusConversation');
  equal(await focused(panel), 'm299');
  await act(panel, 'focusMessage');
  equal(await focused(panel), 'textarea');
  await panel.page.locator('.meter').focus();
  await press(panel, 'Tab');
  equal(await focused(panel), 'm299');
  await press(panel, 'ArrowUp', 'ArrowUp');
  equal(await focused(panel), 'm297');
  for (let n = 0; n < 60; n++) await panel.page.keyboard.press('ArrowUp');
  await panel.deliver();
  equal(await focused(panel), 'm237');
  ok(await inSight(panel));
  await press(panel, 'Home');
  equal(await focused(panel), 'm0');
  ok(await inSight(panel));
  await press(panel, 'End');
  equal(await focused(panel), 'm299');
  ok(await inSight(panel));
});

test('Enter opens a row; Tab goes through its controls and then leaves, and comes back to it', async ({ panel }) => {
  const { page } = panel;
  await panel.show(READY, ROWS);
  await page.locator('textarea').focus();
  await act(panel, 'focusConversation');
  await press(panel, 'Enter');
  equal(await page.locator('[data-row="m299"] .tool-toggle').getAttribute('aria-expanded'), 'true');
  equal(await focused(panel), 'm299');
  const seen: unknown[] = [];
  for (let n = 0; n < 12; n++) {
    await press(panel, 'Tab');
    seen.push(await focused(panel));
    if (seen.at(-1) !== 'm299 inside') break;
  }
  ok(seen.length > 3, 'the toggle, the buttons, the result and the link of the card');
  ok(!String(seen.at(-1)).startsWith('m'), `${seen.at(-1)}`);
  await page.locator('[data-row="m299"] .tool-toggle').focus();
  await press(panel, 'Shift+Tab');
  equal(await focused(panel), 'm299');
  await press(panel, 'Shift+Tab');
  ok(!String(await focused(panel)).startsWith('m2'), 'it leaves at the other side too');
  await press(panel, 'Tab');
  equal(await focused(panel), 'm299');
});

test('a click leaves the focus where it was put', async ({ panel }) => {
  await panel.show(READY, ROWS);
  await panel.page.locator('[data-row="m296"] .tool-toggle').click();
  await panel.deliver();
  deepEqual(await focused(panel), 'm296 inside');
  await press(panel, 'Shift+Tab');
  equal(await focused(panel), 'm296');
});

test('Enter on a message edits it in its row, and Esc leaves it as it was', async ({ panel }) => {
  await panel.show(READY, [user('m2', 'first')]);
  await act(panel, 'focusConversation');
  await press(panel, 'Enter');
  equal(await focused(panel), 'm2 inside');
  await press(panel, '!');
  equal(await panel.page.getByRole('combobox', { name: 'New text' }).inputValue(), 'first!');
  await press(panel, 'Escape');
  equal(await focused(panel), 'textarea');
  equal(await panel.page.locator('[data-row="m2"] .user-text').textContent(), 'first');
});

test('a key of the editor leads to a row that is seen to have the focus, also after a click', async ({ panel }) => {
  const { page } = panel;
  const ring = () =>
    page.evaluate(() => {
      const { outlineStyle, outlineWidth } = getComputedStyle(document.activeElement as Element);
      return outlineStyle === 'none' ? 'none' : `${outlineStyle} ${outlineWidth}`;
    });
  await panel.show(READY, ROWS);
  await page.locator('.composer textarea').click();
  // The key goes to the editor, which runs the command.
  await press(panel, 'Control+ArrowUp');
  await act(panel, 'focusConversation');
  equal(await focused(panel), 'm299');
  equal(await ring(), 'solid 1px');
  await page.locator('[data-row="m297"] .user-text').click();
  equal(await focused(panel), 'm297');
  equal(await ring(), 'none', 'a click needs no ring');
});

test('Shift+Tab goes back from the message to the conversation, and from each control to the one before', async ({
  panel,
}) => {
  const { page } = panel;
  await panel.show(READY, ROWS);
  await panel.posted();
  await page.locator('.composer textarea').focus();
  const stops = async (key: string) => {
    const seen: string[] = [];
    for (;;) {
      await press(panel, key);
      const now = await page.evaluate(() => {
        const active = document.activeElement;
        return active === document.body ? '' : (active?.getAttribute('aria-label') ?? active?.textContent.trim() ?? '');
      });
      if (now === '' || seen.includes(now)) return seen;
      seen.push(now);
    }
  };
  const back = await stops('Shift+Tab');
  equal(await page.locator('.composer textarea').inputValue(), '');
  deepEqual(
    (await panel.posted()).filter(({ type }) => type === 'chooseMode'),
    [],
  );
  ok(
    back.some((name) => name.startsWith('Context:')),
    back.join(' | '),
  );
  ok(back.includes(READY.title), back.join(' | '));
});

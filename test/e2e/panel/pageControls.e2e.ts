/** What is chosen, written and set on a page, by keyboard alone. */

import { deepEqual, equal, ok } from 'node:assert/strict';
import { type Bridge, EDITED, LAB, test, WORD } from './pageTest.ts';

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
  const at = EDITED.blocks.findIndex(({ kind }) => kind === 'input');
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

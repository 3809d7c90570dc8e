/** What a person does shows where they are: events elsewhere in the conversation, mentions in a message, long lists. */

import { deepEqual, equal, ok } from 'node:assert/strict';
import type { Row } from '../../../src/protocol/rows.ts';
import { assistant, compaction, notice, READY, RUNNING, tool, user } from '../../support/panelScenes.ts';
import { type OpenPanel, test } from './panelTest.ts';

const LONG: readonly Row[] = Array.from({ length: 40 }, (_, n) =>
  n % 2 === 0 ? user(`m${n}`, `Question ${n}`) : assistant(`m${n}`, `Answer ${n}\n\n${'And so on. '.repeat(40)}`),
);

const scrollTo = async ({ page, deliver }: OpenPanel, top: number) => {
  await page.locator('.conversation').evaluate((element, y) => element.scrollTo(0, y), top);
  await deliver();
};

test.describe('a reader in the middle of a conversation', () => {
  test('is told of a compaction, its undo and a restore, and gets there by one click', async ({ panel }) => {
    const { page } = panel;
    const latest = page.locator('.latest');
    await panel.show(READY, LONG);
    equal(await latest.count(), 0);
    await scrollTo(panel, 300);
    equal((await latest.innerText()).trim(), 'Jump to latest');
    await panel.deliver({ type: 'rows', rows: [compaction('e50', { tokensBefore: 61_000, tokensAfter: 31_000 })] });
    equal((await latest.innerText()).trim(), 'Jump to latest: Compaction: 61k → 31k');
    await latest.click();
    await panel.deliver();
    equal(await latest.count(), 0);
    ok(await page.locator('[data-row="e50"]').isVisible());

    await panel.deliver({ type: 'rows', rows: LONG.map((row) => ({ ...row, id: `n${row.id}` })) });
    await scrollTo(panel, 300);
    await panel.deliver({
      type: 'rows',
      rows: [compaction('e50', { state: 'undone', canUndo: false, canRedo: true })],
    });
    equal((await latest.innerText()).trim(), 'Jump to latest: Compaction undone');
    await latest.click();
    await panel.deliver();
    ok(await page.locator('[data-row="e50"]').isVisible());
    // The end is further down, and there is nothing new any more.
    equal((await latest.innerText()).trim(), 'Jump to latest');

    await panel.deliver({ type: 'rows', rows: [notice('e90', 'info', '2 files were restored.')] });
    equal((await latest.innerText()).trim(), 'Jump to latest: 2 files were restored.');
    await scrollTo(panel, 1_000_000);
    await scrollTo(panel, 300);
    equal((await latest.innerText()).trim(), 'Jump to latest');
  });
});

test('a mention is said once: in the text, as what opens it', async ({ panel }) => {
  const { page } = panel;
  const mention = (name: string) => ({ mention: name, tokens: 1_240, fate: 'kept' as const, pinned: false });
  const text = 'Compare @src/a.ts and @src/a.tsx\nwith @"my notes.md".';
  const mentions = ['@src/a.ts', '@"my notes.md"', '@problems'].map(mention);
  await panel.show(READY, [user('m1', text, { mentions })]);
  equal(await page.locator('.user-text').evaluate((element) => element.textContent), text);
  deepEqual(await page.locator('.user-text .mention').allInnerTexts(), ['@src/a.ts', '@"my notes.md"']);
  deepEqual(await page.locator('.mentions-row .mention').allInnerTexts(), ['@problems']);
  await panel.posted();
  await page.getByRole('button', { name: 'Open @src/a.ts (1.2k tokens)' }).click();
  deepEqual(await panel.posted(), [{ type: 'openMention', rowId: 'm1', mention: '@src/a.ts' }]);
});

test('what the commands mean begins at one edge', async ({ panel }) => {
  const { page } = panel;
  const edges = () =>
    page
      .locator('.completion-text')
      .evaluateAll((all) => [...new Set(all.map((each) => Math.round(each.getBoundingClientRect().left)))]);
  await panel.show(READY, LONG);
  await page.locator('textarea').fill('/');
  await panel.deliver();
  equal((await edges()).length, 1);
  await page.locator('textarea').fill('@');
  const choice = (label: string) => ({ insert: `@${label}`, label, detail: 'src', icon: 'file' as const, more: false });
  const choices = ['a.ts', 'aRatherLongName.test.ts', 'b.ts'].map(choice);
  await panel.deliver({ type: 'mentionChoices', typed: '', choices });
  equal((await edges()).length, 1);
});

test('more strategies come below those that were there', async ({ panel }) => {
  const { page } = panel;
  const strategy = (id: string, more: boolean) => ({ id, label: id, description: '', ...(more ? { more } : {}) });
  const strategies = [strategy('a', true), strategy('b', false), strategy('c', true), strategy('d', false)];
  await panel.show({ ...READY, strategies, strategy: 'b' }, LONG);
  await page.locator('.title-row .picker-button').click();
  await panel.deliver();
  const labels = () => page.locator('.choice-label').allInnerTexts();
  deepEqual(await labels(), ['b', 'd', 'More…']);
  await page.getByRole('button', { name: 'More…' }).click();
  await panel.deliver();
  deepEqual(await labels(), ['b', 'd', 'a', 'c']);
  equal(await page.evaluate(() => document.activeElement?.textContent?.trim()), 'a');
});

test('a turn says in one place that it is at work, and the page is not longer than its window', async ({ panel }) => {
  const { page } = panel;
  await panel.show(RUNNING, [...LONG, assistant('live', '', { live: true, tokens: 0 })]);
  equal(await page.getByText(/Working…|Writing…/).count(), 1);
  await panel.deliver({ type: 'rows', rows: [notice('e91', 'error', 'It failed.')] });
  deepEqual(
    await page.evaluate(() => {
      const { scrollHeight, clientHeight } = document.documentElement;
      return scrollHeight - clientHeight;
    }),
    0,
  );
});

test('an edit that a restore took back says so', async ({ panel }) => {
  const detail = { kind: 'edit', path: 'a.ts', added: 3, removed: 2, diff: '+x\n', effect: 'changed' } as const;
  await panel.show(READY, [
    tool('m1.0', 'edit_file', 'a.ts', { detail: { ...detail, takenBack: true } }),
    tool('m2.0', 'edit_file', 'a.ts', { detail }),
  ]);
  const texts = await panel.page.locator('.row.tool .tool-outcome').allInnerTexts();
  deepEqual(
    texts.map((text) => text.replace(/\s+/g, ' ').trim()),
    ['undone +3 −2', '+3 −2'],
  );
});

test('a line of many calls names them in words, and its tokens where it is pointed at or has the focus', async ({
  panel,
}) => {
  const { page } = panel;
  const calls = Array.from({ length: 8 }, (_, n) =>
    tool(`m1.${n}`, n < 5 ? 'search_text' : 'list_files', `${n}`, { tokens: 1_000 }),
  );
  await panel.show(READY, [user('m0', 'look'), ...calls, assistant('m2', 'Seen.')]);
  const group = page.locator('.row.group');
  equal((await group.locator('.clip').innerText()).trim(), '8 calls: 5 × Search text, 3 × List files');
  const opacity = () => group.locator('.group-tokens').evaluate((element) => getComputedStyle(element).opacity);
  equal(await opacity(), '0');
  await group.hover();
  equal(await opacity(), '1');
  await page.mouse.move(0, 0);
  await group.locator('.tool-toggle').focus();
  equal(await opacity(), '1');
});

/** Sessions of other programs in an empty panel: offered after a click, by title and age, whatever their titles hold. */

import { deepEqual, equal } from 'node:assert/strict';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { RESULTS } from '../../../scripts/paths.ts';
import type { PanelState, ToPanel } from '../../../src/protocol/messages.ts';
import { CONSENT, CONVERSATION, FIRST_START, READY } from '../../support/panelScenes.ts';
import { ofType, test } from './panelTest.ts';

const EMPTY: PanelState = {
  ...READY,
  sessionId: '',
  title: '',
  meter: { ...READY.meter, tokens: 0, parts: [], cache: null },
};
const HOUR = 3_600_000;

/** Found at `now`. */
const found = (now: number, count = 3): Extract<ToPanel, { type: 'sessionsHere' }> => ({
  type: 'sessionsHere',
  sessions: [
    ['Claude Code', 'Mend the retry test, which fails once in twenty runs on the build machine', 2 * HOUR],
    ['Codex', '<img src=x onerror="document.title=1"> [link](command:x) **bold**', 30 * HOUR],
    ['Cline', '', 400 * 24 * HOUR],
    ...Array.from({ length: Math.max(0, count - 3) }, (_, at) => ['Codex', `Older ${at}`, 500 * HOUR] as const),
  ].map(([program, title, age], at) => ({
    id: `1.${at}`,
    program: `${program}`,
    title: `${title}`,
    time: now - Number(age),
    folder: '',
    here: (['no', 'whole', 'older'] as const)[at] ?? 'no',
  })),
  problems: [],
  more: false,
});

const nowOf = ({ page }: { page: import('@playwright/test').Page }) => page.evaluate(() => Date.now());

test('asks for nothing before a click, and lists titles and ages after it', { tag: ['@everyday', '@item:26'] }, async ({
  panel,
}) => {
  const { page } = panel;
  await panel.show(EMPTY, []);
  deepEqual(ofType(await panel.posted(), 'findSessionsHere'), []);
  await page.getByRole('button', { name: 'Go on with a session of another program' }).focus();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Enter');
  equal(ofType(await panel.posted(), 'findSessionsHere').length, 1);
  await expect(page.locator('.elsewhere-offer')).toHaveAttribute('aria-busy', 'true');
  await expect(page.locator('.elsewhere-offer')).toBeFocused();
  await panel.deliver(found(await nowOf(panel)));
  const listed = page
    .getByRole('region', { name: 'Sessions of other programs in this folder' })
    .locator('.session-open');
  await expect(listed).toHaveText([
    /^\s*Mend the retry test, .*\s+Claude Code · 2 hours ago\s*$/,
    /^\s*<img src=x onerror="document.title=1"> \[link\]\(command:x\) \*\*bold\*\*\s+Codex · yesterday · already goes on here\s*$/,
    /^\s*Without a title\s+Cline · last year · already goes on here · went on there since\s*$/,
  ]);
  // The caret goes where the person waited for it, and on by arrows.
  await expect(listed.nth(0)).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  deepEqual(ofType(await panel.posted(), 'continueFound'), [{ type: 'continueFound', foundId: '1.1' }]);
  const anew = page.getByRole('button', { name: /^Go on anew/ });
  await expect(anew).toHaveCount(1);
  await anew.press('Enter');
  deepEqual(ofType(await panel.posted(), 'continueFound'), [{ type: 'continueFound', foundId: '1.2', anew: true }]);
});

test('of many shows a few, says what could not be read, and looks again', { tag: ['@item:26'] }, async ({ panel }) => {
  const { page } = panel;
  await panel.show(EMPTY, []);
  const problem = 'pi: not all of its sessions can be read. It is an archive.';
  await page.locator('.elsewhere-offer').click();
  await panel.deliver({ ...found(await nowOf(panel), 9), problems: [problem], more: true });
  await expect(page.locator('.elsewhere .session-open')).toHaveCount(6);
  await page.getByRole('button', { name: 'Show all 9' }).click();
  await expect(page.locator('.elsewhere .session-open')).toHaveCount(9);
  await expect(page.locator('.elsewhere .session-open').nth(6)).toBeFocused();
  await expect(page.locator('.elsewhere')).toContainText(problem);
  await expect(page.locator('.elsewhere')).toContainText('There may be older ones.');
  await panel.posted();
  await page.getByRole('button', { name: 'Look again' }).press('Enter');
  equal(ofType(await panel.posted(), 'findSessionsHere').length, 1);
  await panel.deliver({ ...found(0), sessions: [] });
  await expect(page.locator('.elsewhere')).toContainText('None was found.');
});

test('is not offered without a folder, nor beside a conversation', { tag: ['@item:26'] }, async ({ panel }) => {
  for (const [state, rows] of [
    [{ ...EMPTY, folderOpen: false }, []],
    [READY, CONVERSATION],
  ] as const) {
    await panel.show(state, rows);
    await expect(panel.page.locator('.elsewhere-offer')).toHaveCount(0);
  }
});

test('a compaction by hand is asked about with its price, without an answer that needs a message', {
  tag: ['@item:26'],
}, async ({ panel }) => {
  const { page } = panel;
  const card = page.locator('.consent');
  const ask = (summary: (typeof CONSENT)['summary']) =>
    panel.show({ ...READY, status: 'waiting', consent: { ...CONSENT, byHand: true, summary } }, CONVERSATION);
  await ask({ requests: 0, tokens: 0, cost: null });
  await expect(card).toContainText('No model is asked for it, so that it costs nothing.');
  await expect(card.getByRole('button', { name: 'New session' })).toHaveCount(0);
  await ask({ requests: 1, tokens: 20_000, cost: { amount: 0.07, currency: 'USD' } });
  await expect(card).toContainText('The summary takes one request, which reads 20k tokens and costs about $0.07.');
  await ask({ requests: 1, tokens: 20_000, cost: null });
  await expect(card).toContainText('Its cost is unknown.');
});

for (const language of ['en', 'zh-cn'])
  for (const theme of ['dark', 'light', 'contrast', 'contrastLight'] as const)
    test.describe(`in ${language} and the theme ${theme}`, () => {
      test.use({ theme, language });

      test('fits every width', { tag: ['@item:26'] }, async ({ panel }) => {
        const { page } = panel;
        for (const [name, state] of [
          ['first', FIRST_START],
          ['ready', EMPTY],
        ] as const) {
          await panel.show(state, []);
          for (const step of ['offer', 'found'] as const) {
            if (step === 'found') {
              await page.locator('.elsewhere-offer').click();
              await panel.deliver({ ...found(await nowOf(panel), 4), problems: ['pi: EACCES'], more: true });
            }
            for (const width of [280, 480, 660, 900]) {
              await page.setViewportSize({ width, height: 900 });
              const over = await page.evaluate(() =>
                [...document.querySelectorAll('.welcome *')]
                  .filter((each) => each.getBoundingClientRect().right > innerWidth + 1)
                  .map((each) => each.className),
              );
              deepEqual(over, []);
              await page.screenshot({
                path: join(RESULTS, 'screenshots', `elsewhere-${name}-${step}-${language}-${theme}-${width}.png`),
              });
            }
          }
          await panel.show({ ...state, sessionId: 'other' }, []);
        }
      });
    });

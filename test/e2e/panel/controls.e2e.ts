/** The list of sessions and the composer, by keyboard and by pointer. */

import { deepEqual, equal } from 'node:assert/strict';
import { words } from '../../../src/core/words.ts';
import { CONVERSATION, READY, RUNNING, SESSIONS } from '../../support/panelScenes.ts';
import { ofType, test } from './panelTest.ts';

test.describe('sessions', () => {
  test('are marked, exported, deleted, and listed for all folders; those of others are for reading', {
    tag: '@item:12',
  }, async ({ panel }) => {
    const { page } = panel;
    await panel.show(READY, CONVERSATION);
    await page.locator('textarea').fill('/history');
    await page.locator('textarea').press('Enter');
    await panel.deliver({ type: 'sessions', query: '', sessions: [...SESSIONS] });
    await panel.posted();
    await page.getByRole('button', { name: 'Mark as favourite: Move' }).press('Enter');
    await page.getByRole('button', { name: 'Export…: Move' }).press('Enter');
    await page.getByRole('button', { name: 'Move to the trash: Move' }).press('Enter');
    await page.getByRole('button', { name: 'All folders' }).click();
    deepEqual(await panel.posted(), [
      { type: 'favourite', sessionId: 's2', favourite: true },
      { type: 'exportSession', sessionId: 's2' },
      { type: 'deleteSession', sessionId: 's2' },
      { type: 'listSessions', query: '', scope: 'all' },
    ]);
    equal(await page.getByRole('button', { name: /^(Mark|Rename|Move).*: New session$/ }).count(), 0);
  });

  test('are searched, renamed and opened by keyboard', { tag: ['@everyday', '@item:12'] }, async ({ panel }) => {
    const { page } = panel;
    await panel.show(READY, CONVERSATION);
    await panel.posted();
    await page.locator('textarea').fill('/history');
    await page.locator('textarea').press('Enter');
    await panel.deliver({ type: 'sessions', query: '', sessions: [...SESSIONS] });
    await page.keyboard.type('move');
    await page.getByRole('button', { name: /^Rename session: Move/ }).press('Enter');
    await panel.deliver();
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type('New router');
    await page.keyboard.press('Enter');
    await panel.deliver();
    await page.getByRole('button', { name: /^New router/ }).press('Enter');
    const posted = await panel.posted();
    deepEqual(
      posted.filter(({ type }) => type !== 'listSessions'),
      [
        { type: 'renameSession', sessionId: 's2', title: 'New router' },
        { type: 'openSession', sessionId: 's2', hit: { entry: 17, text: 'move' } },
      ],
    );
    deepEqual(ofType(posted, 'listSessions').at(-1), { type: 'listSessions', query: 'move', scope: 'workspace' });
  });
});

test('a session is found, reached and opened from the search field, in the order of its days', {
  tag: '@item:12',
}, async ({ panel }) => {
  const { page } = panel;
  const DAY_MS = 86_400_000;
  const noon = new Date().setHours(12, 0, 0, 0);
  const sessions = [0, 0.01, 1, 3, 20, 400].map((days, at) => ({
    ...(SESSIONS[1] as (typeof SESSIONS)[number]),
    id: `s${at}`,
    title: `session ${at}`,
    time: noon - days * DAY_MS,
    favourite: at === 0,
    passage: '',
    hit: null,
  }));
  const open = async () => {
    await page.locator('textarea').fill('/history');
    await page.locator('textarea').press('Enter');
    await panel.deliver({ type: 'sessions', query: '', sessions });
    await panel.posted();
  };
  const focused = () => page.evaluate(() => document.activeElement?.textContent?.trim().slice(0, 9) ?? '');
  await panel.show(READY, CONVERSATION);
  await open();
  deepEqual(await page.locator('.sessions h3').allInnerTexts(), [
    'Favourites',
    'Today',
    'Yesterday',
    'Last 7 days',
    'Last 30 days',
    'Older',
  ]);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  equal(await focused(), 'session 1');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowUp');
  equal(await focused(), 'Search se');
  await page.keyboard.press('Enter');
  deepEqual(await panel.posted(), [{ type: 'openSession', sessionId: 's0' }]);

  // Enter waits for the answer to what was typed last.
  await open();
  await page.keyboard.type('se');
  await panel.deliver({ type: 'sessions', query: 's', sessions });
  await page.keyboard.press('Enter');
  equal((await panel.posted()).filter(({ type }) => type === 'openSession').length, 0);
  await panel.deliver({ type: 'sessions', query: 'se', sessions: sessions.slice(2) });
  deepEqual(await panel.posted(), [{ type: 'openSession', sessionId: 's2' }]);
});

test.describe('the composer', () => {
  test('sends, breaks lines, recalls, stops, and keeps what cannot be sent', { tag: ['@everyday', '@item:3'] }, async ({
    panel,
  }) => {
    const { page } = panel;
    const box = page.locator('textarea');
    await panel.show(READY, CONVERSATION);
    await panel.posted();
    await box.fill('first');
    await box.press('Shift+Enter');
    await box.pressSequentially('second');
    await box.press('Enter');
    deepEqual(await panel.posted(), [{ type: 'send', text: 'first\nsecond' }]);
    await box.press('ArrowUp');
    await panel.deliver();
    equal(await box.inputValue(), 'Now run it a hundred times.');
    await panel.deliver({ type: 'state', state: RUNNING });
    // What is sent while it runs waits for its turn; the host says when it has it.
    await box.press('Enter');
    deepEqual(await panel.posted(), [{ type: 'send', text: 'Now run it a hundred times.' }]);
    await box.press('Escape');
    deepEqual(await panel.posted(), [{ type: 'stop' }]);
  });

  test('runs commands by name, completes them, and says what it does not know', {
    tag: ['@everyday', '@item:10'],
  }, async ({ panel }) => {
    const { page } = panel;
    const box = page.locator('textarea');
    await panel.show(READY, CONVERSATION);
    await panel.posted();
    for (const typed of ['/compact keep the paths', '/undo', '/strategy tool-result', '/model demo']) {
      await box.fill(typed);
      await box.press('Enter');
      await panel.deliver();
      if ((await box.inputValue()) !== '') await box.press('Enter');
    }
    deepEqual(await panel.posted(), [
      { type: 'compact', instructions: 'keep the paths' },
      { type: 'undoCompaction' },
      { type: 'chooseStrategy', strategy: 'tool-result-hiding' },
      { type: 'chooseModel', model: 'demo' },
    ]);
    await box.fill('/frobnicate');
    await box.press('Enter');
    await panel.deliver();
    equal(await page.getByRole('alert').innerText(), 'There is no command /frobnicate. /help lists them.');
  });

  test('completes a mention by keys, keeps the text on Escape, and says what is doubtful before it sends', async ({
    panel,
  }) => {
    const { page } = panel;
    const box = page.getByRole('combobox', { name: 'Message' });
    const options = page.getByRole('listbox', { name: 'Context to mention' }).getByRole('option');
    await panel.show(READY, CONVERSATION);
    await panel.posted();
    await box.pressSequentially('See @');
    deepEqual(await panel.posted(), [{ type: 'completeMention', typed: '' }]);
    const choice = (path: string) => ({
      insert: `@${path}`,
      label: path,
      detail: '',
      icon: 'file' as const,
      more: false,
    });
    const choices = [choice('a.ts'), choice('b.ts')];
    await panel.deliver({ type: 'mentionChoices', typed: '', choices });
    await box.press('ArrowDown');
    await panel.deliver();
    equal(await box.getAttribute('aria-activedescendant'), 'completion-1');
    equal(await options.nth(1).getAttribute('aria-selected'), 'true');
    await box.press('Escape');
    await panel.deliver();
    deepEqual([await options.count(), await box.inputValue()], [0, 'See @']);
    await box.press('Backspace');
    await box.pressSequentially('@');
    await panel.deliver({ type: 'mentionChoices', typed: '', choices });
    await box.press('ArrowDown');
    await box.press('Enter');
    await panel.deliver();
    equal(await box.inputValue(), 'See @b.ts ');
    await panel.posted();

    await box.press('Enter');
    const text = 'See @b.ts';
    deepEqual(await panel.posted(), [{ type: 'checkMentions', text }]);
    const reason = words('There is no file or folder {0}.', 'b.ts').map((each) => ({
      ...each,
      values: [...each.values],
    }));
    await panel.deliver({ type: 'mentionsChecked', text, doubts: [{ mention: '@b.ts', kind: 'missing', reason }] });
    equal(
      await page.getByRole('alert').innerText(),
      '@b.ts: There is no file or folder b.ts.\nSend again to send the message as it is.',
    );
    deepEqual(await panel.posted(), []);
    await box.press('Enter');
    deepEqual(await panel.posted(), [{ type: 'send', text, confirmed: true }]);
    // What has no doubts is sent at once, and an answer to another text does nothing.
    await box.fill('And @a.ts');
    await box.press('Enter');
    await panel.posted();
    await panel.deliver({ type: 'mentionsChecked', text: 'See @other', doubts: [] });
    deepEqual(await panel.posted(), []);
    await panel.deliver({ type: 'mentionsChecked', text: 'And @a.ts', doubts: [] });
    deepEqual(await panel.posted(), [{ type: 'send', text: 'And @a.ts' }]);

    // By mouse the list is the same, and what is added from elsewhere stands apart from the word before it.
    await box.fill('word');
    await page.getByRole('button', { name: 'Add context (@)' }).click();
    await panel.deliver();
    equal(await box.inputValue(), 'word @');
    await panel.deliver({ type: 'mentionChoices', typed: '', choices });
    await options.first().click();
    await panel.deliver({ type: 'insertText', text: '@src/c.ts:1-2 ' });
    equal(await box.inputValue(), 'word @a.ts @src/c.ts:1-2 ');
  });

  test('takes Enter for what is typed, however quickly it follows the last letter', async ({ panel }) => {
    const box = panel.page.locator('textarea');
    await panel.show(READY, CONVERSATION);
    await box.fill('/c');
    await panel.page.getByRole('option').first().waitFor();
    await panel.posted();
    // All of this is in one frame: nothing is drawn between the letters and the key.
    await box.evaluate((field: HTMLTextAreaElement) => {
      field.value = '/clear';
      field.dispatchEvent(new InputEvent('input', { bubbles: true }));
      field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true }));
    });
    deepEqual(await panel.posted(), [{ type: 'clearConversation' }]);
    await panel.deliver();
    equal(await box.inputValue(), '');
  });
});

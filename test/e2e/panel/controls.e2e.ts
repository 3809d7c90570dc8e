/** The list of sessions and the composer, by keyboard and by pointer. */

import { deepEqual, equal } from 'node:assert/strict';
import { CONVERSATION, READY, RUNNING, SESSIONS } from '../../support/panelScenes.ts';
import { ofType, test } from './panelTest.ts';

test.describe('sessions', () => {
  test('are marked, exported, deleted, and listed for all folders; those of others are for reading', async ({
    panel,
  }) => {
    const { page } = panel;
    await panel.show(READY, CONVERSATION);
    await page.locator('textarea').fill('/history');
    await page.locator('textarea').press('Enter');
    await panel.deliver({ type: 'sessions', sessions: [...SESSIONS] });
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

  test('are searched, renamed and opened by keyboard', async ({ panel }) => {
    const { page } = panel;
    await panel.show(READY, CONVERSATION);
    await panel.posted();
    await page.locator('textarea').fill('/history');
    await page.locator('textarea').press('Enter');
    await panel.deliver({ type: 'sessions', sessions: [...SESSIONS] });
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

test.describe('the composer', () => {
  test('sends, breaks lines, recalls, stops, and keeps what cannot be sent', async ({ panel }) => {
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
    await box.press('Enter');
    deepEqual([await panel.posted(), await box.inputValue()], [[], 'Now run it a hundred times.']);
    await box.press('Escape');
    deepEqual(await panel.posted(), [{ type: 'stop' }]);
  });

  test('runs commands by name, completes them, and says what it does not know', async ({ panel }) => {
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

/** The caret is where one types, always; what asks something never takes it. */

import { deepEqual, equal, ok } from 'node:assert/strict';
import { expect } from '@playwright/test';
import type { PanelState } from '../../../src/protocol/messages.ts';
import {
  assistant,
  COMMAND_APPROVAL,
  CONSENT,
  CONVERSATION,
  EDIT_APPROVAL,
  READY,
  SESSIONS,
  user,
} from '../../support/panelScenes.ts';
import { CARD_KEY } from '../support/panel.ts';
import { type OpenPanel, ofType, test } from './panelTest.ts';

const WAITING: PanelState = { ...READY, status: 'waiting' };

/** The class of what has the focus. */
const focused = ({ page }: OpenPanel) =>
  page.evaluate(() => document.activeElement?.className || document.activeElement?.localName || '');
const composer = ({ page }: OpenPanel) => page.locator('textarea');

test.describe('the caret', () => {
  test('stands in the composer of a session that has just been shown, and when the panel is entered', async ({
    panel,
  }) => {
    await panel.show(READY, CONVERSATION);
    equal(await focused(panel), 'textarea');
    await panel.page.evaluate(() => (document.activeElement as HTMLElement).blur());
    await panel.show({ ...READY, sessionId: 's2' }, []);
    equal(await focused(panel), 'textarea');
    await panel.page.evaluate(() => (document.activeElement as HTMLElement).blur());
    await panel.page.evaluate(() => window.dispatchEvent(new FocusEvent('focus')));
    equal(await focused(panel), 'textarea');
  });

  test('stands in the composer also where something is asked, and is there again after each answer', async ({
    panel,
  }) => {
    await panel.show(WAITING, [EDIT_APPROVAL, COMMAND_APPROVAL]);
    equal(await focused(panel), 'textarea');
    await panel.posted();
    for (const key of ['y', 'n']) {
      await panel.page.keyboard.press(CARD_KEY);
      await panel.page.keyboard.press(key);
      await panel.deliver();
      equal(await focused(panel), 'textarea');
    }
    deepEqual(
      ofType(await panel.posted(), 'answer').map((each) => 'answer' in each && each.answer),
      ['allow', 'deny'],
    );
  });

  test('is not taken by what asks, wherever it is', async ({ panel }) => {
    await panel.show(READY, CONVERSATION);
    await composer(panel).pressSequentially('half a th');
    await panel.deliver({ type: 'rows', rows: [EDIT_APPROVAL] }, { type: 'state', state: WAITING });
    equal(await focused(panel), 'textarea');
    await panel.page.keyboard.type('ought');
    await expect(composer(panel)).toHaveValue('half a thought');
    await panel.page.locator('.conversation').focus();
    await panel.deliver({ type: 'rows', rows: [COMMAND_APPROVAL] });
    equal(await focused(panel), 'conversation');
    await expect(composer(panel)).toHaveValue('half a thought');
  });

  test('Enter in the reason for a no answers it, and leaves no line break in the composer', async ({ panel }) => {
    await panel.show(WAITING, [EDIT_APPROVAL]);
    await panel.posted();
    const reason = panel.page.getByRole('textbox', { name: 'Say why' });
    await reason.click();
    await panel.page.keyboard.type('not this file');
    await panel.page.keyboard.press('Enter');
    await panel.deliver();
    await expect(composer(panel)).toHaveValue('');
    equal(await focused(panel), 'textarea');
    deepEqual(ofType(await panel.posted(), 'answer'), [
      { type: 'answer', approvalId: 'a1', hash: 'h1', answer: 'deny', reason: 'not this file' },
    ]);
  });

  test('stays in the page when what had it leaves', async ({ panel }) => {
    await panel.show(WAITING, [EDIT_APPROVAL]);
    await panel.page.keyboard.press(CARD_KEY);
    equal(await focused(panel), 'approval');
    await panel.show(READY, [user('m1', 'nothing is asked any more')]);
    equal(await focused(panel), 'textarea');
  });
});

test.describe('the question before a compaction', () => {
  const ASKED: PanelState = { ...WAITING, consent: CONSENT, sending: 'Now run it a hundred times.' };

  test('says what comes of each answer, and is answered by key', { tag: '@item:9' }, async ({ panel }) => {
    await panel.show(ASKED, CONVERSATION);
    const card = panel.page.locator('.row.consent');
    equal(await focused(panel), 'textarea');
    const choices = await card.locator('.choice').allInnerTexts();
    deepEqual(
      choices.map((text) => text.replace(/\s+/g, ' ').trim()),
      [
        'Compact Hide tool results: 61k → 31k · 23 hidden',
        'Drop oldest… 61k → 40k: 54 dropped unread, without a summary',
        'New session It begins with your message. This session stays in the history.',
        'Not now You will be asked again once the context has grown.',
        'Preview…',
      ],
    );
    const keys = await card.locator('kbd').evaluateAll((all) => all.map((key) => (key as HTMLElement).dataset.key));
    equal(keys.join(''), 'ydsnp');
    await panel.posted();
    await panel.page.keyboard.press(CARD_KEY);
    await panel.page.keyboard.press('p');
    await panel.page.keyboard.press('y');
    await panel.page.keyboard.press('n');
    deepEqual(await panel.posted(), [
      { type: 'previewConsent', consentId: 'c1' },
      { type: 'consent', consentId: 'c1', answer: 'compact' },
    ]);
  });

  test('offers no dropping where nothing may be dropped, and a preview where only a model can say', async ({
    panel,
  }) => {
    await panel.show({ ...ASKED, consent: { ...CONSENT, compact: null, dropOldest: null } }, CONVERSATION);
    const card = panel.page.locator('.row.consent');
    equal(await card.locator('[data-answer="dropOldest"]').count(), 0);
    ok((await card.innerText()).includes('a preview shows what would be left'));
  });
});

test.describe('a message', () => {
  test('stands there at once, with what is done before the model gets it', async ({ panel }) => {
    const state: PanelState = { ...READY, status: 'compacting', activity: 'Summarising 23 messages', sending: 'go on' };
    await panel.show(state, CONVERSATION);
    const sent = panel.page.locator('.row.sending');
    equal(await sent.locator('.user-text').innerText(), 'go on');
    equal((await sent.locator('.sending-note').innerText()).trim(), 'Summarising 23 messages');
    await panel.deliver(
      { type: 'rows', rows: [user('m90', 'go on')] },
      { type: 'state', state: { ...READY, status: 'running' } },
    );
    equal(await sent.count(), 0);
    equal(await panel.page.locator('.row.user', { hasText: 'go on' }).count(), 1);
  });
});

test.describe('what was searched for', () => {
  const ROWS = Array.from({ length: 80 }, (_, n) => assistant(`m${n}`, `Answer ${n}\n\nwith the word Kookaburra${n}.`));

  test('is brought into sight and marked, also where its rows were not loaded', async ({ panel }) => {
    const { page } = panel;
    await panel.show(READY, CONVERSATION);
    await composer(panel).fill('/history');
    await composer(panel).press('Enter');
    await panel.deliver({ type: 'sessions', query: '', sessions: [...SESSIONS] });
    await page.keyboard.type('routes');
    await panel.posted();
    await page.locator('.session-open', { hasText: 'Move' }).press('Enter');
    deepEqual(ofType(await panel.posted(), 'openSession'), [
      { type: 'openSession', sessionId: 's2', hit: { entry: 17, text: 'routes' } },
    ]);
    await panel.show({ ...READY, sessionId: 's2' }, ROWS.slice(60), true);
    await panel.posted();
    await panel.deliver({ type: 'reveal', rowId: 'm20', text: 'kookaburra20' });
    deepEqual(ofType(await panel.posted(), 'loadRows'), [{ type: 'loadRows', beforeId: 'm60', count: 500 }]);
    await panel.deliver({ type: 'olderRows', beforeId: 'm60', rows: ROWS.slice(0, 60), more: false });
    await panel.deliver();
    const place = await page.evaluate(() => {
      const [range] = [...(CSS.highlights.get('sought') ?? [])] as Range[];
      const frame = document.querySelector('.conversation')?.getBoundingClientRect();
      return { text: range?.toString(), top: (range?.getBoundingClientRect().top ?? 0) - (frame?.top ?? 0) };
    });
    equal(place.text, 'Kookaburra20');
    ok(place.top > 0 && place.top < 300, `${place.top}`);
  });

  test('a window that is restricted and only reads says both, and how to take over', async ({ panel }) => {
    await panel.show({ ...READY, trusted: false, readOnly: 'Open elsewhere.', canTakeOver: true }, CONVERSATION);
    deepEqual(await panel.page.locator('.banner .grow').allInnerTexts(), [
      'Restricted Mode: the agent can read, and changes nothing.',
      'Open elsewhere.',
    ]);
    await panel.posted();
    await panel.page.getByRole('button', { name: 'Take over' }).click();
    deepEqual(await panel.posted(), [{ type: 'takeOverSession' }]);
  });
});

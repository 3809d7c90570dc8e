/** No text that a person wrote is ever lost, sent twice or sent before it is finished. */

import { deepEqual, equal, ok } from 'node:assert/strict';
import { expect } from '@playwright/test';
import type { PanelState, ToPanel } from '../../../src/protocol/messages.ts';
import {
  assistant,
  COMMAND_APPROVAL,
  CONVERSATION,
  compaction,
  EDIT_APPROVAL,
  READY,
  RUNNING,
  SELECTED,
  show,
  user,
} from '../../support/panelScenes.ts';
import { type OpenPanel, ofType, test } from './panelTest.ts';

const composer = ({ page }: OpenPanel) => page.locator('.composer textarea');
const edited = ({ page }: OpenPanel) => page.getByRole('combobox', { name: 'New text' });

/** Loads the page again, and drops its request for the state. */
async function reload(panel: OpenPanel): Promise<void> {
  await panel.reload();
  await panel.posted();
}

/** Presses a key as an input method does while it is composing. */
async function pressComposing(panel: OpenPanel, selector: string, key: string, code?: 229): Promise<void> {
  await panel.page.evaluate(
    ([wanted, pressed, keyCode]) => {
      const event = {
        key: pressed,
        ...(keyCode ? { keyCode } : { isComposing: true }),
        bubbles: true,
        composed: true,
        cancelable: true,
      };
      document.querySelector(wanted)?.dispatchEvent(new KeyboardEvent('keydown', event));
    },
    [selector, key, code] as const,
  );
}

test.describe('what is being written', () => {
  test('stays when a message that could not be sent comes back', async ({ panel }) => {
    await panel.show(READY, CONVERSATION);
    await composer(panel).fill('the next thought');
    await panel.deliver({ type: 'compose', text: 'the first thought' });
    await expect(composer(panel)).toHaveValue('the first thought\n\nthe next thought');
  });

  test('is not doubled when the same text comes back', async ({ panel }) => {
    await panel.show(READY, CONVERSATION);
    await composer(panel).fill('the first thought');
    await panel.deliver({ type: 'compose', text: 'the first thought' });
    await expect(composer(panel)).toHaveValue('the first thought');
  });

  test('keeps what was written beside a message that a restore put here, when the restore is undone', async ({
    panel,
  }) => {
    const images = [{ name: 'a.png', blob: 'a'.repeat(64) }];
    const again = { type: 'saidAgain', text: 'the first thought', images } as const;
    await panel.show(READY, CONVERSATION);
    await panel.deliver({ type: 'compose', text: 'the first thought', images });
    const chips = panel.page.locator('.composer-box .image');
    await expect(chips).toHaveCount(1);
    await panel.deliver(again);
    await expect(composer(panel)).toHaveValue('');
    await expect(chips).toHaveCount(0);
    await composer(panel).fill('the next thought');
    await panel.deliver({ type: 'compose', text: 'the first thought', images }, again);
    await expect(composer(panel)).toHaveValue('the next thought');
    // Once it was changed there, it is the person's draft.
    await composer(panel).fill('the first thought, better');
    await panel.deliver(again);
    await expect(composer(panel)).toHaveValue('the first thought, better');
  });

  test('is there again after an earlier message was edited, sent or left', async ({ panel }) => {
    const { page } = panel;
    const edit = async () => {
      await page.locator('[data-row="m2"]').hover();
      await page.getByRole('button', { name: 'Edit this message' }).click();
      await panel.deliver();
    };
    await panel.show(READY, [user('m2', 'first')]);
    await composer(panel).fill('half a thought');
    await edit();
    await edited(panel).press('Escape');
    await panel.deliver();
    await expect(composer(panel)).toHaveValue('half a thought');
    await edit();
    await edited(panel).fill('second');
    await edited(panel).press('Enter');
    await panel.deliver();
    await expect(composer(panel)).toHaveValue('half a thought');
    deepEqual(ofType(await panel.posted(), 'send'), [{ type: 'send', text: 'second', replaces: 'm2' }]);
  });

  test('and what it replaces are there again after a reload', async ({ panel }) => {
    await panel.show(READY, [user('m2', 'first')]);
    await composer(panel).fill('half a thought');
    await panel.page.locator('[data-row="m2"]').hover();
    await panel.page.getByRole('button', { name: 'Edit this message' }).click();
    await panel.deliver();
    await edited(panel).fill('second');
    await reload(panel);
    await panel.show(READY, [user('m2', 'first')]);
    await edited(panel).press('Enter');
    await panel.deliver();
    deepEqual(ofType(await panel.posted(), 'send'), [{ type: 'send', text: 'second', replaces: 'm2' }]);
    await expect(composer(panel)).toHaveValue('half a thought');
  });

  test('is kept with each letter: a page that is dropped at that moment can save nothing more', async ({ panel }) => {
    await panel.show(READY, CONVERSATION);
    const kept = await composer(panel).evaluate((box) => {
      (box as HTMLTextAreaElement).value = 'half a thought';
      box.dispatchEvent(new InputEvent('input', { bubbles: true }));
      return JSON.parse(sessionStorage.getItem('state') ?? '{}').draft;
    });
    equal(kept, 'half a thought');
  });

  test('as the reason for a no is there again after a reload', async ({ panel }) => {
    const state: PanelState = { ...READY, status: 'waiting' };
    await panel.show(state, [EDIT_APPROVAL]);
    await panel.page.getByRole('textbox', { name: 'Say why' }).fill('not this file');
    await reload(panel);
    await panel.show(state, [EDIT_APPROVAL]);
    await panel.page.getByRole('button', { name: 'No', exact: true }).click();
    deepEqual(ofType(await panel.posted(), 'answer'), [
      { type: 'answer', approvalId: 'a1', hash: 'h1', answer: 'deny', reason: 'not this file' },
    ]);
  });

  test('stays with its session when another one is shown, and is there again with it', async ({ panel }) => {
    await panel.show(READY, [user('m2', 'first')]);
    await composer(panel).fill('half a thought');
    await panel.page.locator('[data-row="m2"]').hover();
    await panel.page.getByRole('button', { name: 'Edit this message' }).click();
    await panel.show({ ...READY, sessionId: 's2' }, [user('m2', 'of another session')]);
    await expect(composer(panel)).toHaveValue('');
    await composer(panel).fill('for the other');
    await panel.show(READY, [user('m2', 'first')]);
    await expect(edited(panel)).toHaveValue('first');
    await edited(panel).press('Escape');
    await expect(composer(panel)).toHaveValue('half a thought');
    equal((await panel.kept('s2'))?.draft, 'for the other');
  });

  test('leaves nothing of what was open beside it to the session that is shown next', async ({ panel }) => {
    const other = { ...READY, sessionId: 's2' };
    const box = composer(panel);
    await panel.show(READY, CONVERSATION);
    await box.pressSequentially('see @re');
    const choice = { insert: '@retry.ts', label: 'retry.ts', detail: 'src', icon: 'file' as const, more: false };
    await panel.deliver({ type: 'mentionChoices', typed: 're', choices: [choice] });
    await expect(panel.page.getByRole('option')).toHaveCount(1);
    await panel.show(other, [user('m2', 'asked there')]);
    await expect(panel.page.getByRole('option')).toHaveCount(0);

    // What was asked there is the first that ↑ brings back, however far one had gone back here.
    await panel.show(READY, [user('m2', 'one'), user('m3', 'two')]);
    await box.fill('');
    await box.press('ArrowUp');
    await box.press('ArrowUp');
    await expect(box).toHaveValue('one');
    await panel.show({ ...READY, sessionId: 's3' }, [user('m2', 'asked there')]);
    await box.press('ArrowUp');
    await expect(box).toHaveValue('asked there');

    await panel.page.getByRole('button', { name: 'Model: ' }).click();
    await expect(panel.page.locator('.popover')).toBeVisible();
    await panel.show({ ...READY, sessionId: 's4' }, []);
    await expect(panel.page.locator('.popover')).toHaveCount(0);
  });

  test('is taken from the host where the editor has an older copy, and never after it was sent', async ({ panel }) => {
    await panel.show(READY, CONVERSATION);
    await composer(panel).fill('half a thought');
    const older = await panel.page.evaluate(() => sessionStorage.getItem('state') ?? '');
    await composer(panel).fill('half a thought, and more');
    const newer = await panel.kept(READY.sessionId);
    await composer(panel).press('Enter');
    const sent = await panel.kept(READY.sessionId);
    // A browser that is closed has the page's state of a minute ago.
    for (const [kept, draft] of [
      [newer, 'half a thought, and more'],
      [sent, ''],
    ] as const) {
      await panel.page.evaluate((state) => {
        sessionStorage.setItem('state', state);
        // The page saves its own when it is left, and a moment after it was scrolled.
        Storage.prototype.setItem = () => undefined;
      }, older);
      await reload(panel);
      await panel.deliver({ ...show(READY, CONVERSATION), kept } as ToPanel);
      await expect(composer(panel)).toHaveValue(draft);
    }
  });

  test('goes with the session that the first message makes', async ({ panel }) => {
    await panel.show({ ...READY, sessionId: '' }, []);
    await composer(panel).fill('first');
    await composer(panel).press('Enter');
    await composer(panel).fill('and second');
    await panel.deliver({ type: 'state', state: RUNNING });
    deepEqual(
      [(await panel.kept(''))?.draft, (await panel.kept(RUNNING.sessionId))?.draft, await composer(panel).inputValue()],
      ['', 'and second', 'and second'],
    );
  });

  test('is not sent by the Enter that ends an input method, nor is a model chosen', async ({ panel }) => {
    const models = Array.from({ length: 12 }, (_, n) => ({ id: `m${n}`, label: `Model ${n}`, description: '' }));
    await panel.show({ ...READY, models }, CONVERSATION);
    await panel.posted();
    await composer(panel).fill('你好');
    await pressComposing(panel, 'textarea', 'Enter');
    await pressComposing(panel, 'textarea', 'Enter', 229);
    await panel.page.getByRole('button', { name: 'Model: ' }).click();
    await panel.deliver();
    await pressComposing(panel, '.popover vscode-text-field', 'Enter');
    deepEqual(await panel.posted(), []);
    await expect(composer(panel)).toHaveValue('你好');
  });

  test('stays when a command cannot be done now, with the reason', async ({ panel }) => {
    const tries = async (state: PanelState) => {
      await panel.show(state, []);
      await panel.posted();
      await composer(panel).fill('/compact keep the paths');
      await composer(panel).press('Enter');
      await panel.deliver();
      deepEqual([await panel.posted(), await composer(panel).inputValue()], [[], '/compact keep the paths']);
      return panel.page.getByRole('alert').innerText();
    };
    ok((await tries(RUNNING)).startsWith('The agent is still working.'));
    ok((await tries({ ...READY, sessionId: '' })).startsWith('This session is still empty'));
  });

  test('is sent while the agent works too, and what waits is sent, changed or removed', {
    tag: ['@everyday', '@item:3', '@item:23'],
  }, async ({ panel }) => {
    const queue = [
      { id: 'q1', text: 'and then', now: false },
      { id: 'q2', text: 'at once', now: true },
    ];
    await panel.show({ ...RUNNING, queue }, CONVERSATION);
    await panel.posted();
    await composer(panel).fill('once more');
    await panel.page.getByRole('button', { name: /^Send after the answer/ }).click();
    await composer(panel).fill('not this way');
    await composer(panel).press('Control+Enter');
    const waiting = panel.page.getByRole('region', { name: 'Waiting messages' });
    for (const name of ['Send at the next step: and then', 'Edit: at once', 'Remove: and then'])
      await waiting.getByRole('button', { name }).click();
    equal(await waiting.getByRole('button', { name: /^Send at the next step/ }).count(), 1);
    await waiting.getByRole('button', { name: 'Stop the answer and send: at once' }).click();
    deepEqual(await panel.posted(), [
      { type: 'send', text: 'once more' },
      { type: 'send', text: 'not this way', interrupts: true },
      { type: 'queued', id: 'q1', act: 'send' },
      { type: 'queued', id: 'q2', act: 'edit' },
      { type: 'queued', id: 'q1', act: 'remove' },
      { type: 'queued', id: 'q2', act: 'send' },
    ]);
  });

  test('that waited when the session was closed says so, and is sent when the person says so', async ({ panel }) => {
    const queue = [{ id: 'q1', text: 'and then', now: false, kept: true }];
    await panel.show({ ...READY, queue }, CONVERSATION);
    const waiting = panel.page.getByRole('region', { name: 'Waiting messages' });
    await waiting.getByText('Not sent before the session was closed').waitFor();
    await waiting.getByRole('img', { name: 'waits for you to send it' }).waitFor();
    await panel.posted();
    await waiting.getByRole('button', { name: 'Send: and then' }).click();
    deepEqual(await panel.posted(), [{ type: 'queued', id: 'q1', act: 'send' }]);
  });

  test('is sent once, however often Enter is pressed', async ({ panel }) => {
    await panel.show(READY, CONVERSATION);
    await panel.posted();
    await composer(panel).fill('once');
    await panel.page.evaluate(() => {
      const box = document.querySelector('textarea');
      for (let n = 0; n < 3; n++) box?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }));
    });
    deepEqual(await panel.posted(), [{ type: 'send', text: 'once' }]);
  });

  test('may be a million characters, and more than that is said', async ({ panel }) => {
    await panel.show(READY, CONVERSATION);
    await panel.posted();
    const million = 'a line of text\n'.repeat(66_667).slice(0, 1_000_000);
    await composer(panel).evaluate((box, text) => {
      (box as HTMLTextAreaElement).value = text;
      box.dispatchEvent(new InputEvent('input', { bubbles: true }));
    }, million);
    await panel.deliver();
    ok((await panel.page.getByRole('alert').innerText()).includes('1,000,000'));
    await composer(panel).press('Enter');
    deepEqual(await panel.posted(), [{ type: 'send', text: million.trim() }]);
  });
});

test.describe('a double click', () => {
  test('answers one question, and not the next one that takes its place', async ({ panel }) => {
    const state: PanelState = { ...READY, status: 'waiting' };
    await panel.show(state, [EDIT_APPROVAL, COMMAND_APPROVAL]);
    await panel.posted();
    const allow = panel.page.locator(`[data-row="${EDIT_APPROVAL.id}"] [data-answer="allow"]`);
    await allow.dblclick();
    await allow.click();
    deepEqual(await panel.posted(), [{ type: 'answer', approvalId: 'a1', hash: 'h1', answer: 'allow' }]);
  });

  test('undoes a compaction, and does not redo it', async ({ panel }) => {
    await panel.show(READY, [compaction('e3')]);
    await panel.posted();
    await panel.page.getByRole('button', { name: /^Undo this compaction/ }).dblclick();
    deepEqual(await panel.posted(), [{ type: 'undoCompaction' }]);
  });
});

test.describe('who selects text', () => {
  test('is not pulled away from it by a growing answer', async ({ panel }) => {
    const rows = Array.from({ length: 30 }, (_, n) => assistant(`m${n}`, `Answer ${n}\n\nwith two paragraphs`));
    await panel.show(RUNNING, [...rows, { ...assistant('live', 'a'), live: true } as (typeof rows)[number]]);
    const row = panel.page.locator('[data-row="m29"]');
    const top = () => row.evaluate((element) => Math.round(element.getBoundingClientRect().top));
    await row.evaluate((element) => document.getSelection()?.selectAllChildren(element));
    const before = await top();
    await panel.deliver({ type: 'delta', rowId: 'live', text: '\n\nmore'.repeat(30), reasoning: '' });
    equal(await top(), before);
    await panel.page.evaluate(() => document.getSelection()?.removeAllRanges());
    await panel.deliver({ type: 'delta', rowId: 'live', text: '\n\nmore', reasoning: '' });
    ok((await top()) < before);
  });
});

test.describe('the selection of the editor', () => {
  const selected = SELECTED;
  const state = (selection: PanelState['selection'], more: Partial<PanelState> = {}): PanelState => ({
    ...READY,
    ...more,
    selection,
  });
  const sent = async (panel: OpenPanel) => ofType(await panel.posted(), 'send');
  const check = async (panel: OpenPanel, text: string) => {
    await panel.deliver({ type: 'mentionsChecked', text, doubts: [] });
    return sent(panel);
  };

  test('goes along with the message, and is told once', async ({ panel }) => {
    const { page } = panel;
    await panel.show(state(selected), CONVERSATION);
    await expect(page.locator('.selection')).toContainText('src/retry.ts:3-9');
    await expect(page.locator('.selection')).toContainText('is sent with your message');
    await panel.posted();
    await composer(panel).fill('Why?');
    await composer(panel).press('Enter');
    const whole = 'Why?\n\n@src/retry.ts:3-9';
    deepEqual(await panel.posted(), [{ type: 'checkMentions', text: whole }]);
    await panel.deliver({ type: 'mentionsChecked', text: whole, doubts: [] });
    const posted = await panel.posted();
    deepEqual(ofType(posted, 'keepSelection'), [{ type: 'keepSelection', on: true }]);
    deepEqual(ofType(posted, 'send'), [{ type: 'send', text: whole }]);
    await panel.deliver({ type: 'state', state: state({ ...selected, isNew: false }) });
    await expect(page.locator('.selection')).not.toContainText('is sent with');
    await expect(composer(panel)).toHaveValue('');
  });

  test('that changes while its mention is checked does not lose the message', async ({ panel }) => {
    await panel.show(state(selected), CONVERSATION);
    await composer(panel).fill('Why?');
    await composer(panel).press('Enter');
    await panel.deliver({
      type: 'state',
      state: state({ ...selected, mention: '@src/retry.ts:4', name: 'src/retry.ts:4' }),
    });
    const whole = 'Why?\n\n@src/retry.ts:3-9';
    deepEqual(await check(panel, whole), [{ type: 'send', text: whole }]);
  });

  test('stays away once it was left out, until it is wanted again', async ({ panel }) => {
    const { page } = panel;
    await panel.show(state(selected), CONVERSATION);
    await panel.posted();
    await page.getByRole('button', { name: 'Leave the selection out, now and later' }).click();
    deepEqual(await panel.posted(), [{ type: 'keepSelection', on: false }]);
    await panel.deliver({ type: 'state', state: state({ ...selected, on: false, isNew: false }) });
    await expect(page.locator('.selection .mention-tokens')).toHaveCount(0);
    await expect(composer(panel)).toBeFocused();
    await composer(panel).fill('Why?');
    await composer(panel).press('Enter');
    deepEqual(await sent(panel), [{ type: 'send', text: 'Why?' }]);
    await page.getByRole('button', { name: 'Send the selection along, now and later' }).click();
    deepEqual(await panel.posted(), [{ type: 'keepSelection', on: true }]);
  });

  test('is not added to an earlier message, a command, or a message that names it', async ({ panel }) => {
    const { page } = panel;
    await panel.show(state({ ...selected, isNew: false }), [user('m2', 'first')]);
    await page.locator('[data-row="m2"]').hover();
    await page.getByRole('button', { name: 'Edit this message' }).click();
    await edited(panel).press('Enter');
    deepEqual(await sent(panel), [{ type: 'send', text: 'first', replaces: 'm2' }]);
    await composer(panel).fill('/compact');
    await composer(panel).press('Enter');
    await composer(panel).fill('Explain @src/retry.ts:3-9.');
    await composer(panel).press('Enter');
    deepEqual(ofType(await panel.posted(), 'checkMentions'), [
      { type: 'checkMentions', text: 'Explain @src/retry.ts:3-9.' },
    ]);
  });

  test('is asked about at once from the editor, unless a message is being written', async ({ panel }) => {
    const asked = { type: 'insertText', text: 'Explain @src/retry.ts:3-9.', send: true } as const;
    await panel.show(state(selected), CONVERSATION);
    await panel.deliver(asked);
    deepEqual(await check(panel, asked.text), [{ type: 'send', text: asked.text }]);
    await composer(panel).fill('a thought');
    await panel.deliver(asked);
    deepEqual(await sent(panel), []);
    await expect(composer(panel)).toHaveValue(`a thought ${asked.text}`);
  });
});

/**
 * A card takes no key that may have been meant for the message field: neither from forty sentences around each kind of card,
 * nor from keys that are held, under way, or pressed elsewhere. Who goes to it answers with one key.
 */

import { deepEqual, equal } from 'node:assert/strict';
import { expect } from '@playwright/test';
import { words } from '../../../src/core/words.ts';
import type { PanelState, ToHost, ToPanel } from '../../../src/protocol/messages.ts';
import type { RowOf } from '../../../src/protocol/rows.ts';
import {
  COMMAND_APPROVAL,
  CONSENT,
  CONVERSATION,
  EDIT_APPROVAL,
  READY,
  user,
  WEB_APPROVAL,
} from '../../support/panelScenes.ts';
import { CARD_KEY } from '../support/panel.ts';
import { chooseSeed, SENTENCES, Writer } from '../support/sentences.ts';
import { type OpenPanel, test } from './panelTest.ts';

type ToolRow = RowOf<'tool'>;
type Approval = NonNullable<ToolRow['approval']>;

const WAITING: PanelState = { ...READY, status: 'waiting' };

/** A call that asks, with everything that a card of its kind can offer. */
function asking(id: string, row: unknown, more: Partial<Approval> = {}): ToolRow {
  const { approval, ...rest } = row as ToolRow;
  if (!approval) throw new Error('It asks nothing');
  return { ...rest, id, approval: { ...approval, id: `a-${id}`, hash: `h-${id}`, mayRemember: true, ...more } };
}

const command = (id: string, danger = words('It deletes: {0}', 'rm -rf build')) =>
  asking(id, COMMAND_APPROVAL, {
    mayAlways: true,
    detail: {
      kind: 'command',
      command: 'rm -rf build',
      cwd: '~/project',
      cut: false,
      parts: [{ argv: ['rm', '-rf', 'build'], allowed: false, folder: '~/project' }],
      reads: true,
      danger,
    },
  });

const KINDS: Readonly<Record<string, (id: string) => readonly ToPanel[]>> = {
  command: (id) => rowsOf(command(id, [])),
  'command that deletes': (id) => rowsOf(command(id)),
  edit: (id) => rowsOf(asking(id, EDIT_APPROVAL)),
  deletion: (id) =>
    rowsOf(asking(id, EDIT_APPROVAL, { detail: { kind: 'delete', path: 'a.bin', diff: '', bytes: 12, cut: false } })),
  fetch: (id) => rowsOf(asking(id, WEB_APPROVAL)),
  'MCP tool': (id) =>
    rowsOf(
      asking(id, COMMAND_APPROVAL, {
        mayAlways: true,
        detail: { kind: 'mcp', server: 'tides', tool: 'now', input: '{}', cut: false },
      }),
    ),
  plan: (id) => stateOf({ question: { kind: 'plan', id, text: '# Write b' } }),
  question: (id) =>
    stateOf({
      question: {
        kind: 'choice',
        id,
        text: 'Which clock?',
        choices: ['The wall clock', 'The monotonic one'].map((label) => ({ label, description: '' })),
      },
    }),
  'MCP server that asks the model': (id) =>
    stateOf({ question: { kind: 'permit', id, text: 'It wants to ask.', yes: 'Allow once', always: 'Always' } }),
  'compaction by a strategy': (id) => stateOf({ consent: { ...CONSENT, id } }),
};

const rowsOf = (row: ToolRow): ToPanel[] => [
  { type: 'rows', rows: [row] },
  { type: 'state', state: WAITING },
];
const stateOf = (more: Partial<PanelState>): ToPanel[] => [{ type: 'state', state: { ...WAITING, ...more } }];

const gone = (id: string): ToPanel[] => [
  { type: 'removeRows', ids: [id] },
  { type: 'state', state: { ...READY, status: 'running' } },
];

const composer = ({ page }: OpenPanel) => page.getByRole('combobox', { name: 'Message' });
const isInField = (panel: OpenPanel) => expect(composer(panel)).toBeFocused();
const answers = (posted: readonly ToHost[]) => posted.filter(({ type }) => type !== 'send' && type !== 'checkMentions');
const focused = ({ page }: OpenPanel) =>
  page.evaluate(() => document.activeElement?.closest<HTMLElement>('[data-asks]')?.dataset.asks ?? null);

test.describe('forty sentences around a card', () => {
  for (const [kind, show] of Object.entries(KINDS)) {
    test(`that asks about: ${kind}`, async ({ panel }) => {
      const { seed, random } = chooseSeed();
      console.log(`${kind}: seed ${seed}`);
      test.info().annotations.push({ type: 'seed', description: String(seed) });
      const writer = await Writer.at(panel.page, random);
      await panel.show({ ...READY, status: 'running' }, CONVERSATION);
      await panel.posted();
      await composer(panel).focus();
      const sent: unknown[] = [];
      for (const [at, sentence] of SENTENCES.entries()) {
        const id = `m9${at}`;
        await writer.write(sentence, () => panel.deliver(...show(id)));
        equal(await composer(panel).inputValue(), sentence.text, `sentence ${at}, seed ${seed}`);
        await panel.page.keyboard.press('Enter');
        const posted = await panel.posted();
        deepEqual(answers(posted), [], `${sentence.text}, seed ${seed}`);
        sent.push(...posted.map((each) => 'text' in each && each.text));
        equal(await panel.page.locator('.approval-rule').count(), 0);
        // Every other card is still there while the next sentence is written.
        if (at % 2 === 1) await panel.deliver(...gone(id), ...gone(`m9${at - 1}`));
      }
      deepEqual(
        sent,
        SENTENCES.map(({ text }) => text),
      );
    });
  }
});

test.describe('a card', () => {
  const start = async (panel: OpenPanel, ...frame: readonly ToPanel[]) => {
    await panel.show({ ...READY, status: 'running' }, [user('m1', 'Go')]);
    await composer(panel).focus();
    await panel.deliver(...frame);
    await panel.posted();
  };
  const press = async (panel: OpenPanel, ...keys: readonly string[]) => {
    for (const key of keys) {
      await panel.page.keyboard.press(key);
      await panel.deliver();
    }
  };

  test('is reached by one key and answered by another, and then the caret is in the message field', async ({
    panel,
  }) => {
    await start(panel, ...rowsOf(command('m2', [])));
    await isInField(panel);
    await press(panel, CARD_KEY, 'y');
    deepEqual(await panel.posted(), [{ type: 'answer', approvalId: 'a-m2', hash: 'h-m2', answer: 'allow' }]);
    await isInField(panel);
  });

  test('is reached by Tab or by a click, too, and not by anything that the page does', async ({ panel }) => {
    await start(panel, ...rowsOf(command('m2', [])));
    const card = panel.page.locator('.approval');
    await card.evaluate((element) => (element as HTMLElement).focus());
    await press(panel, 'y');
    deepEqual([await panel.posted(), await composer(panel).inputValue()], [[], 'y']);
    await card.locator('pre').click();
    await press(panel, 'n');
    deepEqual(await panel.posted(), [{ type: 'answer', approvalId: 'a-m2', hash: 'h-m2', answer: 'deny' }]);
    await panel.deliver(...gone('m2'), ...rowsOf(command('m3', [])));
    await card.locator('pre').evaluate((element) => element.focus());
    await press(panel, 'Tab', 'n');
    deepEqual(await panel.posted(), [{ type: 'answer', approvalId: 'a-m3', hash: 'h-m3', answer: 'deny' }]);
  });

  test('leaves a letter that is no answer to the message field', async ({ panel }) => {
    await start(panel, ...rowsOf(asking('m2', EDIT_APPROVAL)));
    await press(panel, CARD_KEY);
    await panel.page.keyboard.type('look at it, you');
    deepEqual([await panel.posted(), await composer(panel).inputValue()], [[], 'look at it, you']);
  });

  test('answers no other question than the one that the person went to', async ({ panel }) => {
    const question = (id: string) => stateOf({ question: { kind: 'permit', id, text: `${id}?`, yes: 'Yes' } });
    await start(panel, ...question('q1'));
    await press(panel, CARD_KEY);
    await panel.deliver(...question('q2'));
    await isInField(panel);
    await press(panel, 'y');
    deepEqual([await panel.posted(), await composer(panel).inputValue()], [[], 'y']);
    // Answered, and the next one takes its place under the same hand.
    await press(panel, CARD_KEY, 'y');
    await panel.deliver(...question('q3'));
    await press(panel, 'y');
    deepEqual(await panel.posted(), [
      { type: 'answerQuestion', questionId: 'q2', answer: { kind: 'approve', changed: null } },
    ]);
  });

  test('does not answer when its text changes while the person is in it', async ({ panel }) => {
    const first = asking('m2', EDIT_APPROVAL);
    await start(panel, ...rowsOf(first));
    await press(panel, CARD_KEY);
    await panel.deliver(...rowsOf({ ...first, approval: { ...(first.approval as Approval), hash: 'h-other' } }));
    await press(panel, 'y');
    deepEqual(await panel.posted(), []);
  });

  test('keeps the focus and its keys when it is only drawn again', async ({ panel }) => {
    await start(panel, ...rowsOf(command('m2', [])));
    await press(panel, CARD_KEY);
    await panel.deliver(...rowsOf(command('m2', [])), { type: 'rows', rows: [user('m3', 'a later row')] });
    equal(await focused(panel), 'h-m2');
    await press(panel, 'y');
    deepEqual(await panel.posted(), [{ type: 'answer', approvalId: 'a-m2', hash: 'h-m2', answer: 'allow' }]);
  });

  test('of several is reached one after the other', async ({ panel }) => {
    await start(panel, ...rowsOf(command('m2')), ...rowsOf(asking('m3', EDIT_APPROVAL)));
    const seen: (string | null)[] = [];
    for (let n = 0; n < 3; n++) {
      await press(panel, CARD_KEY);
      seen.push(await focused(panel));
    }
    deepEqual(seen, ['h-m2', 'h-m3', 'h-m2']);
  });

  test('is reached from a row, a search and a place that is far up', async ({ panel }) => {
    const rows = Array.from({ length: 120 }, (_, n) => user(`m${n}`, `Message ${n}`));
    await panel.show(WAITING, [...rows, asking('m500', EDIT_APPROVAL)]);
    await panel.posted();
    await panel.deliver({ type: 'act', act: 'focusConversation' });
    await press(panel, 'Home', CARD_KEY);
    await panel.deliver();
    await press(panel, CARD_KEY);
    equal(await focused(panel), 'h-m500');
    await panel.deliver({ type: 'act', act: 'find' });
    await press(panel, 'y', CARD_KEY);
    equal(await focused(panel), 'h-m500');
    await press(panel, 'n');
    deepEqual(
      (await panel.posted()).filter(({ type }) => type === 'answer'),
      [{ type: 'answer', approvalId: 'a-m500', hash: 'h-m500', answer: 'deny' }],
    );
  });

  test('does not take the keys of somebody who was elsewhere in the window in between', async ({ panel }) => {
    await start(panel, ...rowsOf(command('m2', [])));
    await press(panel, CARD_KEY);
    await panel.page.evaluate(() => {
      window.dispatchEvent(new FocusEvent('blur'));
      window.dispatchEvent(new FocusEvent('focus'));
    });
    await isInField(panel);
    await press(panel, 'y');
    deepEqual([await panel.posted(), await composer(panel).inputValue()], [[], 'y']);
  });

  test('that goes away while the person writes in it sends nothing with the Enter that was meant for it', async ({
    panel,
  }) => {
    await start(panel, ...rowsOf(asking('m2', EDIT_APPROVAL)));
    await panel.page.getByRole('textbox', { name: 'Say why' }).click();
    await panel.page.keyboard.type('not ');
    await panel.deliver(...gone('m2'));
    await panel.page.keyboard.type('this file');
    await press(panel, 'Enter');
    deepEqual([await panel.posted(), await composer(panel).inputValue()], [[], 'this file']);
    await expect(panel.page.getByRole('alert')).toContainText('nothing was sent');
    await press(panel, 'Enter');
    deepEqual(await panel.posted(), [{ type: 'send', text: 'this file' }]);
  });
});

test.describe('a gesture', () => {
  const held = async (panel: OpenPanel, key: string, times: number) => {
    for (let n = 0; n < times; n++) await panel.page.keyboard.down(key);
  };

  test('begun in the message field never ends in a card', async ({ panel }) => {
    const { page } = panel;
    await panel.show({ ...READY, status: 'running' }, CONVERSATION);
    await composer(panel).focus();
    await panel.posted();
    // A key that is held while a card appears, and while the person goes to it.
    await held(panel, 'y', 3);
    await panel.deliver(...rowsOf(command('m90', [])));
    await held(panel, 'y', 3);
    await page.locator('.approval pre').click();
    await held(panel, 'y', 3);
    await page.keyboard.up('y');
    deepEqual([await panel.posted(), await composer(panel).inputValue()], [[], 'yyyyyy']);
    // Down in the field, up on a button.
    await composer(panel).focus();
    await page.keyboard.down('Space');
    await page.locator('[data-answer=allow]').evaluate((element) => (element as HTMLElement).focus());
    await page.keyboard.up('Space');
    await composer(panel).fill('');
    // The pointer, too.
    const field = await composer(panel).boundingBox();
    const button = await page.locator('[data-answer=allow]').boundingBox();
    await page.mouse.move((field?.x ?? 0) + 5, (field?.y ?? 0) + 5);
    await page.mouse.down();
    await page.mouse.move((button?.x ?? 0) + 5, (button?.y ?? 0) + 5);
    await page.mouse.up();
    deepEqual(await panel.posted(), []);
  });

  test('begun in a card never sends what is in the message field', async ({ panel }) => {
    const { page } = panel;
    await panel.show({ ...READY, status: 'running' }, CONVERSATION);
    await composer(panel).fill('half a thought');
    await panel.deliver(...rowsOf(command('m90', [])));
    await panel.posted();
    await page.keyboard.press(CARD_KEY);
    await page.locator('[data-answer=decline]').focus();
    await held(panel, 'Enter', 4);
    await page.keyboard.up('Enter');
    deepEqual(await panel.posted(), [{ type: 'answer', approvalId: 'a-m90', hash: 'h-m90', answer: 'deny' }]);
    equal(await composer(panel).inputValue(), 'half a thought');
  });
});

test.describe('what deletes, or holds for longer than this once', () => {
  const STEPS: readonly (readonly [kind: keyof typeof KINDS, key: string, given: object])[] = [
    ['command', 'a', { answer: 'allowSession' }],
    ['command', 'A', { answer: 'allowAlways' }],
    ['command that deletes', 'y', { answer: 'allow' }],
    ['deletion', 'y', { answer: 'allow' }],
    ['edit', 'a', { answer: 'allowSession' }],
    ['MCP tool', 'a', { answer: 'allowSession' }],
    ['MCP tool', 'A', { answer: 'allowAlways' }],
    ['MCP server that asks the model', 'a', { answer: { kind: 'approve', changed: null, always: true } }],
    ['compaction by a strategy', 'd', { answer: 'dropOldest' }],
  ];
  for (const [kind, key, given] of STEPS)
    test(`takes a step that no letter, no Enter and no space takes: ${key} of ${kind}`, async ({ panel }) => {
      const { page } = panel;
      await panel.show({ ...READY, status: 'running' }, CONVERSATION);
      await panel.deliver(...(KINDS[kind]?.('m90') ?? []));
      await panel.posted();
      await page.keyboard.press(CARD_KEY);
      await page.keyboard.down(key);
      await panel.deliver();
      for (let n = 0; n < 3; n++) await page.keyboard.down(key);
      await page.keyboard.up(key);
      await page.keyboard.press('Enter');
      await page.keyboard.press('Space');
      deepEqual(answers(await panel.posted()), []);
      await page.keyboard.type('yaAdn');
      deepEqual(answers(await panel.posted()), []);
      equal(await composer(panel).inputValue(), 'yaAdn');
      // Back by Esc, and once more: then Tab leads past Back to the button.
      await page.locator('.approval-rule').click();
      await page.keyboard.press('Escape');
      await panel.deliver();
      equal(await page.locator('.approval-rule').count(), 0);
      await page.keyboard.press(CARD_KEY);
      await page.keyboard.press(key);
      await panel.deliver();
      await page.keyboard.press('Tab');
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      const posted = answers(await panel.posted());
      equal(posted.length, 1);
      deepEqual({ ...posted[0], ...given }, posted[0]);
    });
});

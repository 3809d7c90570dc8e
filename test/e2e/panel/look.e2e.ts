/** How the panel looks where mistakes are easy: a narrow panel, long words, unknown numbers, several things open. */

import { deepEqual, equal, ok } from 'node:assert/strict';
import { expect } from '@playwright/test';
import { verbatim } from '../../../src/core/words.ts';
import type { PanelState } from '../../../src/protocol/messages.ts';
import type { Row } from '../../../src/protocol/rows.ts';
import {
  assistant,
  CONVERSATION,
  compaction,
  EDIT_APPROVAL,
  FIRST_START,
  notice,
  READY,
  RUNNING,
  SESSIONS,
  tool,
  user,
} from '../../support/panelScenes.ts';
import { type OpenPanel, test } from './panelTest.ts';

const PATH = 'packages/a-workspace-with-a-long-name/src/components/organisms/checkout/ConfirmationDialog.test.tsx';
const WORD = 'Donaudampfschifffahrtsgesellschaftskapitän'.repeat(3);
const LONG: readonly Row[] = [
  user('m1', `${WORD} ${PATH}`),
  assistant(
    'm2',
    `${WORD}\n\n\`${PATH}\`\n\n| ${'a | '.repeat(14)}\n|${' --- |'.repeat(15)}\n| ${`${WORD} | `.repeat(14)}`,
  ),
  tool('m2.0', 'search_text', PATH, {
    detail: { kind: 'edit', path: PATH, added: 1_234, removed: 999, diff: '+x\n', effect: 'changed' },
  }),
  notice('e4', 'error', `${WORD} ${PATH}`, { action: 'setKey', detail: PATH }),
  compaction('e5', {
    strategyName: verbatim('A strategy with a long name of its own'),
    fates: [
      { fate: 'inLines', messages: 45, inPart: 0 },
      { fate: 'shortened', messages: 67, inPart: 0 },
      { fate: 'hidden', messages: 123, inPart: 0 },
      { fate: 'read', messages: 1_469, inPart: 1_200 },
      { fate: 'unread', messages: 12_345, inPart: 0 },
    ],
  }),
  EDIT_APPROVAL,
];

/** Elements that reach over the right edge of the page, except those that scroll or are cut. */
const listOverflow = ({ page }: OpenPanel) =>
  page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('.page *')]
      .filter((element) => !element.closest('.code, .table, .diff, pre, .clip, svg, .session-actions'))
      .filter((element) => element.getBoundingClientRect().right > innerWidth + 1)
      .map((element) => `${element.localName}.${element.className}`),
  );

test.describe('a narrow panel', () => {
  test.use({ viewport: { width: 250, height: 720 } });

  test('cuts or wraps whatever is long, and nothing reaches over its edge', async ({ panel }) => {
    await panel.show({ ...READY, title: PATH }, LONG);
    deepEqual(await listOverflow(panel), []);
    await panel.page.locator('.compaction-toggle').click();
    await panel.page.locator('.meter').click();
    await panel.deliver();
    deepEqual(await listOverflow(panel), []);
    await panel.page.locator('textarea').fill('/history');
    await panel.page.locator('textarea').press('Enter');
    await panel.deliver({ type: 'sessions', query: '', sessions: SESSIONS.map((each) => ({ ...each, title: PATH })) });
    deepEqual(await listOverflow(panel), []);
  });

  test('has room for both buttons of a composer while the agent works', async ({ panel }) => {
    await panel.show({ ...RUNNING, agent: 'a reviewer with a long name' }, LONG);
    await panel.page.locator('textarea').fill('and then');
    await panel.deliver();
    const over = await panel.page.locator('.composer-bar').evaluate((bar) => {
      const edge = bar.getBoundingClientRect().right;
      return [...bar.children]
        .filter((child) => child.getBoundingClientRect().right > edge)
        .map((child) => child.className);
    });
    deepEqual(over, []);
  });

  test('keeps the name of a file whose folders do not fit', async ({ panel }) => {
    await panel.show(READY, [tool('m1.0', 'read_file', PATH.replace('ConfirmationDialog', 'Dialog'))]);
    const seen = await panel.page.locator('.tool-title .path').evaluate((box) => {
      const range = document.createRange();
      const nodes = [...(box.querySelector('bdi')?.childNodes ?? [])];
      const text = nodes.find((node) => node instanceof Text) as Text;
      range.setStart(text, text.data.lastIndexOf('/') + 1);
      range.setEnd(text, text.data.length);
      const [frame, name] = [box.getBoundingClientRect(), range.getBoundingClientRect()];
      return {
        whole: name.left >= frame.left - 1 && name.right <= frame.right + 1,
        cut: box.scrollWidth > box.clientWidth,
      };
    });
    deepEqual(seen, { whole: true, cut: true });
  });
});

test.describe('a conversation', () => {
  test('names the speakers for screen readers alone, and shows a mark without that', async ({ panel }) => {
    await panel.show(READY, [
      user('m1', 'a'),
      assistant('m2', 'one'),
      tool('m2.0', 'read_file', 'a.ts'),
      assistant('m4', 'two'),
      assistant('m5', 'three', { fate: 'hidden' }),
      user('m6', 'b'),
      assistant('m7', 'four'),
    ]);
    for (const [name, count] of [
      ['You', 2],
      ['Assistant', 4],
    ] as const) {
      equal(await panel.page.getByText(name, { exact: true }).count(), 0);
      equal(await panel.page.getByRole('article', { name, exact: true }).count(), count);
    }
    // The buttons of an answer that ends its turn stand below it, those of another over what follows.
    const above = await panel.page
      .locator('.row-foot.over')
      .evaluateAll((feet) => feet.map((foot) => foot.closest<HTMLElement>('.row')?.dataset.row));
    deepEqual(above, ['m2', 'm4']);
    // The dashed margin is the mark of an answer that is hidden; in words it is there for screen readers alone.
    const hidden = panel.page.locator('[data-row="m5"]');
    equal(await hidden.locator('.mark').count(), 0);
    const words = hidden.getByText(/^Hidden from the model/);
    equal(await words.evaluate((element) => element.getBoundingClientRect().width), 1);
  });

  test('ends messages, code and composer at one edge', async ({ panel }) => {
    await panel.show(READY, CONVERSATION);
    const edges = await panel.page
      .locator('.row.user, .code, .composer-box')
      .evaluateAll((boxes) => boxes.map((box) => Math.round(box.getBoundingClientRect().right)));
    deepEqual([...new Set(edges)].length, 1);
  });

  test('puts numbers of a table where the answer puts them, and boxes without bullets', async ({ panel }) => {
    await panel.show(READY, [assistant('m1', '| a | b |\n| --- | ---: |\n| x | 1 |\n\n- [x] done\n- [ ] open')]);
    const style = (selector: string, name: 'textAlign' | 'listStyleType') =>
      panel.page
        .locator(selector)
        .first()
        .evaluate((element, key) => getComputedStyle(element)[key], name);
    deepEqual(
      [await style('td:nth-child(2)', 'textAlign'), await style('td', 'textAlign'), await style('li', 'listStyleType')],
      ['end', 'start', 'none'],
    );
  });
});

test.describe('the meter', () => {
  test('says what fills the window, what is free, and what is kept for the answer', {
    tag: ['@everyday', '@item:8'],
  }, async ({ panel }) => {
    await panel.show(READY, CONVERSATION);
    equal(await panel.page.locator('.bar .part.reserve').count(), 1);
    await panel.page.locator('.meter').click();
    await panel.page.getByText('Kept for the answer').waitFor();
    const lines = await panel.page.locator('.breakdown tr').allInnerTexts();
    deepEqual(
      lines.slice(-2).map((line) => line.replace(/\s+/g, ' ').trim()),
      ['Free 59k 46%', 'Kept for the answer 8k 6%'],
    );
  });

  test('a first start offers no test of a connection that is not set up', async ({ panel }) => {
    const offered = () => panel.page.locator('.welcome-links button', { hasText: 'Test connection' }).count();
    await panel.show({ ...FIRST_START, endpoints: false }, []);
    equal(await offered(), 0);
    await panel.show({ ...FIRST_START, endpoints: true }, []);
    equal(await offered(), 1);
  });

  test('says of a small part that it is there', async ({ panel }) => {
    const { meter } = READY;
    const [first, ...others] = meter.parts.map((part) => ({ ...part }));
    const parts = first ? [{ ...first, tokens: 3 }, ...others] : [];
    await panel.show({ ...READY, meter: { ...meter, parts } }, CONVERSATION);
    await panel.page.locator('.meter').click();
    equal(await panel.page.locator('.breakdown tr').first().locator('td').last().innerText(), '<1%');
  });

  const bar = ({ page }: OpenPanel) => page.locator('.bar .part').count();
  const numbers = ({ page }: OpenPanel) => page.locator('.meter-numbers').innerText();

  test('shows no share of a window nobody knows, and says what starts a compaction', async ({ panel }) => {
    await panel.show({ ...READY, meter: { ...READY.meter, window: 0, trigger: null } }, CONVERSATION);
    deepEqual([await bar(panel), await numbers(panel)], [0, '61k / ? · $0.42']);
    await panel.page.locator('.meter').click();
    await panel.page.getByText('Compaction starts when a request is refused as too long').waitFor();
    await panel.deliver({ type: 'state', state: { ...READY, meter: { ...READY.meter, auto: false, trigger: null } } });
    await panel.page.getByText('Automatic compaction is off').waitFor();
    const messages = { now: 12, limit: 50, together: true };
    await panel.deliver({ type: 'state', state: { ...READY, meter: { ...READY.meter, messages, rule: 'qwen*' } } });
    const told =
      'Compaction starts at 102k · Only with at least 50 messages and results; there are 12 now · Set for qwen*';
    await panel.page.getByText(told).waitFor();
    const alone = { ...READY.meter, trigger: null, messages: { ...messages, together: false } };
    await panel.deliver({ type: 'state', state: { ...READY, meter: alone } });
    await panel.page
      .getByText('Compaction starts at 50 messages and results; there are 12 now', { exact: true })
      .waitFor();
    await panel.show(FIRST_START, []);
    equal(await numbers(panel), '');
  });
});

test.describe('what opens', () => {
  test('closes when something else is clicked, which keeps the focus', async ({ panel }) => {
    const { page } = panel;
    await panel.show(READY, CONVERSATION);
    await page.locator('.meter').click();
    await panel.deliver();
    await page.locator('.title-row .picker-button').click();
    await panel.deliver();
    deepEqual(await page.getByRole('dialog').evaluateAll((all) => all.map((each) => each.ariaLabel)), [
      'Compaction strategy of this session',
    ]);
    await page.locator('[data-row="m24"] .user-text').click();
    await panel.deliver();
    equal(await page.getByRole('dialog').count(), 0);
    ok(await page.evaluate(() => document.activeElement?.localName !== 'textarea'));
  });

  test('covers the page for the keyboard, too', async ({ panel }) => {
    const { page } = panel;
    await panel.show(READY, CONVERSATION);
    await page.locator('textarea').fill('/help');
    await page.locator('textarea').press('Enter');
    await page.getByRole('dialog').waitFor();
    await panel.deliver();
    equal(await page.getByRole('textbox').count(), 0);
    await page.keyboard.press('Escape');
    await panel.deliver();
    ok(await page.evaluate(() => document.activeElement?.localName === 'textarea'));
  });
});

test('choices of a question look like buttons', async ({ panel }) => {
  const question = {
    kind: 'choice',
    id: 'q1',
    text: 'Which?',
    choices: ['One', 'Two'].map((label) => ({ label, description: '' })),
  };
  await panel.show({ ...READY, status: 'waiting', question } as PanelState, []);
  const edges = await panel.page
    .locator('.question-card .choice')
    .evaluateAll((all) => all.map((one) => getComputedStyle(one).borderTopWidth));
  deepEqual(edges, ['1px', '1px']);
});

test('Answer waits for an answer of one’s own', async ({ panel }) => {
  const question = { kind: 'choice', id: 'q1', text: 'Which?', choices: [{ label: 'One', description: '' }] };
  await panel.show({ ...READY, status: 'waiting', question } as PanelState, []);
  const answer = panel.page.getByRole('button', { name: 'Answer', exact: true });
  await expect(answer).toBeDisabled();
  await panel.page.getByRole('textbox', { name: 'Your own answer' }).fill('Two');
  await expect(answer).toBeEnabled();
});

test.describe('the row of a compaction in a narrow panel', () => {
  test.use({ viewport: { width: 280, height: 720 } });

  test('keeps a number with what it counts, and its buttons below each other', { tag: ['@item:25'] }, async ({
    panel,
  }) => {
    const fates = [
      { fate: 'hidden', messages: 118, inPart: 0 },
      { fate: 'read', messages: 40, inPart: 0 },
      { fate: 'unread', messages: 1_289, inPart: 0 },
    ] as const;
    await panel.show(READY, [compaction('e5', { fates: [...fates] })]);
    const parted = await panel.page.locator('.compaction-count + .compaction-count').evaluateAll((all) =>
      all
        .filter((each) => {
          const text = [...each.childNodes].find((node) => node instanceof Text) as Text;
          const range = document.createRange();
          range.setStart(text, 0);
          range.setEnd(text, (/^\S+ \S+/.exec(text.data)?.[0] ?? text.data.trim()).length);
          return range.getClientRects().length > 1;
        })
        .map((each) => each.textContent),
    );
    deepEqual(parted, []);
    const places = await panel.page.locator('.compaction-line .icon').evaluateAll((all) =>
      all.map((each) => {
        const { left, top } = each.getBoundingClientRect();
        return { left: Math.round(left), top: Math.round(top) };
      }),
    );
    equal(places.length, 2);
    equal(places[0]?.left, places[1]?.left);
    ok(places[0]?.top !== places[1]?.top);
  });
});

test.describe('an empty panel in Chinese', () => {
  test.use({ language: 'zh-cn' });

  test('names its bar without a blank between the sentences', async ({ panel }) => {
    await panel.show(FIRST_START, []);
    await panel.deliver({ type: 'state', state: { ...FIRST_START, strategy: 'llm-summary' } });
    const text = (await panel.page.locator('.legend').innerText()).trim();
    ok(/。\S/.test(text) && !/。\s/.test(text), text);
  });
});

/** A conversation of ten thousand messages: little of it is on the page, and nobody notices. */

import { deepEqual, equal, ok } from 'node:assert/strict';
import type { Row } from '../../../src/protocol/rows.ts';
import { assistant, checkpoint, compaction, READY, RUNNING, tool, user } from '../../support/panelScenes.ts';
import { type OpenPanel, test } from './panelTest.ts';

const PARAGRAPH = 'The clock is read twice, once before the wait and once after it, so a retry may come early. ';

/** Rows of very different heights, as a long piece of work has them. */
const ALL: readonly Row[] = Array.from({ length: 10_000 }, (_, n): Row => {
  switch (n % 7) {
    case 0:
      return user(`m${n}`, `Question ${n}. ${PARAGRAPH.repeat(n % 4)}`);
    case 1:
      return assistant(
        `m${n}`,
        `Answer ${n}\n\n${PARAGRAPH.repeat(n % 11)}\n\n- one\n- two\n\n\`\`\`ts\nconst n = ${n};\n\`\`\``,
      );
    case 5:
      return checkpoint(`m${n}`, `after ${n}`);
    case 6:
      return assistant(`m${n}`, `Done with ${n}.`);
    default:
      return tool(`m${n}`, 'read_file', `src/part${n}.ts`);
  }
});

/** Enough for what does not depend on their number. */
const MANY = ALL.slice(-1_500);

const conversation = ({ page }: OpenPanel) => page.locator('.conversation');
const nodes = ({ page }: OpenPanel) => page.evaluate(() => document.querySelectorAll('*').length);

/** Where each row that is on the page stands. */
const tops = ({ page }: OpenPanel) =>
  page.evaluate(() => {
    const rows = [...document.querySelectorAll<HTMLElement>('.row-list [data-row]')];
    return Object.fromEntries(rows.map((row) => [row.dataset.row ?? '', row.getBoundingClientRect().top]));
  });

/** The rows that are still on the page stand where they stood. */
async function isAsBefore(panel: OpenPanel, before: Readonly<Record<string, number>>): Promise<void> {
  const after = await tops(panel);
  const shared = Object.keys(before).filter((id) => id in after);
  ok(shared.length > 5);
  deepEqual(
    shared.filter((id) => Math.abs((before[id] ?? 0) - (after[id] ?? 0)) > 2),
    [],
  );
}

/** Scrolls, and gives back by how much each row that stayed on the page moved. */
async function scrollBy(panel: OpenPanel, by: number): Promise<number[]> {
  const before = await tops(panel);
  await conversation(panel).evaluate((element, pixels) => element.scrollBy(0, pixels), by);
  await panel.deliver();
  const after = await tops(panel);
  return Object.keys(after).flatMap((id) => (id in before ? Math.round((after[id] ?? 0) - (before[id] ?? 0)) : []));
}

test.describe('ten thousand messages', () => {
  test('take no more than 1,500 elements, wherever the reader is', async ({ panel }) => {
    await panel.show(READY, ALL);
    const counts = [await nodes(panel)];
    for (const share of [0.75, 0.5, 0.1, 0]) {
      await conversation(panel).evaluate((element, part) => element.scrollTo(0, element.scrollHeight * part), share);
      await panel.deliver();
      ok(await panel.page.locator('.row').first().isVisible());
      counts.push(await nodes(panel));
    }
    ok(Math.max(...counts) <= 1_500, `${counts}`);
  });

  test('are scrolled without a jump, up and down, though their heights were only guessed', async ({ panel }) => {
    await panel.show(READY, MANY);
    const jumps: number[] = [];
    const steps = Array.from({ length: 55 }, (_, n) => (n < 40 ? -310 : 190));
    for (const by of steps) {
      for (const moved of await scrollBy(panel, by)) if (Math.abs(moved + by) > 1) jumps.push(moved);
    }
    await conversation(panel).evaluate((element) => element.scrollTo(0, element.scrollHeight * 0.4));
    await panel.deliver();
    for (let step = 0; step < 20; step++)
      for (const moved of await scrollBy(panel, -250)) if (Math.abs(moved - 250) > 1) jumps.push(moved);
    deepEqual(jumps, []);
  });

  test('stay where they are while an answer streams below and the panel gets narrower', async ({ panel }) => {
    await panel.show(RUNNING, [...MANY, { ...assistant('live', 'Now'), live: true } as Row]);
    await scrollBy(panel, -5_000);
    const before = await tops(panel);
    for (let n = 0; n < 20; n++)
      await panel.deliver({ type: 'delta', rowId: 'live', text: `\n\n${PARAGRAPH}`, reasoning: '' });
    deepEqual(await tops(panel), before);
    const [first = ''] = Object.keys(before).filter((id) => (before[id] ?? 0) > 100);
    const topOf = async () => Math.round((await tops(panel))[first] ?? Number.NaN);
    const distance = await topOf();
    await panel.page.setViewportSize({ width: 280, height: 720 });
    await panel.deliver();
    await panel.page.setViewportSize({ width: 340, height: 720 });
    await panel.deliver();
    ok(Math.abs((await topOf()) - distance) <= 2);
  });

  test('keep the focus and what is selected, however far the reader goes', async ({ panel }) => {
    const { page } = panel;
    await panel.show(READY, MANY);
    const id = await page.locator('.row.tool').last().getAttribute('data-row');
    const button = page.locator(`[data-row="${id}"] .tool-toggle`);
    await button.focus();
    await scrollBy(panel, -40_000);
    ok(await button.evaluate((element) => element === document.activeElement));
    await page.evaluate(() => {
      const texts = [...document.querySelectorAll('.row.assistant .markdown')];
      document.getSelection()?.setBaseAndExtent(texts[0] as Node, 0, texts[1] as Node, 1);
    });
    const selected = await page.evaluate(() => String(document.getSelection()));
    ok(selected.includes('Answer') || selected.includes('Done'));
    await scrollBy(panel, -40_000);
    equal(await page.evaluate(() => String(document.getSelection())), selected);
    ok((await nodes(panel)) <= 1_800);
  });

  test('tell assistive technology which of them each one is', async ({ panel }) => {
    await panel.show(READY, MANY);
    const last = panel.page.getByRole('article').last();
    deepEqual([await last.getAttribute('aria-posinset'), await last.getAttribute('aria-setsize')], ['1500', '1500']);
    await panel.deliver({ type: 'rows', rows: [user('m10000', 'one more')] });
    equal(await panel.page.getByRole('article', { name: 'You' }).last().getAttribute('aria-posinset'), '1501');
    await panel.show({ ...READY, sessionId: 's2' }, MANY.slice(0, 60), true);
    equal(await panel.page.getByRole('article').last().getAttribute('aria-setsize'), '-1');
  });

  test('are found again at the same line after a reload', async ({ panel }) => {
    await panel.show(READY, MANY);
    await scrollBy(panel, -9_000);
    await panel.pass(1_000);
    const before = await tops(panel);
    await panel.reload();
    await panel.show(READY, MANY);
    await panel.deliver();
    await isAsBefore(panel, before);
  });

  test('are found again where messages for the page before arrive first, and what was not sent is kept', async ({
    panel,
  }) => {
    await panel.show(READY, MANY);
    await scrollBy(panel, -9_000);
    await panel.pass(1_000);
    const before = await tops(panel);
    await panel.reload();
    await panel.deliver({ type: 'state', state: READY }, { type: 'rows', rows: [assistant('live', 'still')] });
    await panel.deliver({ type: 'delta', rowId: 'live', text: ' streaming', reasoning: '' });
    await panel.deliver({ type: 'compose', text: 'not sent' });
    await panel.show(READY, MANY);
    await panel.deliver();
    await isAsBefore(panel, before);
    equal(await panel.page.locator('textarea').inputValue(), 'not sent');
  });

  test('are at their end again after a reload, when the reader went back to it', async ({ panel }) => {
    const { page } = panel;
    await panel.show(READY, [...MANY, compaction('e1')]);
    await page.locator('.compaction-toggle').click();
    await scrollBy(panel, -400);
    await page.locator('textarea').fill('go on');
    await page.locator('textarea').press('Enter');
    await panel.deliver({ type: 'rows', rows: [user('m20000', 'go on'), assistant('m20001', PARAGRAPH.repeat(20))] });
    await page.waitForTimeout(600);
    equal(await page.evaluate(() => JSON.parse(sessionStorage.getItem('state') ?? '').anchor), null);
    await panel.reload();
    await panel.show(READY, [
      ...MANY,
      compaction('e1'),
      user('m20000', 'go on'),
      assistant('m20001', PARAGRAPH.repeat(20)),
    ]);
    await panel.deliver();
    equal(await page.locator('[data-row="m20001"]').count(), 1);
  });
});

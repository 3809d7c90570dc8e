/** Cards and answers under the pointer: they say what happened, open files, and nothing moves or is covered. */

import { deepEqual, equal, ok } from 'node:assert/strict';
import type { PanelState } from '../../../src/protocol/messages.ts';
import type { Row } from '../../../src/protocol/rows.ts';
import {
  assistant,
  CONVERSATION,
  EDIT_APPROVAL,
  notice,
  READY,
  RUNNING,
  tool,
  user,
} from '../../support/panelScenes.ts';
import { type OpenPanel, ofType, test } from './panelTest.ts';

const DIFF = '@@ -1,3 +1,2 @@\n one\n-two\n-three\n+2\n@@ -40,2 +39,3 @@\n a\n+b\n c\n';
const edit = (id: string, effect: 'overwritten' | 'created' | 'none' | 'changed', added: number, removed: number) =>
  tool(id, effect === 'changed' ? 'edit_file' : 'write_file', 'src/queue.js', {
    detail: { kind: 'edit', path: 'src/queue.js', added, removed, diff: DIFF, effect },
    ...(effect === 'none' ? { status: 'denied' } : {}),
  });
const line = ({ page }: OpenPanel, id: string) => page.locator(`[data-row="${id}"] .tool-line`);
const texts = (rows: readonly Row[]) => rows.map(({ id }) => `[data-row="${id}"]`).join(', ');

const tops = (panel: OpenPanel, rows: readonly Row[]) =>
  panel.page
    .locator(texts(rows))
    .evaluateAll((all) =>
      all.map((row) => [(row as HTMLElement).dataset.row, Math.round(row.getBoundingClientRect().top)]),
    );

test.describe('a card', () => {
  test('says that a file was overwritten or made, and counts nothing that was declined', async ({ panel }) => {
    await panel.show(READY, [edit('m1', 'overwritten', 1, 2), edit('m2', 'created', 7, 0), edit('m3', 'none', 0, 0)]);
    const outcome = async (id: string) => (await line(panel, id).locator('.tool-outcome').allInnerTexts()).join(' ');
    deepEqual(
      [await outcome('m1'), await outcome('m2'), await outcome('m3')].map((text) => text.replace(/\s+/g, ' ').trim()),
      ['overwritten +1 −2', 'new +7 −0', ''],
    );
    await line(panel, 'm3').locator('.tool-toggle').click();
    await panel.page.getByText('not changed; this was asked for').waitFor();
  });

  test('of a command that failed has the mark of a failure, and its exit code stays under the pointer', {
    tag: ['@everyday', '@item:4'],
  }, async ({ panel }) => {
    const command = { kind: 'command', command: 'npm test', exitCode: 1 } as const;
    await panel.show(READY, [tool('m1', 'run_command', 'npm test', { status: 'failed', detail: command })]);
    equal(await line(panel, 'm1').getByRole('img', { name: 'failed' }).count(), 1);
    await line(panel, 'm1').hover();
    const [code, button] = [panel.page.getByText('exit 1'), panel.page.getByRole('button', { name: /^Pin/ })];
    ok(await code.isVisible());
    const [left, right] = [await code.boundingBox(), await button.boundingBox()];
    ok(left && right && left.x + left.width <= right.x, 'the buttons do not cover it');
  });

  test('opens its file, also at a line of its diff', async ({ panel }) => {
    await panel.show(READY, [edit('m1', 'changed', 2, 2), tool('m2', 'read_file', 'src/a.ts')]);
    await panel.posted();
    await line(panel, 'm1').hover();
    await panel.page.getByRole('button', { name: 'Open src/queue.js' }).click();
    await line(panel, 'm2').hover();
    await panel.page.getByRole('button', { name: 'Open src/a.ts' }).click();
    await line(panel, 'm1').locator('.tool-toggle').click();
    await panel.page.getByTitle('Open at line 39').click();
    deepEqual(await panel.posted(), [
      { type: 'openFile', path: 'src/queue.js' },
      { type: 'openFile', path: 'src/a.ts' },
      { type: 'openFile', path: 'src/queue.js', line: 39 },
    ]);
  });

  test('that asks opens the file that it would change', async ({ panel }) => {
    await panel.show({ ...READY, status: 'waiting' }, [EDIT_APPROVAL]);
    await panel.posted();
    await panel.page.locator('.approval').getByRole('button', { name: 'Open src/retry.ts' }).click();
    deepEqual(await panel.posted(), [{ type: 'openFile', path: 'src/retry.ts' }]);
  });

  test('opened at the end of the conversation comes into sight', { tag: '@item:4' }, async ({ panel }) => {
    const rows = [...CONVERSATION, ...CONVERSATION.map((row) => ({ ...row, id: `x${row.id}` }) as Row)];
    const last = tool('m900', 'read_file', 'src/a.ts', { result: 'line\n'.repeat(60) });
    await panel.show(READY, [...rows, last]);
    await line(panel, 'm900').locator('.tool-toggle').click();
    await panel.deliver();
    const inside = await panel.page.locator('[data-row="m900"]').evaluate((row) => {
      const frame = row.closest('.conversation')?.getBoundingClientRect() as DOMRect;
      const { top, bottom } = row.getBoundingClientRect();
      return top >= frame.top && bottom <= frame.bottom + 1;
    });
    ok(inside);
  });

  test('that runs shows the newest of its output, unless the reader went up in it', async ({ panel }) => {
    const running = tool('m1', 'run_command', 'npm test', {
      status: 'running',
      result: 'line\n'.repeat(100),
      detail: { kind: 'command', command: 'npm test', exitCode: null },
    });
    await panel.show(RUNNING, [running]);
    await line(panel, 'm1').locator('.tool-toggle').click();
    const output = panel.page.locator('pre.result');
    const distance = () => output.evaluate((pre) => pre.scrollHeight - pre.scrollTop - pre.clientHeight);
    await output.evaluate((pre) => pre.scrollTo(0, pre.scrollHeight));
    await panel.deliver({ type: 'delta', rowId: 'm1', text: 'more\n'.repeat(40), reasoning: '' });
    ok((await distance()) <= 1);
    await output.evaluate((pre) => pre.scrollTo(0, 200));
    await panel.deliver({ type: 'delta', rowId: 'm1', text: 'more\n'.repeat(40), reasoning: '' });
    equal(await output.evaluate((pre) => pre.scrollTop), 200);
  });
});

test.describe('under the pointer', () => {
  test('expand and pin move no row', async ({ panel }) => {
    const make = (fate: 'hidden' | 'kept', pinned: boolean): Row[] => [
      user('m1', 'a'),
      assistant('m2', 'one'),
      tool('m2.0', 'read_file', 'a.ts', { fate, pinned }),
      assistant('m4', 'two, in the same turn', { fate, pinned }),
      user('m5', 'b', { fate, pinned }),
      assistant('m6', 'three', { fate, pinned }),
    ];
    await panel.show(READY, make('hidden', false));
    const before = await tops(panel, make('kept', false));
    for (const rows of [make('kept', false), make('kept', true), make('hidden', true)]) {
      await panel.deliver({ type: 'rows', rows });
      deepEqual(await tops(panel, rows), before);
    }
  });

  test('the buttons of an answer cover nothing of its first line', async ({ panel }) => {
    const text = `${'The clock is read twice, and '.repeat(6)}that is all.`;
    await panel.show(READY, [
      user('m1', 'a'),
      assistant('m2', 'one'),
      assistant('m3', text),
      assistant('m4', '```ts\nconst a = 1;\n```'),
    ]);
    for (const id of ['m3', 'm4']) {
      await panel.page.locator(`[data-row="${id}"]`).hover();
      const covered = await panel.page.locator(`[data-row="${id}"]`).evaluate((row) => {
        const buttons = [...row.querySelectorAll('.row-actions button')].map((each) => each.getBoundingClientRect());
        const range = document.createRange();
        const walker = document.createTreeWalker(row.querySelector('.markdown') as Element, NodeFilter.SHOW_TEXT);
        const first = walker.nextNode() as Text;
        range.selectNodeContents(first);
        return [...range.getClientRects()].filter(
          ({ width, left, right, top, bottom }) =>
            width > 0 &&
            buttons.some((b) => b.left < right - 1 && b.right > left + 1 && b.top < bottom - 1 && b.bottom > top + 1),
        ).length;
      });
      equal(covered, 0, id);
    }
  });

  test('the way to the end lies over no text, and cards end where the composer does', async ({ panel }) => {
    const rows = Array.from({ length: 40 }, (_, n) =>
      assistant(`a${n}`, `[link ${n}](https://example.org/${n}) `.repeat(9)),
    );
    await panel.show(READY, [...rows, notice('e1', 'error', 'Failed.', { action: 'retry' }), EDIT_APPROVAL]);
    const edges = await panel.page
      .locator('.row.notice, .approval, .composer-box')
      .evaluateAll((boxes) => boxes.map((box) => Math.round(box.getBoundingClientRect().right)));
    deepEqual(edges, [edges[0], edges[0], edges[0]]);
    await panel.page.locator('.conversation').evaluate((element) => element.scrollBy(0, -900));
    await panel.deliver();
    const latest = await panel.page.getByRole('button', { name: 'Jump to latest' }).boundingBox();
    const frame = await panel.page.locator('.conversation').boundingBox();
    ok(latest && frame && latest.y >= frame.y + frame.height - 1);
  });
});

test.describe('an answer', () => {
  test('names files that open, in code and in links, and addresses that are asked about', async ({ panel }) => {
    await panel.show(READY, [
      assistant(
        'm1',
        'See `src/retry.ts:42`, [the notes](docs/a%20b.md#L7), `console.log` and [out](https://example.org/).',
      ),
    ]);
    await panel.posted();
    for (const name of ['src/retry.ts:42', 'the notes', 'out']) await panel.page.getByRole('link', { name }).click();
    deepEqual(await panel.posted(), [
      { type: 'openFile', path: 'src/retry.ts', line: 42 },
      { type: 'openFile', path: 'docs/a b.md', line: 7 },
      { type: 'openLink', href: 'https://example.org/' },
    ]);
    equal(await panel.page.getByRole('link', { name: 'console.log' }).count(), 0);
  });

  test('is applied by keyboard, with the files that the code and the text before it name', async ({ panel }) => {
    const code = '// src/c.ts\nlet a;';
    await panel.show(READY, [
      assistant('m1', `In \`src/a.ts\`, not \`d.md\`:\n\n\`\`\`ts title="b.ts"\n${code}\n\`\`\``),
    ]);
    await panel.posted();
    await panel.page.getByRole('button', { name: 'Apply as an edit…' }).focus();
    await panel.page.keyboard.press('Enter');
    deepEqual(await panel.posted(), [
      { type: 'applyCode', text: code, named: ['b.ts', 'src/c.ts'], near: ['d.md', 'src/a.ts'], language: 'ts' },
    ]);
  });

  test('is copied with a mark that it was, and asked for again from the message that it answers', async ({ panel }) => {
    await panel.show(READY, [
      user('m1', 'why?'),
      assistant('m2', 'one'),
      tool('m2.0', 'read_file', 'a'),
      assistant('m4', '```ts\nlet a;\n```'),
    ]);
    await panel.posted();
    await panel.page.locator('[data-row="m4"]').hover();
    const copy = panel.page.locator('[data-row="m4"]').getByRole('button', { name: 'Copy answer' });
    await copy.click();
    ok(await copy.evaluate((button) => button.classList.contains('codicon-check')));
    await panel.page.locator('[data-row="m4"]').getByRole('button', { name: 'Answer this message again' }).click();
    await panel.page.getByRole('button', { name: 'Open as a new file' }).click();
    deepEqual(await panel.posted(), [
      { type: 'copy', text: '```ts\nlet a;\n```' },
      { type: 'send', text: 'why?', replaces: 'm1' },
      { type: 'newFile', text: 'let a;', language: 'ts' },
    ]);
    await panel.deliver({ type: 'state', state: RUNNING });
    await panel.page
      .locator('[data-row="m4"]')
      .getByRole('button', { name: 'Answer this message again' })
      .press('Enter');
    deepEqual(ofType(await panel.posted(), 'send'), []);
  });
});

test.describe('what went wrong', () => {
  const failed = notice('e1', 'error', 'The provider’s rate limit is reached.', {
    action: 'retry',
    also: ['compact', 'chooseModel'],
  });
  const POSSIBLE: PanelState = { ...READY, retry: 'possible' };
  const buttons = ({ page }: OpenPanel) => page.locator('.notice-actions').last().getByRole('button').allInnerTexts();

  test('offers its ways out in order, and to try again as long as nothing was said after it', async ({ panel }) => {
    await panel.show(POSSIBLE, [user('m1', 'go'), failed]);
    deepEqual(await buttons(panel), ['Try again', 'Compact', 'Choose a model']);
    await panel.posted();
    await panel.page.getByRole('button', { name: 'Try again' }).press('Enter');
    await panel.page.getByRole('button', { name: 'Compact', exact: true }).press('Enter');
    deepEqual(await panel.posted(), [{ type: 'retry' }, { type: 'compact' }]);
    await panel.deliver({ type: 'state', state: { ...POSSIBLE, retry: 'none', status: 'running' } });
    deepEqual(await buttons(panel), ['Choose a model']);
    const answered = { ...POSSIBLE, retry: 'none' } as const;
    await panel.show(answered, [user('m1', 'go'), failed, user('m2', 'go on'), assistant('m3', 'gone on')]);
    deepEqual(await buttons(panel), ['Choose a model']);
  });

  test('counts down to when the provider wants to be asked again, and may be asked before', async ({ panel }) => {
    const setClock = (now: number) =>
      panel.page.evaluate((to) => {
        Date.now = () => to;
      }, now);
    await setClock(1_000_000);
    const later = { ...failed, retryAt: 1_000_000 + 90_500 } as Row;
    await panel.show(POSSIBLE, [user('m1', 'go'), later]);
    const again = (name: string) => panel.page.getByRole('button', { name, exact: true }).waitFor();
    await again('Try again (in 91 s)');
    // It is drawn again by itself.
    await setClock(1_030_000);
    await again('Try again (in 61 s)');
    await setClock(1_100_000);
    await again('Try again');
  });

  test('the wait before the next attempt can be ended by hand', async ({ panel }) => {
    await panel.show({ ...RUNNING, retry: 'waiting', activity: 'Trying again in 12 s (2 of 5).' }, [user('m1', 'go')]);
    await panel.posted();
    await panel.page.getByRole('button', { name: 'Try now' }).press('Enter');
    deepEqual(await panel.posted(), [{ type: 'retry' }]);
    await panel.show(RUNNING, [user('m1', 'go')]);
    equal(await panel.page.getByRole('button', { name: 'Try now' }).count(), 0);
  });
});

/** What is posted of a session as it grows: the page has what it should, and a turn late in it costs what an early one did. */

import { expect, onTestFinished, test } from 'vitest';
import type { ToPanel } from '../../../../src/protocol/messages.ts';
import { RowList } from '../../../../webview/page/rowList.ts';
import { readingPanel } from '../../../support/sessions/readingPanel.ts';

const fileText = (turn: number) =>
  Array.from({ length: 30 }, (_, line) => `${turn}.${line}: a line that no other file has`).join('\n');

/** The same numbers in each run. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

test.each(['layered', 'tool-result-hiding', 'prune-then-summary'])(
  'after each frame the page has the rows that one loaded now would have (%s)',
  { tags: ['long'] },
  async (strategy) => {
    const turns = 60;
    const page = new RowList();
    const { session, frames, turn } = readingPanel({
      turns,
      window: 9_000,
      fileText,
      agent: { compaction: { strategy } },
      onFrame: (frame) => {
        for (const message of frame) page.apply(message);
      },
    });
    onTestFinished(() => frames.dispose());
    const pick = numbers(7);
    const same = () => expect(page.all).toEqual(session.rows(null, page.all.length).rows);
    const steps = { compacted: 0, undone: 0, redone: 0, marked: 0 };
    for (let nth = 0; nth < turns; nth++) {
      await turn();
      same();
      const { journal } = session.require();
      const { activeCompactions, undoneCompactions } = journal.context;
      steps.compacted = [...journal.ofType('compaction')].length;
      const act = pick(4);
      if (act === 0 && activeCompactions.length > 0) {
        await session.step('undo');
        steps.undone++;
        if (pick(2) === 0) {
          frames.flush();
          same();
          await session.step('redo');
          steps.redone++;
        }
      } else if (act === 1 && undoneCompactions.length > 0) {
        await session.step('redo');
        steps.redone++;
      } else if (act === 2) {
        const items = [...journal.context.slots()].filter(({ shown }) => shown !== 'absent');
        const item = items[pick(items.length)];
        const { context } = journal;
        if (item && context.canCollapse(item.id))
          await session.mark([item.id], item.shown === 'whole' ? 'collapsed' : 'expanded');
        else if (item) await session.mark([item.id], context.isPinned(item.id) ? 'unpinned' : 'pinned');
        steps.marked++;
      }
      frames.flush();
      same();
    }
    for (const [step, times] of Object.entries(steps)) expect([step, times > 2]).toEqual([step, true]);
  },
);

test('at a compaction as many rows are posted late in a session as early', { tags: ['long'] }, async () => {
  const turns = 120;
  let rows = 0;
  let compacted = false;
  const take = (message: ToPanel) => {
    if (message.type !== 'rows') return;
    rows += message.rows.length;
    compacted ||= message.rows.some(({ type }) => type === 'compaction');
  };
  const { frames, turn } = readingPanel({
    turns,
    window: 9_000,
    fileText,
    onFrame: (frame) => {
      for (const message of frame) take(message);
    },
  });
  onTestFinished(() => frames.dispose());
  const posted: number[] = [];
  for (let nth = 0; nth < turns; nth++) {
    rows = 0;
    compacted = false;
    await turn();
    if (compacted) posted.push(rows);
  }
  expect(posted.length).toBeGreaterThan(20);
  const tenth = Math.floor(posted.length / 10);
  const early = Math.max(...posted.slice(tenth, 2 * tenth));
  expect(Math.max(...posted.slice(-tenth))).toBeLessThanOrEqual(1.3 * early);
});

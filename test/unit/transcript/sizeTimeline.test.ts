/** The timeline of a session's size, what its compactions took, and the page that shows both. */

import { describe, expect, it } from 'vitest';
import { eventRow } from '../../../src/core/transcript/eventRow.ts';
import { listRemoved } from '../../../src/core/transcript/listRemoved.ts';
import { sizeTimeline } from '../../../src/core/transcript/sizeTimeline.ts';
import { describeSessionSize } from '../../../src/host/inspect/showSessionSize.ts';
import { pageText } from '../../../src/node/pages/pageText.ts';
import { compactionHarness, going, reads, user } from '../../support/compactionHarness.ts';
import { t } from '../../support/inEnglish.ts';

async function compactedTwice() {
  const settings = { strategy: 'tool-result-hiding' };
  const h = await compactionHarness({ history: [user('go'), ...reads(12)], settings });
  await h.used({ input: 4_000, cached: 1_000 });
  await h.compactor.compact({ trigger: 'manual' }, going);
  await h.add(user('more'), ...reads(12));
  await h.used({ input: 5_000, cached: 3_000 });
  await h.compactor.compact({ trigger: 'manual' }, going);
  return h;
}

describe('the timeline of the context', () => {
  it('has each request and each compaction between them, and says what an undo takes back', async () => {
    const h = await compactedTwice();
    const read = () => sizeTimeline(h.journal.path(), h.journal.context);
    const [first, second] = read().marks;
    expect(read().points.map(({ at }) => at)).toEqual([1, 1.5, 1.5, 2, 2.5, 2.5]);
    expect(read().points[1]?.tokens).toBe(first?.entry.tokensBefore);
    expect([first?.undoes, second?.undoes]).toEqual([2, 1]);
    await h.compactor.undo();
    expect(read().marks.map(({ active, undoes, canRedo }) => [active, undoes, canRedo])).toEqual([
      [true, 1, false],
      [false, 0, true],
    ]);
    // An undo gives the size back, and a redo takes it again.
    expect(read().points.at(-1)).toEqual({ at: 2.5, tokens: second?.entry.tokensBefore, cached: null });
    await h.compactor.redo();
    expect(read().points.at(-1)).toEqual({ at: 2.5, tokens: second?.entry.tokensAfter, cached: null });
  });

  it('tells of a compaction what went, and its row the same in sums', async () => {
    const h = await compactedTwice();
    const [entry] = h.journal.context.activeCompactions;
    if (!entry) throw new Error('Nothing was compacted');
    const { context } = h.journal;
    const gone = listRemoved(entry, (id) => context.slot(id)).messages;
    expect(gone.length).toBeGreaterThan(0);
    expect(new Set(gone.map(({ fate, kind }) => `${fate} ${kind}`))).toEqual(new Set(['hidden toolResult']));
    expect(gone.every(({ tokens, left }) => tokens > left && left > 0)).toBe(true);
    const tokens = gone.reduce((sum, each) => sum + each.tokens, 0);
    const row = eventRow('e1', entry, context);
    expect(row.type === 'compaction' && row.lost).toMatchObject([
      { fate: 'hidden', kind: 'toolResult', messages: gone.length, tokens },
    ]);
  });

  it('is a page on which the chosen one can be undone and found, with what it took beside what stayed', async () => {
    const h = await compactedTwice();
    const { context } = h.journal;
    const [entry] = context.activeCompactions;
    if (!entry) throw new Error('Nothing was compacted');
    const page = describeSessionSize(
      {
        title: 'A',
        timeline: sizeTimeline(h.journal.path(), context),
        compactions: [...h.journal.ofType('compaction')],
        rows: [],
        tokens: 1_234,
        window: 10_000,
        trigger: 6_000,
        chosen: {
          seq: entry.seq,
          gone: listRemoved(entry, (id) => context.slot(id)).messages,
          stayed: context.conversation,
        },
        labelOf: (id) => `<${id}>`,
        when: () => 'then',
        triggerName: String,
      },
      t,
    );
    const json = JSON.stringify(page);
    expect(json).toContain(`"id":"undo ${entry.seq}","label":"Undo it and the 1 after it"`);
    expect(json).toContain(`"id":"open ${entry.seq}"`);
    const chart = page.blocks.find((block) => block.kind === 'chart');
    if (chart?.kind !== 'chart') throw new Error('There is no chart');
    // However far above the session they are.
    expect(chart.levels).toEqual([
      { y: 6_000, label: 'Compaction starts here' },
      { y: 10_000, label: 'Window: 10,000', limit: true },
    ]);
    expect(chart.series[0]?.points.at(-1)).toEqual([3, 1_234]);
    const text = pageText(page);
    expect(text).toContain('1,234 of 10,000 tokens (12%)');
    expect(text).toMatch(/### Lost\n\n#### Hidden behind a placeholder · \d+ · [\d,]+ tokens/);
    expect(text).toMatch(/### Kept\n\n#### Messages, word for word/);
  });
});

/** The question before a compaction: what each answer would come to is said beforehand, and is what comes of it. */

import { describe, expect, it } from 'vitest';
import type { ConsentAnswer } from '../../../src/core/compaction/signals/consent.ts';
import { eventRow } from '../../../src/core/transcript/eventRow.ts';
import { compactionHarness, going, type Line, reads, says, user, words } from '../../support/compactionHarness.ts';
import { grownSession } from '../../support/grownSession.ts';

const talk = (rounds: number, tokens: number): Line[] =>
  Array.from({ length: rounds }, (_, i) => [user(`q${i}`), says(words(tokens))]).flat();

describe('the question', () => {
  it('drop oldest is asked once, also for a message that is long itself', async () => {
    const s = await grownSession({
      history: talk(4, 400),
      window: 8_000,
      settings: { requireConfirmation: true },
      consent: ['dropOldest', 'dropOldest'],
    });
    await s.say(words(3_000));
    expect(s.figures).toHaveLength(1);
    expect(s.compactions().map(({ strategy }) => strategy)).toEqual(['drop-oldest', 'drop-oldest']);
    // What the context has grown to by the next turn is another question.
    await s.add(...talk(6, 400));
    await s.say('go on');
    expect(s.figures).toHaveLength(2);
  });

  it('drop oldest: its row says that messages were dropped, and nothing of a summary', async () => {
    const s = await grownSession({
      history: talk(40, 2_050),
      settings: { requireConfirmation: true },
      consent: ['dropOldest'],
    });
    await s.say();
    const [entry] = s.compactions();
    if (!entry) throw new Error('Nothing was compacted');
    const row = eventRow('e1', entry, s.agent.journal.context);
    expect(row).toMatchObject({ type: 'compaction', summary: '', fates: [{ fate: 'unread' }] });
  });

  it('says what compacting and dropping would leave, and that is what they leave', async () => {
    const settings = { strategy: 'tool-result-hiding', requireConfirmation: true };
    for (const answer of ['compact', 'dropOldest'] as const) {
      const h = await compactionHarness({ history: [user('go'), ...reads(45)], settings, consent: [answer] });
      const made = await h.compactor.trigger.beforeCall(going);
      const [outlook] = h.outlooks;
      expect(outlook?.compact).toMatchObject({ fates: [{ fate: 'hidden' }] });
      expect(outlook?.dropOldest).toMatchObject({ fates: [{ fate: 'unread' }] });
      expect(made.kind === 'compacted' && made.entry.tokensAfter).toBe(outlook?.[answer]?.tokens);
      const row = made.kind === 'compacted' ? eventRow('e1', made.entry, h.journal.context) : null;
      expect(row).toMatchObject({ fates: outlook?.[answer]?.fates });
    }
  });

  it('offers no dropping where nothing may be dropped, and promises nothing of a summary', async () => {
    const settings = { strategy: 'llm-summary', requireConfirmation: true };
    const history = [user(words(9_800)), says('ok')];
    const h = await compactionHarness({ history, settings, consent: ['notNow'] });
    await h.compactor.trigger.beforeCall(going);
    expect(h.outlooks).toEqual([{ compact: null, dropOldest: null }]);
  });

  it('a summary that was previewed is the one that is used', async () => {
    const answer = Promise.withResolvers<ConsentAnswer>();
    const settings = { strategy: 'llm-summary', requireConfirmation: true };
    const history = [user('go'), ...reads(45)];
    const summaries = Array(9).fill('notes');
    const h = await compactionHarness({ history, settings, consent: [answer.promise], summaries });
    expect(await h.compactor.consent.previewAsked()).toMatchObject({ kind: 'none' });
    const running = h.compactor.trigger.beforeCall(going);
    while (h.asked.length === 0) await new Promise(setImmediate);
    const preview = await h.compactor.consent.previewAsked();
    const asked = h.model.requests.length;
    expect([asked > 0, h.journal.context.activeCompactions]).toEqual([true, []]);
    h.clock.advance(60_000);
    answer.resolve('compact');
    const made = await running;
    expect(h.model.requests).toHaveLength(asked);
    if (preview.kind !== 'preview' || made.kind !== 'compacted') throw new Error('Nothing was previewed or compacted');
    expect([made.entry.tokensAfter, made.entry.durationMs]).toEqual([preview.tokensAfter, 0]);
    expect(preview.inserted.join()).toContain('notes');
  });
});

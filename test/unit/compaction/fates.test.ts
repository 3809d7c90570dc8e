/** What a compaction's entry tells of the messages that left: computed from what a model was really sent. */

import { describe, expect, it } from 'vitest';
import type { CompactionContext, ContextMessage } from '../../../src/api/index.ts';
import { PlanEdit } from '../../../src/core/compaction/consent/planEdit.ts';
import { StrategyRegistry } from '../../../src/core/compaction/hosting/registry.ts';
import { fatesOf } from '../../../src/core/compaction/proposal/fates.ts';
import type { StrategyEntry } from '../../../src/core/compaction/strategies/strategyEntry.ts';
import { ModelError } from '../../../src/core/errors.ts';
import { countFates } from '../../../src/core/fates.ts';
import { fatesIn } from '../../../src/core/journal/removal.ts';
import { eventRow } from '../../../src/core/transcript/eventRow.ts';
import { standing } from '../../../src/core/transcript/standing.ts';
import { inEnglish } from '../../../src/core/words.ts';
import {
  calls,
  compactionHarness,
  going,
  type HarnessOptions,
  type Line,
  says,
  user,
} from '../../support/compactionHarness.ts';

/** Text that no other part of a session has. */
const prose = (characters: number, seed: string) =>
  Array.from({ length: Math.ceil(characters / 24) }, (_, i) => `${seed} says ${i * 7919} of ${i}.`)
    .join('\n')
    .slice(0, characters);

const ANSWER = 'The user asked for parts, and the assistant read each of them in turn.';

const summarise =
  (write: (history: readonly ContextMessage[]) => string) =>
  async ({ history, llm }: CompactionContext) => {
    const { text } = await llm.complete({ prompt: write(history.slice(0, -1)) });
    return [{ role: 'user' as const, kind: 'summary' as const, text }, ...history.slice(-1)];
  };

async function compacted(options: HarnessOptions, compact?: (context: CompactionContext) => unknown) {
  const registry = new StrategyRegistry();
  if (compact) {
    const factory = { id: 'acme.own/own', label: 'Own', description: '', needs: ['llm'], create: () => ({ compact }) };
    const entry = { id: 'acme.own/own', label: 'Own', description: '', publisher: 'acme', factory };
    registry.register(entry as unknown as StrategyEntry);
    registry.connect({ owns: () => true, activate: async () => null, declared: () => [] });
  }
  const settings = {
    'verify.enabled': false,
    'summary.retries': 0,
    ...(compact ? { strategy: 'contributed', contributedStrategy: 'acme.own/own' } : {}),
  };
  const h = await compactionHarness({ registry, ...options, settings: { ...settings, ...options.settings } });
  const before = h.view().length;
  const outcome = await h.compactor.compact({ trigger: 'manual' }, going);
  if (outcome.kind !== 'compacted') throw new Error(JSON.stringify(outcome));
  const fates = countFates(fatesIn(outcome.entry));
  const count = (fate: string) => fates.find((each) => each.fate === fate)?.messages ?? 0;
  return { h, entry: outcome.entry, fates, count, before };
}

const rounds = (many: number, characters = 1_200): Line[] =>
  Array.from({ length: many }, (_, i) => [
    user(`please look at part ${i} of the work: ${prose(80, `ask${i}`)}`),
    calls(['read_file', prose(characters, `file${i}`), { path: `src/part${i}.ts` }]),
    says(`part ${i} is done: ${prose(80, `answer${i}`)}`),
  ]).flat();

describe('the fates of messages', () => {
  it('a prompt of 9,000 characters has not read a session of 109k tokens', async () => {
    const history = [...rounds(360), user('and now?')];
    const { count, entry, before } = await compacted(
      { history, window: 200_000, summaries: ['What was done so far: parts were read.'] },
      summarise(
        (messages) =>
          `Summarise:\n${messages
            .map(({ text }) => text)
            .join('\n')
            .slice(0, 9_000)}`,
      ),
    );
    expect(entry.tokensBefore).toBeGreaterThan(109_000);
    expect(count('read')).toBeGreaterThan(15);
    expect(count('read')).toBeLessThan(40);
    expect(count('unread')).toBe(before - 1 - count('read'));
    // However many left, the entry stays short.
    expect(JSON.stringify(entry.dropped).length).toBeLessThan(200);
  });

  it('a result cut to its beginning is read in part', async () => {
    const history = [...rounds(12, 4_000), user('and now?')];
    const { fates, entry } = await compacted(
      { history, window: 50_000, summaries: ['What was done so far: parts were read.'] },
      summarise((messages) => JSON.stringify(messages.map(({ text }) => text.slice(0, 1_000)))),
    );
    expect(fates).toEqual([
      { fate: 'read', messages: 36, inPart: 12 },
      // Its texts are all that this strategy sent: of answers that only call, nothing.
      { fate: 'unread', messages: 12, inPart: 0 },
    ]);
    const percents = entry.dropped?.flatMap(([, , percent]) => percent ?? []) ?? [];
    expect(percents).toHaveLength(12);
    for (const percent of percents) expect(Math.abs(percent - 25)).toBeLessThanOrEqual(1);
  });

  it.each(['llm-summary', 'round-summary'])('what %s sends is read, in one request or many', async (strategy) => {
    for (const window of [60_000, 8_000]) {
      const { fates, h } = await compacted({
        history: [...rounds(20), user('and now?'), says('Wait.'), user('go on')],
        window,
        summaries: Array(30).fill(ANSWER),
        settings: { strategy, 'summary.continueRequest': false },
      });
      expect(h.model.requests.length > 1).toBe(window === 8_000);
      expect(fates.map(({ fate, inPart }) => [fate, inPart])).toEqual([['read', 0]]);
    }
  });

  it('where no model was asked, nothing was read', async () => {
    const history = [...rounds(30), user('and now?')];
    const { fates, count } = await compacted({ history, window: 30_000, settings: { strategy: 'selective' } });
    expect(count('unread')).toBeGreaterThan(0);
    expect(fates.map(({ fate }) => fate)).not.toContain('read');
  });

  it('what a strategy removed before it asked was not read by its summary', async () => {
    const history = [...rounds(60), user('and now?')];
    const { count, h } = await compacted({
      history,
      window: 12_000,
      summaries: Array(9).fill(ANSWER),
      settings: { strategy: 'selective', 'selective.fallbackToFullSummary': true, 'trigger.ratio': 0.3 },
    });
    expect(h.model.requests.length).toBeGreaterThan(0);
    expect(count('read')).toBeGreaterThan(0);
    expect(count('unread')).toBeGreaterThan(40);
    // The model is told, so that it does not take the summary for all of it.
    expect(h.view()).toContainEqual(
      expect.stringMatching(
        new RegExp(
          `${count('unread')} earlier messages \\(about \\d+ tokens\\) were dropped to make room, not summarised`,
        ),
      ),
    );
  });

  it('an answer that is not in the result has read nothing', async () => {
    const history = [...rounds(30), user('and now?')];
    const { count } = await compacted(
      { history, window: 30_000, summaries: ['Perhaps the third part matters most of all.'] },
      async (context) => {
        await context.llm.complete({ prompt: context.history.map(({ text }) => text).join('\n') });
        return context.history.slice(-4);
      },
    );
    expect(count('read')).toBe(0);
    expect(count('unread')).toBe(117);
  });

  it('a failed model has read nothing', async () => {
    const error = new ModelError('auth', 'The key was refused.');
    const h = await compactionHarness({
      history: [...rounds(30), user('and now?')],
      window: 9_000,
      summaries: [{ error }, { error }],
      settings: { strategy: 'llm-summary', 'summary.retries': 0 },
    });
    const outcome = await h.compactor.compact({ trigger: 'threshold' }, going);
    if (outcome.kind !== 'compacted') throw new Error(JSON.stringify(outcome));
    expect(outcome.entry).toMatchObject({ strategy: 'fallback', asked: 'llm-summary' });
    expect(outcome.entry.inPart).toBeUndefined();
    expect(countFates(fatesIn(outcome.entry)).map(({ fate }) => fate)).not.toContain('read');
  });

  it('what was done before a failure is told apart from what stays', async () => {
    const error = new ModelError('auth', 'The key was refused.');
    const { entry, fates } = await compacted({
      history: [...rounds(20), user('and now?'), says('Wait.'), user('go on')],
      window: 8_000,
      summaries: ['The user asked for the first parts, and they were read.', { error }],
      settings: { strategy: 'llm-summary' },
    });
    expect(entry).toMatchObject({ strategy: 'partial', asked: 'llm-summary', inPart: true });
    expect(fates.map(({ fate }) => fate)).toContain('read');
    expect(fates.find(({ fate }) => fate === 'read')?.messages).toBeLessThan(160);
  });

  it('lines in notes are told apart from what left no trace', async () => {
    const history = [...rounds(60), user('what did src/part3.ts and src/part40.ts say?')];
    const { fates } = await compacted({
      history,
      window: 12_000,
      settings: { strategy: 'layered', 'layered.recentTokens': 500 },
    });
    expect(fates.map(({ fate }) => fate)).toContain('inLines');
    expect(fates.map(({ fate }) => fate)).not.toContain('read');
  });

  it.each([
    'selective',
    'layered',
    'llm-summary',
    'round-summary',
    'prune-then-summary',
    'hiding-then-summary',
    'tool-result-hiding',
  ])('a preview of %s has the counts of the row afterwards, all in the tokens of the meter', async (strategy) => {
    const h = await compactionHarness({
      history: [...rounds(60), user('and now?'), says('Wait.'), user('go on')],
      window: 16_000,
      summaries: Array(30).fill(ANSWER),
      settings: { strategy, 'layered.recentTokens': 500, 'pruneThenSummary.minimumPrune': 0 },
    });
    // The provider counts more than the estimate.
    await h.used({ input: h.compactor.gauge.reading.tokens * 1.3 });
    const preview = await h.compactor.consent.preview({}, going);
    if (preview.kind !== 'preview') throw new Error(preview.reason);
    const before = h.view().length;
    const made = await h.compactor.apply(preview);
    if (made.kind !== 'compacted') throw new Error(JSON.stringify(made));
    const { context } = h.journal;
    const row = eventRow('e1', made.entry, context);
    if (row.type !== 'compaction') throw new Error(row.type);
    expect(row.fates).toEqual(preview.fates);
    const dropped = made.entry.plan.flatMap((op) => (op.op === 'drop' ? op.ids : []));
    const changed = made.entry.plan.filter(({ op }) => op === 'replace').length;
    const sum = (counts: readonly { messages: number }[]) => counts.reduce((all, { messages }) => all + messages, 0);
    expect(sum(row.fates)).toBe(dropped.length + changed);
    expect(sum(row.lost)).toBe(sum(row.fates));
    const inserted = made.entry.plan.filter(({ op }) => op === 'insert').length;
    expect(h.view().length).toBe(before - dropped.length + inserted);
    const freed = row.lost.reduce((all, { tokens, left }) => all + tokens - left, -row.added);
    expect(freed).toBeCloseTo(row.tokensBefore - row.tokensAfter, 3);
    // Each message has the fate that it was counted with.
    const standings = countFates(
      [...fatesIn(made.entry)].map(({ id }) => ({ fate: standing(id, context).fate, whole: true })),
    );
    expect(standings.map(({ fate, messages }) => [fate, messages])).toEqual(
      row.fates.map(({ fate, messages }) => [fate, messages]),
    );
  });

  it('a summary that a person rewrote was written from the same messages', async () => {
    const h = await compactionHarness({
      history: [...rounds(20), user('and now?'), says('Wait.'), user('go on')],
      window: 30_000,
      summaries: [ANSWER],
      settings: { strategy: 'llm-summary' },
    });
    const preview = await h.compactor.consent.preview({}, going);
    if (preview.kind !== 'preview') throw new Error(preview.reason);
    const edited = new PlanEdit(preview.start, preview.proposal).rewrite(0, 'In my own words, all of it.');
    if (edited.kind !== 'edit') throw new Error(inEnglish(edited.reason));
    const { proposal } = edited.edit.apply();
    expect(fatesOf(proposal)).toEqual(preview.fates);
    expect(preview.fates.map(({ fate }) => fate)).toContain('read');
  });

  it('an older entry says only that messages were removed', () => {
    const plan = [{ op: 'drop', ids: ['m1', 'm2'] }] as const;
    expect(countFates(fatesIn({ plan }))).toEqual([{ fate: 'removed', messages: 2, inPart: 0 }]);
    expect(countFates(fatesIn({ plan, dropped: [[1, 'read']] }))).toEqual([
      { fate: 'read', messages: 1, inPart: 0 },
      { fate: 'removed', messages: 1, inPart: 0 },
    ]);
  });
});

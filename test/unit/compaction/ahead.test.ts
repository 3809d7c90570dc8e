/**
 * Summaries prepared ahead of time: the product's agent and client against a server that keeps a prompt cache and answers
 * requests for summaries when the test lets it.
 */

import { afterEach, describe, expect, it, vi } from 'vitest';
import type { ContextMessage } from '../../../src/api/index.ts';
import { StrategyRegistry } from '../../../src/core/compaction/hosting/registry.ts';
import { BUILT_IN_STRATEGIES } from '../../../src/core/compaction/strategies/builtIn.ts';
import type { StrategyEntry } from '../../../src/core/compaction/strategies/strategyEntry.ts';
import { countCompactions } from '../../../src/core/journal/statistics.ts';
import { countTokens } from '../../../src/core/tokens/estimate.ts';
import type { Reply } from '../../support/modelServer/modelServerReply.ts';
import { memoryJournal } from '../../support/ports/memoryStore.ts';
import {
  closeServers,
  FILE,
  type ReadingOptions,
  type ReadingSession,
  readingSession,
  WINDOW,
} from '../../support/readingSession.ts';

afterEach(closeServers);

const newestBlock = (history: readonly ContextMessage[]) =>
  history.filter(({ block }) => block === history.at(-1)?.block);

const PREPARING = { 'summary.retries': 0 };
/** The goal F15 of the speed table: of a request for a summary at least so much comes from the cache. */
const FROM_CACHE = 0.95;

/** A server that takes the request for a summary and says nothing. */
const SILENT: Reply = { kind: 'raw', pieces: [], end: 'hold' };
const thrownAway = (s: ReadingSession) =>
  s.notes().filter((text) => text.startsWith('A summary that was prepared was thrown'));

describe('a summary prepared ahead', { tags: ['B9'] }, () => {
  it('is asked for near the trigger, while the agent goes on, and used without a request when it fires', async () => {
    const s = await readingSession();
    await s.fill(0.92);
    await s.prepared();
    expect(s.compactions()).toEqual([]);
    const asked = s.journal.entries.find((entry) => entry.type === 'request' && entry.purpose === 'summary');
    expect(asked).toMatchObject({ ahead: true });
    await s.untilCompacted();
    const [made, ...more] = s.compactions();
    expect(more).toEqual([]);
    expect(s.summaries()).toHaveLength(1);
    const [used] = s.used();
    expect(used).toMatchObject({ ahead: true, cost: { currency: 'USD' } });
    expect(made).toMatchObject({ strategy: 'llm-summary', durationMs: 0, usage: used?.usage, cost: used?.cost });
    expect(made?.prepared?.base).toBeLessThan(asked?.seq ?? 0);
    expect(s.journal.context.conversation[0]?.message.text).toContain('The prepared notes.');
    // What came since the summary was asked for stands as it was.
    const after = s.journal.path().filter(({ seq, type }) => type === 'message' && seq > (made?.prepared?.base ?? 0));
    const ids = s.journal.context.conversation.map(({ id }) => id);
    expect(after.length).toBeGreaterThan(3);
    expect(ids).toEqual(expect.arrayContaining(after.map(({ seq }) => `m${seq}`)));
    expect(thrownAway(s)).toEqual([]);
    const { unusedUsage, summaryUsage } = countCompactions(s.journal.entries);
    expect(unusedUsage).toMatchObject({ input: 0, output: 0 });
    expect(summaryUsage).toMatchObject({ input: used?.usage.input, cached: used?.usage.cached });
  });

  it('reads nearly all of it from the cache', async () => {
    const s = await readingSession();
    await s.fill(0.92);
    await s.prepared();
    const { input = 1, cached = 0 } = s.used()[0]?.usage ?? {};
    // All but the newest result, where the turn's own request with it is still on its way.
    const [newest = 0, earlier = 0] = [...s.journal.newest(100)].flatMap((entry) =>
      entry.type === 'message' && entry.message.role === 'tool' ? [entry.tokens] : [],
    );
    expect(newest).toBe(earlier);
    expect((cached + newest) / input).toBeGreaterThan(FROM_CACHE);
    const [summary] = s.summaries();
    expect(summary).toMatchObject({ tool_choice: 'none' });
  });

  it('is not waited for while the window holds the context', async () => {
    const s = await readingSession();
    const answer = s.hold();
    await s.fill(1.03);
    expect(s.compactions()).toEqual([]);
    expect(s.used()).toEqual([]);
    answer();
    await s.prepared();
    await s.read(1);
    expect(s.compactions()).toHaveLength(1);
    expect(s.compactions()[0]?.prepared).toBeDefined();
  });

  it('is waited for before the window is full', { tags: ['long'] }, async () => {
    const s = await readingSession();
    const answer = s.hold();
    await s.fill(0.93);
    let done = false;
    const going = s.read(30).finally(() => {
      done = true;
    });
    await vi.waitUntil(() => s.compactor.gauge.reading.tokens > WINDOW * 0.93, { timeout: 60_000, interval: 1 });
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(done).toBe(false);
    const turns = s.turns().length;
    answer();
    await going;
    expect(s.turns().length).toBeGreaterThan(turns);
    expect(s.compactions()[0]?.prepared).toBeDefined();
  });

  it('begins at the trigger where a step went past what is near to it', async () => {
    const s = await readingSession({ files: { 'big.txt': `${FILE}\n`.repeat(4) } });
    await s.fill(0.75);
    expect(s.summaries()).toEqual([]);
    const answer = s.hold();
    const outcome = await s.read(1, 'big.txt');
    expect(s.compactor.gauge.reading.tokens).toBeGreaterThan(s.compactor.gauge.mark?.at ?? 0);
    expect(outcome).toEqual({ kind: 'done' });
    expect(s.compactions()).toEqual([]);
    answer();
    await s.prepared();
    await s.read(1);
    expect(s.compactions()).toMatchObject([{ prepared: {} }]);
    expect(s.summaries()).toHaveLength(1);
  });

  it('keeps, word for word, the line that a later step asked for and the summary lost', async () => {
    const s = await readingSession({
      files: { 'config.ts': `// settings\nexport const retryLimit_ms = 8443;\n${FILE}` },
    });
    await s.read(1, 'config.ts');
    await s.fill(0.92);
    await s.prepared();
    const { journal } = s;
    const message = { role: 'assistant', text: 'I need retryLimit_ms and neverSeen_name.' } as const;
    await journal.append({ type: 'message', message, tokens: 20 });
    await s.untilCompacted();
    const notes = journal.context.conversation.filter(({ kind }) => kind === 'summary');
    const needed = notes.find(({ message: { text } }) => text.includes('word for word:'))?.message.text ?? '';
    expect(needed).toMatch(/- \[id m\d+\] .*export const retryLimit_ms = 8443;$/m);
    expect(needed).not.toContain('neverSeen_name');
  });

  it('is used where it is not enough alone, with the steps that need no model', async () => {
    const s = await readingSession();
    await s.fill(0.92);
    await s.prepared();
    const size = Math.round((s.compactor.gauge.mark?.at ?? 0) / 8);
    const text = 'word '.repeat(size);
    for (let i = 0; i < 9; i++)
      await s.journal.append({ type: 'message', message: { role: 'assistant', text }, tokens: size });
    await s.read(1);
    const [made] = s.compactions();
    expect(made).toMatchObject({ strategy: 'llm-summary', prepared: {}, usage: s.used()[0]?.usage });
    expect(made?.tokensAfter).toBeLessThan(WINDOW);
    expect(thrownAway(s)).toEqual([]);
  });

  it('is asked about first where the strategy asks', async () => {
    const s = await readingSession({ settings: { requireConfirmation: true } });
    await s.fill(0.92);
    await s.prepared();
    expect(s.asked).toEqual([]);
    await s.untilCompacted();
    expect(s.asked).toHaveLength(1);
    expect(s.compactions()).toMatchObject([{ prepared: {} }]);
    expect(s.summaries()).toHaveLength(1);
  });

  it('is made for a strategy that knows nothing of it', { tags: ['long'] }, async () => {
    const factory: StrategyEntry['factory'] = {
      needs: ['llm'],
      create: ({ llm }) => ({
        compact: async ({ history }) => {
          const { text } = await llm.complete({ prompt: `Tell of ${history.length} messages.` });
          return [{ role: 'user', kind: 'summary', text: `Own: ${text}` }, ...newestBlock(history)];
        },
      }),
    };
    const id = 'acme.test/own';
    const entry = { id, label: 'Own', description: '', publisher: 'acme', factory };
    const registry = new StrategyRegistry([...BUILT_IN_STRATEGIES, entry]);
    registry.connect({ owns: (each) => each === id, activate: async () => null, declared: () => [] });
    const settings = { strategy: 'contributed', contributedStrategy: id };
    const cached = await readingSession({ registry, settings });
    await cached.fill(0.95);
    expect(cached.used()).toEqual([]);
    const s = await readingSession({ registry, settings: { ...settings, 'summary.prepareAhead': 'always' } });
    await s.fill(0.92);
    await s.prepared();
    await s.untilCompacted();
    expect(s.compactions()).toMatchObject([{ strategy: id, prepared: {}, usage: s.used()[0]?.usage }]);
    expect(s.journal.context.conversation[0]?.message.text).toMatch(/^Own: Done/);
  });
});

describe('with a model on this machine', { tags: ['B9'] }, () => {
  it('a summary is prepared between two turns, and let go of when the person writes before it is there', {
    tags: ['long'],
  }, async () => {
    const s = await readingSession({ local: true });
    s.answerSummaries(() => SILENT);
    await s.fill(0.7);
    await s.read(3);
    await vi.waitUntil(() => s.summaries().length === 1, { timeout: 60_000, interval: 1 });
    expect(s.journal.entries.findLast((entry) => entry.type === 'request')).toMatchObject({
      ahead: true,
      seq: s.journal.nextSeq - 1,
    });
    s.answerSummaries(() => ({ kind: 'answer', text: 'The prepared notes.' }));
    await s.read(0);
    await vi.waitUntil(() => thrownAway(s).length === 1, { timeout: 60_000, interval: 1 });
    expect(thrownAway(s)[0]).toContain('the model on this machine was needed for your message');
    await vi.waitUntil(() => s.used().length === 2, { timeout: 60_000, interval: 1 });
    await s.untilCompacted();
    expect(s.compactions()).toMatchObject([{ prepared: {} }]);
  });
});

describe('for layered a summary is prepared', { tags: ['B9'] }, () => {
  it('before the limit, beside the lines that it keeps', async () => {
    const s = await readingSession({ settings: { strategy: 'layered', 'layered.whenItPays': false } });
    await s.fill(0.92);
    await s.prepared();
    await s.untilCompacted();
    expect(s.summaries()).toHaveLength(1);
    expect(s.compactions()).toMatchObject([{ strategy: 'layered', prepared: {}, usage: s.used()[0]?.usage }]);
    const texts = s.journal.context.conversation.map(({ message }) => message.text);
    expect(texts.some((text) => text.includes('The prepared notes.'))).toBe(true);
  });

  it('when it pays to compact, and used once it is there', async () => {
    const s = await readingSession({ settings: { strategy: 'layered' } });
    const answer = s.hold();
    while (s.asking() === 0) await s.read(1);
    // It pays from 0.47 of the window on, and one reading later at the latest it is asked for.
    const reading = countTokens(FILE);
    expect(s.compactor.gauge.reading.tokens).toBeLessThan(0.47 * WINDOW + 2 * reading);
    expect(0.47 * WINDOW + 2 * reading).toBeLessThan(s.compactor.gauge.mark?.at ?? 0);
    await s.read(1);
    expect(s.compactions()).toEqual([]);
    answer();
    await s.prepared();
    await s.read(1);
    expect(s.compactions()).toMatchObject([{ strategy: 'layered', early: { why: 'strategy' }, prepared: {} }]);
    expect(s.summaries()).toHaveLength(1);
  });
});

describe('a summary that is ready', { tags: ['B9'] }, () => {
  it('stays when the cache has grown cold meanwhile, and is used', async () => {
    const s = await readingSession();
    await s.fill(0.92);
    await s.prepared();
    s.clock.advance(60 * 60_000);
    await s.untilCompacted();
    expect(s.compactions()).toMatchObject([{ prepared: {} }]);
    expect(s.summaries()).toHaveLength(1);
  });
});

describe('nothing is prepared', { tags: ['B9', 'long'] }, () => {
  it.each<[string, ReadingOptions, number]>([
    ['where it is switched off', { settings: { 'summary.prepareAhead': 'never' } }, 0.95],
    ['where the provider reads nothing from a cache', { caches: false }, 0.95],
    ['where requests are not continued', { settings: { 'summary.continueRequest': false } }, 0.95],
    ['where another model writes', { settings: { 'summary.model': 'other' } }, 0.95],
    ['for a strategy without a model', { settings: { strategy: 'tool-result-hiding' } }, 0.95],
    ['where the strategy makes room without one', { settings: { strategy: 'selective' } }, 0.95],
    ['where nothing is compacted by itself', { settings: { auto: false } }, 0.95],
    ['far from the trigger', {}, 0.75],
  ])('%s', async (_where, options, share) => {
    const s = await readingSession({ ...options, settings: { ...PREPARING, ...options.settings } });
    await s.fill(share);
    expect(s.summaries()).toEqual([]);
  });

  it('with a cache that has outlived its time', async () => {
    const s = await readingSession();
    await s.fill(0.8);
    s.clock.advance(6 * 60_000);
    const before = s.turns().length;
    const stop = new AbortController();
    const looked = s.compactor.trigger.beforeCall(stop.signal);
    expect((await looked).kind).toBe('none');
    expect([s.turns().length, s.summaries()]).toEqual([before, []]);
  });

  it('again soon after the model failed, and the compaction asks anew', async () => {
    let failures = 0;
    const s = await readingSession({ settings: { 'trigger.perModel': { '*': 'holdGrowth 0.5' } } });
    const refuse: Reply = { kind: 'error', status: 500, body: { error: { message: 'no' } } };
    s.answerSummaries(() => (failures++ === 0 ? refuse : { kind: 'answer', text: 'Made at last.' }));
    await s.fill(0.93);
    await vi.waitUntil(() => failures === 1, { timeout: 60_000, interval: 1 });
    await s.untilCompacted();
    expect(s.compactions()[0]?.prepared).toBeUndefined();
    expect(s.journal.context.conversation[0]?.message.text).toContain('Made at last.');
    expect(s.used()).toHaveLength(1);
    expect(thrownAway(s)).toEqual([]);
  });
});

describe('a summary that is under way is stopped, and one that is ready is thrown away,', {
  tags: ['B9', 'long'],
}, () => {
  const CAUSES: [string, (s: ReadingSession) => unknown, RegExp][] = [
    ['when the person goes back before it', (s) => s.journal.revert(3, 'user'), /the conversation was changed/],
    ['when a message is pinned', (s) => s.journal.append({ type: 'pinned', ids: [s.newest()] }), /was changed/],
    ['when another model is chosen', (s) => s.agent.configure('other'), /the model, the strategy or a setting changed/],
    [
      'when another strategy is chosen',
      async (s) => {
        s.compaction.strategy = 'tool-result-hiding';
        await s.read(1);
      },
      /the model, the strategy or a setting changed/,
    ],
    [
      'at once when another strategy is chosen between two turns',
      (s) => {
        s.compaction.strategy = 'hiding-then-summary';
        s.compactor.settingsChanged();
      },
      /the model, the strategy or a setting changed/,
    ],
    [
      'when a setting of summaries changes',
      async (s) => {
        s.compaction['summary.style'] = 'pi';
        await s.read(1);
      },
      /a setting changed/,
    ],
    [
      'when the context is compacted by hand, with something to keep in mind',
      (s) => s.compactor.compact({ trigger: 'manual', instructions: 'keep the port' }, s.turn.signal),
      /the context was compacted without it/,
    ],
    ['when everything is stopped', (s) => s.compactor.stop(), /it was stopped/],
    ['when the turn is stopped', (s) => s.turn.abort(), /it was stopped/],
  ];

  it.each(CAUSES)('%s', async (_when, cause, why) => {
    const s = await readingSession();
    await s.fill(0.92);
    await s.prepared();
    const [used] = s.used();
    await cause(s);
    await vi.waitUntil(() => thrownAway(s).length > 0, { timeout: 60_000, interval: 1 });
    expect(thrownAway(s)[0]).toMatch(why);
    const tokens = (used?.usage.input ?? 0) + (used?.usage.output ?? 0);
    expect(thrownAway(s)[0]).toContain(`It used about ${tokens.toLocaleString('en-US')} tokens.`);
    const { unusedUsage } = countCompactions(s.journal.entries.filter(({ seq }) => seq <= (used?.seq ?? 0)));
    expect(unusedUsage).toMatchObject({ input: used?.usage.input, output: used?.usage.output });
  });

  it.each(CAUSES.filter(([when]) => !when.includes('by hand')))(
    'its request ends, and counts: %s',
    async (_when, cause) => {
      const s = await readingSession();
      s.answerSummaries(() => SILENT);
      await s.fill(0.92);
      await vi.waitUntil(() => s.summaries().length === 1, { timeout: 60_000, interval: 1 });
      const { requests } = s.journal.spending;
      const before = s.turns().length;
      await cause(s);
      await vi.waitUntil(() => s.used().length === 1, { timeout: 60_000, interval: 1 });
      expect(s.used()).toMatchObject([{ estimated: true, ahead: true, usage: { output: 0 } }]);
      expect(s.used()[0]?.usage.input).toBeGreaterThan(30_000);
      expect(s.journal.spending.requests).toBe(requests + 1 + s.turns().length - before);
      await vi.waitUntil(() => thrownAway(s).length === 1, { timeout: 60_000, interval: 1 });
    },
  );

  it('when the session closes, with what it used in the journal', async () => {
    const s = await readingSession();
    s.answerSummaries(() => SILENT);
    await s.fill(0.92);
    await vi.waitUntil(() => s.summaries().length === 1, { timeout: 60_000, interval: 1 });
    s.agent.dispose();
    const closing = s.journal.close();
    expect(s.used()).toMatchObject([{ estimated: true, ahead: true }]);
    await closing;
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(s.used()).toHaveLength(1);
    expect(s.store.lines.filter((line) => line.includes('"summaryUsage"'))).toHaveLength(1);
  });

  it('not when the person goes back to what came after it', async () => {
    const s = await readingSession();
    await s.fill(0.92);
    await s.prepared();
    const { seq } = s.used()[0] ?? { seq: 0 };
    await s.read(0);
    expect(s.compactions()).toEqual([]);
    await s.journal.revert(seq, 'user');
    await s.untilCompacted();
    expect(s.compactions()).toMatchObject([{ prepared: {} }]);
    expect(thrownAway(s)).toEqual([]);
  });

  it('when the strategy makes room without a model after all; then none is prepared for it again', async () => {
    let hides = false;
    const id = 'acme.test/sometimes';
    const factory: StrategyEntry['factory'] = {
      needs: ['llm'],
      create: ({ llm }) => ({
        compact: async ({ history, hide }) => {
          if (hides)
            return history
              .slice(0, -4)
              .map((each) => hide(each))
              .concat(history.slice(-4));
          const { text } = await llm.complete({ prompt: 'Tell.' });
          return [{ role: 'user', kind: 'summary', text }, ...newestBlock(history)];
        },
      }),
    };
    const entry = { id, label: 'Sometimes', description: '', publisher: 'acme', factory };
    const registry = new StrategyRegistry([...BUILT_IN_STRATEGIES, entry]);
    registry.connect({ owns: (each) => each === id, activate: async () => null, declared: () => [] });
    const settings = { strategy: 'contributed', contributedStrategy: id, 'summary.prepareAhead': 'always' };
    const s = await readingSession({ registry, settings });
    await s.fill(0.92);
    await s.prepared();
    hides = true;
    await s.untilCompacted();
    expect(s.compactions()[0]?.prepared).toBeUndefined();
    await vi.waitUntil(() => thrownAway(s).length === 1, { timeout: 60_000, interval: 1 });
    hides = false;
    await s.fill(0.95);
    expect(s.used()).toHaveLength(1);
  });
});

describe('a process that is killed at any moment', { tags: ['B9', 'long'] }, () => {
  it('leaves a journal that opens, with what was used counted and nothing half done', async () => {
    const s = await readingSession();
    await s.fill(0.92);
    await s.prepared();
    await s.untilCompacted();
    await s.fill(0.92);
    await vi.waitUntil(() => s.used().length > 1, { timeout: 60_000, interval: 1 });
    await s.compactor.undo();
    await vi.waitUntil(() => thrownAway(s).length > 0, { timeout: 60_000, interval: 1 });
    const { lines } = s.store;
    const first = lines.findIndex((line) => line.includes('"purpose":"summary"'));
    expect(first).toBeGreaterThan(0);
    for (let kept = first - 3; kept <= lines.length; kept++) {
      if (![kept - 1, kept].some((at) => /"type":"(request|usage|summaryUsage|compaction|note)/.test(lines[at] ?? '')))
        continue;
      const { journal } = await memoryJournal({ lines: lines.slice(0, kept) });
      const { entries, spending } = journal;
      const counted = entries.filter(({ type }) => type === 'usage' || type === 'summaryUsage').length;
      const asked = entries.findLastIndex((entry) => entry.type === 'request' && entry.purpose === 'turn');
      const after = entries.slice(asked);
      // An answer whose usage was not written yet is a request that nobody knows the cost of.
      const isAnswered = after.some((entry) => entry.type === 'message' && entry.message.role === 'assistant');
      const isOpen = isAnswered && !after.some(({ type }) => type === 'usage');
      expect(spending, `killed after ${kept} lines`).toMatchObject({
        requests: counted + (isOpen ? 1 : 0),
        unknown: isOpen ? 1 : 0,
      });
      const spent = entries.reduce((sum, each) => sum + (each.type === 'summaryUsage' ? each.usage.input : 0), 0);
      expect(countCompactions(entries).summaryUsage.input, `killed after ${kept} lines`).toBe(spent);
      const made = entries.filter(({ type }) => type === 'compaction').length;
      expect(journal.context.activeCompactions.length + journal.context.undoneCompactions.length).toBe(made);
    }
  });
});

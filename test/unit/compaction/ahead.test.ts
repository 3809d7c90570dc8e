/**
 * Summaries prepared ahead of time: the product's agent and client against a server that keeps a prompt cache and answers
 * requests for summaries when the test lets it.
 */

import { afterEach, describe, expect, it, vi } from 'vitest';
import type { ContextMessage } from '../../../src/api/index.ts';
import { NEEDED_HEADING } from '../../../src/core/compaction/ahead/needed.ts';
import { StrategyRegistry } from '../../../src/core/compaction/run/registry.ts';
import type { StrategyEntry } from '../../../src/core/compaction/run/strategyEntry.ts';
import { BUILT_IN_STRATEGIES } from '../../../src/core/compaction/strategies/builtIn.ts';
import { countCompactions } from '../../../src/core/journal/statistics.ts';
import { type Json, listOf, objectOf } from '../../../src/core/json.ts';
import type { ConsentAnswer, ModelClient } from '../../../src/core/ports.ts';
import { createOpenAIClient } from '../../../src/providers/openai/openaiClient.ts';
import { systemTimers } from '../../../src/providers/timers.ts';
import { type ModelServer, startModelServer } from '../../support/modelServer/modelServer.ts';
import type { AnswerReply, Reply } from '../../support/modelServer/modelServerReply.ts';
import { PromptCache } from '../../support/modelServer/promptCache.ts';
import { textOfContent } from '../../support/modelServer/summaryRequest.ts';
import { memoryJournal } from '../../support/ports/memoryStore.ts';
import { testCrypto } from '../../support/ports/nodeCrypto.ts';
import { testClock } from '../../support/ports/testClock.ts';
import { testAgent } from '../../support/testAgent.ts';

const open: ModelServer[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});

const WINDOW = 60_000;
const PROMPT = /about to be compacted|record to be summarised/;
const isSummary = (body: Json) => PROMPT.test(textOfContent(objectOf(listOf(body.messages).at(-1)).content));
const FILE = Array.from({ length: 250 }, (_, i) => `line ${i} of a file that is read again and again`).join('\n');

interface Options {
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Whether the server says that it reads from a cache. */
  readonly caches?: boolean;
  readonly registry?: StrategyRegistry;
  readonly consent?: ConsentAnswer;
  readonly files?: Readonly<Record<string, string>>;
}

async function session({ settings = {}, caches = true, files = {}, registry, consent }: Options = {}) {
  const cache = new PromptCache('automatic');
  const turns: Reply[] = [];
  let answer = (): Reply => ({ kind: 'answer', text: 'The prepared notes.' });
  const server = await startModelServer({
    script: ({ body }) => {
      const counted = cache.count(body);
      const usage = caches ? counted : { ...counted, prompt_tokens_details: { cached_tokens: 0 } };
      const reply = isSummary(body) ? answer() : (turns.shift() ?? { kind: 'answer', text: 'Done.' });
      return reply.kind === 'answer' ? { ...reply, usage } : reply;
    },
  });
  open.push(server);
  const real = createOpenAIClient({ baseUrl: server.baseUrl, key: async () => undefined });
  let gate = Promise.resolve();
  const model = 'm';
  const asked: number[] = [];
  const client: ModelClient = {
    endpoint: real.endpoint,
    async *stream(request, signal) {
      if (request.toolChoice === 'none') await gate;
      yield* real.stream(request, signal);
    },
  };
  const clock = testClock();
  const price = { input: 1, output: 2, cacheRead: 0.1, currency: 'USD', source: 'settings' } as const;
  const choice = { client, window: WINDOW, price };
  const compaction: Record<string, unknown> = { 'summary.retries': 0, ...settings };
  const { agent, store } = await testAgent(
    { ...choice, model },
    {
      files: { 'a.txt': FILE, ...files },
      ...(registry ? { registry } : {}),
      models: { initial: () => model, resolve: (name) => ({ ...choice, model: name }) },
      person: {
        approver: { ask: async () => ({ kind: 'allow', remember: 'no' }) },
        consent: async ({ tokens }) => {
          asked.push(tokens);
          return consent ?? 'compact';
        },
      },
      compaction: () => compaction,
      system: { clock, timers: systemTimers, crypto: testCrypto(), log: () => undefined },
    },
  );
  const { journal, compactor } = agent;
  const read = (path: string): AnswerReply => ({
    kind: 'answer',
    text: 'Looking.',
    calls: [{ name: 'read_file', arguments: { path } }],
  });
  const bodies = () => server.requests.map(({ body }) => body);
  const s = {
    ...{ agent, journal, compactor, server, clock, store, compaction, asked },
    turn: new AbortController(),
    /** One turn that reads so often. */
    read: async (times: number, path = 'a.txt') => {
      turns.push(...Array<Reply>(times).fill(read(path)));
      return agent.send('read', s.turn.signal);
    },
    /** Turns until the context holds this share of where it is compacted. */
    fill: async (share: number) => {
      while (compactor.reading.tokens < share * (compactor.mark?.at ?? 0)) await s.read(1);
    },
    /** Turns until the context is compacted once more. */
    untilCompacted: async () => {
      const before = s.compactions().length;
      for (let turn = 0; s.compactions().length === before; turn++) {
        if (turn === 40) throw new Error('It is not compacted');
        await s.read(1);
      }
    },
    /** No request for a summary is answered before the result is called. */
    hold: () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      gate = promise;
      return resolve;
    },
    summaries: () => bodies().filter(isSummary),
    turns: () => bodies().filter((body) => !isSummary(body)),
    compactions: () => journal.entries.filter((entry) => entry.type === 'compaction'),
    used: () => journal.entries.filter((entry) => entry.type === 'summaryUsage'),
    /** What requests for summaries are answered from here on. */
    answerSummaries: (next: () => Reply) => {
      answer = next;
    },
    /** Id of the newest message. */
    newest: () => journal.context.conversation.at(-1)?.id ?? '',
    notes: () => journal.entries.flatMap((entry) => (entry.type === 'note' ? [entry.text] : [])),
    /** A summary is ready. */
    prepared: () => vi.waitUntil(() => s.used().length > 0, { timeout: 5_000, interval: 1 }),
  };
  return s;
}

const newestBlock = (history: readonly ContextMessage[]) =>
  history.filter(({ block }) => block === history.at(-1)?.block);

type Session = Awaited<ReturnType<typeof session>>;
const PREPARING = { 'summary.retries': 0 };
/** A server that takes the request for a summary and says nothing. */
const SILENT: Reply = { kind: 'raw', pieces: [], end: 'hold' };
const thrownAway = (s: Session) =>
  s.notes().filter((text) => text.startsWith('A summary that was prepared was thrown'));

describe('B9: a summary prepared ahead', () => {
  it('is asked for near the trigger, while the agent goes on, and used without a request when it fires', async () => {
    const s = await session();
    await s.fill(0.85);
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
    const s = await session();
    await s.fill(0.85);
    await s.prepared();
    const { input = 1, cached = 0 } = s.used()[0]?.usage ?? {};
    expect(cached / input).toBeGreaterThan(0.95);
    const [summary] = s.summaries();
    expect(summary).toMatchObject({ tool_choice: 'none' });
  });

  it('is not waited for while the window holds the context', async () => {
    const s = await session();
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

  it('is waited for before the window is full', async () => {
    const s = await session();
    const answer = s.hold();
    await s.fill(0.9);
    let done = false;
    const going = s.read(30).finally(() => {
      done = true;
    });
    await vi.waitUntil(() => s.compactor.reading.tokens > WINDOW * 0.93, { timeout: 5_000, interval: 1 });
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(done).toBe(false);
    const turns = s.turns().length;
    answer();
    await going;
    expect(s.turns().length).toBeGreaterThan(turns);
    expect(s.compactions()[0]?.prepared).toBeDefined();
  });

  it('begins at the trigger where a step went past what is near to it', async () => {
    const s = await session({ files: { 'big.txt': `${FILE}\n`.repeat(4) } });
    await s.fill(0.75);
    expect(s.summaries()).toEqual([]);
    const answer = s.hold();
    const outcome = await s.read(1, 'big.txt');
    expect(s.compactor.reading.tokens).toBeGreaterThan(s.compactor.mark?.at ?? 0);
    expect(outcome).toEqual({ kind: 'done' });
    expect(s.compactions()).toEqual([]);
    answer();
    await s.prepared();
    await s.read(1);
    expect(s.compactions()).toMatchObject([{ prepared: {} }]);
    expect(s.summaries()).toHaveLength(1);
  });

  it('keeps, word for word, the line that a later step asked for and the summary lost', async () => {
    const s = await session({ files: { 'config.ts': `// settings\nexport const retryLimit_ms = 8443;\n${FILE}` } });
    await s.read(1, 'config.ts');
    await s.fill(0.85);
    await s.prepared();
    const { journal } = s;
    const message = { role: 'assistant', text: 'I need retryLimit_ms and neverSeen_name.' } as const;
    await journal.append({ type: 'message', message, tokens: 20 });
    await s.untilCompacted();
    const notes = journal.context.conversation.filter(({ kind }) => kind === 'summary');
    const needed = notes.find(({ message: { text } }) => text.includes(NEEDED_HEADING))?.message.text ?? '';
    expect(needed).toMatch(/- \[id m\d+\] .*export const retryLimit_ms = 8443;$/m);
    expect(needed).not.toContain('neverSeen_name');
  });

  it('is asked about first where the strategy asks', async () => {
    const s = await session({ settings: { requireConfirmation: true } });
    await s.fill(0.85);
    await s.prepared();
    expect(s.asked).toEqual([]);
    await s.untilCompacted();
    expect(s.asked).toHaveLength(1);
    expect(s.compactions()).toMatchObject([{ prepared: {} }]);
    expect(s.summaries()).toHaveLength(1);
  });

  it('is made for a strategy that knows nothing of it', async () => {
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
    const cached = await session({ registry, settings });
    await cached.fill(0.95);
    expect(cached.used()).toEqual([]);
    const s = await session({ registry, settings: { ...settings, 'summary.prepareAhead': 'always' } });
    await s.fill(0.85);
    await s.prepared();
    await s.untilCompacted();
    expect(s.compactions()).toMatchObject([{ strategy: id, prepared: {}, usage: s.used()[0]?.usage }]);
    expect(s.journal.context.conversation[0]?.message.text).toMatch(/^Own: Done/);
  });
});

describe('B9: nothing is prepared', () => {
  it.each<[string, Options, number]>([
    ['where it is switched off', { settings: { 'summary.prepareAhead': 'never' } }, 0.95],
    ['where the provider reads nothing from a cache', { caches: false }, 0.95],
    ['where requests are not continued', { settings: { 'summary.continueRequest': false } }, 0.95],
    ['where another model writes', { settings: { 'summary.model': 'other' } }, 0.95],
    ['for a strategy without a model', { settings: { strategy: 'tool-result-hiding' } }, 0.95],
    ['where the strategy makes room without one', { settings: { strategy: 'selective' } }, 0.95],
    ['where nothing is compacted by itself', { settings: { auto: false } }, 0.95],
    ['far from the trigger', {}, 0.75],
  ])('%s', async (_where, options, share) => {
    const s = await session({ ...options, settings: { ...PREPARING, ...options.settings } });
    await s.fill(share);
    expect(s.summaries()).toEqual([]);
  });

  it('with a cache that has outlived its time', async () => {
    const s = await session();
    await s.fill(0.8);
    s.clock.advance(6 * 60_000);
    const before = s.turns().length;
    const stop = new AbortController();
    const looked = s.compactor.beforeCall(stop.signal);
    expect((await looked).kind).toBe('none');
    expect([s.turns().length, s.summaries()]).toEqual([before, []]);
  });

  it('again soon after the model failed, and the compaction asks anew', async () => {
    let failures = 0;
    const s = await session({ settings: { 'trigger.holdGrowth': 0.5 } });
    const refuse: Reply = { kind: 'error', status: 500, body: { error: { message: 'no' } } };
    s.answerSummaries(() => (failures++ === 0 ? refuse : { kind: 'answer', text: 'Made at last.' }));
    await s.fill(0.9);
    await vi.waitUntil(() => failures === 1, { timeout: 5_000, interval: 1 });
    await s.untilCompacted();
    expect(s.compactions()[0]?.prepared).toBeUndefined();
    expect(s.journal.context.conversation[0]?.message.text).toContain('Made at last.');
    expect(s.used()).toHaveLength(1);
    expect(thrownAway(s)).toEqual([]);
  });
});

describe('B9: a summary that is under way is stopped, and one that is ready is thrown away,', () => {
  const CAUSES: [string, (s: Session) => unknown, RegExp][] = [
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
    const s = await session();
    await s.fill(0.85);
    await s.prepared();
    const [used] = s.used();
    await cause(s);
    await vi.waitUntil(() => thrownAway(s).length > 0, { timeout: 5_000, interval: 1 });
    expect(thrownAway(s)[0]).toMatch(why);
    const tokens = (used?.usage.input ?? 0) + (used?.usage.output ?? 0);
    expect(thrownAway(s)[0]).toContain(`It used about ${tokens} tokens.`);
    const { unusedUsage } = countCompactions(s.journal.entries.filter(({ seq }) => seq <= (used?.seq ?? 0)));
    expect(unusedUsage).toMatchObject({ input: used?.usage.input, output: used?.usage.output });
  });

  it.each(CAUSES.filter(([when]) => !when.includes('by hand')))(
    'its request ends, and counts: %s',
    async (_when, cause) => {
      const s = await session();
      s.answerSummaries(() => SILENT);
      await s.fill(0.85);
      await vi.waitUntil(() => s.summaries().length === 1, { timeout: 5_000, interval: 1 });
      const { requests } = s.journal.spending;
      const before = s.turns().length;
      await cause(s);
      await vi.waitUntil(() => s.used().length === 1, { timeout: 5_000, interval: 1 });
      expect(s.used()).toMatchObject([{ estimated: true, ahead: true, usage: { output: 0 } }]);
      expect(s.used()[0]?.usage.input).toBeGreaterThan(30_000);
      expect(s.journal.spending.requests).toBe(requests + 1 + s.turns().length - before);
      await vi.waitUntil(() => thrownAway(s).length === 1, { timeout: 5_000, interval: 1 });
    },
  );

  it('when the session closes, with what it used in the journal', async () => {
    const s = await session();
    s.answerSummaries(() => SILENT);
    await s.fill(0.85);
    await vi.waitUntil(() => s.summaries().length === 1, { timeout: 5_000, interval: 1 });
    s.agent.dispose();
    const closing = s.journal.close();
    expect(s.used()).toMatchObject([{ estimated: true, ahead: true }]);
    await closing;
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(s.used()).toHaveLength(1);
    expect(s.store.lines.filter((line) => line.includes('"summaryUsage"'))).toHaveLength(1);
  });

  it('not when the person goes back to what came after it', async () => {
    const s = await session();
    await s.fill(0.85);
    await s.prepared();
    const { seq } = s.used()[0] ?? { seq: 0 };
    await s.read(1);
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
    const s = await session({ registry, settings });
    await s.fill(0.85);
    await s.prepared();
    hides = true;
    await s.untilCompacted();
    expect(s.compactions()[0]?.prepared).toBeUndefined();
    await vi.waitUntil(() => thrownAway(s).length === 1, { timeout: 5_000, interval: 1 });
    hides = false;
    await s.fill(0.95);
    expect(s.used()).toHaveLength(1);
  });
});

describe('B9: a process that is killed at any moment', () => {
  it('leaves a journal that opens, with what was used counted and nothing half done', async () => {
    const s = await session();
    await s.fill(0.85);
    await s.prepared();
    await s.untilCompacted();
    await s.fill(0.85);
    await vi.waitUntil(() => s.used().length > 1, { timeout: 5_000, interval: 1 });
    await s.compactor.undo();
    await vi.waitUntil(() => thrownAway(s).length > 0, { timeout: 5_000, interval: 1 });
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

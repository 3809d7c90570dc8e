import { afterEach, describe, expect, it } from 'vitest';
import { continueTurn } from '../../../src/core/agent/runTurn.ts';
import { cacheTimeline } from '../../../src/core/cost/cacheTimeline.ts';
import { ModelError } from '../../../src/core/errors.ts';
import { Journal } from '../../../src/core/journal/journal.ts';
import { markItem } from '../../../src/core/journal/timeTravel.ts';
import { type CachingSession, type CachingSessionOptions, cachingSession } from '../../support/cachingSession.ts';
import { entriesOf, memoryStore, memoryStored } from '../../support/ports/memoryStore.ts';
import { testCrypto } from '../../support/ports/nodeCrypto.ts';
import { testClock } from '../../support/ports/testClock.ts';
import { turnHarness } from '../../support/turnHarness.ts';

const PRICE = { currency: 'USD', input: 2, output: 10, cacheRead: 0.2, source: 'settings' } as const;
const HIDING = { strategy: 'tool-result-hiding', 'toolResultHiding.preserveRecentGroups': 1 };
const MINUTE = 60_000;

const sessions: CachingSession[] = [];
afterEach(async () => {
  for (const { server } of sessions.splice(0)) await server.close();
});

async function session(options: CachingSessionOptions = {}): Promise<CachingSession> {
  const made = await cachingSession({ price: PRICE, ...options });
  sessions.push(made);
  return made;
}

/** Each turn reads a file of some length; then there is something to hide. */
async function reading(turns: number, options: CachingSessionOptions = {}): Promise<CachingSession> {
  const files = Object.fromEntries(Array.from({ length: turns }, (_, i) => [`f${i}.txt`, `line ${i}\n`.repeat(400)]));
  const answers = Array.from({ length: turns }, (_, i) => [
    { calls: [{ name: 'read_file', arguments: { path: `f${i}.txt` } }] },
    { text: `read ${i}` },
  ]).flat();
  const made = await session({ files, answers, compaction: HIDING, ...options });
  for (let turn = 0; turn < turns; turn++) await made.say(`Read file ${turn}.`);
  return made;
}

/** The causes of each request, without those that continue the one before. */
const causes = (made: CachingSession, livesMs: number | null = null) =>
  made.timeline(livesMs).flatMap(({ breaks }) => (breaks.length > 0 ? [breaks.map(({ kind }) => kind)] : []));

describe('the timeline of the cache', { tags: ['B15'] }, () => {
  it('has a row for each request, with what the server read, and no break where the prefix holds', async () => {
    const made = await reading(4);
    const rows = made.timeline(5 * MINUTE);
    expect(rows).toHaveLength(made.server.requests.length);
    expect(causes(made, 5 * MINUTE)).toEqual([]);
    const { usage, cost } = rows[5] ?? {};
    expect(usage).toMatchObject({ cached: rows[4]?.usage?.input });
    expect(cost?.amount).toBeCloseTo(
      (((usage?.input ?? 0) - (usage?.cached ?? 0)) * 2 + (usage?.cached ?? 0) * 0.2 + 10 * 10) / 1e6,
      12,
    );
  });

  it('names the compaction that broke it, with what was read again and what that cost', async () => {
    const made = await reading(4);
    await made.compact();
    await made.say();
    await made.say();
    const broken = made.timeline().filter(({ breaks }) => breaks.length > 0);
    expect(broken.map(({ breaks }) => breaks)).toEqual([
      [{ kind: 'compaction', seq: expect.any(Number), strategy: 'tool-result-hiding' }],
    ]);
    const [row] = broken;
    const again = (row?.usage?.input ?? 0) - (row?.usage?.cached ?? 0);
    expect(row?.again).toBe(again);
    expect(again).toBeGreaterThan(1_000);
    expect(row?.againCost).toEqual({ amount: (again * 1.8) / 1e6, currency: 'USD' });
  });

  it('has no break for a compaction that was undone before the next request, and one for each afterwards', async () => {
    const made = await reading(4);
    await made.compact();
    await made.agent.compactor.undo();
    await made.say();
    expect(causes(made)).toEqual([]);
    await made.agent.compactor.redo();
    await made.say();
    await made.agent.compactor.undo();
    await made.say();
    expect(causes(made)).toEqual([['compactionRedone'], ['compactionUndone']]);
  });

  it('has no break for a compaction of what was not sent yet', async () => {
    const turn = await turnHarness(['one', 'two']);
    await turn.send('a');
    const { journal } = turn;
    const id = journal.context.conversation.at(-1)?.id ?? '';
    const facts = {
      strategy: 'x',
      trigger: 'precheck',
      durationMs: 1,
      attempt: 1,
      tokensBefore: 9,
      tokensAfter: 8,
    } as const;
    const plan = [{ op: 'replace', id, by: { text: 'o', tokens: 1 } }] as const;
    await journal.append({ type: 'compaction', base: journal.head ?? 0, plan, ...facts });
    await turn.send('b');
    expect([...cacheTimeline(journal, () => null)].map(({ breaks }) => breaks)).toEqual([[], []]);
  });

  it('names another model, another header, going back, and both where both were', async () => {
    let text = 'Be useful.';
    const header = async () => [{ kind: 'systemPrompt', origin: 'built-in', text, cacheHint: true } as const];
    const made = await reading(2, { header });
    const { journal } = made.agent;
    const back = journal.head;
    await made.say();
    await made.agent.configure('second');
    await made.say();
    text = 'Be brief.';
    await made.say();
    await journal.revert(back, 'user');
    await made.agent.configure('first');
    await made.say();
    expect(causes(made)).toEqual([['model'], ['header'], ['wentBack', 'header']]);
    expect(made.timeline().find(({ breaks }) => breaks[0]?.kind === 'model')?.breaks).toEqual([
      { kind: 'model', from: 'first', to: 'second' },
    ]);
  });

  it('has no break for another model that was given up before it was asked', async () => {
    const made = await reading(2);
    await made.agent.configure('second');
    await made.agent.configure('first');
    await made.say();
    expect(causes(made)).toEqual([]);
  });

  it('tells an idle hour from a provider that forgot without a word', async () => {
    const made = await reading(3, { livesMs: 5 * MINUTE });
    made.clock.advance(4 * MINUTE);
    await made.say();
    made.clock.advance(60 * MINUTE);
    await made.say();
    await made.say();
    made.server.forget();
    await made.say();
    expect(causes(made, 5 * MINUTE)).toEqual([['idle'], ['unsaid']]);
    expect(causes(made, null)).toEqual([['unsaid'], ['unsaid']]);
    expect(made.timeline(5 * MINUTE).find(({ breaks }) => breaks[0]?.kind === 'idle')?.breaks).toEqual([
      { kind: 'idle', idleMs: 60 * MINUTE + 1_000, livesMs: 5 * MINUTE },
    ]);
  });

  it.each([false, true])(
    'names a loss right after a miss, whatever was the miss (says what it wrote: %s)',
    async (saysWritten) => {
      const made = await reading(4, { livesMs: 5 * MINUTE, saysWritten });
      made.server.forget();
      await made.say();
      made.server.forget();
      await made.say();
      made.clock.advance(60 * MINUTE);
      await made.say();
      made.clock.advance(60 * MINUTE);
      await made.say();
      await made.compact();
      await made.say();
      made.server.forget();
      await made.say();
      expect(causes(made, 5 * MINUTE)).toEqual([
        ['unsaid'],
        ['unsaid'],
        ['idle'],
        ['idle'],
        ['compaction'],
        ['unsaid'],
      ]);
      const [, second] = made.timeline().filter(({ breaks }) => breaks.length > 0);
      expect(second?.again).toBeGreaterThan(1_000);
      await made.say();
      await made.say();
      expect(causes(made, 5 * MINUTE)).toHaveLength(6);
    },
  );

  it('names no loss of what a provider does not keep: a request too short for its cache, or a part of it', async () => {
    const turn = await turnHarness([]);
    const { journal } = turn;
    /** As OpenAI counts: from 1,024 tokens on, in blocks of 128. */
    const blocks = (input: number) => (input < 1_024 ? 0 : input - (input % 128));
    const sent = { bodySha256: 'x', loweringVersion: 1, messages: 1 } as const;
    // It becomes shorter once: that is a loss, and that the next one finds nothing is none.
    const inputs = [400, 700, 990, 1_100, 1_300, 1_700, 2_100, 800, 900, 1_200];
    for (const [at, input] of inputs.entries()) {
      await journal.append({ type: 'message', message: { role: 'user', kind: 'user', text: 'x' }, tokens: 1 });
      await journal.append({ type: 'request', purpose: 'turn', model: 'm', ...sent });
      await journal.append({ type: 'message', message: { role: 'assistant', text: 'y' }, tokens: 1 });
      const usage = {
        input,
        cached: at === 0 ? 0 : blocks(Math.min(inputs[at - 1] ?? 0, input)),
        output: 1,
        reasoning: 0,
      };
      await journal.append({ type: 'usage', model: 'm', usage, estimated: false });
    }
    const broken = [...cacheTimeline(journal, () => null)].flatMap(({ breaks }, at) => (breaks.length > 0 ? [at] : []));
    expect(broken).toEqual([7]);
  });

  it('has no break where a long pause cost nothing', async () => {
    const made = await reading(3);
    made.clock.advance(600 * MINUTE);
    await made.say();
    expect(causes(made, 5 * MINUTE)).toEqual([]);
  });

  it('names what a person expanded, and nothing for a pin that changed nothing', async () => {
    const made = await reading(4);
    const { journal } = made.agent;
    const results = journal.context.conversation.filter(({ kind }) => kind === 'toolResult');
    const [first] = results;
    await markItem(journal, first?.id ?? '', 'pinned');
    await made.say();
    expect(causes(made)).toEqual([]);
    await markItem(journal, first?.id ?? '', 'unpinned');
    await made.compact();
    await made.say();
    await markItem(journal, first?.id ?? '', 'expanded');
    await made.say();
    await markItem(journal, results[1]?.id ?? '', 'pinned');
    await made.say();
    expect(causes(made)).toEqual([['compaction'], ['expanded'], ['pinned']]);
  });

  it('names a history that was told again in words', async () => {
    const refused = new ModelError('badRequest', 'no', { malformedHistory: true });
    const look = { calls: [['look', { at: 'x' }]] as const };
    const turn = await turnHarness([look, 'one', { error: refused }, 'two', 'three']);
    await turn.send('a');
    await turn.send('b');
    await turn.send('c');
    const rows = [...cacheTimeline(turn.journal, () => null)];
    expect(rows.map(({ breaks }) => breaks.map(({ kind }) => kind))).toEqual([[], [], ['retold'], []]);
  });

  it('has a row for an answer that broke off, and goes on from it', async () => {
    const cut = new ModelError('interrupted', 'cut');
    const turn = await turnHarness(['one', { text: 'half', error: cut }, 'whole']);
    await turn.send('a');
    await turn.send('b');
    await continueTurn(turn.parts, turn.abort.signal);
    const rows = [...cacheTimeline(turn.journal, () => null)];
    expect(rows.map(({ usage }) => usage === null)).toEqual([false, true, false]);
    expect(rows.flatMap(({ breaks }) => breaks)).toEqual([]);
  });

  it('has the causes of a provider that never says what it cached, and no figure and no break beside them', async () => {
    const turn = await turnHarness(['one', 'two', 'three']);
    await turn.send('a');
    await turn.send('b');
    const { journal } = turn;
    const id = journal.context.conversation[0]?.id ?? '';
    const facts = {
      strategy: 'x',
      trigger: 'manual',
      durationMs: 1,
      attempt: 1,
      tokensBefore: 9,
      tokensAfter: 8,
    } as const;
    await journal.append({ type: 'compaction', base: journal.head ?? 0, plan: [{ op: 'drop', ids: [id] }], ...facts });
    await turn.send('c');
    const rows = [...cacheTimeline(journal, () => null)];
    expect(rows.map(({ breaks, again }) => [breaks.map(({ kind }) => kind), again])).toEqual([
      [[], null],
      [[], null],
      [['compaction'], null],
    ]);
  });

  it('counts a break for each one that the server saw, over many turns, and is the same of a stored journal', async () => {
    const made = await reading(12, { compaction: { ...HIDING, strategy: 'hiding-then-summary' } });
    for (let round = 0; round < 3; round++) {
      await made.compact();
      await made.say();
      await made.say();
    }
    const turns = made.server.requests
      .map(({ body }) => body as { messages: object[]; tools?: object[] })
      .filter(({ tools }) => (tools ?? []).length > 0)
      .map(({ messages }) => messages.map((message) => JSON.stringify(message)));
    const seen = turns.slice(1).filter((now, at) => turns[at]?.some((message, i) => now[i] !== message)).length;
    expect(causes(made)).toHaveLength(seen);
    expect(seen).toBe(3);
    const entries = entriesOf(made.store.lines);
    const ports = { store: memoryStore(), clock: testClock(), crypto: testCrypto() };
    const stored = Journal.scan(memoryStored(entries), ports);
    expect([...cacheTimeline(stored, () => null)]).toEqual(made.timeline());
  });
});

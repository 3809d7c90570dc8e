/** A summary that does not fit, or comes back empty: what is asked next, what is lost, and what the person is told. */

import { afterEach, describe, expect, it } from 'vitest';
import { isModelError } from '../../../src/api/errors.ts';
import type { CompactionContext } from '../../../src/api/index.ts';
import { StrategyRegistry } from '../../../src/core/compaction/hosting/registry.ts';
import type { AnyFactory } from '../../../src/core/compaction/strategies/strategyEntry.ts';
import { ModelError } from '../../../src/core/errors.ts';
import { asRecord, asText, type Json } from '../../../src/core/json.ts';
import { createEndpointClient } from '../../../src/providers/endpointClient.ts';
import { compactionHarness, type Line, says, user, words } from '../../support/compactionHarness.ts';
import { startLocalServer } from '../../support/localServers/localServer.ts';
import { ollama } from '../../support/localServers/ollama.ts';
import { type ModelServer, startModelServer } from '../../support/modelServer/modelServer.ts';
import type { Reply } from '../../support/modelServer/modelServerReply.ts';
import type { Step } from '../../support/ports/scriptedModel.ts';
import { summarySession } from '../../support/summarySession.ts';

const servers: ModelServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

const promptOf = (body: Json) =>
  (Array.isArray(body.messages) ? body.messages : []).map((message) => asText(asRecord(message)?.content)).join('\n');

/** A summary model on a server of its own, and the requests that it took and refused. */
async function summaryServer(answer: (prompt: string, number: number) => Reply) {
  const [taken, refused]: [string[], string[]] = [[], []];
  const server = await startModelServer({
    script: ({ body, number }) => {
      const prompt = promptOf(body);
      const reply = answer(prompt, number);
      (reply.kind === 'error' ? refused : taken).push(prompt);
      return reply;
    },
  });
  servers.push(server);
  return { taken, refused, client: createEndpointClient({ baseUrl: server.baseUrl, key: async () => undefined }) };
}

const TOO_LONG: Reply = {
  kind: 'error',
  status: 400,
  body: { error: { message: 'prompt too long; exceeded max context length' } },
};
const NOTES: Reply = { kind: 'answer', text: 'Notes of what was done.' };

/** Thirty requests of a person, each with an answer: above the default trigger, at 80,000 of the window of 100,000. */
const THIRTY: Line[] = Array.from({ length: 30 }, (_, i) => [
  user(`wish-${i}-of-mine ${words(1_300)}`),
  says(words(1_500)),
]).flat();
/** A summary of many parts asks first. */
const ASKED = ['compact', 'compact'] as const;
const wishes = (prompts: readonly string[]) =>
  Array.from({ length: 30 }, (_, i) => `wish-${i}-of-mine`).filter((wish) =>
    prompts.some((prompt) => prompt.includes(wish)),
  );

describe('a summary that is refused as too long', { tags: ['long'] }, () => {
  it.each([
    ['without a number', TOO_LONG],
    ['without a word', { ...TOO_LONG, body: '' }],
    [
      'with the true window',
      { ...TOO_LONG, body: { error: { message: "This model's maximum context length is 24,000 tokens." } } },
    ],
  ])('is taken in parts, and every message of the person reaches the model: %s', async (_how, refusal) => {
    const { taken, refused, client } = await summaryServer((prompt) => (prompt.length > 80_000 ? refusal : NOTES));
    const s = await summarySession({ history: THIRTY, summaryClient: client, consent: ASKED });
    await s.say();
    expect(s.compactions()).toMatchObject([{ strategy: 'llm-summary' }]);
    const recent = s.agent.journal.context.conversation.filter(({ kind }) => kind === 'user');
    expect(wishes([...taken, ...recent.map(({ message }) => message.text)])).toHaveLength(30);
    expect(wishes(taken).length).toBeGreaterThan(27);
    expect(taken.filter((prompt) => prompt.includes('left out'))).toEqual([]);
    expect(new Set(refused).size).toBe(refused.length);
    expect(refused.length).toBeLessThanOrEqual(3);
  });

  it('is cut without a word: taken in parts that the server holds, and every message of the person reaches it', {
    tags: ['B17'],
  }, async () => {
    const seen: string[] = [];
    const local = await startLocalServer(ollama(), {
      holds: 16_384,
      answer: ({ body, messages }) => {
        // Only what was not cut has been seen.
        seen.push(body.max_tokens === 1 ? '' : promptOf({ messages }));
        return { kind: 'answer', text: 'Notes of what was done.' };
      },
    });
    servers.push(local.server);
    const client = createEndpointClient({ baseUrl: local.server.baseUrl, key: async () => undefined });
    const s = await summarySession({ history: THIRTY, summaryClient: client, consent: ASKED });
    await s.say();
    expect(s.compactions()).toMatchObject([{ strategy: 'llm-summary' }]);
    const whole = local.prompts.filter(({ sent, read }) => read === sent);
    expect(whole.length).toBeGreaterThan(3);
    expect(local.prompts.length - whole.length).toBeLessThanOrEqual(2);
    const recent = s.agent.journal.context.conversation.filter(({ kind }) => kind === 'user');
    const told = seen.filter((_, at) => local.prompts[at]?.read === local.prompts[at]?.sent);
    expect(wishes([...told, ...recent.map(({ message }) => message.text)])).toHaveLength(30);
  });

  it('is never sent again unchanged, however small it is, and the person is told the numbers', async () => {
    const { refused, client } = await summaryServer(() => TOO_LONG);
    const s = await summarySession({ history: THIRTY, summaryClient: client, consent: ASKED });
    await s.say();
    const sizes = refused.map((prompt) => prompt.length);
    expect(sizes.length).toBeGreaterThan(1);
    // After a refusal without a number the room is 0.6 of it; whole messages fill it to within a fifth.
    for (const [i, size] of sizes.entries()) if (i > 0) expect(size).toBeLessThan(0.8 * (sizes[i - 1] ?? 0));
    // The next attempt waits until the context has grown.
    await s.add(user(words(4_000)), says(words(4_000)));
    await s.say('once more');
    expect(new Set(refused).size).toBe(refused.length);
    expect(s.failures()).toHaveLength(2);
    expect(s.failures()[0]?.reason).toMatch(/refused .*as too long.*palimpsest\.compaction\.summary\.model/);
  });

  it('is not sent in the size that was refused by the next compaction, either', async () => {
    const { refused, taken, client } = await summaryServer((prompt) => (prompt.length > 80_000 ? TOO_LONG : NOTES));
    const s = await summarySession({ history: THIRTY, summaryClient: client, consent: ASKED });
    await s.say();
    const before = refused.length;
    await s.add(...THIRTY);
    await s.say();
    expect(s.compactions()).toHaveLength(2);
    expect(refused.length).toBe(before);
    expect(taken.length).toBeGreaterThan(4);
  });

  it('a long message of the person is told in parts, not cut in its middle', async () => {
    const said = Array.from({ length: 40_000 }, (_, i) => `word${i}`);
    const history = [user(said.join(' ')), says('a'), user('b'), says('c')];
    const { taken, client } = await summaryServer((prompt) => (prompt.length > 80_000 ? TOO_LONG : NOTES));
    const s = await summarySession({ history, summaryClient: client, consent: ASKED });
    await s.say();
    expect(s.compactions()).toMatchObject([{ strategy: 'llm-summary' }]);
    const told = new Set(taken.join(' ').split(/\s+/));
    const missing = said.filter((word) => !told.has(word));
    expect(missing).toEqual([]);
  });
});

describe('a prompt of a strategy from elsewhere', () => {
  async function compactWith(whole: boolean, summaries: readonly Step[]) {
    const rooms: number[] = [];
    const compact = async ({ history, llm }: CompactionContext) => {
      rooms.push(llm.maxInputTokens);
      const text = history.map((message) => message.text).join(' ');
      const ask = (prompt: string) => llm.complete({ prompt, whole });
      const made = await ask(text).catch(async (thrown: unknown) => {
        if (!isModelError(thrown) || thrown.kind !== 'overflow') throw thrown;
        rooms.push(llm.maxInputTokens);
        return ask(text.slice(0, llm.maxInputTokens * 2));
      });
      return [{ role: 'user' as const, kind: 'summary' as const, text: made.text }, ...history.slice(-2)];
    };
    const factory = { needs: ['llm'], create: () => ({ compact }) } as unknown as AnyFactory;
    const registry = new StrategyRegistry([{ id: 'a.b/c', label: 'C', description: '', publisher: 'a', factory }]);
    const h = await compactionHarness({
      history: [user(words(5_000)), says(words(5_000)), user('b'), says('c')],
      window: 10_000,
      registry,
      settings: { strategy: 'contributed', contributedStrategy: 'a.b/c' },
      summaries,
    });
    expect(await h.compactor.trigger.beforeCall(new AbortController().signal)).toMatchObject({ kind: 'compacted' });
    const notes = h.journal.entries.flatMap((entry) => (entry.type === 'note' ? [entry.text] : []));
    return { rooms, notes, sent: h.model.requests.map(({ messages }) => messages.at(-1)?.text ?? '') };
  }

  it('is cut where it is too long, and the person is told how much no summary knows', async () => {
    const { notes, sent } = await compactWith(false, ['notes']);
    expect(sent[0]).toContain('left out');
    expect(notes).toEqual([expect.stringMatching(/^About [3-5],\d{3} tokens .* were left out in the middle/)]);
  });

  it('is refused before it is sent where it must stay whole, and nothing is left out', async () => {
    const { notes, sent } = await compactWith(true, ['notes']);
    expect(sent).toHaveLength(1);
    expect([sent.join().includes('left out'), notes]).toEqual([false, []]);
  });
});

describe('a summary that is refused for a rate', () => {
  it('is waited for as long as the provider asks, but not for an hour: the strategy has minutes', async () => {
    const busy = new ModelError('rateLimit', 'Busy.', { retryable: true, retryAfterMs: 20_000 });
    const spent = new ModelError('rateLimit', 'Come back later.', { retryable: true, retryAfterMs: 3_600_000 });
    const s = await summarySession({ history: THIRTY, summaries: [{ error: busy }, { error: spent }, 'notes'] });
    await s.say();
    expect(s.summariser.requests).toHaveLength(2);
    expect(s.failures()).toMatchObject([{ reason: 'Come back later.' }]);
  });
});

describe('an answer that holds no summary', () => {
  it.each([
    ['reasoning alone', { reasoning: 'Let me think.' }, /only thought.*wrote no summary/],
    [
      'reasoning that used up the limit',
      { reasoning: 'Let me think.', finish: 'length' as const },
      /4,?096 tokens.*palimpsest\.compaction\.summary\.outputTokenMax/,
    ],
    [
      'nothing at the limit',
      { text: '', finish: 'length' as const },
      /4,?096 tokens.*palimpsest\.compaction\.summary\.outputTokenMax/,
    ],
  ])('is told as that, with what to change: %s', async (_what, answer, said) => {
    const s = await summarySession({ history: THIRTY, summaries: Array(9).fill(answer) });
    await s.say();
    expect(s.failures()).toHaveLength(1);
    expect(s.failures()[0]?.reason).toMatch(said);
  });

  it('is not asked for again where the limit was used up: the same request would end the same', async () => {
    const answer = { reasoning: 'Let me think.', finish: 'length' as const };
    const s = await summarySession({ history: THIRTY, summaries: Array(9).fill(answer) });
    await s.say();
    expect(s.summariser.requests).toHaveLength(1);
  });
});

describe('the pause after failures', () => {
  const error = new ModelError('auth', 'No.');
  const going = new AbortController().signal;

  async function failTwice(settings = {}) {
    // 10,000 tokens are still to come, and one request has room for all of it.
    const history = THIRTY.slice(0, 56);
    const s = await summarySession({ history, settings, summaries: Array(9).fill({ error }) });
    for (const message of ['one', 'two']) {
      await s.say(message);
      // 5 % of the window: before that nothing is tried again.
      await s.add(says(words(5_000)));
    }
    expect(s.failures()).toHaveLength(2);
    return s;
  }

  it('is told to a person who compacts by hand, with its end and what to do', { tags: ['C7'] }, async () => {
    const s = await failTwice();
    s.clock.advance(60_000);
    await s.agent.compactor.compact({ trigger: 'manual' }, going);
    expect(s.summariser.requests).toHaveLength(2);
    const notes = s.agent.journal.entries.flatMap((entry) => (entry.type === 'note' ? [entry.text] : []));
    expect(notes.at(-1)).toMatch(
      /failed 2 times in a row.*not asked for another 4 min.*palimpsest\.compaction\.summary\.model/,
    );
  });

  it('does not hold for another summary model', { tags: ['C7'] }, async () => {
    const s = await failTwice();
    const settings = { 'summary.model': 'other' };
    const again = await summarySession({ history: [], lines: s.lines, clock: s.clock, settings, summaries: ['notes'] });
    await again.say('three');
    expect(again.compactions()).toMatchObject([{ strategy: 'llm-summary', summaryModel: 'other' }]);
  });
});

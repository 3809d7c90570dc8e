/** The product's agent and client against a server whose counts cannot be true: every session goes on, also reopened. */

import { afterEach, describe, expect, it } from 'vitest';
import type { Entry } from '../../../src/core/journal/entry.ts';
import { listOf, objectOf } from '../../../src/core/json.ts';
import { createEndpointClient } from '../../../src/providers/endpointClient.ts';
import { type ModelServer, startModelServer } from '../../support/modelServer/modelServer.ts';
import { type TestAgent, testAgent } from '../../support/testAgent.ts';

const servers: ModelServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

const going = new AbortController().signal;
const WINDOW = 32_000;
const MODEL = 'counter';
const FILES = { 'notes.md': Array.from({ length: 40 }, (_, i) => `- note ${i}: a retry waits longer`).join('\n') };

/** What is reported for a request of `exact` tokens: the `nth` of all, from 1; `sum` and `before` count true ones. */
type Report = (facts: {
  readonly exact: number;
  readonly nth: number;
  readonly sum: number;
  readonly before: number;
  readonly fourth: number;
}) => Readonly<Record<string, unknown>>;

const usageOf = (prompt: number) => ({ prompt_tokens: prompt, completion_tokens: 20, total_tokens: prompt + 20 });

/** Reads the notes in each turn, and then answers. */
async function serve(report: Report): Promise<{ readonly server: ModelServer; readonly exact: number[] }> {
  const exact: number[] = [];
  const server = await startModelServer({
    script: ({ body, text, number }) => {
      const counted = Math.ceil(text.length / 4);
      const before = exact.at(-1) ?? 0;
      exact.push(counted);
      const sum = exact.reduce((all, each) => all + each, 0);
      const usage = report({ exact: counted, nth: exact.length, sum, before, fourth: exact[3] ?? 0 });
      const isAsked = objectOf(listOf(body.messages).at(-1)).role === 'user';
      const id = `call_${number}`;
      return isAsked && body.tools !== undefined
        ? {
            kind: 'answer',
            text: 'Reading.',
            calls: [{ id, name: 'read_file', arguments: { path: 'notes.md' } }],
            usage,
          }
        : { kind: 'answer', text: 'That is what they say.', usage };
    },
  });
  servers.push(server);
  return { server, exact };
}

function open(server: ModelServer, lines?: readonly string[]): Promise<TestAgent> {
  const client = createEndpointClient({ baseUrl: server.baseUrl, key: async () => undefined });
  const price = { input: 3, output: 15, currency: 'USD', source: 'settings' } as const;
  return testAgent({ client, model: MODEL, window: WINDOW, price }, { files: FILES, ...(lines ? { lines } : {}) });
}

async function talk({ agent }: TestAgent, turns: number): Promise<unknown[]> {
  const outcomes: unknown[] = [];
  for (let turn = 0; turn < turns; turn++) outcomes.push(await agent.send(`look at the notes, ${turn}`, going));
  return outcomes;
}

const DONE = { kind: 'done' };
const ofType = <T extends Entry['type']>({ agent }: TestAgent, type: T) =>
  agent.journal.entries.filter((entry): entry is Extract<Entry, { type: T }> => entry.type === type);
const doubts = (test: TestAgent) =>
  ofType(test, 'note').flatMap(({ text }) => (text.includes('is not believed') ? [text] : []));

const CASES: readonly (readonly [string, Report, told: RegExp | null])[] = [
  [
    '90,000 of 32,000 once',
    ({ exact, nth }) => usageOf(nth === 4 ? 90_000 : exact),
    /counted 90,000, more than its window of 32,000/,
  ],
  [
    '90,000 of 32,000 at first',
    ({ exact, nth }) => usageOf(nth === 1 ? 90_000 : exact),
    /counted 90,000, more than its window/,
  ],
  ['90,000 of 32,000 always', () => usageOf(90_000), /counted 90,000, more than its window/],
  [
    '30,000 of 32,000 once',
    ({ exact, nth }) => usageOf(nth === 4 ? 30_000 : exact),
    /more tokens than before|counted 30,000/,
  ],
  ['the sum of all requests so far', ({ sum }) => usageOf(sum), /more tokens than before|counted [\d,]+/],
  ['one doubled', ({ exact, nth }) => usageOf(nth === 4 ? exact * 2 : exact), /more tokens than before|counted [\d,]+/],
  ['the first doubled', ({ exact, nth }) => usageOf(nth === 1 ? exact * 2 : exact), null],
  ['nothing', () => usageOf(0), null],
  ['less than nothing', () => usageOf(-12), null],
  ['no number', () => ({ prompt_tokens: 'many', completion_tokens: null }), null],
  ['only what is new', ({ exact, before }) => usageOf(Math.max(40, exact - before)), null],
  [
    'the same from the fourth on',
    ({ exact, nth, fourth }) => usageOf(nth < 4 ? exact : fourth),
    /tokens again, although/,
  ],
  ['the same always', () => usageOf(9_000), /tokens again, although/],
  [
    'more cached than sent',
    ({ exact }) => ({ ...usageOf(exact), prompt_tokens_details: { cached_tokens: 900_000 } }),
    /is not believed/,
  ],
  [
    'an answer of 500,000 tokens',
    ({ exact, nth }) => ({ prompt_tokens: exact, completion_tokens: nth === 3 ? 500_000 : 20 }),
    /counted 500,000/,
  ],
];

describe('a server whose counts cannot be true', () => {
  it.each(CASES)('%s', async (name, report, told) => {
    const { server, exact } = await serve(report);
    const test = await open(server);
    expect(await talk(test, 5)).toEqual(Array(5).fill(DONE));
    const { tokens } = test.agent.compactor.gauge.reading;
    const sent = exact.at(-1) ?? 0;
    expect(tokens).toBeGreaterThan(sent * 0.5);
    // It may add instructions of its own to each request.
    expect(tokens).toBeLessThan(sent * 1.6 + (name === 'the same always' ? 10_000 : 0));
    // Reopened, it goes on as well.
    const again = await open(server, test.store.lines);
    expect(again.agent.compactor.gauge.reading.tokens).toBe(tokens);
    expect(await talk(again, 10)).toEqual(Array(10).fill(DONE));
    expect(ofType(again, 'compaction').filter(({ trigger }) => trigger !== 'ephemeral')).toEqual([]);
    const said = doubts(again);
    expect(said.map((text) => told?.test(text))).toEqual(told ? [true] : []);
    // No false money: at most what all requests cost at their true size, with a margin for estimates.
    const [spent] = again.agent.journal.spending.known;
    const most = exact.reduce((sum, each) => sum + (each * 3 + 200 * 15) / 1e6, 0);
    expect(spent?.amount ?? 0).toBeLessThan(most * (name === 'the same always' ? 4 : 1.6));
  });
});

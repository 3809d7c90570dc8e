/**
 * F20: a session of 200 steps with Claude through the Messages API: what its requests read from the prompt cache, and what
 * it costs beside the same session through the OpenAI-compatible address, which has no cache. The product's agent and client
 * speak to a server that keeps the cache as Anthropic publishes it; both sides have one price and one way to count tokens.
 */

import { priceAt } from '../src/core/cost/money.ts';
import { parseEndpoint } from '../src/providers/endpoint.ts';
import { createEndpointClient } from '../src/providers/endpointClient.ts';
import { tablePrice } from '../src/providers/knownModels.ts';
import { MessagesCache } from '../test/support/modelServer/messagesCache.ts';
import { startModelServer } from '../test/support/modelServer/modelServer.ts';
import { testClock } from '../test/support/ports/testClock.ts';
import { testAgent } from '../test/support/testAgent.ts';
import type { Line } from './support/line.ts';
import { asksForSummary, fileText } from './support/longSession.ts';

export const id = 'F20';

const TURNS = 10;
const STEPS = 20;
const LEAST_COMPACTIONS = 3;
const WINDOW = 100_000;
const MODEL = 'claude-sonnet-5';
/** Tokens of an answer as the server counts it, thinking included. */
const OUTPUT = 300;
const NOTES = Array.from({ length: 40 }, (_, i) => `- note ${i}: what was read, and what came of it`).join('\n');

interface Counted {
  readonly isSummary: boolean;
  readonly input: number;
  readonly read: number;
}

export async function run(): Promise<Line[]> {
  const native = await runSession('messages');
  const compatible = await runSession('chat');
  const summaries = native.counted.filter(({ isSummary }) => isSummary);
  const turns = native.counted.filter(({ isSummary }) => !isSummary);
  const least = Math.min(...summaries.map(({ read, input }) => read / input));
  const sum = (of: 'read' | 'input') => native.counted.reduce((total, each) => total + each[of], 0);
  const share = sum('read') / sum('input');
  const breaks = turns.filter(({ read }, i) => i > 0 && read < (turns[i - 1]?.input ?? 0)).length;
  const compacted = summaries.length >= LEAST_COMPACTIONS;
  const cost = native.dollars / compatible.dollars;
  return [
    {
      id,
      name: `read from the cache by a summary request to Claude, least of ${summaries.length}`,
      figure: `${(least * 100).toFixed(1)} %`,
      goal: '≥ 95 %',
      ok: compacted && least >= 0.95,
    },
    {
      id,
      name: `read from the cache of all input over ${TURNS * STEPS} steps with Claude`,
      figure: `${(share * 100).toFixed(1)} %`,
      goal: '≥ 90 %',
      ok: share >= 0.9,
    },
    {
      id,
      name: `breaks of the prefix over ${TURNS * STEPS} steps with Claude`,
      figure: `${breaks} in ${summaries.length} compactions`,
      goal: 'one per compaction',
      ok: compacted && breaks === summaries.length,
    },
    {
      id,
      name: `cost of that session ($${native.dollars.toFixed(2)}) beside the compatible address ($${compatible.dollars.toFixed(2)})`,
      figure: `${cost.toFixed(2)} ×`,
      goal: '≤ 0.33 ×',
      ok: cost <= 1 / 3,
    },
  ];
}

async function runSession(
  dialect: 'messages' | 'chat',
): Promise<{ readonly counted: readonly Counted[]; readonly dollars: number }> {
  const clock = testClock();
  const cache = new MessagesCache(clock);
  const isSummary: boolean[] = [];
  let file = 0;
  const next = () => {
    const path = `f${file}.txt`;
    const isLast = file % STEPS === STEPS - 1;
    file++;
    return isLast ? { text: 'Read.' } : { text: 'Reading.', calls: [{ name: 'read_file', arguments: { path } }] };
  };
  const server = await startModelServer({
    script: ({ body, text }) => {
      const usage =
        dialect === 'messages'
          ? cache.count(body, OUTPUT)
          : { prompt_tokens: Math.ceil(Buffer.byteLength(text) / 4), completion_tokens: OUTPUT };
      isSummary.push(asksForSummary(body));
      return { kind: 'answer', ...(isSummary.at(-1) ? { text: NOTES } : next()), usage };
    },
  });
  const files = Object.fromEntries(Array.from({ length: TURNS * STEPS }, (_, i) => [`f${i}.txt`, fileText(i)]));
  const client = createEndpointClient({ baseUrl: server.baseUrl, dialect, key: async () => undefined });
  const price = tablePrice(parseEndpoint('https://api.anthropic.com/v1'), MODEL);
  if (!price) throw new Error(`no price of ${MODEL}`);
  const choice = { client, model: MODEL, window: WINDOW, price: priceAt(price, 0) };
  const { agent } = await testAgent(choice, { files });
  for (let turn = 0; turn < TURNS; turn++) {
    const outcome = await agent.send(`Read the next ${STEPS} files`, new AbortController().signal);
    if (outcome.kind !== 'done') throw new Error(JSON.stringify(outcome));
  }
  server.assertDone();
  await server.close();
  const { known, unknown } = agent.journal.spending;
  if (unknown > 0) throw new Error(`${unknown} requests have no cost`);
  return {
    counted: cache.counts.map(({ input, read }, i) => ({ input, read, isSummary: isSummary[i] ?? false })),
    dollars: known[0]?.amount ?? 0,
  };
}

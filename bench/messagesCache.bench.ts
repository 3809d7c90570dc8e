/**
 * F20: a session of 200 steps with Claude through the Messages API: what its requests read from the prompt cache, and what
 * it costs beside the same session through the OpenAI-compatible address, which has no cache. The product's agent and client
 * speak to a server that keeps the cache as Anthropic publishes it; both sides have one price and one way to count tokens.
 */

import { priceAt } from '../src/core/money.ts';
import { parseEndpoint } from '../src/providers/endpoint.ts';
import { createEndpointClient } from '../src/providers/endpointClient.ts';
import { tablePrice } from '../src/providers/knownModels.ts';
import { MessagesCache } from '../test/support/modelServer/messagesCache.ts';
import { testClock } from '../test/support/ports/testClock.ts';
import type { Line } from './support/line.ts';
import { type Counted, countBreaks, LEAST_COMPACTIONS, readLongSession, STEPS } from './support/longSession.ts';

export const id = 'F20';

const MODEL = 'claude-sonnet-5';
/** Tokens of an answer as the server counts it, thinking included. */
const OUTPUT = 300;

export async function run(): Promise<Line[]> {
  const native = await runSession('messages');
  const compatible = await runSession('chat');
  const summaries = native.counted.filter(({ isSummary }) => isSummary);
  const turns = native.counted.filter(({ isSummary }) => !isSummary);
  const least = Math.min(...summaries.map(({ read, input }) => read / input));
  const sum = (of: 'read' | 'input') => native.counted.reduce((total, each) => total + each[of], 0);
  const share = sum('read') / sum('input');
  const breaks = countBreaks(turns);
  const compacted = summaries.length >= LEAST_COMPACTIONS;
  const cost = native.dollars / compatible.dollars;
  return [
    {
      id,
      name: `read from the cache by a summary request to Claude, least of ${summaries.length}`,
      figure: `${(least * 100).toFixed(1)}%`,
      goal: '≥ 95%',
      ok: compacted && least >= 0.95,
    },
    {
      id,
      name: `read from the cache of all input over ${STEPS} steps with Claude`,
      figure: `${(share * 100).toFixed(1)}%`,
      goal: '≥ 90%',
      ok: share >= 0.9,
    },
    {
      id,
      name: `breaks of the prefix over ${STEPS} steps with Claude`,
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
  const cache = new MessagesCache(testClock());
  const price = tablePrice(parseEndpoint('https://api.anthropic.com/v1'), MODEL);
  if (!price) throw new Error(`no price of ${MODEL}`);
  const { journal, tell } = await readLongSession(
    ({ body, text }) =>
      dialect === 'messages'
        ? cache.count(body, OUTPUT)
        : { prompt_tokens: Math.ceil(Buffer.byteLength(text) / 4), completion_tokens: OUTPUT },
    (baseUrl) => ({
      client: createEndpointClient({ baseUrl, dialect, key: async () => undefined }),
      model: MODEL,
      price: priceAt(price, 0),
    }),
  );
  const { known, unknown } = journal.spending;
  if (unknown > 0) throw new Error(`${unknown} requests have no cost`);
  return { counted: tell(cache.counts), dollars: known[0]?.amount ?? 0 };
}

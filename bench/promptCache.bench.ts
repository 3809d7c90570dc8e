/**
 * F15: what a session's requests read from a provider's prompt cache, over 200 steps with at least three compactions by
 * the default strategy and trigger. The product's agent and client speak to a server that keeps and counts its cache, once
 * as those do that keep every prefix, once as Anthropic does.
 */

import { cacheTimeline } from '../src/core/cost/cacheTimeline.ts';
import { createEndpointClient } from '../src/providers/endpointClient.ts';
import { startModelServer } from '../test/support/modelServer/modelServer.ts';
import type { Reply } from '../test/support/modelServer/modelServerReply.ts';
import { PromptCache } from '../test/support/modelServer/promptCache.ts';
import { testAgent } from '../test/support/testAgent.ts';
import type { Line } from './support/line.ts';
import { asksForSummary, fileText } from './support/longSession.ts';

export const id = 'F15';

const TURNS = 10;
const STEPS = 20;
const LEAST_COMPACTIONS = 3;
const WINDOW = 100_000;
const NOTES = Array.from({ length: 40 }, (_, i) => `- note ${i}: what was read, and what came of it`).join('\n');

interface Counted {
  readonly isSummary: boolean;
  readonly input: number;
  readonly read: number;
}

export async function run(): Promise<Line[]> {
  const lines: Line[] = [];
  for (const [kind, model] of [
    ['automatic', 'some-model'],
    ['marked', 'anthropic/claude'],
  ] as const) {
    const { counted, causes } = await runSession(kind, model);
    const summaries = counted.filter(({ isSummary }) => isSummary);
    const shares = summaries.map(({ read, input }) => read / input);
    const breaks = countBreaks(counted.filter(({ isSummary }) => !isSummary));
    const where = kind === 'automatic' ? 'every prefix kept' : 'kept at marks';
    lines.push(
      {
        id,
        name: `read from the cache by a summary request, least of ${summaries.length}, ${where}`,
        figure: `${(Math.min(...shares) * 100).toFixed(1)} %`,
        goal: '≥ 95 %',
        ok: summaries.length >= LEAST_COMPACTIONS && Math.min(...shares) >= 0.95,
      },
      {
        id,
        name: `breaks of the prefix over ${TURNS * STEPS} steps, ${where}`,
        figure: `${breaks} in ${summaries.length} compactions`,
        goal: 'one per compaction',
        ok: summaries.length >= LEAST_COMPACTIONS && breaks === summaries.length,
      },
      {
        id,
        name: `breaks that the timeline of the session names, ${where}`,
        figure: `${causes.filter((cause) => cause === 'compaction').length} of ${breaks}`,
        goal: 'all, each as its compaction',
        ok: causes.length === breaks && causes.every((cause) => cause === 'compaction'),
      },
    );
  }
  return lines;
}

/** Requests that do not read all of the one before them. */
function countBreaks(turns: readonly Counted[]): number {
  return turns.filter(({ read }, i) => i > 0 && read < (turns[i - 1]?.input ?? 0)).length;
}

/** What each request read, and the causes of the breaks as the timeline has them. */
async function runSession(
  kind: 'automatic' | 'marked',
  model: string,
): Promise<{ readonly counted: readonly Counted[]; readonly causes: readonly string[] }> {
  const cache = new PromptCache(kind);
  const isSummary: boolean[] = [];
  let file = 0;
  const next = (): Reply & { kind: 'answer' } => {
    const path = `f${file}.txt`;
    const isLast = file % STEPS === STEPS - 1;
    file++;
    return isLast
      ? { kind: 'answer', text: 'Read.' }
      : { kind: 'answer', text: 'Reading.', calls: [{ name: 'read_file', arguments: { path } }] };
  };
  const server = await startModelServer({
    script: ({ body }) => {
      const usage = cache.count(body);
      isSummary.push(asksForSummary(body));
      return { ...(isSummary.at(-1) ? { kind: 'answer', text: NOTES } : next()), usage };
    },
  });
  const files = Object.fromEntries(Array.from({ length: TURNS * STEPS }, (_, i) => [`f${i}.txt`, fileText(i)]));
  const client = createEndpointClient({ baseUrl: server.baseUrl, key: async () => undefined });
  const { agent } = await testAgent({ client, model, window: WINDOW }, { files });
  for (let turn = 0; turn < TURNS; turn++) {
    const outcome = await agent.send(`Read the next ${STEPS} files`, new AbortController().signal);
    if (outcome.kind !== 'done') throw new Error(JSON.stringify(outcome));
  }
  server.assertDone();
  await server.close();
  const timeline = [...cacheTimeline(agent.journal, () => null)];
  return {
    counted: cache.counts.map(({ input, read }, i) => ({ input, read, isSummary: isSummary[i] ?? false })),
    causes: timeline.flatMap(({ breaks }) => breaks.map((each) => each.kind)),
  };
}

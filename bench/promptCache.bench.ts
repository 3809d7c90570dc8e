/**
 * F15: what a session's requests read from a provider's prompt cache, over 200 steps with at least three compactions by
 * the default strategy and trigger. The product's agent and client speak to a server that keeps and counts its cache, once
 * as those do that keep every prefix, once as Anthropic does.
 */

import { cacheTimeline } from '../src/core/cost/cacheTimeline.ts';
import { createEndpointClient } from '../src/providers/endpointClient.ts';
import { PromptCache } from '../test/support/modelServer/promptCache.ts';
import type { Line } from './support/line.ts';
import { type Counted, countBreaks, LEAST_COMPACTIONS, readLongSession, STEPS } from './support/longSession.ts';

export const id = 'F15';

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
        figure: `${(Math.min(...shares) * 100).toFixed(1)}%`,
        goal: '≥ 95%',
        ok: summaries.length >= LEAST_COMPACTIONS && Math.min(...shares) >= 0.95,
      },
      {
        id,
        name: `breaks of the prefix over ${STEPS} steps, ${where}`,
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

/** What each request read, and the causes of the breaks as the timeline has them. */
async function runSession(
  kind: 'automatic' | 'marked',
  model: string,
): Promise<{ readonly counted: readonly Counted[]; readonly causes: readonly string[] }> {
  const cache = new PromptCache(kind);
  const { journal, tell } = await readLongSession(
    ({ body }) => cache.count(body),
    (baseUrl) => ({ client: createEndpointClient({ baseUrl, key: async () => undefined }), model }),
  );
  const timeline = [...cacheTimeline(journal, () => null)];
  return {
    counted: tell(cache.counts),
    causes: timeline.flatMap(({ breaks }) => breaks.map((each) => each.kind)),
  };
}

/**
 * F14: for how many compactions of a session of 200 turns anybody waits for a model, when it takes four times as long to
 * write a summary as to answer a step. Somebody waits when a request for a summary is under way between the last message
 * and the first request after the compaction.
 */

import { createEndpointClient } from '../src/providers/endpointClient.ts';
import { startModelServer } from '../test/support/modelServer/modelServer.ts';
import { PromptCache } from '../test/support/modelServer/promptCache.ts';
import { testAgent } from '../test/support/testAgent.ts';
import type { Line } from './support/line.ts';
import { asksForSummary, fileText } from './support/longSession.ts';

export const id = 'F14';

const TURNS = 200;
/** Reads of a turn, before its answer. */
const READS = 1;
const WINDOW = 60_000;
const STEP_MS = 40;
const SUMMARY_MS = 160;
const NOTES = Array.from({ length: 20 }, (_, i) => `- note ${i}: what was read, and what came of it`).join('\n');

export async function run(): Promise<Line[]> {
  const lines: Line[] = [];
  for (const strategy of ['llm-summary', 'layered']) {
    const { compactions, waited, failed } = await runSession(strategy);
    const none = compactions - waited;
    lines.push({
      id,
      name: `compactions by ${strategy} that nobody waits for, in ${TURNS} turns${failed ? ` (${failed} failed)` : ''}`,
      figure: `${none} of ${compactions}`,
      goal: '≥ 95%',
      ok: compactions > 0 && failed === 0 && none >= 0.95 * compactions,
    });
  }
  return lines;
}

interface Waited {
  readonly compactions: number;
  readonly waited: number;
  readonly failed: number;
}

async function runSession(strategy: string): Promise<Waited> {
  const cache = new PromptCache('automatic');
  let step = 0;
  /** Requests for summaries under way, and whether there was one since the last message. */
  let open = 0;
  let asked = false;
  let compacted = false;
  const counts = { compactions: 0, waited: 0, failed: 0 };
  const server = await startModelServer({
    script: ({ body }) => {
      const usage = cache.count(body);
      if (asksForSummary(body)) {
        open++;
        asked = true;
        return { kind: 'answer', text: NOTES, usage, pieceDelayMs: pieceDelay(NOTES, SUMMARY_MS) };
      }
      if (compacted) {
        counts.compactions++;
        if (asked) counts.waited++;
      }
      compacted = false;
      const file = step++;
      const text = 'I read what comes next in the list of files.';
      const pieceDelayMs = pieceDelay(text, STEP_MS);
      return file % (READS + 1) === READS
        ? { kind: 'answer', text, usage, pieceDelayMs }
        : {
            kind: 'answer',
            text,
            calls: [{ name: 'read_file', arguments: { path: `f${file}.txt` } }],
            usage,
            pieceDelayMs,
          };
    },
  });
  const steps = TURNS * (READS + 1);
  const files = Object.fromEntries(Array.from({ length: steps }, (_, i) => [`f${i}.txt`, fileText(i)]));
  const client = createEndpointClient({ baseUrl: server.baseUrl, key: async () => undefined });
  const { agent } = await testAgent(
    { client, model: 'some-model', window: WINDOW },
    { files, compaction: { strategy } },
  );
  agent.journal.listen(({ type }) => {
    if (type === 'message' && !compacted) asked = open > 0;
    else if (type === 'summaryUsage') open--;
    else if (type === 'compactionFailed') counts.failed++;
    else if (type === 'compaction') {
      compacted = true;
      // The usage of a summary that was waited for stands in the compaction.
      open = 0;
    }
  });
  for (let turn = 0; turn < TURNS; turn++) {
    const outcome = await agent.send('Read the next file', new AbortController().signal);
    if (outcome.kind !== 'done') throw new Error(JSON.stringify(outcome));
  }
  await server.close();
  return counts;
}

/** The server sends a text in pieces of twelve characters. */
const pieceDelay = (text: string, milliseconds: number) => milliseconds / (text.length / 12 + 2);

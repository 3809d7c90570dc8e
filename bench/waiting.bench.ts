/**
 * F14: how long the person waits for compactions in a session of 200 turns, whose model takes four times as long to write
 * a summary as to answer a step. The wait is what lies between the last message and the request after a compaction, beyond
 * what lies there without one; less than a tenth of a second is none, because nobody notices it.
 */

import { listOf, objectOf } from '../src/core/json.ts';
import { createOpenAIClient } from '../src/providers/openai/openaiClient.ts';
import { startModelServer } from '../test/support/modelServer/modelServer.ts';
import { PromptCache } from '../test/support/modelServer/promptCache.ts';
import { textOfContent } from '../test/support/modelServer/summaryRequest.ts';
import { testAgent } from '../test/support/testAgent.ts';
import { type Line, median } from './support/line.ts';

export const id = 'F14';

const TURNS = 200;
/** Reads of a turn, before its answer. */
const READS = 1;
const WINDOW = 60_000;
const NOTICED_MS = 100;
const STEP_MS = 100;
const SUMMARY_MS = 400;
/** Some 1,300 tokens. */
const fileText = (file: number) =>
  Array.from({ length: 80 }, (_, line) => `${file}.${line}: a line of a file, other than all those before it`).join(
    '\n',
  );
const NOTES = Array.from({ length: 20 }, (_, i) => `- note ${i}: what was read, and what came of it`).join('\n');

export async function run(): Promise<Line[]> {
  const lines: Line[] = [];
  for (const strategy of ['llm-summary', 'layered']) {
    const { waits, failed } = await runSession(strategy);
    const none = waits.filter((wait) => wait < NOTICED_MS).length;
    const longest = Math.round(Math.max(0, ...waits));
    lines.push({
      id,
      name: `compactions by ${strategy} that nobody waits for, in ${TURNS} turns (longest wait ${longest} ms of ${SUMMARY_MS} ms that a summary takes${failed ? `; ${failed} failed` : ''})`,
      figure: `${none} of ${waits.length}`,
      goal: '≥ 95 %',
      ok: waits.length > 0 && none >= 0.95 * waits.length,
    });
  }
  return lines;
}

async function runSession(strategy: string): Promise<{ readonly waits: readonly number[]; readonly failed: number }> {
  const cache = new PromptCache('automatic');
  let step = 0;
  let lastMessage = 0;
  let compacted = 0;
  const usual: number[] = [];
  const afterCompaction: number[] = [];
  const server = await startModelServer({
    script: ({ body }) => {
      const usage = cache.count(body);
      if (asksForSummary(body))
        return { kind: 'answer', text: NOTES, usage, pieceDelayMs: pieceDelay(NOTES, SUMMARY_MS) };
      (compacted > 0 ? afterCompaction : usual).push(performance.now() - lastMessage);
      compacted = 0;
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
  const client = createOpenAIClient({ baseUrl: server.baseUrl, key: async () => undefined });
  const { agent } = await testAgent(
    { client, model: 'some-model', window: WINDOW },
    { files, compaction: { strategy } },
  );
  let failed = 0;
  agent.journal.listen((entry) => {
    if (entry.type === 'compaction') compacted++;
    else if (entry.type === 'compactionFailed') failed++;
    else if (entry.type === 'message' && compacted === 0) lastMessage = performance.now();
  });
  for (let turn = 0; turn < TURNS; turn++) {
    const outcome = await agent.send('Read the next file', new AbortController().signal);
    if (outcome.kind !== 'done') throw new Error(JSON.stringify(outcome));
  }
  await server.close();
  const without = median(usual);
  return { waits: afterCompaction.map((gap) => gap - without), failed };
}

/** The server sends a text in pieces of twelve characters. */
const pieceDelay = (text: string, milliseconds: number) => milliseconds / (text.length / 12 + 2);

const asksForSummary = (body: Parameters<PromptCache['count']>[0]) =>
  /record to be summarised/.test(textOfContent(objectOf(listOf(body.messages).at(-1)).content));

/** The long session of the benches: its files, the agent that reads them, and what a server counted of its requests. */

import { type Json, listOf, objectOf } from '../../src/core/json.ts';
import type { ModelChoice } from '../../src/core/model/modelChoice.ts';
import type { ModelClient } from '../../src/core/model/modelClient.ts';
import { startModelServer } from '../../test/support/modelServer/modelServer.ts';
import type { Reply } from '../../test/support/modelServer/modelServerReply.ts';
import { textOfContent } from '../../test/support/modelServer/summaryRequest.ts';
import { testAgent } from '../../test/support/testAgent.ts';

const TURNS = 10;
const STEPS_A_TURN = 20;
export const STEPS = TURNS * STEPS_A_TURN;
export const LEAST_COMPACTIONS = 3;
const WINDOW = 100_000;
const NOTES = Array.from({ length: 40 }, (_, i) => `- note ${i}: what was read, and what came of it`).join('\n');

/** What the server counted of a request, in tokens. */
export interface Counted {
  readonly isSummary: boolean;
  readonly input: number;
  readonly read: number;
}

/** Of a file of its own for each number; some 1,300 tokens as the test server counts them. */
export const fileText = (file: number): string =>
  Array.from({ length: 80 }, (_, line) => `${file}.${line}: a line of a file, other than all those before it`).join(
    '\n',
  );

/** By its prompt: what continues a session may call tools as far as the request says, so that the cache is hit. */
export const asksForSummary = (body: Json): boolean =>
  /record to be summarised/.test(textOfContent(objectOf(listOf(body.messages).at(-1)).content));

/**
 * Reads a file a step. `usageOf` counts a request; `connect` makes the client of the server's address, and says what else
 * the agent knows of the model.
 */
export async function readLongSession(
  usageOf: (request: { readonly body: Json; readonly text: string }) => Json,
  connect: (baseUrl: string) => { readonly client: ModelClient; readonly model: string } & Partial<ModelChoice>,
) {
  const isSummary: boolean[] = [];
  let file = 0;
  const next = (): Reply & { kind: 'answer' } => {
    const path = `f${file}.txt`;
    const isLast = file % STEPS_A_TURN === STEPS_A_TURN - 1;
    file++;
    return isLast
      ? { kind: 'answer', text: 'Read.' }
      : { kind: 'answer', text: 'Reading.', calls: [{ name: 'read_file', arguments: { path } }] };
  };
  const server = await startModelServer({
    script: (request) => {
      const usage = usageOf(request);
      isSummary.push(asksForSummary(request.body));
      return { ...(isSummary.at(-1) ? { kind: 'answer', text: NOTES } : next()), usage };
    },
  });
  const files = Object.fromEntries(Array.from({ length: STEPS }, (_, i) => [`f${i}.txt`, fileText(i)]));
  const { agent } = await testAgent({ window: WINDOW, ...connect(server.baseUrl) }, { files });
  for (let turn = 0; turn < TURNS; turn++) {
    const outcome = await agent.send(`Read the next ${STEPS_A_TURN} files`, new AbortController().signal);
    if (outcome.kind !== 'done') throw new Error(JSON.stringify(outcome));
  }
  server.assertDone();
  await server.close();
  const tell = (counts: readonly { readonly input: number; readonly read: number }[]): Counted[] =>
    counts.map(({ input, read }, i) => ({ input, read, isSummary: isSummary[i] ?? false }));
  return { journal: agent.journal, tell };
}

/** Requests that do not read all of the one before them. */
export function countBreaks(turns: readonly Counted[]): number {
  return turns.filter(({ read }, i) => i > 0 && read < (turns[i - 1]?.input ?? 0)).length;
}

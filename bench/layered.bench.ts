/**
 * F16: the first compaction of a session by `layered`, reading and choosing together, and the longest time for which it
 * lets nobody else run.
 */

import type { PastMessage } from '../src/api/index.ts';
import { HistoryView } from '../src/core/compaction/draft/history.ts';
import { openContext } from '../src/core/compaction/run/strategyRun.ts';
import { layered } from '../src/core/compaction/strategies/layered/layered.ts';
import { type ContextItem, kindOf } from '../src/core/context/item.ts';
import type { Message } from '../src/core/context/message.ts';
import type { Timers } from '../src/core/ports.ts';
import { coreMessages } from '../src/lab/live/coreMessages.ts';
import { prepareSession } from '../src/lab/prepareSession.ts';
import { NO_MEMORY } from '../test/support/noMemory.ts';
import { generateCodingSession } from '../test/support/sessions/generateCodingSession.ts';
import { type Line, median } from './support/line.ts';

export const id = 'F16';

const REPETITIONS = 5;
const BLOCK_MS = 16;

export async function run(): Promise<Line[]> {
  return [...(await measure(200_000, 100)), ...(await measure(1_000_000, 1_000))];
}

async function measure(tokens: number, limit: number): Promise<Line[]> {
  const items = makeItems(tokens);
  const runs = [];
  for (let i = 0; i < REPETITIONS; i++) runs.push(await compactOnce(items));
  const size = `${tokens.toLocaleString('en')} tokens`;
  const total = Math.round(median(runs.map((one) => one.total)));
  const block = Math.round(median(runs.map((one) => one.block)));
  return [
    {
      id,
      name: `layered, first compaction of ${size}`,
      figure: `${total} ms`,
      goal: `≤ ${limit} ms`,
      ok: total <= limit,
    },
    {
      id,
      name: `layered, longest block at ${size}`,
      figure: `${block} ms`,
      goal: `≤ ${BLOCK_MS} ms`,
      ok: block <= BLOCK_MS,
    },
  ];
}

/** Only the strategy's own work is counted: what others do while it lets them is not. */
async function compactOnce(items: readonly ContextItem[]) {
  const history = new HistoryView().of(items, (of) => items.find((item) => item.id === of)?.message as Message);
  const work: number[] = [];
  let begun = 0;
  const timers: Timers = {
    after: (_, fire) => {
      work.push(performance.now() - begun);
      const timer = setImmediate(() => {
        begun = performance.now();
        fire();
      });
      return () => clearImmediate(timer);
    },
  };
  const past: readonly PastMessage[] = history.messages;
  const llm = { maxInputTokens: 0, complete: () => Promise.reject(new Error('no model')) };
  const opened = openContext(
    history.messages,
    {
      trigger: 'manual',
      window: 64_000,
      reserve: 0,
      protectedTools: [],
      memory: { ...NO_MEMORY, past },
      section: {},
      sectionOf: () => ({}),
      llm,
      stamp: { nonce: 'beef', now: 0 },
      timers,
      deadlineMs: 1_000,
    },
    { attempt: 1, tokenCount: history.tokens, target: 32_000, threshold: 50_000 },
    new AbortController().signal,
    () => undefined,
  );
  const strategy = layered.factory.create({
    llm,
    countTokens: (text) => Math.ceil(text.length / 4),
    log: () => undefined,
    settings: () => ({}),
  });
  begun = performance.now();
  await strategy.compact(opened.context);
  work.push(performance.now() - begun);
  return { total: work.reduce((sum, ms) => sum + ms, 0), block: Math.max(...work) };
}

/** One long session of made-up work, as many sessions of it one after the other as it takes. */
function makeItems(tokens: number): ContextItem[] {
  const items: ContextItem[] = [];
  let [size, block, round] = [0, 0, 0];
  for (let seed = 1; size < tokens; seed++) {
    const messages = generateCodingSession({ seed, messages: 400 });
    const core = coreMessages(prepareSession({ name: 'bench', messages, compactions: [] }));
    for (let at = 0; at < core.length; at++) {
      const { message, tokens: own } = core.at(at);
      if (size >= tokens && message.role !== 'tool') break;
      if (message.role !== 'tool') block++;
      if (message.role === 'user' && message.kind === 'user') round++;
      size += own;
      const seq = items.length;
      const place = { id: `m${seq}`, seq, block, round, time: 0, pinned: false, hidden: false };
      items.push({ ...place, kind: kindOf(message), message, tokens: own });
    }
  }
  return items;
}

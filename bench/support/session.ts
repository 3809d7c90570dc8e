/** Journals of any size for the benchmarks: a long coding session in our format, with calls, results, usage, compactions. */

import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { encodeEntry } from '../../src/core/journal/codec.ts';
import type { Entry, EntryDraft } from '../../src/core/journal/entry.ts';
import { isTreeType } from '../../src/core/journal/entryTypes.ts';
import { nodeCrypto } from '../../src/node/storage/disk/fileBlobStore.ts';

const TIME = new Date(0).toISOString();
const CODE = 'const value = await readSomething(path, options); // what a file of source code looks like\n';
/** Compactions keep about this many messages. */
const KEPT = 20;
const ROUNDS_A_COMPACTION = 15;

/** Entries without end: rounds of a question, six reads with usage, an answer; now and then a compaction. */
export function* sessionEntries(resultLength = 4_000): Generator<Entry> {
  let seq = 0;
  let parent: number | null = null;
  const make = (draft: EntryDraft): Entry => {
    const tree = isTreeType(draft.type) ? { parent } : {};
    const { type, ...body } = draft;
    if (isTreeType(type)) parent = seq;
    return { seq: seq++, ...tree, time: TIME, type, ...body } as Entry;
  };
  const text = CODE.repeat(Math.ceil(resultLength / CODE.length));
  let visible: string[] = [];
  const message = (draft: Extract<EntryDraft, { type: 'message' }>['message'], tokens: number): Entry => {
    visible.push(`m${seq}`);
    return make({ type: 'message', message: draft, tokens });
  };
  yield make({ type: 'session', format: 1, id: 'bench', workspace: null, engine: 'bench', nonce: 'bench' });
  for (let round = 1; ; round++) {
    yield message({ role: 'user', kind: 'user', text: `Question ${round}: why does it fail?` }, 8);
    for (let step = 0; step < 6; step++) {
      const id = `call-${round}-${step}`;
      const toolCalls = [{ id, name: 'read_file', arguments: '{"path":"src/a.ts"}' }];
      yield message({ role: 'assistant', text: 'I look.', toolCalls }, 20);
      yield make({ type: 'usage', model: 'm', usage: { input: 1_000, cached: 900, output: 20, reasoning: 0 } });
      yield message({ role: 'tool', toolCallId: id, toolName: 'read_file', text }, 1_000);
    }
    yield message({ role: 'assistant', text: 'That is why.' }, 4);
    if (round % ROUNDS_A_COMPACTION !== 0) continue;
    const kept = visible.slice(-KEPT);
    const base = seq - 1;
    const compaction = make({
      type: 'compaction',
      base,
      plan: [
        { op: 'drop', ids: visible.slice(0, -KEPT) },
        { op: 'insert', message: { role: 'user', kind: 'summary', text: 'What happened before.' }, tokens: 5 },
        { op: 'keep', ids: kept },
      ],
      strategy: 'bench',
      trigger: 'threshold',
      tokensBefore: 100_000,
      tokensAfter: 10_000,
      durationMs: 1,
      attempt: 1,
    });
    visible = [`c${compaction.seq}.0`, ...kept];
    yield compaction;
  }
}

/** Writes a journal of about `bytes`. */
export function writeSession(path: string, bytes: number): void {
  const file = openSync(path, 'w');
  let written = 0;
  let pieces: string[] = [];
  let size = 0;
  for (const entry of sessionEntries()) {
    const line = `${encodeEntry(entry, nodeCrypto)}\n`;
    pieces.push(line);
    size += line.length;
    if (size < 4_000_000 && written + size < bytes) continue;
    written += writeSync(file, pieces.join(''));
    pieces = [];
    size = 0;
    if (written >= bytes) break;
  }
  closeSync(file);
}

/** Runs `act` in a folder of its own, which is removed afterwards. */
export async function inFolder<T>(act: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-bench-'));
  try {
    return await act(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Milliseconds that `act` takes. */
export async function time(act: () => unknown): Promise<number> {
  const begun = performance.now();
  await act();
  return performance.now() - begun;
}

/** Quickest of several runs of each, taking turns: what else the machine does only ever adds. */
export async function quickest(runs: number, ...acts: (() => unknown)[]): Promise<number[]> {
  const best = acts.map(() => Number.POSITIVE_INFINITY);
  for (let run = 0; run < runs; run++) {
    for (const [i, act] of acts.entries()) best[i] = Math.min(best[i] ?? 0, await time(act));
  }
  return best;
}

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Bytes that are still needed. */
export function usedHeap(): number {
  collect();
  return process.memoryUsage().heapUsed;
}

/**
 * One worker of the lab: takes sessions one at a time, posts each score when it has it, and asks for more with `done`.
 */

import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { messageOf } from '../core/errors.ts';
import { DumpWriter } from '../lab/dumpWriter.ts';
import { prepareSession } from '../lab/prepareSession.ts';
import { type BrokenReplay, type LabScore, runSession } from '../lab/replay.ts';
import type { RecordedSession } from '../lab/session.ts';
import type { Begun, ReplayOrder } from '../node/lab/begun.ts';
import { countedCrypto } from '../node/lab/replayStored.ts';
import { ALIVE_MS } from '../node/lab/runPool.ts';
import { nodeCrypto } from '../node/storage/disk/fileBlobStore.ts';
import { systemTimers } from '../providers/timers.ts';
import { loadSession, type SessionSource } from './sessionFiles.ts';
import type { RunFacts } from './shards.ts';
import { idOf, openStrategies, titleOf } from './strategies.ts';
import { openSummaries, type SummaryChoice } from './summaries.ts';

/** Settings shared by every worker of a run. */
export interface WorkerSetting extends Omit<RunFacts, 'summaries' | 'sessions'> {
  readonly summaries: SummaryChoice;
  /** Folder for the requests; null when they are not wanted. */
  readonly dump: string | null;
}

export type WorkerMessage =
  | { readonly type: 'score'; readonly score: LabScore; readonly milliseconds: number }
  | Begun
  | ({ readonly type: 'broken' } & BrokenReplay)
  /** Of the run as a whole, such as a setting that cannot be used. */
  | { readonly type: 'fault'; readonly reason: string }
  | { readonly type: 'alive' }
  | { readonly type: 'unreadable'; readonly session: string; readonly reason: string }
  | { readonly type: 'done'; readonly session: string };

const port = parentPort;
if (!port) throw new Error('This file runs as a worker of the lab.');
const setting = workerData as WorkerSetting;
const registry = openStrategies(setting.variants.map(idOf));

setInterval(() => port.postMessage({ type: 'alive' } satisfies WorkerMessage), ALIVE_MS).unref();

port.on('message', async (source: SessionSource & ReplayOrder) => {
  const post = (message: WorkerMessage) => port.postMessage(message);
  const session = await readOrTell(source, post);
  try {
    if (session) await run(session, source.done ?? [], post);
  } catch (thrown) {
    post({ type: 'fault', reason: messageOf(thrown) });
  }
  post({ type: 'done', session: source.name });
});

/** Null when it cannot be read, which is reported: one damaged file does not end a run over many. */
async function readOrTell(
  source: SessionSource,
  post: (message: WorkerMessage) => void,
): Promise<RecordedSession | null> {
  try {
    return await loadSession(source);
  } catch (thrown) {
    post({ type: 'unreadable', session: source.name, reason: messageOf(thrown) });
    return null;
  }
}

async function run(
  session: RecordedSession,
  done: readonly string[],
  post: (message: WorkerMessage) => void,
): Promise<void> {
  const dump = setting.dump === null ? null : new DumpFiles(setting.dump, session.name);
  let before = performance.now();
  // To cancel, the whole worker is ended, so its own signal never fires.
  const { signal } = new AbortController();
  const { variants, window, beforeFirstCompaction, settings } = setting;
  const scores = runSession(prepareSession(session), {
    strategies: variants.filter((variant) => !done.includes(titleOf(variant))),
    window,
    beforeFirstCompaction,
    settings,
    summaries: openSummaries(setting.summaries),
    registry: await registry,
    crypto: countedCrypto(nodeCrypto),
    timers: systemTimers,
    signal,
    onStrategy: (strategy) => post({ type: 'begun', session: session.name, strategy }),
    onBroken: (broken) => post({ type: 'broken', ...broken }),
    ...(dump ? { onRequest: (...request) => dump.write(...request) } : {}),
  });
  for await (const score of scores) {
    const now = performance.now();
    post({ type: 'score', score, milliseconds: now - before });
    before = now;
  }
  dump?.close();
}

/** One file for each strategy: `<folder>/<strategy>/<session>.jsonl`. */
class DumpFiles {
  readonly #folder: string;
  readonly #session: string;
  readonly #open = new Map<string, { readonly file: number; readonly writer: DumpWriter }>();

  constructor(folder: string, session: string) {
    this.#folder = folder;
    // A name may be the path below a folder, or what somebody called a session.
    this.#session = session.replaceAll(/[\\/:*?"<>|\p{Cc}]/gu, '_');
  }

  write(strategy: string, ...request: Parameters<DumpWriter['line']>): void {
    let one = this.#open.get(strategy);
    if (!one) {
      const folder = join(this.#folder, strategy.replace(/[^\w.-]/g, '_'));
      mkdirSync(folder, { recursive: true });
      one = { file: openSync(join(folder, `${this.#session}.jsonl`), 'w'), writer: new DumpWriter() };
      this.#open.set(strategy, one);
    }
    writeSync(one.file, `${one.writer.line(...request)}\n`);
  }

  close(): void {
    for (const { file } of this.#open.values()) closeSync(file);
  }
}

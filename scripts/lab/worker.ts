/** One worker of the lab: takes sessions one at a time, posts each score when it is there, asks for more by `done`. */

import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { StrategyRegistry } from '../../src/core/compaction/registry.ts';
import { DumpWriter } from '../../src/lab/dumpWriter.ts';
import { prepareSession } from '../../src/lab/prepareSession.ts';
import { type LabScore, runSession } from '../../src/lab/runSession.ts';
import { loadSession, type SessionSource } from './loadSession.ts';
import { labCrypto, openSummaries, type SummaryChoice, systemTimers } from './nodePorts.ts';

/** What every worker of a run is given. */
export interface WorkerSetting {
  readonly strategies: readonly string[];
  readonly window: number;
  readonly beforeFirstCompaction: boolean;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly summaries: SummaryChoice;
  /** Folder for the requests; null when they are not wanted. */
  readonly dump: string | null;
}

export type WorkerMessage =
  | { readonly type: 'score'; readonly score: LabScore; readonly milliseconds: number }
  | { readonly type: 'done'; readonly session: string };

const port = parentPort;
if (!port) throw new Error('This file runs as a worker of the lab.');
const setting = workerData as WorkerSetting;

port.on('message', async (source: SessionSource) => {
  const post = (message: WorkerMessage) => port.postMessage(message);
  const dump = setting.dump === null ? null : new DumpFiles(setting.dump, source.name);
  let before = performance.now();
  // The whole worker is ended to cancel it, so that its own signal never fires.
  const { signal } = new AbortController();
  const prepared = prepareSession(loadSession(source));
  const scores = runSession(prepared, {
    ...setting,
    summaries: openSummaries(setting.summaries),
    registry: new StrategyRegistry(),
    crypto: labCrypto(),
    timers: systemTimers,
    signal,
    ...(dump ? { onRequest: (strategy, step, parts) => dump.write(strategy, step, parts) } : {}),
  });
  for await (const score of scores) {
    const now = performance.now();
    post({ type: 'score', score, milliseconds: now - before });
    before = now;
  }
  dump?.close();
  post({ type: 'done', session: source.name });
});

/** One file for each strategy: `<folder>/<strategy>/<session>.jsonl`. */
class DumpFiles {
  readonly #folder: string;
  readonly #session: string;
  readonly #open = new Map<string, { readonly file: number; readonly writer: DumpWriter }>();

  constructor(folder: string, session: string) {
    this.#folder = folder;
    this.#session = session;
  }

  write(strategy: string, step: number, parts: Parameters<DumpWriter['line']>[1]): void {
    let one = this.#open.get(strategy);
    if (!one) {
      const folder = join(this.#folder, strategy.replace(/[^\w.-]/g, '_'));
      mkdirSync(folder, { recursive: true });
      one = { file: openSync(join(folder, `${this.#session}.jsonl`), 'w'), writer: new DumpWriter() };
      this.#open.set(strategy, one);
    }
    writeSync(one.file, `${one.writer.line(step, parts)}\n`);
  }

  close(): void {
    for (const { file } of this.#open.values()) closeSync(file);
  }
}

/**
 * Spreads sessions over workers, the largest first, so that no core waits long at the end. Scores arrive in an order
 * that depends on the machine; their values do not. Aborting ends the workers.
 */

import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { LabScore } from '../../src/lab/runSession.ts';
import type { SessionSource } from './loadSession.ts';
import type { WorkerMessage, WorkerSetting } from './worker.ts';

export interface PoolOptions {
  readonly signal: AbortSignal;
  readonly onScore: (score: LabScore, milliseconds: number) => void;
  /** A session was left out. */
  readonly onUnreadable: (session: string, reason: string) => void;
}

/** Resolves when every session is done. Rejects with a worker's first error, or with the signal's reason. */
export async function runPool(
  sources: readonly SessionSource[],
  setting: WorkerSetting,
  { signal, onScore, onUnreadable }: PoolOptions,
): Promise<void> {
  signal.throwIfAborted();
  const waiting = [...sources].sort((a, b) => b.size - a.size);
  const workers: Worker[] = [];
  const endAll = () => Promise.all(workers.map((worker) => worker.terminate()));
  const work = () =>
    new Promise<void>((resolve, reject) => {
      const worker = new Worker(new URL('./worker.ts', import.meta.url), { workerData: setting });
      workers.push(worker);
      const next = () => {
        const source = waiting.shift();
        if (source) worker.postMessage(source);
        else resolve();
      };
      worker.on('error', reject);
      worker.on('message', (message: WorkerMessage) => {
        if (message.type === 'score') onScore(message.score, message.milliseconds);
        else if (message.type === 'unreadable') onUnreadable(message.session, message.reason);
        else next();
      });
      next();
    });
  const stopped = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  try {
    const count = Math.min(availableParallelism(), sources.length);
    await Promise.race([Promise.all(Array.from({ length: count }, work)), stopped]);
  } finally {
    await endAll();
  }
}

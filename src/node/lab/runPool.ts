/**
 * Distributes sessions over workers, the largest first, so that no core waits long at the end. The order of results
 * depends on the machine; their values do not. Aborting ends the workers.
 */

import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';

/** A worker posts this when it wants the next session. Its other messages go to the caller. */
interface PoolDone {
  readonly type: 'done';
}

interface PoolOptions<Message> {
  readonly signal: AbortSignal;
  readonly onMessage: (message: Exclude<Message, PoolDone>) => void;
  /** Maximum number of workers. Default: one for each core. */
  readonly most?: number;
}

/**
 * Starts workers of `script` with `data` and posts them the sources one by one. Resolves when every source is done.
 * Rejects with a worker's first error, or with the signal's reason.
 */
export async function runPool<Source extends { readonly size: number }, Message extends { readonly type: string }>(
  script: URL,
  data: unknown,
  sources: readonly Source[],
  { signal, onMessage, most = availableParallelism() }: PoolOptions<Message>,
): Promise<void> {
  signal.throwIfAborted();
  const waiting = [...sources].sort((a, b) => b.size - a.size);
  const workers: Worker[] = [];
  const endAll = () => Promise.all(workers.map((worker) => worker.terminate()));
  const work = () =>
    new Promise<void>((resolve, reject) => {
      const worker = new Worker(script, { workerData: data });
      workers.push(worker);
      const next = () => {
        const source = waiting.shift();
        if (source) worker.postMessage(source);
        else resolve();
      };
      worker.on('error', reject);
      worker.on('message', (message: Message) =>
        message.type === 'done' ? next() : onMessage(message as Exclude<Message, PoolDone>),
      );
      next();
    });
  const stopped = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  try {
    await Promise.race([Promise.all(Array.from({ length: Math.min(most, sources.length) }, work)), stopped]);
  } finally {
    await endAll();
  }
}

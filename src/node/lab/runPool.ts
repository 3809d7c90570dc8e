/**
 * Distributes sessions over workers, the largest first, so that no core waits long at the end. The order of results
 * depends on the machine; their values do not. A worker that ends before its session is done is replaced. Aborting ends
 * the workers.
 */

import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { messageOf } from '../../core/errors.ts';
import { verbatim, type Words, words } from '../../core/words.ts';

/** A worker posts `done` when it wants the next session, and `alive` every now and then. Its other messages go to the caller. */
interface PoolMessage {
  readonly type: 'done' | 'alive';
}

/** Milliseconds between two `alive` of a worker that does not hang. */
export const ALIVE_MS = 2_000;

/** A worker that nothing was heard of for so long hangs; a large session keeps a busy machine for a while. */
const HUNG_MS = 300_000;

interface PoolOptions<Source, Message> {
  readonly signal: AbortSignal;
  /** An error that it throws ends the run. */
  readonly onMessage: (message: Exclude<Message, PoolMessage>) => void;
  /** Called for the session of a worker that ended, and why. Returns what is left to do of it; null for nothing. */
  readonly onEnded: (source: Source, reason: Words) => Source | null;
  /** Maximum number of workers. Default: one for each core. */
  readonly most?: number;
  readonly hungMs?: number;
}

/**
 * Starts workers of `script` with `data` and posts them the sources one by one. Resolves when every source is done.
 * Rejects with the signal's reason, and with what `onMessage` throws.
 */
export async function runPool<Source extends { readonly size: number }, Message extends { readonly type: string }>(
  script: URL,
  data: unknown,
  sources: readonly Source[],
  { signal, onMessage, onEnded, most = availableParallelism(), hungMs = HUNG_MS }: PoolOptions<Source, Message>,
): Promise<void> {
  signal.throwIfAborted();
  const waiting = [...sources].sort((a, b) => b.size - a.size);
  const workers = new Set<Worker>();
  /** One worker's life. Resolves when nothing is waiting, or when it has ended. */
  const work = () =>
    new Promise<void>((resolve, reject) => {
      const worker = new Worker(script, { workerData: data });
      workers.add(worker);
      let source = waiting.shift();
      let watch: NodeJS.Timeout | undefined;
      const end = (reason: Words) => {
        clearTimeout(watch);
        if (!source || !workers.delete(worker)) return;
        const left = onEnded(source, reason);
        if (left) waiting.unshift(left);
        void worker.terminate().then(() => resolve());
      };
      const listen = () => {
        clearTimeout(watch);
        watch = setTimeout(() => end(words('nothing was heard of it for {0} s', Math.round(hungMs / 1_000))), hungMs);
      };
      const post = () => {
        listen();
        if (source) return worker.postMessage(source);
        clearTimeout(watch);
        resolve();
      };
      worker.on('error', (thrown) => end(verbatim(messageOf(thrown))));
      worker.on('exit', (code) => end(words('it ended the process that ran it, with code {0}', code)));
      worker.on('message', (message: Message) => {
        if (!workers.has(worker)) return;
        listen();
        if (message.type === 'alive') return;
        if (message.type === 'done') {
          source = waiting.shift();
          return post();
        }
        try {
          onMessage(message as Exclude<Message, PoolMessage>);
        } catch (thrown) {
          clearTimeout(watch);
          reject(thrown);
        }
      });
      post();
    });
  const keepWorking = async () => {
    while (waiting.length > 0) await work();
  };
  const stopped = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  try {
    await Promise.race([Promise.all(Array.from({ length: Math.min(most, sources.length) }, keepWorking)), stopped]);
  } finally {
    const left = [...workers];
    workers.clear();
    await Promise.all(left.map((worker) => worker.terminate()));
  }
}

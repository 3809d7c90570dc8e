/** One worker of the lab page: replays the sessions that it receives, one at a time, and posts each result. */

import { parentPort, workerData } from 'node:worker_threads';
import { StrategyRegistry } from '../../core/compaction/hosting/registry.ts';
import type { AnyFactory } from '../../core/compaction/strategies/strategyEntry.ts';
import { messageOf } from '../../core/errors.ts';
import type { BrokenReplay, Variant } from '../../lab/replay.ts';
import { compileStrategyFile, loadStrategyFile } from '../strategyFiles/loadStrategyFile.ts';
import type { StrategyFile } from '../strategyFiles/program.ts';
import type { Begun, ReplayOrder } from './begun.ts';
import { type LabResult, replayStored } from './replayStored.ts';
import { ALIVE_MS } from './runPool.ts';
import type { LabSession } from './storedSession.ts';

export interface WorkerSetting {
  readonly variants: readonly Variant[];
  /** In tokens. */
  readonly window: number;
  /** Contents that the person allowed, by strategy id. */
  readonly files: readonly { readonly id: string; readonly file: StrategyFile }[];
}

export type FromWorker =
  | { readonly type: 'result'; readonly result: LabResult }
  | { readonly type: 'broken'; readonly broken: BrokenReplay }
  | { readonly type: 'unreadable'; readonly session: string; readonly reason: string }
  | Begun
  | { readonly type: 'alive' }
  | { readonly type: 'done' };

const port = parentPort;
if (!port) throw new Error('This file runs as a worker of the lab.');
const { variants, window, files } = workerData as WorkerSetting;
const registry = openRegistry();
// To cancel, the whole worker is terminated.
const { signal } = new AbortController();

setInterval(() => port.postMessage({ type: 'alive' } satisfies FromWorker), ALIVE_MS).unref();

port.on('message', async (session: LabSession & ReplayOrder) => {
  const post = (message: FromWorker) => port.postMessage(message);
  try {
    const onBroken = (broken: BrokenReplay) => post({ type: 'broken', broken });
    const left = variants.filter(({ name }) => !session.done?.includes(name));
    const onStrategy = (strategy: string) => post({ type: 'begun', session: session.title, strategy });
    const replay = {
      variants: left,
      window,
      registry: await registry,
      signal,
      pause: () => Promise.resolve(),
      onBroken,
      onStrategy,
    };
    for await (const result of replayStored(session, replay)) post({ type: 'result', result });
  } catch (thrown) {
    post({ type: 'unreadable', session: session.title, reason: messageOf(thrown) });
  }
  post({ type: 'done' });
});

async function openRegistry(): Promise<StrategyRegistry> {
  const opened = new StrategyRegistry();
  for (const { id, file } of files) {
    const factory = await load(file);
    opened.register({ id, label: id, description: '', publisher: null, file: file.path, factory });
  }
  return opened;
}

/** One that cannot be loaded fails when it is to run, like any other, and does not stop the others. */
async function load(file: StrategyFile): Promise<AnyFactory> {
  try {
    return await loadStrategyFile(file, await compileStrategyFile(file));
  } catch (thrown) {
    return {
      needs: [],
      create: () => {
        throw thrown;
      },
    };
  }
}

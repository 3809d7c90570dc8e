/** One worker of the lab page: replays the sessions that it receives, one at a time, and posts each result. */

import { parentPort, workerData } from 'node:worker_threads';
import { StrategyRegistry } from '../../core/compaction/hosting/registry.ts';
import { messageOf } from '../../core/errors.ts';
import type { Variant } from '../../lab/replay.ts';
import { compileStrategyFile, loadStrategyFile } from '../strategyFiles/loadStrategyFile.ts';
import type { StrategyFile } from '../strategyFiles/program.ts';
import { type LabResult, replayStored } from './replayStored.ts';
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
  | { readonly type: 'unreadable'; readonly session: string; readonly reason: string }
  | { readonly type: 'done' };

const port = parentPort;
if (!port) throw new Error('This file runs as a worker of the lab.');
const { variants, window, files } = workerData as WorkerSetting;
const registry = openRegistry();
// To cancel, the whole worker is terminated.
const { signal } = new AbortController();

port.on('message', async (session: LabSession) => {
  const post = (message: FromWorker) => port.postMessage(message);
  try {
    const replay = { variants, window, registry: await registry, signal, pause: () => Promise.resolve() };
    for await (const result of replayStored(session, replay)) post({ type: 'result', result });
  } catch (thrown) {
    post({ type: 'unreadable', session: session.title, reason: messageOf(thrown) });
  }
  post({ type: 'done' });
});

async function openRegistry(): Promise<StrategyRegistry> {
  const opened = new StrategyRegistry();
  for (const { id, file } of files) {
    const factory = await loadStrategyFile(file, await compileStrategyFile(file));
    opened.register({ id, label: id, description: '', publisher: null, file: file.path, factory });
  }
  return opened;
}

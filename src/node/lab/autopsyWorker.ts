/** The worker of an autopsy, so that the editor stays smooth: takes one session, and posts what it found. */

import { parentPort, workerData } from 'node:worker_threads';
import { StrategyRegistry } from '../../core/compaction/hosting/registry.ts';
import { messageOf } from '../../core/errors.ts';
import type { Autopsy } from '../../lab/autopsy.ts';
import { runAutopsy } from './runAutopsy.ts';
import { ALIVE_MS } from './runPool.ts';
import { type LabSession, readStored } from './storedSession.ts';

export interface AutopsySetting {
  /** Ids of built-in strategies. */
  readonly strategies: readonly string[];
}

export type FromAutopsy =
  | { readonly type: 'autopsy'; readonly autopsy: Autopsy }
  | { readonly type: 'failed'; readonly reason: string }
  | { readonly type: 'alive' }
  | { readonly type: 'done' };

const port = parentPort;
if (!port) throw new Error('This file runs as a worker of an autopsy.');
const { strategies } = workerData as AutopsySetting;
// To cancel, the whole worker is terminated.
const { signal } = new AbortController();

setInterval(() => port.postMessage({ type: 'alive' } satisfies FromAutopsy), ALIVE_MS).unref();

port.on('message', async (session: LabSession) => {
  const post = (message: FromAutopsy) => port.postMessage(message);
  try {
    const autopsy = await runAutopsy(await readStored(session), strategies, new StrategyRegistry(), signal);
    post({ type: 'autopsy', autopsy });
  } catch (thrown) {
    post({ type: 'failed', reason: messageOf(thrown) });
  }
  post({ type: 'done' });
});

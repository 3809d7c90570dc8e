/** The ports a compactor needs, over memory: nothing is written, time moves with the session, everything is allowed. */

import type { CompactorPorts } from '../../core/compaction/compactorPorts.ts';
import type { BlobStore, Clock, Crypto, JournalStore } from '../../core/ports.ts';
import { forgetfulMemory, LearnedWindows } from '../../core/tokens/learnedWindows.ts';

export interface MemoryPorts
  extends Pick<CompactorPorts, 'consent' | 'blobs' | 'windows' | 'onProgress' | 'onEvent' | 'log'> {
  readonly store: JournalStore;
  readonly clock: Clock;
}

const START = Date.UTC(2026, 0, 1);
/** Each look at the clock finds it so much later: as far apart as requests are, so that cool-downs end. */
const STEP_MS = 1000;

export function memoryPorts(crypto: Crypto): MemoryPorts {
  let now = START;
  const clock = { now: () => (now += STEP_MS) };
  return {
    clock,
    windows: new LearnedWindows(forgetfulMemory(), clock),
    store: forgetfulStore(),
    blobs: memoryBlobs(crypto),
    consent: () => Promise.resolve('compact'),
    onProgress: () => undefined,
    onEvent: () => undefined,
    log: () => undefined,
  };
}

function forgetfulStore(): JournalStore {
  return {
    name: 'lab',
    readOnly: null,
    unwritten: 0,
    append: () => Promise.resolve(),
    sync: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}

function memoryBlobs(crypto: Crypto): BlobStore {
  const blobs = new Map<string, Uint8Array>();
  return {
    put: async (bytes) => {
      const name = await crypto.sha256(bytes);
      blobs.set(name, bytes);
      return name;
    },
    get: (name) => Promise.resolve(blobs.get(name) ?? null),
  };
}

/**
 * Replays one stored session under several strategies and returns each result as soon as it is ready. It writes nothing
 * and asks no model: summaries are texts made by rules, as long as they may be. Runs in a worker, and for strategies of
 * other extensions in the extension host, where `pause` yields.
 */

import type { StrategyRegistry } from '../../core/compaction/hosting/registry.ts';
import type { Crypto } from '../../core/crypto.ts';
import { prepareWithPauses } from '../../lab/prepareSession.ts';
import { type BrokenReplay, type LabScore, runSession, type Variant } from '../../lab/replay.ts';
import { commonPrefix, messageTokens, type Part } from '../../lab/request.ts';
import { systemTimers } from '../../providers/timers.ts';
import { nodeCrypto } from '../storage/disk/fileBlobStore.ts';
import { type LabSession, readStored } from './storedSession.ts';

/** A fact that a step needed but its request lacked. */
export interface Miss {
  /** Number of the request, from 1. */
  readonly step: number;
  /** Index of the recorded answer. */
  readonly message: number;
  readonly kind: 'path' | 'identifier' | 'line';
  readonly text: string;
  /** Index of the message that last said it; absent where the newest one before the step did. */
  readonly said?: number;
}

export interface LabResult {
  readonly score: LabScore;
  /** Tokens of each request, in order. */
  readonly sizes: readonly number[];
  /** Numbers of the requests that were rewritten and smaller than the previous one: compactions. */
  readonly compactions: readonly number[];
  /** The first ones. */
  readonly misses: readonly Miss[];
}

export interface StoredReplay {
  readonly variants: readonly Variant[];
  /** In tokens. */
  readonly window: number;
  readonly registry: StrategyRegistry;
  readonly signal: AbortSignal;
  readonly pause: () => Promise<void>;
  /** Called where the session cannot be replayed under a strategy; the others go on. */
  readonly onBroken: (broken: BrokenReplay) => void;
  /** Called before each strategy. */
  readonly onStrategy?: (strategy: string) => void;
}

/** A reader looks at a few; a session may have thousands. */
const MOST_MISSES = 200;

export async function* replayStored(source: LabSession, replay: StoredReplay): AsyncGenerator<LabResult> {
  const { variants, window, registry, signal, pause, onBroken } = replay;
  const prepared = await prepareWithPauses(await readStored(source, pause), pause);
  let seen = new Watched();
  const scores = runSession(prepared, {
    strategies: variants,
    window,
    registry,
    settings: {},
    beforeFirstCompaction: false,
    summaries: { kind: 'scripted' },
    crypto: countedCrypto(nodeCrypto),
    timers: systemTimers,
    signal,
    pause,
    onStrategy: (strategy) => {
      seen = new Watched();
      replay.onStrategy?.(strategy);
    },
    onBroken,
    onRequest: (_, __, parts) => seen.request(parts, messageTokens(prepared, parts)),
    onMissing: (message, { kind, text }) => seen.miss({ message, kind, text }),
  });
  for await (const score of scores) {
    const { sizes, compactions, misses } = seen;
    yield { score, sizes, compactions, misses };
  }
}

class Watched {
  readonly sizes: number[] = [];
  readonly compactions: number[] = [];
  readonly misses: Miss[] = [];
  #before: readonly Part[] = [];

  request(parts: readonly Part[], size: number): void {
    const smaller = size < (this.sizes.at(-1) ?? 0);
    this.sizes.push(size);
    if (smaller && commonPrefix(this.#before, parts) < this.#before.length) this.compactions.push(this.sizes.length);
    this.#before = parts;
  }

  /** Records a miss in the newest request seen. */
  miss(miss: Omit<Miss, 'step'>): void {
    if (this.misses.length < MOST_MISSES) this.misses.push({ step: this.sizes.length, ...miss });
  }
}

/** The machine's hashes, with counted instead of random words, so that two runs are the same. */
export function countedCrypto(crypto: Crypto): Crypto {
  let made = 0;
  return {
    ...crypto,
    randomHex: (bytes) =>
      (++made)
        .toString(16)
        .padStart(bytes * 2, '0')
        .slice(-bytes * 2),
  };
}

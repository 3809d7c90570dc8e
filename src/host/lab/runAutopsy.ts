/** The autopsy of one session with the product's strategies beside it. Writes nothing and asks no model. */

import type { StrategyRegistry } from '../../core/compaction/run/registry.ts';
import { type Autopsy, performAutopsy } from '../../lab/autopsy.ts';
import { compactTo } from '../../lab/live/compactTo.ts';
import { prepareSession } from '../../lab/prepareSession.ts';
import type { RecordedSession } from '../../lab/session.ts';
import { systemTimers } from '../../providers/timers.ts';
import { nodeCrypto } from '../storage/disk/fileBlobStore.ts';
import { countedCrypto } from './replayStored.ts';

export function runAutopsy(
  session: RecordedSession,
  strategies: readonly string[],
  registry: StrategyRegistry,
  signal: AbortSignal,
): Promise<Autopsy> {
  const prepared = prepareSession(session);
  const options = { registry, crypto: countedCrypto(nodeCrypto), timers: systemTimers, settings: {}, signal };
  const rivals = strategies.map((strategy) => ({
    strategy,
    compactTo: (before: Parameters<typeof compactTo>[2], room: number) =>
      compactTo(strategy, prepared, before, room, options),
  }));
  return performAutopsy(prepared, rivals, signal);
}

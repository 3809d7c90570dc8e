/** Runs several strategies over one session, one after the other, and yields each score as soon as it is ready. */

import { StrategyRegistry } from '../core/compaction/run/registry.ts';
import { messageOf } from '../core/errors.ts';
import { BASELINES } from './baselines/baselines.ts';
import { type LiveOptions, makeLiveContender } from './live/liveContender.ts';
import type { PreparedSession } from './prepareSession.ts';
import { type ReplayOptions, replay } from './replay.ts';
import type { Contender, ModelCharge, Part } from './request.ts';
import type { SessionScore } from './sessionScore.ts';

/** `strategy`: its id, or the name of the variant. */
export type LabScore = SessionScore & { readonly strategy: string };

/** A strategy with settings for one row of the figures, so that several settings of it can be compared. */
export interface Variant {
  /** Its name in the figures. */
  readonly name: string;
  /** Its id. */
  readonly strategy: string;
  /** Replaces the `settings` of the run. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** Values of a contributed strategy's own section, by their names in it. */
  readonly section?: Readonly<Record<string, unknown>>;
}

export interface RunOptions extends Contestant {
  /** An id means the strategy with the settings of the run. */
  readonly strategies: readonly (string | Variant)[];
  readonly beforeFirstCompaction: boolean;
  readonly signal: AbortSignal;
  readonly onRequest?: (strategy: string, step: number, parts: readonly Part[], charge?: ModelCharge) => void;
  readonly onMissing?: ReplayOptions['onMissing'];
  readonly pause?: () => Promise<void>;
}

/** Rejects when the signal is aborted, when an id is unknown, or when a strategy breaks the lab itself. */
export async function* runSession(prepared: PreparedSession, options: RunOptions): AsyncGenerator<LabScore> {
  const { beforeFirstCompaction, onMissing, onRequest, pause, signal, strategies } = options;
  for (const asked of strategies) {
    const { name: strategy, ...set } =
      typeof asked === 'string' ? { name: asked, strategy: asked, settings: options.settings } : asked;
    try {
      const contender = await makeContender(set.strategy, prepared, { ...options, ...set });
      const score = await replay(prepared, contender, {
        signal,
        beforeFirstCompaction,
        ...(onRequest ? { onRequest: (step, parts, charge) => onRequest(strategy, step, parts, charge) } : {}),
        ...(onMissing ? { onMissing } : {}),
        ...(pause ? { pause } : {}),
      });
      yield { strategy, ...score };
    } catch (cause) {
      if (signal.aborted) throw cause;
      throw new Error(`${strategy} on ${prepared.session.name}: ${messageOf(cause)}`, { cause });
    }
  }
}

/** `window` in tokens of the lab; the fixed part for system prompt and tools is added. */
type Contestant = LiveOptions;

/** Ids in the order of the lab's table, then the product's own. */
export function knownStrategies(registry: StrategyRegistry = new StrategyRegistry()): string[] {
  return [...BASELINES.keys(), ...registry.list().map((entry) => entry.id)];
}

export async function makeContender(id: string, prepared: PreparedSession, options: Contestant): Promise<Contender> {
  const baseline = BASELINES.get(id);
  if (baseline) return baseline(prepared, options.window);
  if (options.registry.get(id)) return makeLiveContender(id, prepared, options);
  throw new Error(`There is no strategy ${id}; known are ${knownStrategies(options.registry).join(', ')}.`);
}

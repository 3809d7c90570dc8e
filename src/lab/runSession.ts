/** Runs several strategies over one session, one after the other, and gives each score as soon as it is there. */

import { messageOf } from '../core/errors.ts';
import { type Contestant, makeContender } from './makeContender.ts';
import type { PreparedSession } from './prepareSession.ts';
import { type ReplayOptions, replay } from './replay.ts';
import type { ModelCharge, Part } from './request.ts';
import type { SessionScore } from './score/sessionScore.ts';

export type LabScore = SessionScore & { readonly strategy: string };

export interface RunOptions extends Contestant {
  readonly strategies: readonly string[];
  readonly beforeFirstCompaction: boolean;
  readonly signal: AbortSignal;
  readonly onRequest?: (strategy: string, step: number, parts: readonly Part[], charge?: ModelCharge) => void;
  readonly onMissing?: ReplayOptions['onMissing'];
  readonly pause?: () => Promise<void>;
}

/** Rejects when the signal says so, when an id is unknown, or when a strategy breaks the lab itself. */
export async function* runSession(prepared: PreparedSession, options: RunOptions): AsyncGenerator<LabScore> {
  const { beforeFirstCompaction, onMissing, onRequest, pause, signal, strategies } = options;
  for (const strategy of strategies) {
    try {
      const contender = await makeContender(strategy, prepared, options);
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
